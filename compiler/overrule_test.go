package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler/source"
	"golang.org/x/tools/txtar"
)

// TestMoreThanOverruled compiles what is like the files of testdata/overruled.txtar, but wrong:
// protoc refuses all of it.
func TestMoreThanOverruled(t *testing.T) {
	const base = "-- base.proto --\nsyntax = \"proto3\";\npackage base;\nmessage Base {}\n-- inner/base.proto --\nsyntax = \"proto3\";\npackage in;\nmessage Deep {}\n"
	for name, c := range map[string]struct{ files, want string }{
		"a name behind a plain import": {base +
			"-- p.proto --\nsyntax = \"proto3\";\nimport \"base.proto\";\n" +
			"-- u.proto --\nsyntax = \"proto3\";\nimport \"p.proto\";\nmessage U { base.Base b = 1; }\n", "is of a file that is not imported"},
		"a name behind a plain import of a public one": {base +
			"-- q.proto --\nsyntax = \"proto3\";\nimport \"base.proto\";\nmessage Q { base.Base b = 1; }\n" +
			"-- p.proto --\nsyntax = \"proto3\";\nimport public \"q.proto\";\n" +
			"-- u.proto --\nsyntax = \"proto3\";\nimport \"p.proto\";\nmessage U { base.Base b = 1; }\n", "is of a file that is not imported"},
		"a name behind an import for options": {"-- base.proto --\nsyntax = \"proto3\";\nmessage Base {}\n" +
			"-- u.proto --\nedition = \"2024\";\nimport option \"base.proto\";\nmessage U { Base b = 1; }\n", "imported for options only"},
		"no range":             {"-- u.proto --\nsyntax = \"proto2\";\nmessage M { optional group G = 1 { extensions \"a\"; } }\n", "expected a number or a range"},
		"a name and a number":  {"-- u.proto --\nsyntax = \"proto2\";\nmessage M { optional group G = 1 { reserved \"a\", 5; } }\n", "expected a name in quotation marks"},
		"ranges that overlap":  {"-- u.proto --\nsyntax = \"proto2\";\nmessage M { optional group G = 1 { extensions 1 to 5; reserved 5; } }\n", "number 5 is reserved and for extensions"},
		"a field in the range": {"-- u.proto --\nsyntax = \"proto2\";\nmessage M { optional group G = 1 { extensions 1 to 5; optional int32 a = 3; } }\n", "which is for extensions"},
		"a range from behind":  {"-- u.proto --\nsyntax = \"proto2\";\nmessage M { optional group G = 1 { extensions 5 to 3; } }\n", "range ends at 3, before it begins at 5"},
		"no such option":       {"-- u.proto --\nsyntax = \"proto2\";\nmessage M { optional group G = 1 { extensions 5 [nothing = 3]; } }\n", "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			src := source.New(unpack(t, txtar.Parse([]byte(c.files))))
			res := Compile(t.Context(), Options{Sources: src, Files: []string{"u.proto"}})
			if res.Diagnostics.Errors() == 0 ||
				!strings.Contains(res.Diagnostics[0].Message, c.want) ||
				strings.Contains(res.Diagnostics[0].Message, "%!") {
				t.Errorf("found %v", res.Diagnostics)
			}
		})
	}
}

// TestOverruledWarnsOfNothing: an import that only a name uses which was overruled is used.
func TestOverruledWarnsOfNothing(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/overruled.txtar")
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool {
		return !strings.HasSuffix(f.Name, ".proto")
	})
	if _, _, res := compileAll(t, unpack(t, archive)); len(res.Diagnostics) != 0 {
		t.Errorf("found %v", res.Diagnostics)
	}
}

// TestUsedByOptions: an import is used when a value in braces uses it, and only then.
func TestUsedByOptions(t *testing.T) {
	const files = `-- o.proto --
syntax = "proto2";
package o;
import "google/protobuf/any.proto";
import "google/protobuf/descriptor.proto";
message M { optional google.protobuf.Any any = 1; extensions 2 to 9; }
extend google.protobuf.FileOptions { optional M m = 50000; }
-- x.proto --
syntax = "proto2";
import "o.proto";
extend o.M { optional int32 x = 2; }
-- a.proto --
syntax = "proto2";
package o;
import "o.proto";
import "x.proto";
`
	for option, want := range map[string]int{`{ [x]: 1 }`: 0, `{ any { [type.googleapis.com/o.M] {} } }`: 1, `{ [y]: 1 }`: -1, `{ # [x]: 1
}`: 1} {
		src := source.New(unpack(t, txtar.Parse([]byte(files+"option (m) = "+option+";\n"))))
		res := Compile(t.Context(), Options{Sources: src, Files: []string{"a.proto"}})
		if got := len(res.Diagnostics) - 2*res.Diagnostics.Errors(); got != want {
			t.Errorf("%s: %v", option, res.Diagnostics)
		}
	}
}
