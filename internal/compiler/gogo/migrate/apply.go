package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
)

// Applied is what was done to one Go package.
type Applied struct {
	Package   string   `json:"package"` // folder in the tree
	Replaced  []string `json:"replaced,omitempty"`
	Unchanged int      `json:"unchanged"`
	// Failed is what the compiler said of the package with its new code; nothing of it was
	// replaced then.
	Failed string `json:"failed,omitempty"`
}

// ApplyOptions choose what is replaced.
type ApplyOptions struct {
	Packages []string // folders in the tree; none means all
	Build    []string // packages that have to build, as the go command names them; none means ./...
	// Replacing is called before each file is replaced, when all that can fail has been done.
	// An error ends the run there.
	Replacing func(file string) error
}

// runtimeModule is what generated code imports.
const runtimeModule = "github.com/octopus-framework/octopus/gremlin"

// tempPrefix starts the names of files that wait for their place.
const tempPrefix = ".gremlin-migrate-"

// Apply generates what gremlin.yaml says, builds the whole module with it while nothing has been
// touched, and then replaces the files one by one, each by a rename. Every file works with the old
// and the new code of all others, so that the tree builds whenever the run is killed. Packages
// whose new code does not build stay as they are.
func Apply(ctx context.Context, t *Tree, o ApplyOptions, progress *driver.Progress) ([]Applied,
	error) {
	texts, err := t.texts(ctx, progress)
	if err != nil {
		return nil, err
	}
	if err := t.sweep(texts); err != nil {
		return nil, err
	}
	packages, err := t.changed(texts, o.Packages)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(packages, func(p change) bool { return len(p.texts) > 0 }) {
		return t.replace(packages, o)
	}
	if _, err := t.goTool(ctx, "list", "-m", runtimeModule); err != nil {
		return nil, fmt.Errorf("generated code imports %s: go get it first", runtimeModule)
	}
	stop := progress.Start("building as it is", 0)
	err = t.build(ctx, o.Build, nil)
	stop()
	if err != nil {
		return nil, fmt.Errorf("the tree does not build before anything is replaced: %w", err)
	}
	defer progress.Start("building with the new code", 0)()
	all := map[string][]byte{}
	for _, p := range packages {
		maps.Copy(all, p.texts)
	}
	if t.build(ctx, o.Build, all) == nil {
		return t.replace(packages, o)
	}
	// Some package does not build: which one?
	for i := range packages {
		err := t.build(ctx, o.Build, packages[i].texts)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			packages[i].failed, packages[i].texts = err.Error(), nil
		}
	}
	return t.replace(packages, o)
}

// texts generates all that gremlin.yaml asks for, by paths in the tree.
func (t *Tree) texts(ctx context.Context, progress *driver.Progress) (map[string][]byte, error) {
	c, _, found := config.Load(t.path(config.Name), all.Backends())
	if len(found) > 0 {
		return nil, fmt.Errorf("%s: %s; gremlin migrate plan writes one", config.Name,
			found[0].Message)
	}
	outcome, made := driver.Texts(ctx, jobOf(c), progress)
	if outcome.Diagnostics.Errors() > 0 {
		return nil, &compileError{outcome}
	}
	texts := map[string][]byte{}
	for name, text := range made {
		rel, err := filepath.Rel(t.Dir, filepath.Join(c.Out, filepath.FromSlash(name)))
		if err != nil || strings.HasPrefix(rel, "..") {
			return nil, fmt.Errorf("%s would be written outside of the module", name)
		}
		texts[filepath.ToSlash(rel)] = text
	}
	return texts, nil
}

