package options_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
)

// declarations are the options that the tests use. Numbers are not those of gogo.proto: names are
// what counts.
const declarations = `syntax = "proto2";
package gogoproto;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FileOptions {
  optional bool equal_all = 50001; optional bool marshaler_all = 50002; optional bool sizer_all = 50003;
  optional bool goproto_getters_all = 50004; optional bool onlyone_all = 50005; optional bool face_all = 50006;
  optional bool goproto_enum_prefix_all = 50007;
}
extend google.protobuf.MessageOptions {
  optional bool equal = 50001; optional bool protosizer = 50002; optional bool testgen = 50003;
}
extend google.protobuf.FieldOptions {
  optional bool nullable = 50001; optional bool embed = 50002; optional string customtype = 50003;
  optional string casttype = 50004; optional string customname = 50005; optional bool stdtime = 50006;
  optional string castrepeated = 65013; optional bool sparkling = 50008; optional bool wktpointer = 50009;
}
`

// read compiles a file and reads its facts.
func read(t *testing.T, preset, text string) (*options.Facts, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"gogoproto/gogo.proto": declarations, "a.proto": text, "other.proto": `syntax = "proto2";
package other;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions { optional bool omitempty = 65013; }
`} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res := compiler.Compile(context.Background(),
		compiler.Options{Sources: source.New(dir), Files: []string{"a.proto"}})
	if res.Diagnostics.Errors() > 0 {
		t.Fatal(res.Diagnostics)
	}
	facts, found := options.Read(res.Descriptors.File, func(path string) string {
		if path == "a.proto" {
			return preset
		}
		return ""
	})
	var b strings.Builder
	for _, d := range found.Sorted() {
		fmt.Fprintf(&b, "%s %s\n", d.Severity, d.Error())
	}
	return facts, b.String()
}

const head = `syntax = "proto2"; package a; import "gogoproto/gogo.proto"; import "google/protobuf/timestamp.proto";
`

func TestPrecedence(t *testing.T) {
	facts, found := read(t, "gogoslick", head+`option (gogoproto.goproto_enum_prefix_all) = true;
message A { optional int32 a = 1; optional int32 b = 2 [default = 1]; optional int32 c = 3 [(gogoproto.nullable) = true]; }
message B { option (gogoproto.equal) = false; }
enum E { X = 0; }`)
	if found != "" {
		t.Error(found)
	}
	for name, nullable := range map[string]bool{"a.A.a": false, "a.A.b": true, "a.A.c": true} {
		if facts.Fields[name].Nullable != nullable {
			t.Errorf("%s: nullable %v", name, !nullable)
		}
	}
	if !facts.Messages["a.A"].Equal || facts.Messages["a.B"].Equal {
		t.Error(
			"equal: the preset is followed where the message says otherwise, or not where it says nothing")
	}
	if !facts.Enums["a.E"].Prefix || !facts.Enums["a.E"].Stringer {
		t.Error("the file's option and the preset's")
	}
}

