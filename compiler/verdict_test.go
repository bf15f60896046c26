package compiler

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// verdicts are files that protocompile and protoc do not agree about; protoc is right by definition. A text without a file
// name is a.proto, one that does not say its syntax is proto3. There are more in nameVerdicts.
var verdicts = map[string]bool{
	// The grammar.
	`syntax repeated = "proto3";`: false,
	`syntax /* of */ = // this
 "proto3";`: true,
	`"x" = "proto3"; message A {}`:                                              false,
	"\ufeffsyntax = \"proto3\"; message A {}":                                   true,
	`message A { oneof o { int32 a = 1;; } }`:                                   false,
	`message A {; int32 a = 1;; ; } ;; enum E {; Z = 0;; };`:                    true,
	`message A { reserved; }`:                                                   false,
	`message A { reserved 1 to 1e3; }`:                                          false,
	`message A { reserved 0x1e to 0x1F, 017; reserved "1.5", '2e3'; }`:          true,
	`message A { int32 a = 1e0; }`:                                              false,
	`message A { int32 a = /* 1.5 */ 1; }`:                                      true,
	`enum A { Z = 0; Y = 1e0; }`:                                                false,
	`syntax = "proto2"; message A { optional double a = 1 [default = 0x1p3]; }`: false,
	`syntax = "proto2"; message A { optional double a = 1 [default = 010.5]; }`: false,
	`syntax = "proto2"; message A { optional double a = 1 [default = 0.5]; optional double b = 2 [default = -0xF]; }`: true,
	`syntax = "proto2"; enum E { Z = 0; } message A { optional E a = 1 [default = 0]; }`:                              false,
	`syntax = "proto2"; enum E { Z = 0; } message A { optional E a = 1 [default = Z]; }`:                              true,
	`/* a /* b */ message A {}`:                                                           false,
	`/* a /*/ message A {}`:                                                               false,
	`/* a // b ** / */ message A {} /**/ /***/ // /* x`:                                   true,
	`message A { message message {} message a = 1; }`:                                     false,
	`message A { message message {} repeated message a = 1; oneof o { message b = 2; } }`: true,
	`message A { message oneof {} oneof a = 1; }`:                                         false,
	`message A { message reserved {} reserved a = 1; }`:                                   false,
	`message A { message extend {} extend a = 1; }`:                                       false,
	`message A { message repeated {} repeated a = 1; }`:                                   false,
	`message optional { message x {} } message A { optional.x b = 2; }`:                   false,
	`message optional { message x {} } message A { .optional.x b = 2; A.oneof c = 3; message oneof {} message_ d = 4; } message message_ {}`: true,
	`message group {} message A { optional group a = 1; }`:                                          false,
	`message map { message x {} } message A { repeated map.x b = 2; }`:                              false,
	`message map { message x {} } message A { map b = 1; .map.x c = 2; map < int32, map > d = 3; }`: true,
	`message stream {} service S { rpc R (stream) returns (stream); }`:                              false,
	`message stream {} service S { rpc R (stream stream) returns (.stream); }`:                      true,

	`enum E { Z = 0; option = 5; }`:                                        false,
	`enum E { Z = 0; reserved = 5; }`:                                      false,
	`enum E { Z = 0; message = 5; enum = 6; extensions = 7; syntax = 8; }`: true,
	`edition = "2023"; import "google/protobuf/descriptor.proto"; message X { bool x = 1; } extend google.protobuf.FeatureSet { X f = 50000; } option features.(f).x = true;`: false,
	`import "google/protobuf/descriptor.proto"; option (google.protobuf.FileOptions.deprecated) = true; option (FileOptions.java_package) = "a";`:                             false,
	`import "google/protobuf/descriptor.proto"; message M { option (google.protobuf.MessageOptions.deprecated) = true; }`:                                                     true,
	`edition = "2023"; message A { int32 a = 1 [ctype = CORD]; A b = 2 [ctype = CORD]; extensions 5; } extend A { string c = 5 [ctype = CORD]; }`:                             true,
	`edition = "2024"; message A { string a = 1 [ctype = CORD]; }`:                                                                                                            false,
	`syntax = a"proto3";`:                                                             false,
	`edition = optional "2023";`:                                                      false,
	`edition = "2024"; export export message A {}`:                                    false,
	`edition = "2024"; local export enum A { A_UNSPECIFIED = 0; }`:                    false,
	`edition = "2024"; export message A { local message B {} }`:                       true,
	nested("message M%d {", 31):                                                       true,
	nested("message M%d {", 32):                                                       false,
	`syntax = "proto2"; message A { ` + nested("repeated group M%d = 1 {", 30) + ` }`: true,
	`syntax = "proto2"; message A { ` + nested("repeated group M%d = 1 {", 31) + ` }`: false,
	"message A {} // a\x01b \x7f":                                                     true,
	"message A {} // a\x00b":                                                          false,
	"message A {} /* a\x00b */":                                                       false,
	"-- a.proto --\nsyntax = \"proto2\"; message A { extensions 4 to 9; }\n" +
		"-- b.proto --\nsyntax = \"proto2\"; option optimize_for = LITE_RUNTIME; import \"a.proto\"; extend A { optional int32 b = 4; }\n": false,
	"-- a.proto --\nsyntax = \"proto2\"; option optimize_for = LITE_RUNTIME; message A { extensions 4 to 9; }\n" +
		"-- b.proto --\nsyntax = \"proto2\"; option optimize_for = LITE_RUNTIME; import \"a.proto\"; extend A { optional int32 b = 4; }\n": true,
	`syntax = "proto2"; message S { option message_set_wire_format = true; extensions 4 to max; } extend S { optional group G = 5 {} }`:                     false,
	`syntax = "proto2"; message A { extensions 1; } extend A { optional int32 a = 1;; }`:                                                                    false,
	`syntax = "proto2"; message A { optional double a = 1 [default = 0x]; }`:                                                                                false,
	`import "google/protobuf/descriptor.proto"; extend google.protobuf.FileOptions { double a = 50000; } option (a) = 0x1F;`:                                true,
	`import "google/protobuf/descriptor.proto"; extend google.protobuf.FileOptions { double a = 50000; } option (a) = 0x1.8p3;`:                             false,
	`import "google/protobuf/descriptor.proto"; extend google.protobuf.FileOptions { A a = 50000; } message A { double b = 1; } option (a) = { b: 0x1p3 };`: false,

	// Defaults and options of the language.
	`syntax = "proto2"; message A { optional int32 a = 1 [default = "x"]; }`:                                                                                    false,
	`syntax = "proto2"; message A { optional string a = 1 [default = 1]; }`:                                                                                     false,
	`syntax = "proto2"; message A { optional float a = 1 [default = "1"]; }`:                                                                                    false,
	`syntax = "proto2"; message A { optional float a = 1 [default = infinity]; }`:                                                                               false,
	`syntax = "proto2"; message A { optional bool a = 1 [default = 1]; }`:                                                                                       false,
	`syntax = "proto2"; message A { optional bool a = 1 [default = True]; }`:                                                                                    false,
	`syntax = "proto2"; message A { optional bool a = 1 [default = true]; }`:                                                                                    true,
	`syntax = "proto2"; enum E { Z = 0; } message A { optional E a = 1 [default = true]; }`:                                                                     false,
	`syntax = "proto2"; enum E { Z = 0; } message A { optional E a = 1 [default = "Z"]; }`:                                                                      false,
	`syntax = "proto2"; message A { optional int32 a = 1 [default = 1.5]; }`:                                                                                    false,
	`syntax = "proto2"; message A { optional int32 a = 1 [default = 2147483648]; }`:                                                                             false,
	`syntax = "proto2"; message A { optional string a = 1 [default = "\xg"]; }`:                                                                                 false,
	`syntax = "proto2"; message A { optional string a = 1 [default = "\U00110000" "\ud83d", json_name = "\ude00"]; }`:                                           true,
	`syntax = "proto2"; message A { optional string a = 1 [json_name = 1]; }`:                                                                                   false,
	`syntax = "proto2"; message A { optional string a = 1 [packed = "x"]; repeated int32 b = 2 [packed = 1]; }`:                                                 false,
	`syntax = "proto2"; message A { repeated int32 b = 2 [packed = True]; }`:                                                                                    false,
	`edition = "2023"; option features = { field_presence: IMPLICIT # x }; message A { int32 a = 1; }`:                                                          true,
	`edition = "2023"; option features = { field_presence: 2 }; message A { int32 a = 1; }`:                                                                     true,
	`syntax = "proto3"; import "google/protobuf/java_features.proto"; option features.(pb.java).large_enum = true;`:                                             false,
	`edition = "2023"; import "google/protobuf/java_features.proto"; option features.(pb.java).utf8_validation = VERIFY;`:                                       true,
	`edition = "2023"; import "google/protobuf/java_features.proto"; option features.(pb.java) = { utf8_validation: VERIFY };`:                                  true,
	`edition = "2023"; import "google/protobuf/java_features.proto"; option features.(pb.java) = { utf8_validation: NOPE };`:                                    false,
	`edition = "2023"; option features = { field_presence: 7 }; message A { int32 a = 1; }`:                                                                     false,
	`syntax = "proto2"; message A { extensions 4 [declaration = { number: 4 full_name: ".x" type: "int32" repeated: f }]; } extend A { optional int32 x = 4; }`: true,

	// Strings: what stands before another one, and what is no character.
	`syntax = """proto" /* x */ ''"3"""; option java_package = """a"; option go_package = '''''';`:                                                                  true,
	`syntax = "proto2"; message A { optional string a = 1 [default = """"]; optional string b = 2 [default = ''""'c']; optional bytes c = 3 [json_name = """x"]; }`: true,
	`message A { reserved """a"; string b = 1; } enum E { Z = 0; reserved "a"""'''b'; }`:                                                                            true,
	`message A { reserved """a"; string a = 1; }`:                                                                                                                   false,
	`message A { reserved """; }`:                                         false,
	`message A { reserved """"""; reserved "a""a", 'a'; string aa = 1; }`: false,
	`message A { reserved "\ud83d\ude00", "\ud83d", "\U00110000", "a\\ud83d"; } enum E { Z = 0; reserved "\ud83d\ude00", "??????"; }`: true,
	`message A { reserved "\ud83d\ude00", "\U0001f600"; }`:                                                                            false,
	"message A { reserved \"\xff\", \"?\", \"\xfe\" \"\\xff\"; }":                                                                     true,
	"message A { reserved \"\xff\", \"\\xff\"; }":                                                                                     false,
	"-- a.proto --\nsyntax = \"proto3\"; import public \"\\ud83d\\ude00\"\"\"\".proto\"; message A { B b = 1; }\n-- \U0001f600.proto --\nsyntax = \"proto3\"; message B {}\n": true,
	"-- a.proto --\nsyntax = \"proto3\"; import \"\\ud83d.proto\"; message A { B b = 1; }\n-- ??????.proto --\nsyntax = \"proto3\"; message B {}\n":                           false,

	// Names in JSON.
	`message A { int32 a = 1 [json_name = "[a]"]; }`:                                                                                                      false,
	`message A { int32 a = 1 [json_name = "a\000"]; }`:                                                                                                    false,
	`message A { int32 a = 1 [json_name = "@type]"]; int32 b = 2 [json_name = ""]; }`:                                                                     true,
	`message A { int32 a_b = 1; int32 aB = 2; }`:                                                                                                          false,
	`message A { int32 a_b = 1; int32 aB = 2 [json_name = "x"]; }`:                                                                                        false,
	`message A { option deprecated_legacy_json_field_conflicts = true; int32 a_b = 1; int32 aB = 2; int32 c = 3 [json_name = "aB"]; }`:                    true,
	`message A { int32 a_b = 1; int32 c = 2 [json_name = "aB"]; }`:                                                                                        false,
	`message A { int32 foo = 1; int32 FOO = 2; int32 foo_1 = 3; int32 a = 4 [json_name = "b"]; int32 b = 5 [json_name = "a"]; }`:                          true,
	`syntax = "proto2"; message A { optional int32 a_b = 1; optional int32 c = 2 [json_name = "aB"]; }`:                                                   true,
	`syntax = "proto2"; message A { optional int32 b = 1 [json_name = "x"]; optional int32 c = 2 [json_name = "x"]; }`:                                    false,
	`syntax = "proto2"; message A { optional int32 a_b = 1 [json_name = "aB"]; optional int32 aB = 2 [json_name = "aB"]; }`:                               true,
	`edition = "2023"; message A { int32 a_b = 1; message B { int32 a_b = 1; int32 aB = 2; } }`:                                                           false,
	`edition = "2023"; message A { option features.json_format = LEGACY_BEST_EFFORT; int32 a_b = 1; message B { int32 a_b = 1; int32 aB = 2; } }`:         true,
	`edition = "2023"; option features.json_format = LEGACY_BEST_EFFORT; message A { option features.json_format = ALLOW; int32 a_b = 1; int32 aB = 2; }`: false,

	// Options.
	`enum E { option allow_alias = false; Z = 0; }`:                                                      false,
	`edition = "2023"; option features.field_presence = FIELD_PRESENCE_UNKNOWN;`:                         false,
	`edition = "2023"; message A { string a = 1 [features.utf8_validation = UTF8_VALIDATION_UNKNOWN]; }`: false,
	`edition = "2023"; service S { option features.json_format = ALLOW; }`:                               false,
	`edition = "2023"; message A { extensions 1 to 5 [features.field_presence = IMPLICIT]; }`:            false,
	`edition = "2024"; service S { option features.enforce_naming_style = STYLE_LEGACY; }`:               true,

	// Options as another file than descriptor.proto has them.
	`syntax = "proto2"; package google.protobuf; message FileOptions { optional string mine = 1; extensions 9; } extend FileOptions { optional int32 f = 9; } option mine = "a"; option (f) = 5;`: true,
	`syntax = "proto2"; package google.protobuf; message FileOptions { optional string mine = 1; } option java_package = "a";`:                                                                    false,
	`syntax = "proto2"; package google.protobuf; message A { message FileOptions {} } enum FieldOptions { Z = 0; } option java_package = "a";`:                                                    true,
	"-- a.proto --\nsyntax = \"proto2\"; import \"b.proto\"; option mine = \"a\";\n-- b.proto --\nsyntax = \"proto2\"; import \"c.proto\";\n" +
		"-- c.proto --\nsyntax = \"proto2\"; package google; message protobuf { message FileOptions { optional string mine = 1; } }\n": true,
	"-- a.proto --\nsyntax = \"proto2\"; option mine = \"a\";\n-- c.proto --\nsyntax = \"proto2\"; package google; message protobuf { message FileOptions { optional string mine = 1; } }\n": false,

	`syntax = "proto2"; enum E { E_Z = 0; Z = 1; }`:                                                          false,
	`syntax = "proto2"; enum E { E_Z = 0; z = 0; option allow_alias = true; }`:                               true,
	`syntax = "proto2"; enum AbC { FOO_BAR = 0; AB_C__FOO_BAR = 1; }`:                                        false,
	`syntax = "proto2"; enum AbC { FOO_BAR = 0; AB_C_FOOBAR = 1; ABC = 2; a_b_c = 3; FooBar = 4; }`:          false,
	`syntax = "proto2"; enum AbC { FOO_BAR = 0; AB_C_FOOBAR = 1; ABC = 2; ABCD = 3; FooBAR_ = 4; AB = 5; }`:  false,
	`syntax = "proto2"; enum AbC { FOO_BAR = 0; AB_C_FOOBAR = 1; ABC = 2; ABCD = 3; AB = 5; ABD_FOOB = 6; }`: true,
	`syntax = "proto2"; enum E { option deprecated_legacy_json_field_conflicts = true; E_Z = 0; Z = 1; }`:    true,

	// Ranges and extensions.
	`message A { reserved "a b", "1x", ""; } enum E { Z = 0; reserved "a-b"; }`:                                                                                                                   true,
	`syntax = "proto2"; message A { option message_set_wire_format = true; }`:                                                                                                                     true,
	`syntax = "proto2"; message A { extensions 4 to 9 [declaration = { number: 4 reserved: true }]; }`:                                                                                            true,
	`syntax = "proto2"; message A { extensions 4 to 9 [declaration = { number: 4 }]; }`:                                                                                                           false,
	`syntax = "proto2"; message A { extensions 4 to 9 [declaration = { number: 4 reserved: true type: "int32" }]; }`:                                                                              false,
	`syntax = "proto2"; message A { extensions 4 to 9 [declaration = { number: 4 full_name: ".a" type: "int32" }, declaration = { number: 4 full_name: ".b" type: "int32" }]; }`:                  false,
	`syntax = "proto2"; message A { extensions 4 to 9 [declaration = { number: 4 full_name: ".a" type: "int32" }]; extensions 10 [declaration = { number: 10 full_name: ".a" type: "int32" }]; }`: false,
	`message A { reserved 536870912, 536870914 to 0x7ffffffe, 536870913; reserved 7 to 536870911; int32 a = 6; }`:                                                                                 true,
	`message A { reserved 536870912, 536870914 to 536870920, 536870919; }`:                                                                                                                        false,
	`message A { reserved 5 to 536870920, 6; }`:                                                                                                                                                   false,
	`message A { reserved 5 to 536870920; int32 a = 6; }`:                                                                                                                                         false,
	`syntax = "proto2"; message A { reserved 5 to 536870920; extensions 6; }`:                                                                                                                     false,
	`syntax = "proto2"; message A { reserved 5 to 536870920; optional group G = 3 { reserved 04000000000; extensions 2; } }`:                                                                      true,
	`message A { reserved 536870912 to max; }`:                                                                                                                                                    false,
	`message A { reserved 2147483647; }`:                                                                                                                                                          false,
	`message A { reserved 0b1000000000000000000000000000000; }`:                                                                                                                                   false,
	`message A { reserved 536870912.0; }`:                                                                                                                                                         false,
	`message A { int32 a = 536870912; }`:                                                                                                                                                          false,
	`syntax = "proto2"; message S { option message_set_wire_format = true; extensions 4 to max; reserved 1 to 3; }`:                                                                               true,
	`edition = "2023"; option features.message_encoding = DELIMITED; message S { option message_set_wire_format = true; extensions 4 to max; extend S { S s = 5; } }`:                             false,
	`edition = "2023"; option features.message_encoding = DELIMITED; message S { option message_set_wire_format = true; extensions 4 to max; extend S { S s = 5 [features.message_encoding = LENGTH_PREFIXED]; } }`: true,

	`syntax = "proto2"; message A { extensions max; }`:              false,
	`syntax = "proto2"; message A { extensions 536870911 to max; }`: true,
	`edition = "2023"; message A { extensions x; }`:                 false,
	`edition = "2023"; message A { reserved max; }`:                 true,
	`syntax = "proto3"; message A { int64 a = 1 [jstype = JS_STRING]; int32 b = 2 [jstype = JS_NORMAL]; A d = 4 [jstype = JS_NORMAL]; map<int32, int32> e = 5 [jstype = JS_NORMAL]; }`: true,
	`syntax = "proto3"; message A { map<int32, int64> a = 1 [jstype = JS_STRING]; }`:                                                                                                   false,
	`syntax = "proto3"; message A { repeated sfixed64 a = 1 [jstype = JS_STRING]; oneof o { sint64 b = 2 [jstype = JS_NUMBER]; } }`:                                                    true,
	`syntax = "proto3"; message A { double a = 1 [jstype = JS_STRING]; }`:                                                                                                              false,
	`syntax = "proto2"; message A { extensions 5; extend A { optional E x = 5 [jstype = JS_STRING]; } } enum E { Z = 0; }`:                                                             false,

	// Declarations of extensions.
	`syntax = "proto2"; message A { extensions 4 [declaration = { number: 0x4, full_name: "." """x"; type: "int32" repeated: 1 # x }]; } extend A { repeated int32 x = 4; }`:                                                                        true,
	`syntax = "proto2"; message A { extensions 4 [declaration = { number: 4 full_name: ".x" type: "int32" repeated: 0 }]; } extend A { repeated int32 x = 4; }`:                                                                                     false,
	`syntax = "proto2"; message A { extensions 4 [declaration = { number: 4 full_name: ".x" type: "int32" repeated: 2 }]; } extend A { repeated int32 x = 4; }`:                                                                                     false,
	`syntax = "proto2"; message A { extensions 4 [declaration = { number: 4 full_name: ".x" type: "int32" }]; } extend A { optional sint32 x = 4; }`:                                                                                                false,
	`syntax = "proto2"; message A { extensions 4 [declaration = { number: 4 full_name: ".x" type: "int32" }]; } extend A { optional int32 y = 4; }`:                                                                                                 false,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 4 full_name: ".x" type: "int32" }]; } extend A { optional int32 x = 5; }`:                                                                                            false,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 4 reserved: t }]; } extend A { optional int32 x = 4; }`:                                                                                                              false,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 4 full_name: "x" type: "int32" }]; }`:                                                                                                                                false,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 4 full_name: ".1" type: ".a.2" }]; }`:                                                                                                                                true,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 4 full_name: ".x." type: "int32" }]; }`:                                                                                                                              false,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 4 full_name: ".x" type: "group" }]; }`:                                                                                                                               false,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 6 full_name: ".x" type: "int32" }]; }`:                                                                                                                               false,
	`syntax = "proto2"; message A { extensions 4, 5 [declaration = { number: 4 full_name: ".x" type: "int32" }]; }`:                                                                                                                                 false,
	`syntax = "proto2"; message A { extensions 4 [declaration = { number: 4 full_name: ".x" type: "int32" }, verification = UNVERIFIED]; }`:                                                                                                         false,
	`syntax = "proto2"; message A { extensions 4 to 5, 7 [verification = DECLARATION]; }`:                                                                                                                                                           true,
	`syntax = "proto2"; message A { extensions 4 to 5, 7 [verification = DECLARATION]; } extend A { optional int32 x = 4; }`:                                                                                                                        false,
	`syntax = "proto2"; message A { extensions 4 to 5 [declaration = { number: 4 full_name: ".g" type: ".G" }, declaration = { number: 5 full_name: ".e" type: ".E" }]; } extend A { optional group G = 4 {} optional E e = 5; } enum E { Z = 0; }`: true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; extend google.protobuf.FeatureSet { optional X other = 1000; } message X {}`:                                                                                                     true,

	`syntax = "proto2"; message A { extensions 4 to 9; } extend A { optional int32 a = 4; optional int32 b = 4; }`: false,
	"-- a.proto --\nsyntax = \"proto2\"; message A { extensions 4 to 9; } extend A { optional int32 a = 4; }\n" +
		"-- b.proto --\nsyntax = \"proto2\"; import \"a.proto\"; extend A { optional int32 b = 4; }\n": true,
}

