package lower_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/lower"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

var update = flag.Bool("update", false, "write what is said to testdata")

// archives returns those of testdata.
func archives(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	out := map[string]*txtar.Archive{}
	for _, name := range names {
		if out[name], err = txtar.ParseFile(name); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// set returns the files of an archive, which are descriptors in text format.
func set(t testing.TB, a *txtar.Archive) *descriptorpb.FileDescriptorSet {
	t.Helper()
	fds := &descriptorpb.FileDescriptorSet{}
	for _, f := range a.Files {
		if f.Name == "want" {
			continue
		}
		fd := &descriptorpb.FileDescriptorProto{}
		if err := prototext.Unmarshal(f.Data, fd); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if fd.Name == nil {
			fd.Name = proto.String(strings.Replace(f.Name, ".textproto", ".proto", 1))
		}
		fds.File = append(fds.File, fd)
	}
	return fds
}

// TestLower gives Lower descriptors that no front end would make. Each archive in testdata has
// files, which are descriptors, and what is wrong with them.
func TestLower(t *testing.T) {
	for name, a := range archives(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			fds := set(t, a)
			before := proto.Clone(fds)
			var asked []string
			for _, fd := range fds.File {
				asked = append(asked, fd.GetName())
			}
			s, found := lower.Lower(fds, asked)
			if !proto.Equal(before, fds) {
				t.Error("Lower changed its input")
			}
			if (s == nil) != (found.Errors() != 0) {
				t.Errorf("a schema: %v; errors: %d", s != nil, found.Errors())
			}
			var got strings.Builder
			for _, d := range found {
				fmt.Fprintln(&got, d.Error())
			}
			last := &a.Files[len(a.Files)-1]
			if last.Name != "want" {
				t.Fatal("the archive has no want")
			}
			if got.String() == string(last.Data) {
				return
			}
			t.Errorf("found\n%s\nwant\n%s", got.String(), last.Data)
			if *update {
				last.Data = []byte(got.String())
				if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestEveryMessageIsTested looks for every message that the package can give in what testdata
// wants.
func TestEveryMessageIsTested(t *testing.T) {
	var want strings.Builder
	for _, a := range archives(t) {
		want.Write(a.Files[len(a.Files)-1].Data)
	}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range names {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(node ast.Node) bool {
			call, ok := node.(*ast.CallExpr)
			if !ok {
				return true
			}
			sel, ok := call.Fun.(*ast.SelectorExpr)
			if !ok || sel.Sel.Name != "errorf" {
				return true
			}
			format := text(t, call.Args[1])
			n++
			pattern := regexp.QuoteMeta(format)
			for verb, is := range map[string]string{"%q": `"[^\n]*"`, "%d": `-?\d+`, "%s": `[^\n]+`,
				"%v": `[^\n]+`} {
				pattern = strings.ReplaceAll(pattern, verb, is)
			}
			if !regexp.MustCompile(`(?m)` + pattern + `$`).MatchString(want.String()) {
				t.Errorf("%s: nothing in testdata is refused with %q", name, format)
			}
			return true
		})
	}
	if n < 50 {
		t.Errorf("found %d messages only", n)
	}
}

// text is the value of a string constant, or of several with + between them.
func text(t *testing.T, x ast.Expr) string {
	t.Helper()
	switch x := x.(type) {
	case *ast.BinaryExpr:
		return text(t, x.X) + text(t, x.Y)
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	t.Fatalf("%T is no constant", x)
	return ""
}

// TestDeepNesting nests messages deeper than names may be long.
func TestDeepNesting(t *testing.T) {
	const depth = 100_000
	m := &descriptorpb.DescriptorProto{Name: proto.String("M"),
		Field: []*descriptorpb.FieldDescriptorProto{{Name: proto.String("a")}}}
	for range depth {
		m = &descriptorpb.DescriptorProto{Name: proto.String("M"),
			NestedType: []*descriptorpb.DescriptorProto{m}}
	}
	for name, want := range map[string]string{
		"M": "a full name has 4097 bytes, and 4096 is the limit", "": `"" is not a name`} {
		for d := m; len(d.NestedType) != 0; d = d.NestedType[0] {
			d.Name = proto.String(name)
		}
		_, found := lower.Lower(&descriptorpb.FileDescriptorSet{
			File: []*descriptorpb.FileDescriptorProto{{Name: proto.String("a.proto"),
				MessageType: []*descriptorpb.DescriptorProto{m}}}}, nil)
		if len(found) == 0 || found[len(found)-1].Message != want {
			t.Errorf("%d errors, want %q", len(found), want)
		}
	}
}

// TestLongChains imports files through a chain that is longer than a stack could be deep.
func TestLongChains(t *testing.T) {
	const length = 100_000
	fds := &descriptorpb.FileDescriptorSet{}
	name := func(i int) string { return fmt.Sprintf("%d.proto", i) }
	for i := range length {
		fd := &descriptorpb.FileDescriptorProto{Name: proto.String(name(i))}
		if i > 0 {
			fd.Dependency, fd.PublicDependency = []string{name(i - 1)}, []int32{0}
		}
		fds.File = append(fds.File, fd)
	}
	fds.File[0].MessageType = []*descriptorpb.DescriptorProto{{Name: proto.String("M")}}
	fds.File[length-1].Service = []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("S"),
		Method: []*descriptorpb.MethodDescriptorProto{{Name: proto.String("A"),
			InputType: proto.String(".M"), OutputType: proto.String(".M")}}}}
	s, found := lower.Lower(fds, []string{name(length - 1)})
	if s == nil {
		t.Fatal(found)
	}
	sets := map[string][]byte{}
	if err := lower.AddClosures(sets, s, fds); err != nil {
		t.Fatal(err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(sets[name(length-1)], set); err != nil {
		t.Fatal(err)
	}
	if len(set.File) != length || set.File[0].GetName() != name(0) {
		t.Errorf("%d files, the first %q", len(set.File), set.File[0].GetName())
	}
}

// TestSession changes one of four files after the other: what does not depend on it stays the same,
// and the result is that of lowering everything.
func TestSession(t *testing.T) {
	text := map[string]string{
		"a": `package: "p" message_type { name: "A" extension_range { start: 1 end: 9 } }`,
		"b": `package: "p.q" dependency: "a" message_type { name: "B" field { name: "a" number: 1
			label: LABEL_OPTIONAL type: TYPE_MESSAGE type_name: ".p.A" } }`,
		"c": `dependency: "b" message_type { name: "C" }`,
		"d": `package: "p" dependency: "a" extension { name: "x" number: 5
			label: LABEL_OPTIONAL type: TYPE_INT32 extendee: ".p.A" }`,
	}
	files := map[string]*descriptorpb.FileDescriptorProto{}
	parse := func(name, more string) {
		fd := &descriptorpb.FileDescriptorProto{}
		if err := prototext.Unmarshal([]byte(text[name]+more), fd); err != nil {
			t.Fatal(err)
		}
		fd.Name = proto.String(name)
		files[name] = fd
	}
	for name := range text {
		parse(name, "")
	}
	session := lower.NewSession()
	lowered := func() (map[string]*schema.File, string) {
		fds := &descriptorpb.FileDescriptorSet{}
		for _, name := range []string{"a", "b", "c", "d"} {
			if files[name] != nil {
				fds.File = append(fds.File, files[name])
			}
		}
		s, found := session.Lower(fds, []string{"a"})
		again, all := lower.Lower(fds, []string{"a"})
		if fmt.Sprint(found) != fmt.Sprint(all) || (s == nil) != (again == nil) {
			t.Errorf("a session finds %v, and without it %v", found, all)
		}
		out := map[string]*schema.File{}
		if s != nil {
			if len(s.Files) != len(again.Files) {
				t.Errorf("%d files, without a session %d", len(s.Files), len(again.Files))
			}
			for _, f := range s.Files {
				out[f.Path] = f
			}
		}
		return out, fmt.Sprint(found)
	}
	before, _ := lowered()
	for _, step := range []struct {
		name, more string
		changed    string // files that are lowered again
		found      string
	}{
		{name: "c", changed: "c"},
		{name: "b", changed: "bc"},
		{name: "a", changed: "abcd"},
		{name: "d", more: ` message_type { name: "A" }`,
			found: `[d: "p.A" is already declared in "a"]`},
		{name: "d", changed: "d"},
		{name: "a", more: ` message_type { name: "q" }`, // a package that a file behind it has
			found: `[b: package "p.q" has the name of a declaration in "a"]`},
		{name: "a", changed: "abcd"},
		{name: "c", changed: "c", more: ` message_type { name: "N" }`},
		{name: "c", changed: "c"},
	} {
		parse(step.name, step.more)
		after, found := lowered()
		if step.found != "" {
			if found != step.found {
				t.Errorf("%s%s: found %s", step.name, step.more, found)
			}
			continue
		}
		changed := ""
		for _, name := range []string{"a", "b", "c", "d"} {
			if after[name] != before[name] {
				changed += name
			}
		}
		if changed != step.changed {
			t.Errorf("after %s%s, %q are lowered again, want %q", step.name, step.more, changed,
				step.changed)
		}
		before = after
	}
	files["d"] = nil
	if after, found := lowered(); after["d"] != nil || found != "[]" {
		t.Errorf("without d: %v, %s", after["d"], found)
	}
}

// TestKeptNumbers lowers a file with a number that is kept for implementations: it may be imported,
// but not be asked for.
func TestKeptNumbers(t *testing.T) {
	fd := &descriptorpb.FileDescriptorProto{}
	if err := prototext.Unmarshal([]byte(`name: "a.proto" message_type { name: "M"
		field { name: "a" number: 19000 label: LABEL_OPTIONAL type: TYPE_INT32 } }`),
		fd); err != nil {
		t.Fatal(err)
	}
	fds := &descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{fd}}
	if s, found := lower.Lower(fds, nil); s == nil {
		t.Errorf("imported: %v", found)
	}
	if s, found := lower.Lower(fds, []string{"a.proto"}); s != nil || len(found) != 1 {
		t.Errorf("asked for: %v, %v", s, found)
	}
}
