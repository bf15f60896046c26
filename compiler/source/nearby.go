package source

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// folders returns the names of the roots that are on disk.
func (s *Set) folders() []string {
	var names []string
	for _, r := range s.roots {
		if r.files == nil {
			names = append(names, r.name)
		}
	}
	return names
}

// maxNearby is how many files and folders are looked at for a better root.
const maxNearby = 200_000

// nearby returns the .proto files below the roots and below the working folder, as many as are
// found in bounded time.
func (s *Set) nearby() []string {
	var found []string
	seen := map[string]bool{}
	left := maxNearby
	for _, r := range append(s.folders(), ".") {
		// A folder that cannot be read has no roots to offer: the errors of WalkDir do not matter.
		_ = filepath.WalkDir(r, func(name string, d os.DirEntry, err error) error {
			if left--; left < 0 {
				return filepath.SkipAll
			}
			switch {
			case err != nil && d != nil && d.IsDir():
				return filepath.SkipDir
			case err != nil:
				return nil
			case d.IsDir():
				if name != r && (strings.HasPrefix(d.Name(), ".") || seen[name]) {
					return filepath.SkipDir
				}
			case filepath.Ext(name) == ".proto":
				if clean := filepath.ToSlash(filepath.Clean(name)); !seen[clean] {
					seen[clean] = true
					found = append(found, clean)
				}
			}
			return nil
		})
	}
	return found
}

// RootsFor returns the roots with which the imports of the given names would be found, and which of
// these that are: as few new ones as will do, behind those of today that are still of use. It
// returns none where no name is found.
func (s *Set) RootsFor(names []string) (roots []string, provided map[string]bool) {
	files := s.nearby()
	has := map[string][]string{} // names by root
	for _, name := range names {
		for _, f := range files {
			if root, ok := strings.CutSuffix(f, "/"+name); ok {
				has[root] = append(has[root], name)
			} else if f == name {
				has["."] = append(has["."], name)
			}
		}
	}
	candidates := slices.Sorted(maps.Keys(has))
	provided = map[string]bool{}
	var more []string
	for len(provided) < len(names) {
		best, most := "", 0
		for _, root := range candidates {
			n := 0
			for _, name := range has[root] {
				if !provided[name] {
					n++
				}
			}
			if n > most || n == most && n > 0 && len(root) < len(best) {
				best, most = root, n
			}
		}
		if most == 0 {
			break
		}
		more = append(more, best)
		for _, name := range has[best] {
			provided[name] = true
		}
	}
	if len(more) == 0 {
		return nil, provided
	}
	slices.Sort(more)
	for _, r := range s.folders() {
		if !covered(filepath.ToSlash(filepath.Clean(r)), more, files) {
			roots = append(roots, r)
		}
	}
	return append(roots, more...), provided
}

// covered tells whether all files below a root are below others.
func covered(root string, others, files []string) bool {
	in := func(root, file string) bool { return root == "." || strings.HasPrefix(file, root+"/") }
	for _, f := range files {
		if in(root, f) && !slices.ContainsFunc(others, func(o string) bool { return in(o, f) }) {
			return false
		}
	}
	return true
}

var bufDeps = regexp.MustCompile(`(?m)^deps:`)

// BufHint tells how imports come out of buf's registry: what SetImportHint set, or what helps if a
// buf.yaml beside or above a root names any.
func (s *Set) BufHint() string {
	if s.hint != "" {
		return s.hint
	}
	for _, r := range append(s.folders(), ".") {
		for _, dir := range []string{r, filepath.Dir(filepath.Clean(r))} {
			text, err := os.ReadFile(filepath.Join(dir, "buf.yaml"))
			if err == nil && bufDeps.Match(text) {
				return `buf.yaml has deps: "buf export . -o third_party" puts them there, then add -I third_party`
			}
		}
	}
	return ""
}
