package compiler

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler/source"
	"golang.org/x/tools/txtar"
)

var optionToken = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w.]+|\s+|(?s:.)`)

// TestChangedOptions changes the statements of testdata/options.txt, a few tokens at a time, and
// compares what becomes of them with protoc.
func TestChangedOptions(t *testing.T) {
	protoc := needProtoc(t)
	prelude, err := os.ReadFile("testdata/options.proto")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("testdata/options.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	g := rand.New(rand.NewPCG(uint64(*times), 7))
	pick := func() []string {
		line, _, _ := strings.Cut(lines[g.IntN(len(lines))], "\t")
		if u, err := strconv.Unquote(line); err == nil {
			line = u
		}
		return optionToken.FindAllString(line, -1)
	}
	dir := t.TempDir()
	for range 20 * *times {
		tokens, others := pick(), pick()
		tokens = change(g, tokens, others, 1)
		text := strings.Join(tokens, "")
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), append(prelude, text+"\n"...),
			0o666); err != nil {
			t.Fatal(err)
		}
		res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
		got := "refused"
		if res.Schema != nil {
			got = encodedOptions(t, res.Descriptors)
		}
		if want := protocsOptions(t, protoc, dir); got != want {
			t.Errorf("%s\nis %s, protoc says %s\n%v", text, got, want, res.Diagnostics)
		}
	}
}

// change changes one or two tokens behind the first ones, with the help of others.
func change(g *rand.Rand, tokens, others []string, first int) []string {
	for range 1 + g.IntN(2) {
		if len(tokens) < first+2 {
			break
		}
		i, j := first+g.IntN(len(tokens)-first), first+g.IntN(len(tokens)-first)
		switch other := others[g.IntN(len(others))]; g.IntN(5) {
		case 0:
			tokens = slices.Delete(tokens, i, i+1)
		case 1:
			tokens = slices.Insert(tokens, i, tokens[i])
		case 2:
			tokens = slices.Insert(tokens, i, other)
		case 3:
			tokens[i] = other
		case 4:
			tokens[i], tokens[j] = tokens[j], tokens[i]
		}
	}
	return tokens
}

// TestChangedVerdicts changes the files of TestVerdicts and compares verdicts with protoc's.
func TestChangedVerdicts(t *testing.T) {
	protoc := needProtoc(t)
	var texts []string
	for _, name := range verdictFiles(t) {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		alone := len(a.Files) == 1 || strings.HasPrefix(a.Files[1].Name, "want.")
		if text := string(a.Files[0].Data); alone && len(text) < 600 {
			texts = append(texts, text)
		}
	}
	g := rand.New(rand.NewPCG(uint64(*times), 9))
	dir := t.TempDir()
	for range 20 * *times {
		tokens, others := optionToken.FindAllString(texts[g.IntN(len(texts))], -1),
			optionToken.FindAllString(texts[g.IntN(len(texts))], -1)
		text := strings.Join(change(g, tokens, others, 0), "")
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(text+"\n"),
			0o666); err != nil {
			t.Fatal(err)
		}
		res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
		_, said, err := describedByProtoc(t, protoc,
			[]string{dir, filepath.Join("..", ".tools", "include")}, "a.proto")
		if (err == nil) != (res.Schema != nil) {
			t.Errorf("%s\nprotoc: %v %s\nwe: %v", text, err, said, res.Diagnostics)
		}
	}
}
