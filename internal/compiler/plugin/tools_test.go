package plugin_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// tool finds a program in the folder that make tools fills, or on the PATH, or skips the test.
func tool(t *testing.T, name string) string {
	t.Helper()
	if path, err := filepath.Abs(filepath.Join("../../../.tools/bin", name)); err == nil {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		oracle.Skip(t, name, "not on this machine; make tools installs one in .tools")
	}
	return path
}

// built builds the plugin and returns its path.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "protoc-gen-gremlin")
	if text, err := exec.Command("go", "build", "-o", path,
		"../../../cmd/protoc-gen-gremlin").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return path
}

// TestProtoc compares what protoc writes with the plugin and what gremlin generate writes.
func TestProtoc(t *testing.T) {
	protoc, gen := tool(t, "protoc"), built(t)
	compared := 0
	all := schemas(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			args := []string{"-I", all[name], "--plugin=" + gen, "--gremlin_out=" + out,
				"--gremlin_opt=" + module, "--gremlin_opt=" + mapping}
			text, err := exec.Command(protoc,
				append(args, protoFiles(t, all[name])...)...).CombinedOutput()
			if err != nil {
				// Old ones do not know the keyword and say so in their own way.
				if strings.Contains(string(text), "dition") ||
					strings.Contains(string(text), "1:1: Expected top-level statement") {
					oracle.Skip(t, "protoc", "this one is too old: "+string(text))
				}
				t.Fatalf("%v: %s", err, text)
			}
			same(t, readAll(t, out), command(t, all[name], false))
			compared++
		})
	}
	if compared < len(all)/2 {
		t.Errorf("%d of %d schemas were compared", compared, len(all))
	}
}

func TestProtocShowsErrors(t *testing.T) {
	protoc, gen := tool(t, "protoc"), built(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "a.proto"), []byte(deposit))
	text, err := exec.Command(protoc, "-I", dir, "--plugin="+gen, "--gremlin_out="+dir,
		"--gremlin_opt=modul=x", "a.proto").CombinedOutput()
	if err == nil || !strings.HasPrefix(string(text),
		`--gremlin_out: error: unknown parameter "modul"`) {
		t.Errorf("%v: %s", err, text)
	}
}

// TestBuf compares what buf writes with the plugin and what gremlin generate writes.
func TestBuf(t *testing.T) {
	buf, gen := tool(t, "buf"), built(t)
	all := schemas(t)
	for _, name := range []string{"basic", "proto2", "proto3", "editions"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(filepath.Join(dir, "proto"), os.DirFS(all[name])); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(dir, "buf.yaml"),
				[]byte("version: v2\nmodules:\n  - path: proto\n"))
			writeFile(t, filepath.Join(dir, "buf.gen.yaml"),
				[]byte("version: v2\nplugins:\n  - local: "+gen+
					"\n    out: gen\n    opt: ["+module+", "+mapping+"]\n"))
			cmd := exec.Command(buf, "generate")
			cmd.Dir = dir
			// Everything is local; a cache of its own keeps the machine as it was.
			cmd.Env = append(os.Environ(), "BUF_CACHE_DIR="+t.TempDir())
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			same(t, readAll(t, filepath.Join(dir, "gen")), command(t, all[name], false))
		})
	}
}

func protoFiles(t *testing.T, root string) []string {
	t.Helper()
	var files []string
	for name := range readAll(t, root) {
		if filepath.Ext(name) == ".proto" {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	return files
}
