package compiler

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestDescriptorsEqualProtocs compares descriptors, options included, with those of a protoc on
// this machine: the goldens, the well-known files that come with it and the schemas of the shared
// corpora.
func TestDescriptorsEqualProtocs(t *testing.T) {
	protoc := needProtoc(t)
	for _, name := range []string{"proto2", "proto3", "editions", "messageset", "overruled"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { compareWithProtoc(t, protoc, unpack(t, archive), true) })
	}
	roots, err := filepath.Glob(filepath.Join("..", "..", "shared", "corpora", "proto", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(roots) == 0 {
		oracle.Missing(t, "shared", "../shared is not there; only the goldens are compared")
	}
	if include := filepath.Join("..", ".tools", "include"); exists(include) {
		roots = append(roots, include)
	}
	for _, root := range roots {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			t.Run(filepath.Base(root), func(t *testing.T) {
				compareWithProtoc(t, protoc, root, true)
			})
		}
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// compareWithProtoc compares descriptors of all files below root, and where their declarations are
// if asked to.
func compareWithProtoc(t *testing.T, protoc, root string, places bool) {
	_, files, res := compileAll(t, root)
	want, text, err := describedByProtoc(t, protoc,
		[]string{root, filepath.Join("..", ".tools", "include")}, files...)
	if err != nil {
		t.Fatalf("protoc cannot compile the files: %s", text)
	}
	// protoc comes with its own version of the well-known files.
	compareDescriptors(t, res.Descriptors, want, func(path string) bool {
		return !source.IsWellKnown(path) || exists(filepath.Join(root, path))
	}, places)
}

// describedByProtoc returns protoc's descriptors, or what it says.
func describedByProtoc(t *testing.T, protoc string, roots []string,
	files ...string) (fds *descriptorpb.FileDescriptorSet, text string, err error) {
	out := filepath.Join(t.TempDir(), "out.binpb")
	args := []string{"--include_imports", "--retain_options", "--include_source_info", "-o", out}
	for _, r := range roots {
		args = append(args, "-I", r)
	}
	if text, err := exec.Command(protoc, append(args, files...)...).CombinedOutput(); err != nil {
		return nil, string(text), err
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	fds = &descriptorpb.FileDescriptorSet{}
	if err := proto.Unmarshal(data, fds); err != nil {
		t.Fatal(err)
	}
	return fds, "", nil
}

// compareDescriptors compares what is to be the same, and source info if asked to.
func compareDescriptors(t *testing.T, got, want *descriptorpb.FileDescriptorSet,
	same func(path string) bool, places bool) {
	if len(want.File) != len(got.File) {
		t.Fatalf("%d files, protoc has %d", len(got.File), len(want.File))
	}
	for i, w := range want.File {
		g := reread(t, got.File[i])
		if w.GetName() != g.GetName() {
			t.Errorf("file %d is %s, protoc has %s", i, g.GetName(), w.GetName())
		}
		if !same(w.GetName()) {
			continue
		}
		if places && !proto.Equal(g.SourceCodeInfo, w.SourceCodeInfo) {
			t.Errorf("%s has other source info than protoc says: %s", w.GetName(),
				difference(g.SourceCodeInfo, w.SourceCodeInfo))
		}
		g.SourceCodeInfo, w.SourceCodeInfo = nil, nil
		if !proto.Equal(g, w) {
			t.Errorf("%s differs from protoc's\n%s\nprotoc has\n%s", w.GetName(),
				prototext.Format(g), prototext.Format(w))
		}
	}
}

// reread returns a descriptor with those extensions known that this program knows: as w is.
func reread(t *testing.T, f *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	t.Helper()
	data, err := proto.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	f = &descriptorpb.FileDescriptorProto{}
	if err := proto.Unmarshal(data, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// difference tells of the first location that is not the same.
func difference(got, want *descriptorpb.SourceCodeInfo) string {
	for i, w := range want.GetLocation() {
		if i == len(got.GetLocation()) {
			return fmt.Sprintf("there is no %v", w)
		}
		if g := got.Location[i]; !proto.Equal(g, w) {
			return fmt.Sprintf("location %d is %v, not %v", i, g, w)
		}
	}
	return fmt.Sprintf("there are %d locations, not %d", len(got.GetLocation()),
		len(want.GetLocation()))
}