// sweep removes what a run that was killed left behind.
func (t *Tree) sweep(texts map[string][]byte) error {
	seen := map[string]bool{}
	for name := range texts {
		dir := path.Dir(name)
		if seen[dir] {
			continue
		}
		seen[dir] = true
		left, err := filepath.Glob(filepath.Join(t.path(dir), tempPrefix+"*"))
		if err != nil {
			return err
		}
		for _, l := range left {
			if err := os.Remove(l); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// change is what happens to a package.
type change struct {
	dir       string
	texts     map[string][]byte // those that differ from what is there
	unchanged int
	failed    string
}

// changed groups texts by package and leaves out what is in place.
func (t *Tree) changed(texts map[string][]byte, only []string) ([]change, error) {
	wanted := map[string]bool{}
	for _, p := range only {
		wanted[path.Clean(filepath.ToSlash(p))] = false
	}
	byDir := map[string]*change{}
	for name, text := range texts {
		dir := path.Dir(name)
		if _, ok := wanted[dir]; !ok && len(only) > 0 {
			continue
		}
		wanted[dir] = true
		if byDir[dir] == nil {
			byDir[dir] = &change{dir: dir, texts: map[string][]byte{}}
		}
		old, err := os.ReadFile(t.path(name))
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case err == nil && bytes.Equal(old, text):
			byDir[dir].unchanged++
			continue
		case err == nil && !isOurs(old) &&
			!bytes.Contains(old[:min(len(old), headBytes)], []byte(madeByGogo)):
			return nil, fmt.Errorf("%s was not generated and is not replaced", name)
		}
		byDir[dir].texts[name] = text
	}
	for p, found := range wanted {
		if !found {
			return nil, fmt.Errorf("gremlin.yaml makes no code for the package %q", p)
		}
	}
	var out []change
	for _, dir := range slices.Sorted(maps.Keys(byDir)) {
		out = append(out, *byDir[dir])
	}
	return out, nil
}

// build compiles packages and their tests as if some files had other texts. Nothing is written
// into the tree.
func (t *Tree) build(ctx context.Context, patterns []string, texts map[string][]byte) error {
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	dir, err := os.MkdirTemp("", "gremlin-migrate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	o := &overlay{dir: dir}
	for name, text := range texts {
		if err := o.add(t.path(name), text); err != nil {
			return err
		}
	}
	flag, err := o.write()
	if err != nil {
		return err
	}
	if _, err := t.goTool(ctx, append([]string{"build", flag}, patterns...)...); err != nil {
		return err
	}
	// One check of vet's that finds nothing: what counts is that the tests compile.
	_, err = t.goTool(ctx, append([]string{"vet", flag, "-buildtag"}, patterns...)...)
	return err
}

// overlay gives the go command texts in place of files.
type overlay struct {
	dir   string
	files map[string]string
}

// add gives a file, which need not exist, a text.
func (o *overlay) add(name string, text []byte) error {
	if o.files == nil {
		o.files = map[string]string{}
	}
	temp := filepath.Join(o.dir, fmt.Sprintf("%d%s", len(o.files), filepath.Ext(name)))
	o.files[name] = temp
	return os.WriteFile(temp, text, 0o644)
}

// write writes the overlay and returns the flag that names it.
func (o *overlay) write() (flag string, err error) {
	text, err := json.Marshal(map[string]any{"Replace": o.files})
	if err != nil {
		return "", err
	}
	name := filepath.Join(o.dir, "overlay.json")
	return "-overlay=" + name, os.WriteFile(name, text, 0o644)
}

// replace writes the new texts to temporary files beside their places and renames them.
func (t *Tree) replace(packages []change, o ApplyOptions) (done []Applied, err error) {
	temps := map[string]string{}
	defer func() {
		for _, temp := range temps {
			os.Remove(temp)
		}
	}()
	for _, p := range packages {
		for name, text := range p.texts {
			temp, err := stage(t.path(name), text)
			if err != nil {
				return nil, err
			}
			temps[name] = temp
		}
	}
	for _, p := range packages {
		a := Applied{Package: p.dir, Unchanged: p.unchanged, Failed: p.failed}
		for _, name := range slices.Sorted(maps.Keys(p.texts)) {
			if o.Replacing != nil {
				if err := o.Replacing(name); err != nil {
					return append(done, a), err
				}
			}
			if err := os.Rename(temps[name], t.path(name)); err != nil {
				return append(done, a), err
			}
			delete(temps, name)
			a.Replaced = append(a.Replaced, name)
		}
		done = append(done, a)
	}
	return done, nil
}

// stage writes a text, durably, beside the file that it is to replace.
func stage(name string, text []byte) (temp string, err error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(name), tempPrefix+"*")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return f.Name(), err
}
