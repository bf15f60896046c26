package compiler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
)

// verdictFiles are the names of the archives in testdata/verdicts.
func verdictFiles(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "verdicts", "*.txtar"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no verdicts: %v", err)
	}
	return names
}

// TestVerdicts compares verdicts on files that are at the edge of the language; protoc is right by
// definition. Each archive in testdata/verdicts is one. Where protoc refuses the files,
// want.protoc is what it says and want.gremlin what we say; where it accepts them there is no
// want.protoc, and want.gremlin, if it is there, holds warnings. Those whose names start with ok_
// are accepted. Verdicts and descriptors are compared with protoc's where our protoc is.
func TestVerdicts(t *testing.T) {
	protoc := ourProtoc(t)
	for _, name := range verdictFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			verdict(t, name, protoc)
		})
	}
}

func verdict(t *testing.T, name, protoc string) {
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[string]string{}, map[string]string{}
	var inputs []txtar.File
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "want.") {
			want[f.Name] = string(f.Data)
		} else {
			inputs = append(inputs, f)
		}
	}
	a.Files = inputs
	dir := unpack(t, a)
	src := source.New(dir)
	files, err := src.All()
	if err != nil {
		t.Fatal(err)
	}
	res := Compile(t.Context(), Options{Sources: src, Files: files})
	for _, d := range res.Diagnostics {
		if d.File == "" || strings.Contains(d.Message, "internal") {
			t.Errorf("diagnostic %v", d)
		}
	}
	var said strings.Builder
	if err := (report.Text{Source: src.Text}).Write(&said, res.Diagnostics); err != nil {
		t.Fatal(err)
	}
	got["want.gremlin"] = strings.ReplaceAll(strings.ReplaceAll(said.String(), dir+"/", ""), dir,
		".")
	got["want.protoc"] = want["want.protoc"]
	if refused := !strings.HasPrefix(filepath.Base(name), "ok_"); (res.Schema == nil) != refused {
		t.Errorf("accepted: %v\n%v", res.Schema != nil, res.Diagnostics)
	}
	// What only lowering finds is missed by those who want descriptors.
	only := Compile(t.Context(), Options{Sources: source.New(dir), Files: files,
		DescriptorsOnly: true})
	if (only.Descriptors == nil) != (res.Schema == nil) {
		t.Errorf("descriptors alone are accepted: %v", only.Descriptors != nil)
	}
	if protoc != "" {
		roots := []string{dir, filepath.Join("..", ".tools", "include")}
		fds, said, err := describedByProtoc(t, protoc, roots, files...)
		if (err == nil) != (res.Schema != nil) {
			t.Errorf("protoc does not agree: %v\n%s", err, said)
		}
		got["want.protoc"] = strings.ReplaceAll(said, dir+"/", "")
		if err == nil && res.Schema != nil {
			same := func(path string) bool {
				return !source.IsWellKnown(path) || exists(filepath.Join(dir, path))
			}
			compareDescriptors(t, res.Descriptors, fds, same, true)
		}
	}
	for _, part := range []string{"want.protoc", "want.gremlin"} {
		if got[part] != want[part] {
			t.Errorf("%s is\n%s\nwant\n%s", part, got[part], want[part])
		}
		if got[part] != "" {
			a.Files = append(a.Files, txtar.File{Name: part, Data: []byte(got[part])})
		}
	}
	if *update && t.Failed() {
		if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestImported compiles files that protoc refuses when it is asked for them, and accepts when they
// are merely imported.
func TestImported(t *testing.T) {
	protoc := ourProtoc(t)
	for name, text := range map[string]string{
		"a number that is kept": `syntax = "proto3"; message B { int32 b = 19000; }`,
		"an option of other declarations": `edition = "2023";
			message B { option features.field_presence = IMPLICIT; }`,
		"an option of others in braces": `edition = "2023";
			message B { option features = { field_presence: IMPLICIT }; }`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range map[string]string{"a.proto": `edition = "2023";
				import "b.proto"; message A { B b = 1; }`, "b.proto": text} {
				if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			for path, want := range map[string]bool{"a.proto": true, "b.proto": false} {
				res := Compile(t.Context(),
					Options{Sources: source.New(dir), Files: []string{path}})
				if (res.Schema != nil) != want {
					t.Errorf("%s is accepted: %v\n%v", path, res.Schema != nil, res.Diagnostics)
				}
				if protoc == "" {
					continue
				}
				_, said, err := describedByProtoc(t, protoc, []string{dir}, path)
				if (err == nil) != want {
					t.Errorf("%s is accepted by protoc: %v\n%s", path, err == nil, said)
				}
			}
		})
	}
}
