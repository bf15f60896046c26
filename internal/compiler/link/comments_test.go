package link_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// TestRandomComments compares source info of files with comments and white space of all kinds
// between their tokens.
func TestRandomComments(t *testing.T) {
	protoc := needProtoc(t)
	archive, err := txtar.ParseFile(filepath.Join("testdata", "comments.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	between := []string{" ", " ", " ", "\n", "\n", "\n\n", "\t", " \r\n", " // a\n", "\n// b\n",
		"// b\n// c\n", "/* d */", " /* d */ ", "\n/* d\n * e */\n", "/* e\n   *f*/ /**/", "//\n",
		"\n\n// g\n\n", "/***/", "\n /* h */ // i\n", " /* j\n*/ // k\n\n// l\n", "\f\v"}
	dir := t.TempDir()
	for seed := range uint64(150) {
		random := rand.New(rand.NewPCG(seed, 1))
		source := string(archive.Files[seed%uint64(len(archive.Files))].Data)
		tree, found := syntax.Parse("a.proto", source)
		if found.Errors() > 0 {
			t.Fatal(found)
		}
		var b strings.Builder
		if seed%3 == 0 {
			b.WriteString(between[random.IntN(len(between))])
		}
		rare := random.IntN(6)
		for i, token := range tree.Tokens {
			text := source[token.Start:token.End]
			if text == "PACKAGE" {
				text = fmt.Sprintf("p%d", seed)
			}
			b.WriteString(text)
			gap := " "
			if random.IntN(6) <= rare || strings.Contains(";{}", text) {
				gap = between[random.IntN(len(between))]
				if random.IntN(3) == 0 {
					gap += between[random.IntN(len(between))]
				}
			}
			if i+1 < len(tree.Tokens) || random.IntN(2) == 0 {
				b.WriteString(gap)
			}
		}
		name := filepath.Join(dir, fmt.Sprintf("f%d.proto", seed))
		if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	compare(t, protoc, dir)
}
