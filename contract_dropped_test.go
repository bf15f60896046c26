package octopus_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDroppedContracts builds generated code with a runtime that has dropped its contract, for each
// contract: the build has one error, which names the contract of the code and those of the runtime.
// The test of package golang does the same for gremlin/rt with modules from a proxy, and shows what
// becomes of code that is newer than its runtime.
func TestDroppedContracts(t *testing.T) {
	template, err := os.ReadFile("gremlin/rt/testdata/dropped.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	// packages of generated code that import the contract of a folder
	code := map[string]string{
		"gremlin/rt":             "./examples/deposits/shop/v1",
		"gremlin/gogo":           "./gremlin/internal/golden",
		"gremlin/gremlingrpc":    "./examples/shop/shop/v1",
		"gremlin/gremlinconnect": "./examples/shop/shop/v1/shopv1connect",
	}
	const golden = "internal/compiler/gogo/shape/testdata/deposit.pb.go.golden"
	for _, c := range contracts {
		t.Run(c.folder, func(t *testing.T) {
			t.Parallel()
			pkg := code[c.folder]
			if pkg == "" {
				t.Fatal("say which package of generated code imports this contract")
			}
			dropped := filepath.Join(t.TempDir(), "dropped.go")
			text := strings.ReplaceAll(string(template), "gremlin/rt", c.folder)
			if err := os.WriteFile(dropped, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			replaced := map[string]string{c.folder + "/contract1/contract1.go": dropped}
			if strings.HasSuffix(pkg, "/golden") {
				replaced[pkg+"/deposit.pb.go"] = golden
			}
			out, err := buildWith(t, replaced, pkg)
			want := "generated for contract 1 of " + c.folder +
				", this runtime knows 2 and later: run gremlin generate again"
			if err == nil || !strings.Contains(out, want) {
				t.Errorf("%v, want %q in:\n%s", err, want, out)
			}
			// An error is a line with a place: file.go:line:column.
			if n := strings.Count(out, ".go:"); n != 1 {
				t.Errorf("%d errors instead of one:\n%s", n, out)
			}
			delete(replaced, c.folder+"/contract1/contract1.go")
			if out, err := buildWith(t, replaced, pkg); err != nil {
				t.Errorf("it does not build with its contract either: %v\n%s", err, out)
			}
		})
	}
}

// buildWith builds a package with other files, by path, in the place of some of this repository.
func buildWith(t *testing.T, replaced map[string]string, pkg string) (string, error) {
	t.Helper()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, by := range replaced {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		if overlay.Replace[path], err = filepath.Abs(by); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, text, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "build", "-overlay", file, pkg).CombinedOutput()
	return string(out), err
}
