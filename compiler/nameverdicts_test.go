package compiler

// nameVerdicts are files like those of verdicts: about what names mean, how they are written, and who may use them.
var nameVerdicts = map[string]bool{
	// Names in options.
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.OneofOptions { optional string o = 50000; } oneof x { option (o) = "a"; int32 y = 1; } }`:                                                     true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.MessageOptions { optional string o = 50000; } option (o) = "a"; }`:                                                                            false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.FieldOptions { optional string o = 50000; } optional int32 a = 1 [(o) = "a"]; extend A { optional int32 f = 5 [(o) = "a"]; } extensions 5; }`: true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.ExtensionRangeOptions { optional string o = 50000; } extensions 5 [(o) = "a"]; }`:                                                             false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.EnumOptions { optional string o = 50000; } enum E { option (o) = "a"; Z = 0; } }`:                                                             true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.EnumValueOptions { optional string o = 50000; } enum E { Z = 0 [(o) = "x"]; } }`:                                                              true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message S { extend google.protobuf.MethodOptions { optional string o = 50000; } } service T { rpc M(S) returns (S) { option (S.o) = "x"; } }`:                                    true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.FieldOptions { optional string o = 50000; } optional group G = 1 [(o) = "x"] { optional int32 b = 2 [(o) = "y"]; } }`:                         true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.FieldOptions { optional string o = 50000; } message B { optional int32 b = 2 [(o) = "y"]; oneof c { int32 d = 1 [(o) = "z"]; } } }`:           true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.FieldOptions { optional string o = 50000; } map<int32, A> x = 1 [(o) = "x"]; }`:                                                               true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.FileOptions { optional string o = 50000; } } option (A.o) = "x";`:                                                                             true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.FileOptions { optional string o = 50000; } } option (o) = "x";`:                                                                               false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; message p { extend google.protobuf.FileOptions { optional string o = 50000; } } option (p.o) = "x";`:                                                                           true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; message p { extend google.protobuf.FileOptions { optional string z = 50000; } } option (p.q.p.z) = "x";`:                                                                       false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; message p { extend google.protobuf.FieldOptions { optional string z = 50000; } optional int32 a = 1 [(p.z) = "b"]; }`:                                                          true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.FieldOptions { optional string z = 50000; } message A { optional int32 z = 1 [(z) = "b"]; }`:                                                            false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.MessageOptions { optional string z = 50000; } message A { optional int32 z = 1; option (z) = "b"; }`:                                                    true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.MessageOptions { optional string z = 50000; } message A { message z {} option (z) = "b"; }`:                                                             true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.OneofOptions { optional string z = 50000; } message A { oneof z { option (z) = "b"; int32 a = 1; } }`:                                                   false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.EnumOptions { optional string z = 50000; } enum A { z = 1; option (z) = "b"; }`:                                                                         false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.EnumValueOptions { optional string z = 50000; } message A { enum E { z = 1 [(z) = "b"]; } }`:                                                            false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.ServiceOptions { optional string z = 50000; } service z { option (z) = "a"; }`:                                                                          false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.ServiceOptions { optional string z = 50000; } message A {} service T { rpc z(A) returns (A); option (z) = "a"; }`:                                       true,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.MethodOptions { optional string z = 50000; } message A {} service T { rpc z(A) returns (A) { option (z) = "a"; } }`:                                     false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.FieldOptions { optional string z = 50000; } message A { optional group Z = 1 [(z) = "a"] {} }`:                                                          false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p.q; extend google.protobuf.FieldOptions { optional string z = 50000; } message A { extend A { optional int32 z = 1 [(z) = "a"]; } extensions 1; }`:                                 false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.OneofOptions { optional string o = 50000; } oneof x { option (o) = 3; int32 y = 1; } }`:                                                       false,
	`syntax = "proto2"; import "google/protobuf/descriptor.proto"; package p; message A { extend google.protobuf.OneofOptions { optional string o = 50000; } oneof x { option (u) = 3; int32 y = 1; } }`:                                                       false,
	"-- a.proto --\nsyntax = \"proto3\"; package foo.validate.x; import \"v.proto\"; message A { int32 a = 1 [(validate.rules) = 3]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; }\n": false,
	"-- a.proto --\nsyntax = \"proto3\"; package foo.validate.x; import \"v.proto\"; message A { int32 a = 1 [(.validate.rules) = 3]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; }\n": true,
	"-- a.proto --\nsyntax = \"proto3\"; package foo.x; import \"v.proto\"; import \"w.proto\"; message A { int32 a = 1 [(validate.rules) = 3]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; }\n" +
		"-- w.proto --\nsyntax = \"proto2\"; package foo.validate.y;\n": false,
	"-- a.proto --\nedition = \"2024\"; package foo.x; import \"v.proto\"; import option \"w.proto\"; message A { int32 a = 1 [(validate.rules) = 3]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; }\n" +
		"-- w.proto --\nsyntax = \"proto2\"; package foo.validate.y;\n": false,
	"-- a.proto --\nedition = \"2024\"; package foo.x; import option \"v.proto\"; message A { int32 a = 1 [(validate.rules) = 3, (validate.M.n) = { a: 5}]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; } message M { optional int32 a = 1; extend google.protobuf.FieldOptions { optional M n = 50001; } }\n": true,
	"-- a.proto --\nedition = \"2024\"; package foo.x; import option \"v.proto\"; message A { int32 a = 1 [(validate.M.n) = { [validate.M.e]: 5}]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; } message M { extensions 1; extend M { optional int32 e = 1; } extend google.protobuf.FieldOptions { optional M n = 50001; } }\n": true,
	"-- a.proto --\nedition = \"2024\"; package foo.x; import option \"v.proto\"; message A { int32 a = 1 [(validate.M.n) = { [e]: 5}]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; } message M { extensions 1; extend M { optional int32 e = 1; } extend google.protobuf.FieldOptions { optional M n = 50001; } }\n": false,
	"-- a.proto --\nedition = \"2024\"; package foo.x; import option \"v.proto\"; message A { int32 a = 1 [(validate.M.n) = { [e]: 5}]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; } message M { extensions 1; extend google.protobuf.FieldOptions { optional M n = 50001; } } extend M { optional int32 e = 1; }\n": true,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(validate.M.n) = { [M.e]: 5}]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; } message M { extensions 1; extend google.protobuf.FieldOptions { optional M n = 50001; } extend M { optional int32 e = 1; } }\n": true,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(validate.M.n) = { [validate.M.e]: 5 [validate.M.z]: 4 }]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FieldOptions { optional int32 rules = 50000; } message M { extensions 1; extend google.protobuf.FieldOptions { optional M n = 50001; } extend M { optional int32 e = 1; } optional int32 z = 2; }\n": true,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(validate.M.n) = { [validate.M]: { [validate.M.x] {} } }]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; message M { option message_set_wire_format = true; extensions 1 to max; extend google.protobuf.FieldOptions { optional M n = 50001; } extend M { optional M x = 0x70000000; } }\n": true,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(validate.M.n) = { [validate.T]: { } }]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; message T {} message M { option message_set_wire_format = true; extensions 1 to max; extend google.protobuf.FieldOptions { optional M n = 50001; } extend M { optional T x = 0x70000000; } }\n": false,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(validate.M.z) = 5, (validate.M.n).(validate.M.z) = 5]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; message M { extend google.protobuf.FieldOptions { optional M n = 50001; } optional int32 z = 1; }\n": false,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(validate.M.n).(validate.M.z) = 5]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; message M { extend google.protobuf.FieldOptions { optional M n = 50001; } optional int32 z = 1; }\n": true,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(validate.M.n).(z) = 5]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; message M { extend google.protobuf.FieldOptions { optional M n = 50001; } optional int32 z = 1; }\n": false,
	"-- a.proto --\nsyntax = \"proto2\"; package foo.x; import \"v.proto\"; message A { optional int32 a = 1 [(google.protobuf.FieldOptions.deprecated) = true]; }\n" +
		"-- v.proto --\nsyntax = \"proto2\"; package validate; import \"google/protobuf/descriptor.proto\"; message M { extend google.protobuf.FieldOptions { optional M n = 50001; } optional int32 z = 1; }\n": false,
	"-- a.proto --\nsyntax = \"proto2\"; package google.protobuf; import \"google/protobuf/descriptor.proto\"; message A { optional int32 a = 1 [(FieldOptions.deprecated) = true, (protobuf.FieldOptions.packed) = false]; }\n": true,

	// Styles of names, and what is local.
	`edition = "2024"; package a._b; message A {}`:                                                                                                               true,
	`edition = "2024"; message A { extensions 1 to 9; extend A { int32 Bad = 1; } }`:                                                                             false,
	`edition = "2024"; message A { extensions 1 to 9; } extend A { int32 bad_1 = 1; }`:                                                                           false,
	`edition = "2024"; message A { extensions 1 to 9; } extend A { int32 bad_a1 = 1; }`:                                                                          true,
	`edition = "2024"; message A { oneof o { option features.enforce_naming_style = STYLE_LEGACY; int32 Xy = 1; } }`:                                             true,
	`edition = "2024"; message A { oneof O { option features.enforce_naming_style = STYLE_LEGACY; int32 xy = 1 [features.enforce_naming_style = STYLE2024]; } }`: true,
	`edition = "2024"; message A { oneof O { option features.enforce_naming_style = STYLE_LEGACY; int32 xY = 1 [features.enforce_naming_style = STYLE2024]; } }`: false,
	`edition = "2024"; enum E { option features.enforce_naming_style = STYLE_LEGACY; z = 0 [features.enforce_naming_style = STYLE2024]; }`:                       false,
	`edition = "2024"; enum E { option features.enforce_naming_style = STYLE_LEGACY; z = 0; Z = 1 [features.enforce_naming_style = STYLE2024]; }`:                false,
	`edition = "2024"; enum E { z = 0 [features.enforce_naming_style = STYLE_LEGACY]; Y = 1; }`:                                                                  true,
	`edition = "2024"; message A { map<int32, int32> a_b1 = 1; map<int32, int32> C = 2 [features.enforce_naming_style = STYLE_LEGACY]; map<int32, int32> _x = 3 [features.enforce_naming_style = STYLE_LEGACY]; map<int32, int32> _1 = 4 [features.enforce_naming_style = STYLE_LEGACY]; }`: false,
	`edition = "2024"; message A { extensions 1 to 5 [features.enforce_naming_style = STYLE_LEGACY]; }`:                          true,
	`edition = "2024"; message A {} service S { rpc m(A) returns (A) { option features.enforce_naming_style = STYLE_LEGACY; } }`: true,
	`edition = "2024"; message A {} service s { option features.enforce_naming_style = STYLE_LEGACY; rpc m(A) returns (A); }`:    true,
	`edition = "2024"; message A {} service S { rpc m(A) returns (A); }`:                                                         false,
	`edition = "2024"; message A1b2C {} message aB {}`:                                                                           false,
	`edition = "2024"; message Ä {}`: false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { message B { export enum E { E_Z = 0; } reserved 1 to max; } }`: false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { export enum E { E_Z = 0; } reserved 1 to 5; }`:                 true,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { export enum E { E_Z = 0; } reserved 2 to max; }`:               false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { export enum E { E_Z = 0; } reserved 2 to 19998; }`:             true,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { export enum E { E_Z = 0; } reserved 2 to 19999; }`:             false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { export enum E { E_Z = 0; } reserved 1, 2 to max; }`:            false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { enum E { E_Z = 0; } local enum F { F_Z = 0; }  }`:              true,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { export enum E { E_Z = 0; } reserved 1 to max; int32 a = 3; }`:  false,
	`edition = "2024"; option features.default_symbol_visibility = LOCAL_ALL; message A { export enum E { E_Z = 0; } export message B {} }`:           true,
	`edition = "2024"; message A { option features.default_symbol_visibility = LOCAL_ALL; }`:                                                          false,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; service S { rpc M(stream A) returns (stream A.B); rpc N(A) returns (stream A.B) { } }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { message B {} }\n": true,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; service S { rpc M(A) returns (A); } message X { A a = 1; }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { extensions 1; }\n": false,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; message X { map<int32, A> a = 1; }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { extensions 1; }\n": false,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; message X { extensions 5; extend X { A a = 5; } }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { extensions 1; }\n": false,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; import option \"google/protobuf/descriptor.proto\"; message X { int32 a = 5 [(b) = { a: 1 }]; }\n" +
		"-- b.proto --\nedition = \"2024\"; import \"google/protobuf/descriptor.proto\"; local message A { extensions 1; int32 a = 2; } extend google.protobuf.FieldOptions { A b = 50000; }\n": true,
	"-- a.proto --\nedition = \"2024\"; import public \"b.proto\"; message X { int32 a = 1; }\n" +
		"-- b.proto --\nedition = \"2024\"; export message A { local message B {} }\n" +
		"-- c.proto --\nedition = \"2024\"; import \"a.proto\"; message Y { A a = 1; }\n" +
		"-- d.proto --\nedition = \"2024\"; import \"a.proto\"; message Z { A.B a = 1; }\n": false,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; message X { A.B b = 1; }\n" +
		"-- b.proto --\nedition = \"2024\"; message A { message B {} }\n": false,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; message X { A.B b = 1; A c = 2; }\n" +
		"-- b.proto --\nedition = \"2024\"; message A { export message B {} }\n": true,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; message X { A c = 2; }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { export message B {} }\n": false,
	"-- a.proto --\nedition = \"2023\"; import \"b.proto\"; message X { A c = 2; }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { }\n": false,
	"-- a.proto --\nsyntax = \"proto2\"; import \"b.proto\"; message X { optional A.E c = 2; }\n" +
		"-- b.proto --\nedition = \"2024\"; message A { enum E { E_Z = 0; } }\n": false,
	"-- a.proto --\nsyntax = \"proto2\"; import \"b.proto\"; message X { optional A.E c = 2; }\n" +
		"-- b.proto --\nedition = \"2024\"; option features.default_symbol_visibility = EXPORT_ALL; message A { enum E { E_Z = 0; } }\n": true,
	"-- a.proto --\nsyntax = \"proto2\"; import \"b.proto\"; message X { optional A.E c = 2; }\n" +
		"-- b.proto --\nedition = \"2024\"; option features.default_symbol_visibility = STRICT; message A { enum E { E_Z = 0; } }\n": false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; export message A { export enum E { E_Z = 0; } }`:                    false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; export message A { export enum E { E_Z = 0; } reserved 1 to max; }`: false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; local message A { export enum E { E_Z = 0; } reserved 1 to max; }`:  true,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; message A { export message E { } reserved 1 to max; }`:              false,
	`edition = "2024"; option features.default_symbol_visibility = STRICT; local message A { local message E { } reserved 1 to max; }`:         true,
	`edition = "2024"; option features.default_symbol_visibility = LOCAL_ALL; message A { B b = 1; } message B {}`:                             true,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; extend A { int32 x = 1; }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { extensions 1; }\n": false,
	"-- a.proto --\nedition = \"2024\"; import \"b.proto\"; service S { rpc M(A) returns (A); }\n" +
		"-- b.proto --\nedition = \"2024\"; local message A { extensions 1; }\n": true,
	`edition = "2024"; import option "google/protobuf/descriptor.proto"; message A {}`:                                                            true,
	`edition = "2024"; import "google/protobuf/any.proto"; import option "google/protobuf/descriptor.proto"; message A {}`:                        true,
	`edition = "2024"; import option "google/protobuf/descriptor.proto"; import "google/protobuf/any.proto"; message A {}`:                        false,
	`edition = "2023"; import option "google/protobuf/descriptor.proto"; message A {}`:                                                            false,
	`edition = "2024"; import option public "google/protobuf/any.proto"; message A {}`:                                                            false,
	`edition = "2024"; import option "google/protobuf/any.proto"; import option "google/protobuf/any.proto"; message A {}`:                        false,
	`edition = "2024"; import "google/protobuf/any.proto"; import option "google/protobuf/any.proto"; message A {}`:                               false,
	`edition = "2024"; import option "google/protobuf/any.proto"; message A { google.protobuf.Any a = 1; }`:                                       false,
	`edition = "2024"; import option "google/protobuf/descriptor.proto"; extend google.protobuf.FileOptions { int32 a = 50000; } option (a) = 1;`: false,
	`edition = "2024"; option features.enforce_naming_style = STYLE_LEGACY; message a_B {}`:                                                       true,
	`edition = "2024"; message a_B { option features.enforce_naming_style = STYLE_LEGACY; }`:                                                      true,
	`edition = "2024"; message A { option features.enforce_naming_style = STYLE_LEGACY; int32 Xy = 1; enum e { z = 0; } }`:                        true,
	`edition = "2024"; message A { int32 Xy = 1 [features.enforce_naming_style = STYLE_LEGACY]; }`:                                                true,
	`edition = "2024"; enum E { option features.enforce_naming_style = STYLE_LEGACY; z = 0; }`:                                                    true,
	`edition = "2024"; enum E { z = 0 [features.enforce_naming_style = STYLE_LEGACY]; }`:                                                          true,
	`edition = "2023"; option features.enforce_naming_style = STYLE2024; message A {}`:                                                            false,
	`edition = "2023"; option features.default_symbol_visibility = LOCAL_ALL; message A {}`:                                                       false,
}
