package golang_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

// TestGoldenCompiles vets the Go files of all archives against the runtime.
func TestGoldenCompiles(t *testing.T) {
	runtime, err := filepath.Abs("../../../gremlin")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const gremlin = "github.com/octopus-framework/octopus/gremlin"
	mod, sums := "module example.com/gen\n\ngo 1.26.0\n\nreplace "+gremlin+" => "+runtime+"\n", ""
	for _, satellite := range []string{"gremlingrpc", "gremlinconnect"} {
		path := filepath.Join(runtime, satellite)
		mod += "require " + gremlin + "/" + satellite + " v0.1.0\nreplace " + gremlin + "/" +
			satellite + " => " + path + "\n"
		sum, err := os.ReadFile(filepath.Join(path, "go.sum"))
		if err != nil {
			t.Fatal(err)
		}
		sums += string(sum)
	}
	write("go.mod", mod)
	write("go.sum", sums)
	archives, _ := filepath.Glob("testdata/*.txtar")
	count := 0
	for _, path := range archives {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if filepath.Ext(f.Name) == ".go" {
				count++
				folder := strings.TrimSuffix(filepath.Base(path), ".txtar")
				write(filepath.Join(folder, f.Name),
					strings.ReplaceAll(string(f.Data), `"example.com/gen`,
						`"example.com/gen/`+folder))
			}
		}
	}
	if count == 0 {
		t.Fatal("no Go files in the archives")
	}
	write("oneofs/a.go", manyOneofs(t))
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}

// manyOneofs returns the code of a message that has more oneofs than a byte can count.
func manyOneofs(t *testing.T) string {
	var b strings.Builder
	b.WriteString("syntax = \"proto3\";\nmessage A {\n")
	for i := range 300 {
		fmt.Fprintf(&b, "oneof o%d { int32 f%d = %d; }\n", i, i, i+1)
	}
	b.WriteString("}\n")
	s := compile(t, []txtar.File{{Name: "a.proto", Data: []byte(b.String())}})
	g, found := golang.New(s, golang.Options{Module: "example.com/gen"})
	if g == nil {
		t.Fatal(found)
	}
	text, err := g.Generate(g.Outputs()[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
