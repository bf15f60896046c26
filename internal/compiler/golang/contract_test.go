package golang_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

const (
	runtimeModule = "github.com/octopus-framework/octopus/gremlin"
	contractFile  = "rt/contract1/contract1.go"
)

// TestContract builds a program of two packages of generated code with runtimes that know its
// contract, do not know it yet and know it no more. Each runtime is a module from a proxy, as it is
// for everybody else; a newer one is there in all cases.
func TestContract(t *testing.T) {
	runtime := runtimeFiles(t)
	dropped, err := os.ReadFile("../../../gremlin/rt/testdata/dropped.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(files map[string][]byte)
		want   []string // in the one error
	}{
		{name: "the same", change: func(map[string][]byte) {}},
		{
			name:   "older runtime",
			change: func(files map[string][]byte) { delete(files, contractFile) },
			want: []string{"no required module provides package " + runtimeModule +
				"/rt/contract1; to add it:",
				"go get " + runtimeModule + "/rt/contract1"},
		},
		{
			name: "newer runtime",
			change: func(files map[string][]byte) {
				files[contractFile] = dropped
				files["go.mod"] = append(files["go.mod"], "\nignore ./rt/contract1\n"...)
				for name, text := range files { // as much else may have another name then
					if strings.HasPrefix(name, "rt/") {
						files[name] = bytes.ReplaceAll(text, []byte("AppendVarint("),
							[]byte("AppendVarintNew("))
					}
				}
			},
			want: []string{runtimeModule + "@v0.1.0/" + contractFile,
				"generated for contract 1 of gremlin/rt, " +
					"this runtime knows 2 and later: run gremlin generate again"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			files := map[string][]byte{}
			for name, text := range runtime {
				files[name] = bytes.Clone(text)
			}
			test.change(files)
			writeProxy(t, dir, files)
			out, err := goIn(dir, "build", "./...")
			if test.want == nil {
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				return
			}
			if err == nil {
				t.Fatal("it was built")
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in:\n%s", want, out)
				}
			}
			// An error is a line with a place: file.go:line:column.
			if n := strings.Count(out, ".go:"); n != 1 {
				t.Errorf("%d errors instead of one:\n%s", n, out)
			}
		})
	}
}

// runtimeFiles returns the files of module gremlin that a program needs, by their paths in it.
func runtimeFiles(t *testing.T) map[string][]byte {
	t.Helper()
	root := os.DirFS("../../../gremlin")
	files := map[string][]byte{}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		if ext := filepath.Ext(path); path == "go.mod" || ext == ".s" || ext == ".go" {
			text, err := fs.ReadFile(root, path)
			files[path] = text
			return err
		}
		return nil
	})
	if err != nil || files[contractFile] == nil {
		t.Fatalf("%d files, %v", len(files), err)
	}
	return files
}

// writeProxy writes a module proxy with v0.1.0 of module gremlin and a program that requires it.
func writeProxy(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	write := func(name string, text []byte) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, text := range files {
		w, err := z.Create(runtimeModule + "@v0.1.0/" + name)
		if err == nil {
			_, err = w.Write(text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	versions := "proxy/" + runtimeModule + "/@v/"
	write(versions+"list", []byte("v0.1.0\n"))
	write(versions+"v0.1.0.info", []byte(`{"Version":"v0.1.0"}`))
	write(versions+"v0.1.0.mod", files["go.mod"])
	write(versions+"v0.1.0.zip", packed.Bytes())

	write("program/go.mod", []byte("module example.com/program\n\ngo 1.25\n\nrequire "+
		runtimeModule+" v0.1.0\n"))
	main := "package main\n\nimport (\n"
	for _, name := range []string{"one", "two"} {
		s := compile(t, []txtar.File{{Name: name + "/a.proto",
			Data: []byte("syntax = \"proto3\"; package " + name +
				"; message A { int32 n = 1; repeated A list = 2; }")}})
		g, found := golang.New(s, golang.Options{Module: "example.com/program"})
		if g == nil {
			t.Fatal(found)
		}
		text, err := g.Generate(g.Outputs()[0])
		if err != nil {
			t.Fatal(err)
		}
		write("program/"+g.Outputs()[0].Path, text)
		main += "\t_ \"example.com/program/" + name + "\"\n"
	}
	write("program/main.go", []byte(main+")\n\nfunc main() {}\n"))
	if out, err := goIn(dir, "mod", "download", runtimeModule); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// goIn runs the go command in the program of writeProxy, with nothing but the proxy to load modules
// from.
func goIn(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join(dir, "program")
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw",
		"GOPROXY=file://"+filepath.ToSlash(filepath.Join(dir, "proxy")),
		"GOSUMDB=off", "GOMODCACHE="+filepath.Join(dir, "cache"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}
