package migrate

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/gogoproto"
)

// rootFinder finds the folders that import paths are relative to.
type rootFinder struct {
	tree    *Tree
	protos  []string
	given   []string // roots of gremlin.yaml in the tree, their folders relative to it
	modules []module // modules of the build list; nil until they are asked for
	absent  []string // modules of it that are not on this machine
	roots   []string
	seen    map[string]bool
}

// module is a Go module that the tree requires.
type module struct{ path, dir string }

var (
	packageLine = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)\s*;`)
	importLine  = regexp.MustCompile(`(?m)^\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"\s*;`)
)

// givenRoots returns the roots that the tree's gremlin.yaml names, but those in other modules.
func (t *Tree) givenRoots() (roots []string) {
	if _, err := os.Stat(t.path(config.Name)); err != nil {
		return nil
	}
	c, _, found := config.Load(t.path(config.Name), all.Backends())
	if found.Errors() > 0 {
		return nil
	}
	for _, root := range c.Roots {
		virtual, folder, mounted := strings.Cut(root, "=")
		if !mounted {
			folder = root
		}
		rel, err := filepath.Rel(t.Dir, folder)
		if err != nil || strings.HasPrefix(folder, config.ModuleRoot) {
			continue
		}
		if rel = filepath.ToSlash(rel); mounted {
			rel = virtual + "=" + rel
		}
		roots = append(roots, rel)
	}
	return roots
}

// place finds the .proto that a generated file was made of, and a root for it and for each of its
// imports. It returns the .proto's place in the tree.
func (r *rootFinder) place(ctx context.Context, g *generated) (string, error) {
	want := ""
	if g.descriptor != nil {
		want = g.descriptor.GetPackage()
	}
	name, root := r.inTree(g.proto, want, path.Dir(g.name))
	if name == "" {
		return "", fmt.Errorf("%s was made of %q, which is not in the tree", g.name, g.proto)
	}
	r.add(root)
	return name, r.imports(ctx, r.tree.path(name), path.Dir(name))
}

func (r *rootFinder) add(root string) {
	if !slices.Contains(r.roots, root) {
		r.roots = append(r.roots, root)
	}
}

// inTree returns the file of the tree that has an import path, and the root that gives it that
// path. Of several, that is the one nearest to a folder; want is its proto package, if known.
func (r *rootFinder) inTree(importPath, want, near string) (name, root string) {
	best := -1
	try := func(file, dir string) {
		if want != "" {
			text, err := os.ReadFile(r.tree.path(file))
			m := packageLine.FindSubmatch(text)
			if err != nil || m == nil || string(m[1]) != want {
				return
			}
		}
		// In common with the folder counts most, then a short root.
		score := 1000*common(file, near) + 500 - len(dir)
		if score > best {
			best, name, root = score, file, dir
		}
	}
	inside, mounted := strings.CutPrefix(importPath, r.tree.Module+"/")
	for _, file := range r.protos {
		switch {
		case file == importPath:
			try(file, ".")
		case mounted && file == inside:
			try(file, r.tree.Module+"=.")
		case strings.HasSuffix(file, "/"+importPath):
			try(file, strings.TrimSuffix(file, "/"+importPath))
		default:
			if root := r.givenRoot(file, importPath); root != "" {
				try(file, root)
			}
		}
	}
	if name != "" {
		return name, root
	}
	// The module had another name when the code was generated.
	for _, file := range r.protos {
		old, ok := strings.CutSuffix(importPath, "/"+file)
		if host, _, _ := strings.Cut(old, "/"); ok && strings.Contains(host, ".") {
			try(file, old+"=.")
		}
	}
	return name, root
}

