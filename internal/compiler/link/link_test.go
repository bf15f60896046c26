package link_test

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/options"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
	"github.com/octopus-framework/octopus/internal/oracle"
)

var moreRoots = flag.String("roots", "", "more folders with .proto files, separated by commas")

// read reads and describes a file and all that it imports, each behind what it imports.
type reader struct {
	t     *testing.T
	roots []string
	seen  map[string]bool
	files []*describe.File
}

func (r *reader) read(path string) {
	if r.seen[path] {
		return
	}
	r.seen[path] = true
	for _, root := range r.roots {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			continue
		}
		tree, found := syntax.Parse(path, string(text))
		f, more := describe.Describe(tree)
		for _, d := range append(found, more...) {
			if d.Severity == report.Error {
				r.t.Errorf("%s", d.Error())
			}
		}
		for _, imports := range [][]string{f.Proto.Dependency, f.Proto.OptionDependency} {
			for _, imp := range imports {
				r.read(imp)
			}
		}
		r.files = append(r.files, f)
		return
	}
	r.t.Errorf("%s is not there", path)
}

// linked reads all files below a root and links them.
func linked(t *testing.T, root string) (names []string, files []*link.File, found report.List) {
	r := reader{t: t, roots: []string{root, filepath.Join("..", "..", "..", ".tools", "include")},
		seen: map[string]bool{}}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".proto" {
			rel, _ := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		r.read(name)
	}
	pool := link.NewPool()
	files, found = pool.Link(r.files, link.Options{})
	found = append(found, options.Read(pool, files, options.Options{Paths: true})...)
	for _, f := range files {
		f.Complete()
	}
	return names, files, found
}

// TestDescriptors compares descriptors, source info included, with protoc's.
func TestDescriptors(t *testing.T) {
	protoc := needProtoc(t)
	roots, err := filepath.Glob("../../../../shared/corpora/proto/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(roots) == 0 {
		oracle.Missing(t, "shared", "../shared is not there; only protoc's own files are compared")
	}
	roots = append(roots, filepath.Join("..", "..", "..", ".tools", "include"))
	if *moreRoots != "" {
		roots = append(roots, strings.Split(*moreRoots, ",")...)
	}
	for _, root := range roots {
		t.Run(filepath.Base(root), func(t *testing.T) { compare(t, protoc, root) })
	}
}

// TestPlaces compares source info of files that have comments and declarations in all places.
func TestPlaces(t *testing.T) {
	protoc := needProtoc(t)
	archive, err := txtar.ParseFile(filepath.Join("testdata", "places.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	archive.Files = append(archive.Files,
		txtar.File{Name: "empty.proto"},
		txtar.File{Name: "bom.proto",
			Data: []byte("\ufeffsyntax = \"proto3\"; /* t */ message M {} // after\n")},
		txtar.File{Name: "crlf.proto", Data: []byte("syntax = \"proto2\";\r\n// crlf\r\n\r\n" +
			"/* block\r\n   * x\r\n */\r\nmessage\tC\t{\r\n\toptional string\ta = 1 " +
			"[default = \"x\ty\",\tjson_name = \"q\"]; // trail\r\n\t// next\r\n" +
			"\toptional int32 b = 2;\r\n}\r\n")})
	dir := t.TempDir()
	for _, f := range archive.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, protoc, dir)
}

func compare(t *testing.T, protoc, root string) {
	names, files, found := linked(t, root)
	for _, d := range found {
		t.Errorf("%s", d.Error())
	}
	want := describedBy(t, protoc, root, names)
	if len(want.File) != len(files) {
		t.Fatalf("%d files, protoc has %d", len(files), len(want.File))
	}
	for i, w := range want.File {
		g := files[i].Proto
		if w.GetName() != g.GetName() {
			t.Fatalf("file %d is %s, protoc has %s", i, g.GetName(), w.GetName())
		}
		g.SourceCodeInfo = files[i].SourceInfo()
		comparePlaces(t, files[i], g.SourceCodeInfo)
		if w.SourceCodeInfo == nil {
			t.Errorf("%s: protoc has no source info", w.GetName())
		}
		for i, l := range w.GetSourceCodeInfo().GetLocation() {
			if i >= len(g.SourceCodeInfo.Location) {
				t.Errorf("%s: location %d of protoc's is missing: %v", w.GetName(), i, l)
				break
			}
			if o := g.SourceCodeInfo.Location[i]; !proto.Equal(o, l) {
				t.Errorf("%s: location %d is %v\nprotoc has %v", w.GetName(), i, o, l)
				break
			}
		}
		ours, theirs := len(g.SourceCodeInfo.Location), len(w.GetSourceCodeInfo().GetLocation())
		if ours != theirs {
			t.Errorf("%s: %d locations, protoc has %d", w.GetName(), ours, theirs)
		}
		g.SourceCodeInfo, w.SourceCodeInfo = nil, nil
		if !proto.Equal(g, w) {
			t.Errorf("%s differs from protoc's\n%s\nprotoc has\n%s", w.GetName(),
				prototext.Format(g), prototext.Format(w))
		}
	}
}

// comparePlaces compares the places of declarations with those in the source info, also once the
// tree is gone.
func comparePlaces(t *testing.T, f *link.File, all *descriptorpb.SourceCodeInfo) {
	t.Helper()
	has := map[string]int{}
	for _, l := range all.Location {
		has[prototext.Format(l)]++
	}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.AppendSourceInfo(nil); !bytes.Equal(got, encoded) {
		t.Errorf("%s: the encoding of the source info differs from that of the message", f.Path)
	}
	places := f.Places().Location
	for _, l := range places {
		if has[prototext.Format(l)] == 0 {
			t.Errorf("%s: source info has not the place %v", f.Path, l)
		}
	}
	var before []syntax.Span
	for _, m := range f.Proto.MessageType {
		before = append(before, f.Span(m, describe.Name))
	}
	released := &describe.File{Path: f.Path, Proto: f.Proto,
		Tree:    &syntax.File{Path: f.Path, Text: f.Tree.Text, Indent: f.Tree.Indent},
		Imports: f.File.Imports}
	released.Release()
	if !proto.Equal(released.Places(), &descriptorpb.SourceCodeInfo{Location: places}) {
		t.Errorf("%s: places differ without the tree", f.Path)
	}
	for i, m := range f.Proto.MessageType {
		if at := released.Span(m, describe.Name); at != before[i] {
			t.Errorf("%s: %s is at %v, without the tree at %v", f.Path, m.GetName(), before[i], at)
		}
	}
}

func describedBy(t *testing.T, protoc, root string,
	names []string) *descriptorpb.FileDescriptorSet {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out.binpb")
	args := append([]string{"--include_imports", "--include_source_info", "--retain_options",
		"-o", out, "-I", root,
		"-I", filepath.Join("..", "..", "..", ".tools", "include")}, names...)
	if text, err := exec.Command(protoc, args...).CombinedOutput(); err != nil {
		t.Fatalf("protoc: %s", text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	fds := &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(data, fds); err != nil {
		t.Fatal(err)
	}
	return fds
}

// needProtoc returns protoc 33.2, or skips the test.
func needProtoc(t *testing.T) string {
	t.Helper()
	tool, err := filepath.Abs("../../../.tools/bin/protoc")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{tool, "protoc"} {
		version, err := exec.Command(name, "--version").Output()
		if err == nil && strings.TrimSpace(string(version)) == "libprotoc 33.2" {
			return name
		}
	}
	oracle.Skip(t, "protoc", "protoc 33.2 is not here to compare with; make tools installs it")
	return ""
}
