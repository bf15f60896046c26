package compiler

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/compiler/source"
)

// TestAppendFile compares the encoding of files, byte by byte, with what protoc writes, when source
// info is made at once and when it is made while it is written.
func TestAppendFile(t *testing.T) {
	protoc := needProtoc(t)
	for _, name := range []string{"proto2", "proto3", "editions"} {
		archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		root := unpack(t, archive)
		src := source.New(root)
		files, err := src.All()
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.binpb")
		text, err := exec.Command(protoc, append([]string{"--include_imports",
			"--retain_options", "--include_source_info", "-o", out, "-I", root,
			"-I", filepath.Join("..", ".tools", "include")}, files...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("protoc: %s", text)
		}
		want, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, info := range []SourceInfo{FullSourceInfo, SourceInfoLater} {
			res := Compile(context.Background(), Options{Sources: src, Files: files,
				SourceInfo: info, DescriptorsOnly: true})
			if res.Descriptors == nil || res.Schema != nil {
				t.Fatal(res.Diagnostics)
			}
			rest := want
			for i, f := range res.Descriptors.File {
				_, _, n := protowire.ConsumeField(rest)
				if n < 0 {
					t.Fatal(protowire.ParseError(n))
				}
				theirs := rest[:n]
				rest = rest[n:]
				if source.IsWellKnown(f.GetName()) {
					continue // protoc has another text of them
				}
				ours, err := res.AppendFile(nil, i, true)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(ours, theirs) {
					t.Errorf("%s: %d bytes, protoc writes %d other ones", f.GetName(), len(ours),
						len(theirs))
				}
			}
			if len(rest) != 0 {
				t.Errorf("%s: protoc has more files", name)
			}
		}
	}
}
