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
)

var optionToken = regexp.MustCompile(`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[\w.]+|\s+|(?s:.)`)

// TestChangedOptions changes the statements of testdata/options.txt, a few tokens at a time, and compares what becomes of them
// with protoc.
func TestChangedOptions(t *testing.T) {
	protoc := ourProtoc(t)
	if protoc == "" {
		t.SkipNow()
	}
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
		for range 1 + g.IntN(2) {
			i := 1 + g.IntN(len(tokens)-1)
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
				j := 1 + g.IntN(len(tokens)-1)
				tokens[i], tokens[j] = tokens[j], tokens[i]
			}
			if len(tokens) < 3 {
				break
			}
		}
		text := strings.Join(tokens, "")
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), append(prelude, text+"\n"...), 0o666); err != nil {
			t.Fatal(err)
		}
		res := Compile(t.Context(), Options{Sources: NewSources(dir), Files: []string{"a.proto"}})
		got := "refused"
		if res.Schema != nil {
			got = encodedOptions(t, res.Descriptors)
		}
		if want := protocsOptions(t, protoc, dir); got != want {
			t.Errorf("%s\nis %s, protoc says %s\n%v", text, got, want, res.Diagnostics)
		}
	}
}
