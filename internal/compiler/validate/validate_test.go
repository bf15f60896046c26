package validate

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// TestOtherShapes has a field whose type has rules, and code that does not check them.
func TestOtherShapes(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"old.proto": `message Old { string a = 1 [(buf.validate.field).required = true]; }`,
		"new.proto": `import "old.proto"; message New { Old old = 1; repeated Old olds = 2;
			map<string, Old> map = 3; string b = 4 [(buf.validate.field).required = true]; }`,
	} {
		text = `syntax = "proto3"; import "buf/validate/validate.proto"; ` + text
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	res := compiler.Compile(context.Background(), compiler.Options{
		Sources: source.New(dir), Files: []string{"new.proto", "old.proto"}})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	facts, found := Read(res.Schema, res.Descriptors, map[string]bool{"old.proto": true})
	if len(found) != 3 || found.Errors() != 0 || found[0].File != "new.proto" ||
		!strings.Contains(found[0].Message, `"New.old"`) {
		t.Errorf("got %v", found)
	}
	m := facts.Of(res.Schema.File("new.proto").Messages[0])
	if m == nil || len(m.Fields) != 1 || m.Fields[0].Name != "b" {
		t.Errorf("got %+v", m)
	}
	if _, found := Read(res.Schema, res.Descriptors, nil); len(found) != 0 {
		t.Errorf("in one shape: %v", found)
	}
}

// TestOldRules has a rule of protoc-gen-validate.
func TestOldRules(t *testing.T) {
	dir := t.TempDir()
	text := `syntax = "proto3"; import "google/protobuf/descriptor.proto";
		message FieldRules { bool any = 1; }
		extend google.protobuf.FieldOptions { FieldRules rules = 1071; }
		message M {
		  string a = 1 [(rules).any = true];
		  string b = 2 [(rules).any = true];
		}`
	if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	res := compiler.Compile(context.Background(), compiler.Options{
		Sources: source.New(dir), Files: []string{"a.proto"}})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	_, found := Read(res.Schema, res.Descriptors, nil)
	if len(found) != 1 || found.Errors() != 0 || found[0].Line != 5 ||
		!strings.Contains(found[0].Message, "protoc-gen-validate") {
		t.Errorf("got %v", found)
	}
}

// FuzzDecode reads options that no compiler has checked, as those of a plugin's request.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("\x72\x04\x10\x03\x18\x05\xc8\x01\x01\xd8\x01\x01"))         // string, required, ignore
	f.Add([]byte("\x92\x01\x07\x08\x01\x22\x03\x72\x01\x60"))                 // repeated with items
	f.Add([]byte("\x1a\x06\x32\x04\x01\x02\x80\x01"))                         // int32.in, packed
	f.Add([]byte("\xaa\x01\x08\x22\x06\x08\x80\x80\x80\x80\x08\xaa\x01\x00")) // a long duration
	f.Add([]byte("\x0a\x05\x15\x00\x00\xc0\x7f\x72\xff"))                     // float.lt = NaN, torn
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := decodeField(data)
		if err == nil && r.kind == "" && len(r.values) > 0 {
			t.Errorf("values of no kind: %v", r.values)
		}
		for _, c := range r.all() {
			if c.Rule == "" || c.Message == "" {
				t.Errorf("a check without words: %+v", c)
			}
		}
		_, _ = decodeMessage(data)
		_, _ = decodeOneof(data)
	})
}

// fuzzed is a message with a field that may have any rules.
var fuzzed = &schema.Message{FullName: "M", File: &schema.File{},
	Fields: []*schema.Field{{Name: "f", Kind: schema.String}}}

// all returns the checks of rules wherever they are.
func (r *rules) all() []Check {
	c := &checks{reader: &reader{facts: &Facts{Broken: map[string]bool{}}}, message: fuzzed,
		field: fuzzed.Fields[0]}
	out := c.of(r, "", fuzzed.Fields[0])
	for _, v := range r.values {
		if below, ok := v.(*rules); ok {
			out = append(out, below.all()...)
		}
	}
	return out
}
