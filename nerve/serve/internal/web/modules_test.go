package web

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// imported finds the modules that a line of JavaScript names, loaded at once or later.
var imported = regexp.MustCompile(`(?:\bfrom\s*|\bimport\s*\(?\s*)['"]\./([^'"]+)['"]`)

// TestModulesHaveOneDirection demands that no module of the page imports itself, by
// whatever way: what screens need lies below them.
func TestModulesHaveOneDirection(t *testing.T) {
	files, err := fs.Glob(static, "static/*.js")
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	imports := make(map[string][]string)
	for _, file := range files {
		text, err := fs.ReadFile(static, file)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(file)
		imports[name] = nil
		for _, m := range imported.FindAllStringSubmatch(string(text), -1) {
			imports[name] = append(imports[name], m[1])
		}
		if n := strings.Count(string(text), "import"); n > 0 && len(imports[name]) == 0 {
			t.Errorf("%s: none of its imports is understood", name)
		}
	}
	if got := len(imports["app.js"]); got < 5 {
		t.Errorf("app.js has %d imports: they are not read", got)
	}
	reached := make(map[string]bool)
	var visit func(name string, way []string)
	visit = func(name string, way []string) {
		if i := slices.Index(way, name); i >= 0 {
			t.Errorf("a circle: %s", strings.Join(append(way[i:], name), " -> "))
			return
		}
		if reached[name] {
			return
		}
		list, there := imports[name]
		if !there {
			t.Errorf("%s imports %s, which there is not", way[len(way)-1], name)
		}
		for _, next := range list {
			visit(next, append(slices.Clone(way), name))
		}
		reached[name] = true
	}
	visit("app.js", nil)
	for name := range imports {
		if !reached[name] {
			t.Errorf("nothing imports %s", name)
		}
	}
}
