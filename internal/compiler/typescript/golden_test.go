package typescript_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/typescript"
)

var update = flag.Bool("update", false, "rewrite the golden files; the run still fails")

// generate returns the files that are made of the .proto files of an archive, and what is said.
func generate(t *testing.T, files []txtar.File, s backend.Settings) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	var names []string
	for _, f := range files {
		if filepath.Ext(f.Name) != ".proto" {
			continue
		}
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, f.Name)
	}
	res := compiler.Compile(context.Background(),
		compiler.Options{Sources: source.New(dir), Files: names})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	code, found := typescript.Backend{}.New(&backend.Request{Schema: res.Schema,
		Descriptors: res.Descriptors, Settings: s})
	got := map[string][]byte{}
	for _, d := range found {
		got["want.stderr"] = append(got["want.stderr"], d.Error()+"\n\thint: "+d.Hint+"\n"...)
	}
	for _, out := range code.Outputs {
		text, err := out.Generate()
		if err != nil {
			t.Fatal(err)
		}
		got[out.Path] = text
		if !code.MayBeAt(out.Path, out.File.Path) || code.MayBeAt("x/"+out.Path, out.File.Path) {
			t.Errorf("MayBeAt does not know where %s lies", out.Path)
		}
	}
	return got
}

// TestGolden compares what is generated, and said, with what lies beside it in the archive. That it
// compiles and works is tested by make test-typescript.
func TestGolden(t *testing.T) {
	const path = "testdata/shop.txtar"
	a, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := generate(t, a.Files, backend.Settings{"connect": {On: true}})
	var files []txtar.File
	for _, f := range a.Files {
		if filepath.Ext(f.Name) == ".proto" {
			files = append(files, f)
			continue
		}
		if !bytes.Equal(got[f.Name], f.Data) {
			t.Errorf("%s is another one: run with -update", f.Name)
		}
		delete(got, f.Name)
	}
	for name := range got {
		t.Errorf("%s is not in the archive: run with -update", name)
	}
	if *update {
		got = generate(t, a.Files, backend.Settings{"connect": {On: true}})
		for _, name := range []string{"shop/v1/shop.gremlin.ts", "shop/v1/money.gremlin.ts",
			"want.stderr"} {
			files = append(files, txtar.File{Name: name, Data: got[name]})
		}
		a.Files = files
		if err := os.WriteFile(path, txtar.Format(a), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOptions generates a file with each option and looks for what it changes.
func TestOptions(t *testing.T) {
	files := []txtar.File{{Name: "a/b.proto", Data: []byte(`syntax = "proto3";
import "c.proto";
message B { int64 n = 1; C c = 2; map<int64, uint64> m = 3; }`)},
		{Name: "c.proto", Data: []byte(`syntax = "proto3"; message C {}`)}}
	for _, c := range []struct{ option, value, want, not string }{
		{"int64", "bigint", "n: bigint;", "n: number;"},
		{"int64", "number", "m: Map<number, number>;", "bigint"},
		{"int64", "string", "m: Map<string, string>;", "bigint"},
		{"import_extension", ".ts", `from "../c.gremlin.ts"`, `c.gremlin.js`},
		{"import_extension", "none", `from "../c.gremlin"`, `c.gremlin.js`},
	} {
		made := generate(t, files, backend.Settings{c.option: {Text: c.value}})
		got := string(made["a/b.gremlin.ts"])
		if !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s=%s gives\n%s", c.option, c.value, got)
		}
	}
}
