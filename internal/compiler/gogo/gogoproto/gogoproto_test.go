package gogoproto_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/gogoproto"
)

// TestGogoOptions compiles files that import gogo.proto by different names together, and one that
// uses an option of Cosmos' fork.
func TestGogoOptions(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.proto": `import "gogoproto/gogo.proto"; option (gogoproto.equal_all) = true;`,
		"b.proto": `import "github.com/gogo/protobuf/gogoproto/gogo.proto";
			option (gogoproto.equal_all) = true;`,
		"c.proto": `import "gogo.proto"; option (gogoproto.equal_all) = true;`,
		"d.proto": `import "github.com/cosmos/gogoproto/gogoproto/gogo.proto";
			option (gogoproto.equal_all) = true;
			message D { repeated string s = 1 [(gogoproto.castrepeated) = "S"]; }`,
	} {
		text = `syntax = "proto3"; ` + text
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for root, files := range map[string][]string{
		dir:            {"a.proto", "b.proto", "c.proto", "d.proto"},
		"other=" + dir: {"other/a.proto"},
	} {
		sources := source.New(root)
		options := compiler.Options{Sources: sources, Files: files}
		if res := compiler.Compile(t.Context(), options); res.Diagnostics.Errors() == 0 {
			t.Errorf("%s: gogo.proto is there without its provider", root)
		}
		sources = source.New(root)
		sources.Provide(gogoproto.Text)
		options.Sources = sources
		if res := compiler.Compile(t.Context(), options); res.Diagnostics.Errors() > 0 {
			t.Errorf("%s: %v", root, res.Diagnostics)
		}
	}
}
