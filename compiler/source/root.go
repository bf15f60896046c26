package source

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// root is a folder on disk or a file system.
type root struct {
	name    string // as it was given
	virtual string // what stands in front of the import paths, or ""
	dir     string // folder on disk
	files   fs.FS  // nil on disk
	// folders in it: only what is in these, if there are any, and nothing that is in those
	include, exclude []string
}

// shows tells whether the root provides a path in it.
func (r root) shows(name string) bool {
	in := func(folder string) bool {
		rest, ok := strings.CutPrefix(name, folder)
		return ok && (rest == "" || rest[0] == '/')
	}
	return (len(r.include) == 0 || slices.ContainsFunc(r.include, in)) &&
		!slices.ContainsFunc(r.exclude, in)
}

// folder splits a root "virtual=disk". A folder that exists under the whole name is no such root.
func folder(name string) root {
	virtual, dir, ok := strings.Cut(name, "=")
	if _, err := os.Stat(name); !ok || err == nil {
		return root{name: name, dir: name}
	}
	return root{name: name, virtual: path.Clean(virtual), dir: dir}
}

// path returns where a file lies if the root has it.
func (r root) path(importPath string) (name string, ok bool) {
	if r.virtual != "" {
		if importPath, ok = strings.CutPrefix(importPath, r.virtual+"/"); !ok {
			return "", false
		}
	}
	if !r.shows(importPath) {
		return "", false
	}
	if r.files != nil {
		return importPath, true
	}
	return filepath.Join(r.dir, filepath.FromSlash(importPath)), true
}

func (r root) read(name string) (*File, error) {
	if r.files != nil {
		f, err := r.files.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		read, err := readAll(f, name)
		if err == nil {
			read.modified = ""
		}
		return read, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f, name)
}

// has tells whether there is a file or folder.
func (r root) has(name string) bool {
	if r.files != nil {
		_, err := fs.Stat(r.files, name)
		return err == nil
	}
	_, err := os.Stat(name)
	return err == nil
}

// walk calls visit with the import path of every .proto file of the root. Folders whose name starts
// with a dot are not searched, and neither are those in inner, by their real path.
func (r root) walk(inner map[string]bool, visit func(importPath string) error) error {
	if r.files != nil {
		return fs.WalkDir(r.files, ".", func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case d.IsDir() || path.Ext(name) != ".proto" || !r.shows(name):
				return nil
			}
			return visit(name)
		})
	}
	return filepath.WalkDir(r.dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != r.dir && (strings.HasPrefix(d.Name(), ".") || inner[abs(name)]):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".proto":
			return nil
		}
		rel, err := filepath.Rel(r.dir, name)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); !r.shows(rel) {
			return nil
		}
		return visit(path.Join(r.virtual, rel))
	})
}

// CheckRoots returns an error for the first root that is not a folder.
func (s *Set) CheckRoots() error {
	for _, r := range s.roots {
		if r.files != nil {
			continue
		}
		info, err := os.Stat(r.dir)
		if err != nil {
			return fmt.Errorf("root %q cannot be read: %w", r.dir, cause(err))
		}
		if !info.IsDir() {
			return fmt.Errorf("root %q is not a folder", r.dir)
		}
	}
	return nil
}

// cause takes the operation and path out of an error of package os: the message around it names the
// path already.
func cause(err error) error {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err
	}
	return err
}

// abs is the path that tells whether two names mean the same place.
func abs(name string) string {
	a, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(a); err == nil {
		return real
	}
	return a
}
