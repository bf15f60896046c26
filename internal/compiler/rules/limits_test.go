package rules_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestLimits compares with protoc what is too much of something and what is just not.
func TestLimits(t *testing.T) {
	protoc := findProtoc(t)
	fields := func(n int) string {
		var b strings.Builder
		for i := range n {
			number := i + 1
			if number >= 19000 {
				number += 1000
			}
			fmt.Fprintf(&b, "  int32 f%d = %d;\n", i, number)
		}
		return "message A {\n" + b.String() + "}\n"
	}
	field := func(name, options string) string {
		return "package p;\nmessage M {\n  int32 " + name + " = 1 " + options + ";\n}\n"
	}
	a := func(n int) string { return strings.Repeat("a", n) }
	for _, c := range []struct {
		name, text, wrong string
	}{
		{"fields", fields(65535), ""},
		{"fields", fields(65536), `a.proto:2:9: message "A" has 65536 fields, more than 65535`},
		{"message name", "message A" + a(65534) + " {}\n", ""},
		{"message name", "message A" + a(65535) + " {}\n",
			"a.proto:2:9: full name has 65536 bytes, more than 65535"},
		{"nested message name", "package p;\nmessage A {\n  message B" + a(65530) + " {}\n}\n", ""},
		{"nested message name", "package p;\nmessage A {\n  message B" + a(65531) + " {}\n}\n",
			"a.proto:4:11: full name has 65536 bytes, more than 65535"},
		{"enum name", "package p;\nenum A" + a(65533) + " {\n  Z = 0;\n}\n",
			"a.proto:3:6: full name has 65536 bytes, more than 65535"},
		{"enum value name", "enum A {\n  Z" + a(65535) + " = 0;\n}\n", ""},
		{"method name", "message A {}\nservice S {\n  rpc B" + a(65533) + "(A) returns (A);\n}\n",
			"a.proto:4:7: full name has 65536 bytes, more than 65535"},
		{"plain field name", field(a(65531), ""), ""},
		{"plain field name", field(a(65532), ""),
			"a.proto:4:9: name has 65536 bytes, with all its spellings 65536, more than 65535"},
		{"field name with underscore", field(a(32763)+"_"+a(1), ""), ""},
		{"field name with underscore", field(a(32763)+"_"+a(2), ""),
			"a.proto:4:9: name has 32770 bytes, with all its spellings 65537, more than 65535"},
		{"field name with capital", field("A"+a(16380), ""), ""},
		{"field name with capital", field("A"+a(16381), ""),
			"a.proto:4:9: name has 16386 bytes, with all its spellings 65536, more than 65535"},
		{"field with JSON name", field("a", `[json_name = "`+a(65524)+`"]`), ""},
		{"field with JSON name", field("a", `[json_name = "`+a(65525)+`"]`),
			"a.proto:4:9: name has 5 bytes, with all its spellings 65536, more than 65535"},
	} {
		files := map[string]string{"a.proto": `syntax = "proto3";` + "\n" + c.text}
		got := ""
		for _, d := range check(t, files) {
			got += d.Error()
		}
		if got != c.wrong {
			t.Errorf("%s: %.300q, want %q", c.name, got, c.wrong)
		}
		if protoc != "" {
			if said, refused := ask(t, protoc, files); refused != (c.wrong != "") {
				t.Errorf("%s: protoc refuses: %v\n%.300s", c.name, refused, said)
			}
		}
	}
}

// TestMany checks messages and enums with very much of everything, each of which would take minutes
// if all pairs were compared.
func TestMany(t *testing.T) {
	const n = 20000
	list := func(format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	text := "syntax = \"proto2\";\nmessage Ranges {\n" +
		list("  optional int32 f%[1]d = 3%06[1]d;\n  reserved 2%06[1]d;\n") +
		list("  reserved \"r%[1]d\";\n") +
		list("  extensions 1%06[1]d;\n") + "}\nextend Ranges {\n" +
		list("  optional int32 x%[1]d = 1%06[1]d;\n") + "}\nenum Values {\n" +
		list("  V%[1]d = 1%06[1]d;\n  reserved 2%06[1]d;\n  reserved \"r%[1]d\";\n") +
		"}\nmessage Defaults {\n" +
		list("  optional Values f%[1]d = 1%06[1]d [default = V%[1]d];\n") +
		"}\nmessage Maps {\n" + list("  map<int32, Values> m%[1]d = 1%06[1]d;\n") +
		"}\nmessage Oneofs {\n" +
		list("  oneof o%[1]d {\n    int32 o%[1]df = 1%06[1]d;\n  }\n") +
		"}\nmessage Wrong {\n" + list("  optional int32 f%[1]d = 1;\n  reserved 2%06[1]d;\n") +
		"}\n"
	found := check(t, map[string]string{"a.proto": text})
	maps, numbers := 0, 0
	for _, d := range found {
		switch {
		case strings.Contains(d.Message, `the first value of enum "Values" must be zero`):
			maps++
		case d.Message == `field number 1 is used twice in "Wrong"` && d.Hint != "":
			numbers++
		}
	}
	if maps != n || numbers != n-1 || len(found) != maps+numbers {
		t.Errorf("%d errors for %d maps, %d for their numbers, %d in all", maps, n, numbers,
			len(found))
	}
}
