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

	"github.com/octopus-framework/octopus/compiler/lower"
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
