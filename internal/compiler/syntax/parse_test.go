package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/octopus-framework/octopus/compiler/report"
)

var update = flag.Bool("update", false,
	"rewrite the goldens; the run still fails, so that it is looked at")

// TestErrors parses each file of testdata/errors.txtar and compares what is said about it with what
// stands behind it, in a file NAME.want. Files whose names begin with ok_ are right.
func TestErrors(t *testing.T) {
	name := filepath.Join("testdata", "errors.txtar")
	a, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, f := range a.Files {
		want[f.Name] = string(f.Data)
	}
	out := &txtar.Archive{Comment: a.Comment}
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".want") {
			continue
		}
		text := strings.TrimSuffix(string(f.Data), "\n")
		text = strings.NewReplacer(`%00`, "\x00", `%ff`, "\xff", `%bom`, "\ufeff").Replace(text)
		tree, found := Parse(f.Name, text)
		var b strings.Builder
		r := report.Text{Source: func(string) (string, bool) { return tree.Text, true }}
		if err := r.Write(&b, found.Sorted()); err != nil {
			t.Fatal(err)
		}
		if b.String() != want[f.Name+".want"] {
			t.Errorf("%s\n%s\nsays\n%s\nwant\n%s", f.Name, text, b.String(), want[f.Name+".want"])
		}
		ok := strings.HasPrefix(f.Name, "ok_") || f.Name == "no_syntax"
		if ok != (found.Errors() == 0) {
			t.Errorf("%s: %d errors", f.Name, found.Errors())
		}
		out.Files = append(out.Files, f)
		if b.Len() > 0 {
			out.Files = append(out.Files,
				txtar.File{Name: f.Name + ".want", Data: []byte(b.String())})
		}
	}
	if *update && t.Failed() {
		if err := os.WriteFile(name, txtar.Format(out), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostile parses input that is deep, long or has very many errors. What it allocates is bounded
// by the input, and it does not run out of stack.
func TestHostile(t *testing.T) {
	const n = 1_000_000
	for name, text := range map[string]string{
		"open braces":    strings.Repeat("{", n),
		"closing braces": strings.Repeat("}", n),
		"parentheses":    "option " + strings.Repeat("(", n),
		"messages":       strings.Repeat("message A {", n/4),
		"groups":         "message A {" + strings.Repeat("optional group G = 1 {", n/8),
		"braces in an option": "option a = " + strings.Repeat("{", n) +
			strings.Repeat("}", n) + ";",
		"one line of a name":    "package " + strings.Repeat("a.", n) + "a;",
		"one line of literals":  `option a = ` + strings.Repeat(`"a" `, n) + ";",
		"minus signs":           "option a = " + strings.Repeat("-", n),
		"unterminated strings":  strings.Repeat("\"\n", n/2),
		"unterminated comments": strings.Repeat("/* ", n/2),
		"characters":            strings.Repeat("\x01 ä ", n/4),
		"missing semicolons": "message A {\n" +
			strings.Repeat("optional int32 a = 1\n", n/20) + "}",
		"imports":            strings.Repeat(`import "a.proto";`, 100_000),
		"one line of fields": "message A {" + strings.Repeat("optional int32 a=1;", n/2) + "}",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, found := Parse("a.proto", text)
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > uint64(len(text)/8+10_000) {
			t.Errorf("%s: %d allocations for %d bytes", name, n, len(text))
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > uint64(200*len(text)+1<<20) {
			t.Errorf("%s: %d bytes for %d bytes", name, n, len(text))
		}
		if len(found) > maxErrors+1 {
			t.Errorf("%s: %d errors", name, len(found))
		}
		last := f.Tokens[len(f.Tokens)-1]
		if last.Kind != EOF || int(last.Start) != len(f.Text) {
			t.Errorf("%s: the last token is %+v", name, last)
		}
	}
}

// TestAllocations: a large file takes a few allocations for a declaration at most.
func TestAllocations(t *testing.T) {
	const n = 10_000
	text := "syntax = \"proto3\";\n" +
		strings.Repeat("message M {\n  int32 a = 1;\n  string b = 2 [deprecated = true];\n}\n", n)
	allocations := testing.AllocsPerRun(2, func() { Parse("a.proto", text) })
	if allocations > 5*n {
		t.Errorf("%v allocations for %d messages", allocations, n)
	}
}

// FuzzParse looks for text that panics, or whose tree has tokens that are not there or in disorder.
func FuzzParse(f *testing.F) {
	a, err := txtar.ParseFile(filepath.Join("testdata", "errors.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range a.Files {
		if !strings.HasSuffix(file.Name, ".want") {
			f.Add(string(file.Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, found := Parse("a.proto", text)
		before := Token{}
		for i, k := range tree.Tokens {
			if k.Start < before.End || k.End < k.Start || k.End == k.Start && k.Kind != EOF {
				t.Fatalf("token %d is %+v behind %+v", i, k, before)
			}
			before = k
			tree.Comments(TokenID(i))
			if k.Kind == String {
				Unquote(tree.TokenText(TokenID(i)))
			}
		}
		tree.Comments(NoToken)
		checkRanges(t, tree, tree.Decls, Range{0, TokenID(len(tree.Tokens) - 1)})
		for _, d := range found {
			if d.Severity == report.Error && (d.Line < 1 || d.Column < 1 || d.Message == "") {
				t.Errorf("diagnostic %+v", d)
			}
		}
	})
}

// checkRanges checks that declarations are in the one around them, and in order.
func checkRanges(t *testing.T, f *File, decls []Decl, around Range) {
	at := around.First
	for _, d := range decls {
		r := d.Tokens()
		if r.First < at || r.Last < r.First || r.Last > around.Last {
			t.Fatalf("declaration %T has tokens %v behind %d in %v", d, r, at, around)
		}
		at = r.Last
		var body *Body
		switch d := d.(type) {
		case *Message:
			body = &d.Body
		case *Enum:
			body = &d.Body
		case *Oneof:
			body = &d.Body
		case *Extend:
			body = &d.Body
		case *Service:
			body = &d.Body
		case *Method:
			body = d.Body
		case *Field:
			body = d.Group
		}
		if body != nil {
			if f.TokenText(body.Open) != "{" || f.TokenText(body.Close) != "}" {
				t.Fatalf("%T has the braces %d and %d", d, body.Open, body.Close)
			}
			checkRanges(t, f, body.Decls, Range{body.Open + 1, body.Close - 1})
		}
	}
}