// givenRoot returns the root of gremlin.yaml that gives a file an import path, "" if none does.
func (r *rootFinder) givenRoot(file, importPath string) string {
	for _, given := range r.given {
		virtual, folder, mounted := strings.Cut(given, "=")
		if !mounted {
			virtual, folder = "", given
		}
		rest, ok := strings.CutPrefix(file, folder+"/")
		if folder == "." {
			rest, ok = file, true
		}
		if ok && path.Join(virtual, rest) == importPath {
			return given
		}
	}
	return ""
}

// common counts the folders that two paths start with.
func common(a, b string) (n int) {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

// comesWithUs tells whether a file needs no root.
func comesWithUs(importPath string) bool {
	_, ours := gogoproto.Text(importPath)
	return ours || source.IsBuiltIn(importPath)
}

// imports finds roots for what a .proto imports, and for what these do.
func (r *rootFinder) imports(ctx context.Context, file, near string) error {
	if r.seen[file] {
		return nil
	}
	r.seen[file] = true
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for _, m := range importLine.FindAllSubmatch(text, -1) {
		imp := string(m[1])
		if comesWithUs(imp) {
			continue
		}
		name, root := r.inTree(imp, "", near)
		if name != "" {
			r.add(root)
			if err := r.imports(ctx, r.tree.path(name), near); err != nil {
				return err
			}
			continue
		}
		disk, root := r.inModules(ctx, imp)
		if disk == "" {
			return r.lostImport(file, imp)
		}
		r.add(root)
		if err := r.imports(ctx, disk, near); err != nil {
			return err
		}
	}
	return nil
}

// lostImport says that an import was found nowhere, and why that may be.
func (r *rootFinder) lostImport(file, imp string) error {
	for _, m := range r.absent {
		if strings.HasPrefix(imp, m+"/") {
			return fmt.Errorf("%s imports %q of module %s, which go.mod requires and is not "+
				"downloaded: go mod download %s", file, imp, m, m)
		}
	}
	missing := ""
	if len(r.absent) > 0 {
		missing = "; some of these are not downloaded: go mod download"
	}
	return fmt.Errorf("%s imports %q, which is neither in the tree nor in a module that go.mod "+
		"requires%s; if it lies elsewhere, add its folder to roots", file, imp, missing)
}

// folders of modules in which .proto files for others are kept
var modulePlaces = []string{"", "proto", "protobuf", "third_party/googleapis", "third_party/proto"}

// inModules finds an import in the modules that the tree requires.
func (r *rootFinder) inModules(ctx context.Context, importPath string) (disk, root string) {
	if r.modules == nil {
		r.modules = []module{{}}
		out, _ := r.tree.goTool(ctx, "list", "-e", "-m", "-f", "{{.Path}} {{.Dir}}", "all")
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			switch p, dir, ok := strings.Cut(lines.Text(), " "); {
			case ok && dir != "":
				r.modules = append(r.modules, module{p, dir})
			case ok:
				r.absent = append(r.absent, p)
			}
		}
	}
	for _, m := range r.modules[1:] {
		if rest, ok := strings.CutPrefix(importPath, m.path+"/"); ok {
			name := filepath.Join(m.dir, filepath.FromSlash(rest))
			if _, err := os.Stat(name); err == nil {
				return name, m.path + "=module:" + m.path
			}
		}
	}
	// A module inside a repository whose files are imported from the top of that.
	for _, m := range r.modules[1:] {
		dir := path.Dir(importPath)
		name := filepath.Join(m.dir, path.Base(importPath))
		if _, err := os.Stat(name); err == nil && strings.HasSuffix(m.path, "/"+dir) {
			return name, dir + "=module:" + m.path
		}
	}
	for _, m := range r.modules[1:] {
		for _, place := range modulePlaces {
			name := filepath.Join(m.dir, filepath.FromSlash(place), filepath.FromSlash(importPath))
			if _, err := os.Stat(name); err != nil || m.path == r.tree.Module {
				continue
			}
			if place != "" {
				place = "//" + place
			}
			return name, "module:" + m.path + place
		}
	}
	return "", ""
}