// TestNames checks that a number means nothing: 65013 is castrepeated in one file and somebody's
// omitempty in another.
func TestNames(t *testing.T) {
	facts, found := read(t, "gogo",
		`syntax = "proto2"; package a; import "other.proto"; message A { optional int32 a = 1 [(other.omitempty) = true]; }`)
	if found != "" || facts.Fields["a.A.a"].CastRepeated != "" {
		t.Errorf("%q, %s", facts.Fields["a.A.a"].CastRepeated, found)
	}
	facts, _ = read(t, "gogo",
		head+`message A { repeated int32 a = 1 [(gogoproto.castrepeated) = "List"]; }`)
	if facts.Fields["a.A.a"].CastRepeated != "List" {
		t.Error("castrepeated is not read")
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`message A { optional bytes a = 1 [(gogoproto.customtype) = "T", (gogoproto.casttype) = "T"]; }`,
			"error a.proto:2:13: field \"a\" cannot have both (gogoproto.customtype) and (gogoproto.casttype)\n"},
		{`message A { optional int32 a = 1 [default = 3, (gogoproto.nullable) = false]; }`,
			"error a.proto:2:13: field \"a\" has a default value and cannot be non-nullable\n"},
		{"option (gogoproto.goproto_getters_all) = false;\nmessage A { optional int32 a = 1 [default = 3]; }",
			"error a.proto:3:13: field \"a\" has a default value and its message has no getters, which alone would know it\n"},
		{`message A { oneof o { int32 a = 1 [(gogoproto.nullable) = false]; } }`,
			"error a.proto:2:23: field \"a\" cannot be in a oneof and non-nullable\n"},
		{`message A { oneof o { B a = 1 [(gogoproto.embed) = true]; } } message B {}`,
			"error a.proto:2:23: field \"a\" cannot be in a oneof and embedded\n"},
		{"option (gogoproto.onlyone_all) = true;\nmessage A { oneof o { int32 a = 1; } }",
			"error a.proto:3:23: field \"a\" cannot be in a oneof and in a message that holds only one field\n"},
		{`message A { repeated B a = 1 [(gogoproto.embed) = true]; } message B {}`,
			"error a.proto:2:13: field \"a\" is repeated and cannot be embedded\n"},
		{`message A { optional B a = 1 [(gogoproto.embed) = true, (gogoproto.customname) = "C"]; } message B {}`,
			"error a.proto:2:13: field \"a\" is embedded and cannot have the custom name \"C\"\n"},
		{`message A { optional int64 a = 1 [(gogoproto.stdtime) = true]; }`,
			"error a.proto:2:13: field \"a\" has (gogoproto.stdtime) and is not a google.protobuf.Timestamp\n"},
		{`message A { optional B a = 1 [(gogoproto.wktpointer) = true]; } message B {}`,
			"error a.proto:2:13: field \"a\" has (gogoproto.wktpointer) and is not one of google/protobuf/wrappers.proto\n"},
		{"option (gogoproto.marshaler_all) = true; option (gogoproto.sizer_all) = true;\nmessage A { optional group G = 1 {} }",
			"error a.proto:3:13: field \"g\" is a group: there are no generated methods for groups, gogo has none either\n"},
		{"option (gogoproto.sizer_all) = true;\nmessage A { option (gogoproto.protosizer) = true; }",
			"error a.proto:3:1: message \"A\" cannot have both (gogoproto.sizer) and (gogoproto.protosizer)\n"},
		{"option (gogoproto.face_all) = true;\nmessage A { }",
			"error a.proto:3:1: message \"A\" has a face and getters\n"},
		{`extend A { optional int32 x = 100 [(gogoproto.nullable) = false]; } message A { extensions 100; }`,
			"error a.proto:2:12: extension \"x\" cannot be non-nullable\n"},
		{`message A { repeated int32 a = 1 [(gogoproto.nullable) = false]; }`,
			"warning a.proto:2:13: field \"a\" is a list of scalars: (gogoproto.nullable) does nothing\n"},
		{`message A { optional int32 a = 1 [(gogoproto.sparkling) = true]; }`,
			"warning a.proto:2:13: option (gogoproto.sparkling) is not known and does nothing\n"},
		{`message A { option (gogoproto.testgen) = true; }`,
			"warning a.proto:2:1: option (gogoproto.testgen) does nothing: tests of generated code are not generated\n"},
		{`message A { map<int32, google.protobuf.Timestamp> a = 1 [(gogoproto.stdtime) = true, (gogoproto.nullable) = false]; }`, ""},
	} {
		if _, found := read(t, "gogo", head+c.text); found != c.want {
			t.Errorf("%s\ngot  %swant %s", c.text, found, c.want)
		}
	}
	_, found := read(t, "gogo", strings.Replace(head, "proto2", "proto3", 1)+
		`message A { int32 a = 1 [(gogoproto.nullable) = false]; }`)
	if want := "error a.proto:2:13: field \"a\" is a scalar of proto3 and cannot be non-nullable: whether zero is written would be in doubt\n"; found != want {
		t.Errorf("got  %swant %s", found, want)
	}
}
