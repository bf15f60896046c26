package compiler

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestAppendStripped compares files without the options of the source, byte by byte, with what
// protoc writes.
func TestAppendStripped(t *testing.T) {
	protoc := needProtoc(t)
	var roots []string
	for _, name := range []string{"proto2", "proto3", "editions",
		filepath.Join("stripped", "options")} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		roots = append(roots, unpack(t, archive))
	}
	shared, err := filepath.Glob(filepath.Join("..", "..", "shared", "corpora", "proto", "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(shared) == 0 {
		oracle.Missing(t, "shared", "../shared is not there; only the goldens are compared")
	}
	for _, root := range append(roots, shared...) {
		t.Run(filepath.Base(root), func(t *testing.T) { compareStripped(t, protoc, root) })
	}
}

func compareStripped(t *testing.T, protoc, root string) {
	src := source.New(root)
	files, err := src.All()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.binpb")
	text, err := exec.Command(protoc, append([]string{"--include_imports",
		"--include_source_info", "-o", out, "-I", root,
		"-I", filepath.Join("..", ".tools", "include")}, files...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("protoc: %s", text)
	}
	rest, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, info := range []SourceInfo{FullSourceInfo, SourceInfoLater} {
		res := Compile(t.Context(), Options{Sources: src, Files: files,
			SourceInfo: info, DescriptorsOnly: true})
		if res.Descriptors == nil {
			t.Fatal(res.Diagnostics)
		}
		rest := rest
		for i, f := range res.Descriptors.File {
			_, _, n := protowire.ConsumeField(rest)
			if n < 0 {
				t.Fatal(protowire.ParseError(n))
			}
			theirs := rest[:n]
			rest = rest[n:]
			if source.IsWellKnown(f.GetName()) && !exists(filepath.Join(root, f.GetName())) {
				continue // protoc has another text of them
			}
			ours, err := res.AppendStripped(nil, i, true)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(ours, theirs) {
				t.Errorf("%s: %d bytes, protoc writes %d other ones\n%x\n%x", f.GetName(),
					len(ours), len(theirs), ours, theirs)
			}
		}
		if len(rest) != 0 {
			t.Error("protoc has more files")
		}
	}
}
