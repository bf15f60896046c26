package gogo_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

// native has a field of every type of Go that stands for a message, as pointer, value, list, map
// and member.
func native() string {
	var b strings.Builder
	b.WriteString(`syntax = "proto3";
package PACKAGE;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
`)
	for i, typ := range strings.Fields(`Timestamp Duration DoubleValue FloatValue Int64Value
		UInt64Value Int32Value UInt32Value BoolValue StringValue BytesValue`) {
		fmt.Fprintf(&b, `message M%d {
  google.protobuf.%[2]s pointer = 1;
  google.protobuf.%[2]s value = 2;
  repeated google.protobuf.%[2]s list = 3;
  map<int32, google.protobuf.%[2]s> entries = 16;
  oneof o { google.protobuf.%[2]s member = 17; int32 other = 18; }
}
`, i, typ)
	}
	return b.String()
}

// TestNative generates native code with fields that are types of Go, and compares it with the same
// code where they are messages: bytes, sizes, JSON, text, Readers, copies.
func TestNative(t *testing.T) {
	dir := scratch(t)
	program, err := os.ReadFile("testdata/native.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"main.go": string(program)})
	const module = "github.com/octopus-framework/octopus/conformance/gogo/scratch"
	for _, pkg := range []string{"plain", "field", "pointers"} {
		file := pkg + "/" + pkg + ".proto"
		write(t, dir, map[string]string{file: strings.Replace(native(), "PACKAGE", pkg, 1)})
		res := compiler.Compile(context.Background(), compiler.Options{
			Sources: source.New(dir), Files: []string{file}})
		if res.Diagnostics.Errors() > 0 {
			t.Fatal(res.Diagnostics)
		}
		o := golang.Options{Module: module, JSON: true, PointerLists: pkg == "pointers"}
		if pkg != "plain" {
			o.Std = map[string]golang.StdField{}
			for i := range 11 {
				for _, name := range []string{"pointer", "value", "list", "entries", "member"} {
					o.Std[fmt.Sprintf("%s.M%d.%s", pkg, i, name)] = golang.StdField{
						Value: name == "value"}
				}
			}
		}
		g, found := golang.New(res.Schema, o)
		if g == nil {
			t.Fatal(found)
		}
		for _, out := range g.Outputs() {
			text, err := g.Generate(out)
			if err != nil {
				t.Fatal(err)
			}
			write(t, dir, map[string]string{out.Path: string(text)})
		}
	}
	if got := run(t, dir, "run", "."); strings.TrimSpace(got) != "4400 messages, 0 differences" {
		t.Error(got)
	}
}
