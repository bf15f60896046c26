package migrate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tree(t *testing.T, files map[string]string) *Tree {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	opened, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// TestRenamedModule: code that was generated when the module had another name finds its .proto, by
// itself or by a root of gremlin.yaml.
func TestRenamedModule(t *testing.T) {
	files := map[string]string{
		"go.mod":          "module github.com/moby/swarmkit/v2\n\ngo 1.25\n",
		"api/ca.proto":    "syntax = \"proto3\";\npackage docker.swarmkit.v1;\n",
		"other/api/x.txt": "",
		"defs/ca.proto":   "syntax = \"proto3\";\npackage other;\n",
	}
	for _, test := range []struct{ yaml, importPath, want, name, root string }{
		{"", "github.com/docker/swarmkit/api/ca.proto", "docker.swarmkit.v1", "api/ca.proto",
			"github.com/docker/swarmkit=."},
		{"", "github.com/moby/swarmkit/v2/api/ca.proto", "", "api/ca.proto",
			"github.com/moby/swarmkit/v2=."},
		{"", "github.com/docker/swarmkit/api/ca.proto", "other", "", ""},
		{"", "swarmkit/api/ca.proto", "", "", ""}, // no name of a module
		{`roots: ["swarm/kit=api"]`, "swarm/kit/ca.proto", "", "api/ca.proto", "swarm/kit=api"},
		{"roots: [defs]", "ca.proto", "other", "defs/ca.proto", "defs"},
		{`roots: ["x.com/y=.", "module:x.com/z"]`, "x.com/y/api/ca.proto", "", "api/ca.proto",
			"x.com/y=."},
		{"roots: {", "github.com/docker/swarmkit/api/ca.proto", "", "api/ca.proto",
			"github.com/docker/swarmkit=."},
	} {
		delete(files, "gremlin.yaml")
		if test.yaml != "" {
			files["gremlin.yaml"] = test.yaml + "\n"
		}
		tree := tree(t, files)
		found, err := tree.find()
		if err != nil {
			t.Fatal(err)
		}
		r := &rootFinder{tree: tree, protos: found.protos, given: tree.givenRoots()}
		name, root := r.inTree(test.importPath, test.want, "api")
		if name != test.name || root != test.root {
			t.Errorf("%s, %s: %q with root %q, want %q with %q", test.yaml, test.importPath, name,
				root, test.name, test.root)
		}
	}
}

// TestLostImport: of a module that go.mod requires and that is not on the machine, that is said.
func TestLostImport(t *testing.T) {
	r := &rootFinder{absent: []string{"example.com/a"}}
	for imp, want := range map[string]string{
		"example.com/a/x.proto": "go mod download example.com/a",
		"y.proto":               "some of these are not downloaded",
	} {
		if err := r.lostImport("m.proto", imp); !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", imp, err, want)
		}
	}
	r.absent = nil
	if err := r.lostImport("m.proto", "y.proto"); strings.Contains(err.Error(), "download") {
		t.Errorf("nothing is missing: %v", err)
	}
}
