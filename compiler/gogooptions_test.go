package compiler

import (
	"context"
	"os"
	"path/filepath"
	"testing"
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
	res := Compile(context.Background(), Options{Sources: NewSources(dir),
		Files: []string{"a.proto", "b.proto", "c.proto", "d.proto"}})
	if res.Diagnostics.Errors() > 0 {
		t.Error(res.Diagnostics)
	}
	res = Compile(context.Background(), Options{Sources: NewSources("other=" + dir),
		Files: []string{"other/a.proto"}})
	if res.Diagnostics.Errors() > 0 {
		t.Errorf("below a virtual folder: %v", res.Diagnostics)
	}
}
