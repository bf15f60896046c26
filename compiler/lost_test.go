package compiler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler/source"
)

// TestHintsAreBounded imports more files that do not exist than get a hint: each hint looks at all
// files, so a tree with thousands of lost imports must not ask for thousands.
func TestHintsAreBounded(t *testing.T) {
	dir := t.TempDir()
	text := "syntax = \"proto3\";\n"
	for i := range 3 * maxHints {
		text += fmt.Sprintf("import \"deposit_%d.proto\";\n", i)
	}
	for path, text := range map[string]string{"deposits.proto": text,
		"deposit_x.proto": "syntax = \"proto3\";\n"} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	res := Compile(t.Context(),
		Options{Sources: source.New(dir), Files: []string{"deposits.proto"}})
	hints := 0
	for _, d := range res.Diagnostics {
		if strings.HasPrefix(d.Hint, "did you mean") {
			hints++
		}
	}
	if hints != maxHints || res.Diagnostics.Errors() != 3*maxHints {
		t.Errorf("%d hints for %d errors, want %d", hints, res.Diagnostics.Errors(), maxHints)
	}
}
