package octopus_test

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxLines is how long a file that people write may be, tests included.
const maxLines = 800

// maxColumns is how wide a line that people write may be; a tab counts four.
const maxColumns = 100

// maxLiteral is how wide a string may be and still has to be taken apart for the sake of its line.
const maxLiteral = 30

// source is a Go file of the repository.
type source struct {
	path      string
	text      []byte
	generated bool
	ast       *ast.File
	fset      *token.FileSet
}

// sources reads all Go files of all modules of the repository; folders with a dot in front and
// testdata are left out.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") ||
			d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{filepath.ToSlash(path), text, ast.IsGenerated(file), file, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 50 {
		t.Fatalf("only %d Go files found", len(all))
	}
	return all
}

func TestTidyFiles(t *testing.T) {
	// Spelt in two halves so that this file does not contain them.
	marks := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X:", "HA" + "CK:"}
	for _, s := range sources(t) {
		if formatted, err := format.Source(s.text); err != nil || !bytes.Equal(formatted, s.text) {
			t.Errorf("%s: not as gofmt writes it", s.path)
		}
		for _, imp := range s.ast.Imports {
			if imp.Path.Value == `"unsafe"` && filepath.Base(s.path) != "unsafe.go" &&
				!strings.HasSuffix(s.path, "_test.go") && !strings.HasSuffix(s.path, ".pb.go") {
				t.Errorf("%s: unsafe belongs into a file unsafe.go", s.path)
			}
		}
		if s.generated {
			continue
		}
		checkColumns(t, s)
		if n := bytes.Count(s.text, []byte("\n")); n > maxLines {
			t.Errorf("%s: %d lines, more than %d", s.path, n, maxLines)
		}
		lines := bufio.NewScanner(bytes.NewReader(s.text))
		for n := 1; lines.Scan(); n++ {
			for _, mark := range marks {
				if strings.Contains(lines.Text(), mark) {
					t.Errorf("%s:%d: %s: say it in an issue, or do it", s.path, n, mark)
				}
			}
		}
	}
}

// TestTidyDocs wants a package comment for every package, attached to its clause, and a comment for
// everything exported.
func TestTidyDocs(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		dir := filepath.Dir(s.path)
		if strings.HasSuffix(s.path, "_test.go") {
			continue
		}
		documented[dir] = documented[dir] || s.ast.Doc != nil || s.generated
		if s.generated || s.ast.Name.Name == "main" {
			continue // nobody imports what a program exports
		}
		for _, decl := range s.ast.Decls {
			checkDocs(t, s, decl)
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no package comment, or a blank line between it and the package clause",
				dir)
		}
	}
}

func checkDocs(t *testing.T, s source, decl ast.Decl) {
	report := func(pos token.Pos, name string) {
		t.Errorf("%s: %s is exported and has no comment", s.fset.Position(pos), name)
	}
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || receiverExported(d.Recv)) {
			report(d.Pos(), d.Name.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && d.Doc == nil && spec.Doc == nil {
					report(spec.Pos(), spec.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					if name.IsExported() && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						report(name.Pos(), name.Name)
					}
				}
			}
		}
	}
}

func receiverExported(recv *ast.FieldList) bool {
	typ := recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}

// TestTidyTree keeps out of the repository what says nothing to its readers.
func TestTidyTree(t *testing.T) {
	// At the start of a path, not within one: a package may be named so.
	places := regexp.MustCompile(`(^|[^\w./])/(work|root|home)/`)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			// Folders with a dot in front and those that make and tests write to; .gitignore has
			// them too.
			if path != "." && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" ||
				slices.Contains([]string{"bin", "out", "demo", "scratch"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		// .git is a file in a linked worktree, .tools may be a link
		if d.Name() == ".git" || !d.Type().IsRegular() {
			return nil
		}
		// go build ./... leaves it in a module of one program
		if filepath.ToSlash(path) == "examples/outbox/outbox" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if len(text) > 1<<20 {
			t.Errorf("%s: %d bytes, more than a file here should have", path, len(text))
		}
		if at := places.Find(text); at != nil {
			t.Errorf("%s: contains the path %q of somebody's machine", path, at)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// checkColumns reports lines that are too wide, apart from those that a long string is in and from
// comments that are laid out by hand.
func checkColumns(t *testing.T, s source) {
	if strings.HasPrefix(s.path, "lab/") {
		return // it has tables of peers
	}
	lines := strings.Split(string(s.text), "\n")
	exempt := map[int]bool{}
	var sc scanner.Scanner
	file := token.NewFileSet().AddFile(s.path, -1, len(s.text))
	sc.Init(file, s.text, nil, scanner.ScanComments)
	for {
		pos, tok, lit := sc.Scan()
		if tok == token.EOF {
			break
		}
		line := file.Line(pos)
		switch {
		case tok == token.STRING && (len(lit) > maxLiteral || strings.Contains(lit, "\n")),
			tok == token.COMMENT && (strings.HasPrefix(lit, "//\t") ||
				strings.HasPrefix(lit, "//nolint") ||
				strings.HasPrefix(lit, "//go:")):
			for i := range strings.Count(lit, "\n") + 1 {
				exempt[line+i] = true
			}
		}
	}
	for i, l := range lines {
		if n := utf8.RuneCountInString(l) + 3*strings.Count(l, "\t"); n > maxColumns &&
			!exempt[i+1] {
			t.Errorf("%s:%d: %d columns, more than %d", s.path, i+1, n, maxColumns)
		}
	}
}
