package octopus_test

import (
	"go/ast"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// leaning are first words of a comment that is no sentence without the name before it: "of the
// server", "that are open", "by import path".
var leaning = map[string]bool{}

func init() {
	for w := range strings.FieldsSeq(
		"at behind below beneath beside by from in of on over that to under which whose with without") {
		leaning[w] = true
	}
}

// TestFieldComments finds comments of fields that can be read only together with the field's name.
// A comment says its noun: "offset of the record", not "of the record".
func TestFieldComments(t *testing.T) {
	for _, s := range sources(t) {
		if s.generated || strings.HasPrefix(s.path, "lab/") ||
			strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			typ, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range typ.Fields.List {
				for _, c := range []*ast.CommentGroup{f.Doc, f.Comment} {
					words := strings.Fields(c.Text())
					if len(words) > 1 && leaning[words[0]] {
						t.Errorf("%s: %q has no noun", s.fset.Position(c.Pos()),
							strings.Join(words, " "))
					}
				}
			}
			return true
		})
	}
}

// maxPageColumns is how wide a line of ARCHITECTURE.md may be.
const maxPageColumns = 140

func TestArchitectureColumns(t *testing.T) {
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(page), "\n") {
		if n := utf8.RuneCountInString(line); n > maxPageColumns {
			t.Errorf("ARCHITECTURE.md:%d: %d columns, more than %d", i+1, n, maxPageColumns)
		}
	}
}
