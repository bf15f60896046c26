package gogo_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
	"github.com/octopus-framework/octopus/internal/compiler/lower"
)

// shaped generates code with options that plugins of gogo's do not have.
func shaped(t *testing.T, req *pluginpb.CodeGeneratorRequest, preset string,
	o shape.FileOptions) map[string]string {
	t.Helper()
	s, found := lower.Lower(&descriptorpb.FileDescriptorSet{File: req.ProtoFile},
		req.FileToGenerate)
	if found.Errors() > 0 {
		t.Fatal(found)
	}
	facts, found := options.Read(req.ProtoFile, func(string) string { return preset })
	if found.Errors() > 0 {
		t.Fatal(found)
	}
	g, found := shape.New(s, facts, shape.Options{File: func(string) shape.FileOptions {
		return o
	}})
	if found.Errors() > 0 {
		t.Fatal(found)
	}
	out := map[string]string{}
	for _, f := range g.Outputs() {
		text, err := g.Generate(f)
		if err != nil {
			t.Fatal(err)
		}
		out[f.Path] = string(text)
	}
	return out
}

const modes = `syntax = "proto3";
package modes;
option go_package = "modes";
message Text {
  string s = 1;
  repeated string list = 2;
  map<string, string> map = 3;
  Text inner = 4;
  Text second = 5;
}
`

// TestModes runs code without a registry in the four modes of UTF-8, with a hook, in a program that
// imports no protobuf library.
func TestModes(t *testing.T) {
	gogoFolder(t)
	dir := scratch(t)
	write(t, dir, map[string]string{"modes.proto": modes})
	req := request(t, []string{dir}, "", "modes.proto")
	var imports, calls strings.Builder
	for _, mode := range shape.UTF8Modes() {
		files := shaped(t, req, "gogofaster", shape.FileOptions{
			Suffix: ".pb.go", Registry: shape.RegistryNone, UTF8: mode,
			Hook: func(name string) bool { return name == "modes.Text" },
		})
		if len(files) != 1 {
			t.Errorf("%d files without a registry", len(files))
		}
		if strings.Contains(files["modes.pb.go"], "gogo/protobuf") {
			t.Error("code without a registry imports gogo/protobuf")
		}
		write(t, dir, map[string]string{mode + "/modes.pb.go": files["modes.pb.go"], mode + "/hook.go": `package modes

import "errors"

// Decoded has the texts of messages in the order in which they were decoded.
var Decoded []string

// AfterUnmarshal is the hook.
func (m *Text) AfterUnmarshal() error {
	if m.S == "bad" {
		return errors.New("no such text")
	}
	Decoded = append(Decoded, m.S)
	return nil
}
`})
		fmt.Fprintf(&imports, "\t%s %q\n", mode,
			"github.com/octopus-framework/octopus/conformance/gogo/scratch/"+mode)
		fmt.Fprintf(&calls, "\tshow(%q, new(%s.Text), &%[2]s.Decoded)\n", mode, mode)
	}
	write(t, dir, map[string]string{"main.go": fmt.Sprintf(`package main

import (
	"fmt"

	"github.com/octopus-framework/octopus/gremlin/gogo"
%s)

type message interface {
	Unmarshal([]byte) error
	Marshal() ([]byte, error)
	String() string
}

func show(mode string, m message, decoded *[]string) {
	fields := []string{}
	gogo.OnInvalidUTF8(func(field string) { fields = append(fields, field) })
	err := m.Unmarshal([]byte("\x0a\x02\xff\x61\x12\x01\xfe\x1a\x05\x0a\x01\xfd\x12\x00\x22\x03\x0a\x01i"))
	b, _ := m.Marshal()
	fmt.Printf("%%s: %%v %%q %%q %%q\n", mode, err, b, fields, *decoded)
	err = m.Unmarshal([]byte("\x22\x07\x22\x05\x0a\x03bad"))
	fmt.Println(err, m.String() != "")
}

func main() {
%s}
`, imports.String(), calls.String())})
	const want = `ignore: <nil> "\n\x02\xffa\x12\x01\xfe\x1a\x05\n\x01\xfd\x12\x00\"\x03\n\x01i" [] ["i" "\xffa"]
modes.Text at inner.inner: AfterUnmarshal: no such text true
report: <nil> "\n\x02\xffa\x12\x01\xfe\x1a\x05\n\x01\xfd\x12\x00\"\x03\n\x01i" ["modes.Text.s" "modes.Text.list" "modes.Text.MapEntry.key"] ["i" "\xffa"]
modes.Text at inner.inner: AfterUnmarshal: no such text true
repair: <nil> "\n\x04�a\x12\x03�\x1a\a\n\x03�\x12\x00\"\x03\n\x01i" ["modes.Text.s" "modes.Text.list" "modes.Text.MapEntry.key"] ["i" "�a"]
modes.Text at inner.inner: AfterUnmarshal: no such text true
strict: proto: field modes.Text.s contains invalid UTF-8 "" [] []
modes.Text at inner.inner: AfterUnmarshal: no such text true
`
	if got := run(t, dir, "run", "."); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if deps := run(t, dir, "list", "-deps", "."); strings.Contains(deps, "gogo/protobuf/") {
		t.Errorf("the program depends on gogo/protobuf:\n%s", deps)
	}
}
