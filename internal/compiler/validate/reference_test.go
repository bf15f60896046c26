package validate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/gremlin/validate/rt"
	"github.com/octopus-framework/octopus/internal/compiler/validate/ruletypes"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// reference is the version of protovalidate whose rules these are.
const reference = "github.com/bufbuild/protovalidate@v1.2.2"

// noRules are fields of messages of rules that no violation is about.
var noRules = []string{"example", "strict", "items", "keys", "values"}

// declarations returns what validate.proto below a root declares, or the one that comes with the
// compiler: a line for each field, without the messages that expressions are in.
func declarations(t *testing.T, root string) map[string]*descriptorpb.FieldDescriptorProto {
	t.Helper()
	res := compiler.Compile(context.Background(), compiler.Options{
		Sources: source.New(root), Files: []string{ruletypes.Path}})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	out := map[string]*descriptorpb.FieldDescriptorProto{}
	for _, fd := range res.Descriptors.File {
		if fd.GetName() != ruletypes.Path {
			continue
		}
		for _, m := range fd.MessageType {
			for _, f := range m.Field {
				out[m.GetName()+"."+f.GetName()] = f
			}
		}
		for _, x := range fd.Extension {
			out[x.GetExtendee()+"."+x.GetName()] = x
		}
	}
	return out
}

func shape(f *descriptorpb.FieldDescriptorProto) string {
	return fmt.Sprint(f.GetNumber(), f.GetType(), f.GetLabel(), f.GetTypeName(),
		f.OneofIndex != nil)
}

// TestReference compares the rules that are known, to the compiler and to the runtime, with
// protovalidate's.
func TestReference(t *testing.T) {
	out, err := exec.Command("go", "mod", "download", "-json", reference).Output()
	var module struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &module)
	}
	if err != nil {
		oracle.Skip(t, "modules", reference+" cannot be downloaded: "+err.Error())
	}
	want := declarations(t, filepath.Join(module.Dir, "proto", "protovalidate"))
	got := declarations(t, t.TempDir())
	if len(want) < 240 {
		t.Fatalf("the reference has %d fields only", len(want))
	}
	for name, f := range want {
		if got[name] == nil || shape(got[name]) != shape(f) {
			t.Errorf("%s is %v, and %v with protovalidate", name, got[name], f)
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("%s is not with protovalidate", name)
		}
	}
	paths := 0
	for name, f := range want {
		kind, ok := strings.CutPrefix(name, "FieldRules.")
		if !ok || f.OneofIndex == nil {
			continue
		}
		of := f.GetTypeName()[strings.LastIndexByte(f.GetTypeName(), '.')+1:]
		for rule, leaf := range want {
			op, ok := strings.CutPrefix(rule, of+".")
			if !ok || slices.Contains(noRules, op) {
				continue
			}
			checkPath(t, kind+"."+op, f, leaf)
			paths++
		}
	}
	if paths < 140 {
		t.Errorf("%d rules were looked up only", paths)
	}
}

// checkPath checks the path of a rule in a violation.
func checkPath(t *testing.T, rule string, kind, leaf *descriptorpb.FieldDescriptorProto) {
	t.Helper()
	var c rt.Checker
	c.Check(false, nil, "repeated.items."+rule, "")
	v := c.Err().(*rt.Error).Violations[0]
	if len(v.Rule) != 4 || v.RuleID != rule {
		t.Fatalf("%s: %s, %v", rule, v.RuleID, v.Rule)
	}
	for i, f := range []*descriptorpb.FieldDescriptorProto{kind, leaf} {
		got := v.Rule[2+i]
		want := rt.Element{Number: f.GetNumber(), Name: f.GetName(), Type: int32(f.GetType())}
		if got != want {
			t.Errorf("%s: the path has %+v, want %+v", rule, got, want)
		}
	}
}
