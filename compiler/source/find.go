package source

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
)

// All returns the import paths of the .proto files below the roots and of those in memory, sorted.
// Folders whose name starts with a dot are not searched. Where one root lies inside another, a file
// belongs to the inner one only: that is what its imports are relative to.
func (s *Set) All() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all != nil {
		return s.all, nil
	}
	found := map[string]int{}
	for importPath := range s.memory {
		found[importPath] = -1
	}
	inner := map[string]bool{}
	for _, r := range s.roots {
		inner[abs(r.dir)] = true
	}
	for i, r := range s.roots {
		err := r.walk(inner, func(importPath string) error {
			if _, ok := found[importPath]; !ok {
				found[importPath] = i
			}
			if len(found) > MaxFiles {
				return fmt.Errorf("more than %d .proto files below the roots", MaxFiles)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	s.all, s.provider = slices.Sorted(maps.Keys(found)), found
	return s.all, nil
}

// Provider returns the index of the root that has a file of [Set.All], or -1.
func (s *Set) Provider(importPath string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i, ok := s.provider[importPath]; ok {
		return i
	}
	return -1
}

// Resolve returns the import path of a file named by the user: a path on disk below a root, or an
// import path. A folder gives all .proto files in it, also if it is a root.
func (s *Set) Resolve(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil {
		importPath := path.Clean(filepath.ToSlash(name))
		if _, err := s.Open(importPath); err == nil {
			return []string{importPath}, nil
		}
		return nil, fmt.Errorf("no file %q, neither on disk nor below a root", name)
	}
	importPath, root, ok := s.below(name)
	if !ok {
		return nil, fmt.Errorf("%q is below none of the roots", name)
	}
	if !info.IsDir() {
		own, _ := s.roots[root].path(importPath)
		if first, ok := s.first(importPath); ok && abs(first) != abs(own) {
			return nil, fmt.Errorf("%q is hidden by %q, which an earlier root provides",
				name, first)
		}
		return []string{importPath}, nil
	}
	all, err := s.All()
	if err != nil {
		return nil, err
	}
	inside := map[int]bool{} // the roots that lie in the folder, or are it
	folder := abs(name)
	for i, r := range s.roots {
		inside[i] = abs(r.dir) == folder ||
			strings.HasPrefix(abs(r.dir), folder+string(filepath.Separator))
	}
	var in []string
	for _, p := range all {
		// A file of the same import path prefix that another root provides was not named.
		from := s.provider[p]
		if inside[from] || from == root && strings.HasPrefix(p, importPath+"/") {
			in = append(in, p)
		}
	}
	if len(in) == 0 {
		return nil, fmt.Errorf("folder %q has no .proto files", name)
	}
	return in, nil
}

// below returns the import path that a path on disk has under the innermost root around it.
func (s *Set) below(name string) (importPath string, root int, ok bool) {
	shortest := 0
	for i, r := range s.roots {
		if r.files != nil {
			continue
		}
		rel, err := filepath.Rel(abs(r.dir), abs(name))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		if rel = filepath.ToSlash(rel); !ok || len(rel) < shortest {
			importPath, root, ok, shortest = path.Join(r.virtual, rel), i, true, len(rel)
		}
	}
	return importPath, root, ok
}

// first returns where the first root that has a file has it.
func (s *Set) first(importPath string) (name string, ok bool) {
	for _, r := range s.roots {
		if name, ok := r.path(importPath); ok && r.has(name) {
			return name, true
		}
	}
	return "", false
}

// Has tells whether a root has the file or it comes with the compiler.
func (s *Set) Has(importPath string) bool {
	_, ok := s.first(importPath)
	return ok || IsWellKnown(importPath)
}

// Similar returns the import path most like one that leads nowhere, or "".
func (s *Set) Similar(importPath string) string {
	all, err := s.All()
	if err != nil {
		return ""
	}
	best, distance := "", max(2, len(importPath)/4)+1
	for _, p := range slices.Concat(all, WellKnown()) {
		d := report.EditDistance(importPath, p, distance)
		if d >= distance && path.Base(p) == path.Base(importPath) {
			d = distance - 1 // the right file in the wrong folder
		}
		if d < distance {
			best, distance = p, d
		}
	}
	return best
}
