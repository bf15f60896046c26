package migrate

import (
	"bytes"
	"os"
	"regexp"
)

// plugin finds a call of a plugin of gogo's in a script, Makefile, buf.gen.yaml or go:generate
// line.
var plugin = regexp.MustCompile(
	`(?:--(go(?:go|go?fast|gofaster|goslick|cosmos|goroach))_out\b|` +
		`protoc-gen-(gogofaster|gogofast|gogoslick|gogoroach|gocosmos|gofast|gogo)\b|` +
		`(?:name|plugin|local):\s*(gogofaster|gogofast|gogoslick|gocosmos|gofast|gogo)\s*$)`)

// scripts finds where generators are called.
func (t *Tree) scripts(f *files) (places []Place, err error) {
	for _, name := range append(append([]string(nil), f.scripts...), f.goFiles...) {
		text, err := os.ReadFile(t.path(name))
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(text, []byte("go")) {
			continue
		}
		isGo := len(name) > 3 && name[len(name)-3:] == ".go"
		number := 0
		for line := range bytes.Lines(text) {
			number++
			line = bytes.TrimSpace(line)
			if isGo && !bytes.HasPrefix(line, []byte("//go:generate ")) {
				continue
			}
			if plugin.Match(line) {
				places = append(places, Place{name, number, string(line)})
			}
		}
	}
	return places, nil
}
