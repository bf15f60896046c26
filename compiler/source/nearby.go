package source

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path"
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
const maxNearby = 20_000

// nearby returns the .proto files below folders, the least deep ones first. It looks at no more
// than most files and folders, and tells at how many.
func nearby(folders []string, most int) (found []string, looked int) {
	seen := map[string]bool{}
	queue := slices.Clone(folders)
	for ; len(queue) > 0 && looked < most; queue = queue[1:] {
		folder := filepath.Clean(queue[0])
		if seen[folder] {
			continue
		}
		seen[folder] = true
		entries := firstEntries(folder, most-looked)
		looked += len(entries)
		for _, e := range entries {
			name := filepath.Join(folder, e.Name())
			switch {
			case e.IsDir() && !strings.HasPrefix(e.Name(), "."):
				queue = append(queue, name)
			case !e.IsDir() && filepath.Ext(name) == ".proto":
				found = append(found, filepath.ToSlash(name))
			}
		}
	}
	return found, looked
}

// firstEntries returns some entries of a folder, none of one that cannot be read: it has no roots
// to offer.
func firstEntries(folder string, most int) []os.DirEntry {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	entries, _ := f.ReadDir(most)
	slices.SortFunc(entries, func(a, b os.DirEntry) int {
		return strings.Compare(a.Name(), b.Name())
	})
	return entries
}

// Bounds of what is read for a better root.
const (
	maxHead  = 64 << 10 // bytes of a file, to find its package
	maxHeads = 1000     // files
)

var packageOf = regexp.MustCompile(`(?m)^\s*package\s+([\w.]+)\s*;`)

// belongsDeeper tells whether a file is meant to be imported by a longer name: the folders that it
// lies in spell its package, such as google/iam/v1, and the name lacks them.
func belongsDeeper(file, name string) bool {
	f, err := os.Open(filepath.FromSlash(file))
	if err != nil {
		return false
	}
	defer f.Close()
	head, _ := io.ReadAll(io.LimitReader(f, maxHead))
	match := packageOf.FindSubmatch(head)
	if match == nil || !bytes.ContainsRune(match[1], '.') {
		return false // folders of one name say little
	}
	in := func(name string) bool {
		folders := "/" + strings.ReplaceAll(string(match[1]), ".", "/")
		return strings.HasSuffix("/"+path.Dir(name), folders)
	}
	return in(file) && !in(name)
}

// RootsFor returns the roots with which the imports of the given names would be found, and which of
// these that are: as few new ones as will do, behind those of today that are still of use. It
// returns none where no name is found.
func (s *Set) RootsFor(names []string) (roots []string, provided map[string]bool) {
	files, _ := nearby(append(s.folders(), "."), maxNearby)
	has := map[string][]string{} // names by root
	heads := 0
	for _, name := range names {
		for _, f := range files {
			root, ok := strings.CutSuffix(f, "/"+name)
			if f == name {
				root, ok = ".", true
			}
			if ok {
				heads++
			}
			if ok && heads <= maxHeads && !belongsDeeper(f, name) {
				has[root] = append(has[root], name)
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