// nested returns n declarations in each other.
func nested(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String() + strings.Repeat("}", n)
}

// withSyntax returns a text that says its syntax, proto3 if it did not say any.
func withSyntax(text string) string {
	if strings.Contains(text, "syntax") || strings.HasPrefix(text, "edition") || strings.Contains(text, `= "proto3"`) {
		return text
	}
	return `syntax = "proto3"; ` + text
}

// TestVerdicts compares verdicts with those in the table, and these and descriptors with protoc's where our protoc is.
func TestVerdicts(t *testing.T) {
	protoc := ourProtoc(t)
	all := maps.Clone(verdicts)
	maps.Copy(all, nameVerdicts)
	for text, want := range all {
		if !strings.Contains(text, "-- a.proto --") {
			text = "-- a.proto --\n" + withSyntax(text) + "\n"
		}
		dir := unpack(t, txtar.Parse([]byte(text)))
		src := NewSources(dir)
		files, err := src.All()
		if err != nil {
			t.Fatal(err)
		}
		res := Compile(t.Context(), Options{Sources: src, Files: files})
		if got := res.Schema != nil; got != want {
			t.Errorf("%s: %v\n%v", text, got, res.Diagnostics)
		}
		for _, d := range res.Diagnostics {
			if d.File == "" || strings.Contains(d.Message, "internal") {
				t.Errorf("%s: diagnostic %v", text, d)
			}
		}
		if protoc == "" {
			continue
		}
		fds, said, err := describedByProtoc(t, protoc, []string{dir, filepath.Join("..", ".tools", "include")}, files...)
		if (err == nil) != want {
			t.Errorf("%s: protoc does not say %v\n%s", text, want, said)
		}
		if err == nil && res.Schema != nil {
			compareDescriptors(t, res.Descriptors, fds, func(path string) bool { return !IsWellKnown(path) || exists(filepath.Join(dir, path)) }, false)
		}
	}
}
