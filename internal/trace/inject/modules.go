package inject

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// module is what go list says of a package's module.
type module struct {
	Path, Version, Dir string
	Main               bool
}

// beneath reports whether a file or folder lies in a folder, by its name.
func beneath(name, dir string) bool {
	return dir != "" && strings.HasPrefix(name, filepath.Clean(dir)+string(filepath.Separator))
}

// moveCached takes files in the module cache out of files. The go command does not let them be
// overlaid, so their modules are copied, the copies get the new text, and what is overlaid instead
// is a go.mod or go.work file that names them.
func (o *Overlay) moveCached(c Config, pkgs []listed, files map[string][]byte,
	given map[string]string) error {
	env := o.env
	modules := make(map[string]*module)
	for _, p := range pkgs {
		if p.Module != nil && beneath(p.Module.Dir, env.GOMODCACHE) {
			modules[p.Module.Dir] = p.Module
		}
	}
	var edits []string
	for _, dir := range slices.Sorted(maps.Keys(modules)) {
		copied := ""
		for name, text := range files {
			if !beneath(name, dir) {
				continue
			}
			if modules[dir].Main {
				return fmt.Errorf(
					"%s: the go command does not let files in the module cache be overlaid; copy the module elsewhere", dir)
			}
			if copied == "" {
				copied = filepath.Join(o.dir, fmt.Sprintf("module-%d", len(edits)))
				if err := copyModule(copied, modules[dir]); err != nil {
					return err
				}
			}
			file := filepath.Join(copied, strings.TrimPrefix(name, dir))
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			if text != nil {
				if err := os.WriteFile(file, text, 0o600); err != nil {
					return err
				}
			}
			delete(files, name)
		}
		if m := modules[dir]; copied != "" {
			edits = append(edits, "-dropreplace="+m.Path, "-dropreplace="+m.Path+"@"+m.Version,
				"-replace="+m.Path+"@"+m.Version+"="+copied)
		}
	}
	if len(edits) == 0 {
		return nil
	}
	name, kind := env.GOMOD, "mod"
	if env.GOWORK != "" && env.GOWORK != "off" {
		name, kind = env.GOWORK, "work"
	} else if other := flagValue(env.flags(c.Flags), "modfile"); other != "" {
		name = absolute(c, other)
	}
	actual := name
	if to := given[name]; to != "" {
		actual = to
	}
	text, err := os.ReadFile(actual)
	if err != nil {
		return err
	}
	edited := filepath.Join(o.dir, "go."+kind)
	if err := os.WriteFile(edited, text, 0o600); err != nil {
		return err
	}
	if _, err := goOutput(c, append(append([]string{kind, "edit"}, edits...),
		edited)...); err != nil {
		return err
	}
	files[name], err = os.ReadFile(edited)
	return errors.Join(err, os.Remove(edited))
}

// copyModule copies a module. One from before there were modules gets a go.mod file, which a
// replacement must have.
func copyModule(to string, m *module) error {
	if err := os.CopyFS(to, os.DirFS(m.Dir)); err != nil {
		return err
	}
	err := filepath.WalkDir(to, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(name, 0o700) // the module cache is read-only
	})
	if err != nil {
		return err
	}
	mod := filepath.Join(to, "go.mod")
	if _, err := os.Stat(mod); errors.Is(err, os.ErrNotExist) {
		return os.WriteFile(mod, []byte("module "+m.Path+"\n"), 0o600)
	}
	return nil
}
