package shape_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
)

// TestChecks checks what is said of schemas that cannot be generated, or hardly be meant.
func TestChecks(t *testing.T) {
	const declared = `syntax = "proto2";
package gogoproto;
import "google/protobuf/descriptor.proto";
extend google.protobuf.FieldOptions {
  optional bool nullable = 50001; optional bool embed = 50002;
}
extend google.protobuf.MessageOptions { optional bool equal = 50001; }
`
	for _, c := range []struct{ registry, text, want string }{
		{"none", `message A { optional B b = 1 [(gogoproto.embed) = true]; optional int32 x = 2; }
message B { optional int32 x = 1; }`,
			`error a.proto:2:1: message "a.A" has the field "X" twice, by embedding`},
		{"none", `message A { optional B b = 1 [(gogoproto.embed) = true]; optional int32 y = 2; }
message B { option (gogoproto.equal) = true; optional int32 x = 1; }`,
			`warning a.proto:2:13: message "a.A" has no (gogoproto.equal) and embeds "a.B", ` +
				`which has: its method stands for that of the whole`},
		{"google", `message A { extensions 100 to 200; }`,
			`error a.proto:2:1: message "a.A" has extension ranges, and a map of extensions is a ` +
				`type of gogo's library`},
		{"gogo", `message A { optional E e = 1 [(gogoproto.nullable) = false]; } enum E { X = 1; }`,
			`error a.proto:2:13: field "a.A.e" cannot be non-nullable: its enum "a.E" does not ` +
				`start with zero`},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"gogo.proto": declared, "a.proto": `syntax = ` +
			`"proto2"; package a; import "gogo.proto"; option go_package = "x.com/a";` + "\n" +
			c.text} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		res := compiler.Compile(context.Background(), compiler.Options{
			Sources: source.New(dir), Files: []string{"a.proto"}})
		if res.Diagnostics.Errors() > 0 {
			t.Fatal(res.Diagnostics)
		}
		facts, _ := options.Read(res.Descriptors.File, func(path string) string {
			if path == "a.proto" {
				return "gogofast"
			}
			return ""
		})
		_, found := shape.New(res.Schema, facts, shape.Options{
			File: func(string) shape.FileOptions {
				return shape.FileOptions{Suffix: ".pb.go", Registry: c.registry}
			}})
		got := ""
		for _, d := range found {
			got += fmt.Sprintf("%s %s", d.Severity, d.Error())
			if d.Hint == "" {
				t.Errorf("%s has no hint", d.Error())
			}
		}
		if got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}
