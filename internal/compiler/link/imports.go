package link

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
)

// bindImports finds the files that a file imports.
func (f *File) bindImports() (found report.List) {
	f.Imports = make([]Import, len(f.File.Imports))
	seen := map[string]int{}
	for i, stmt := range f.File.Imports {
		imp := &f.Imports[i]
		imp.Path = f.Tree.String(stmt.Path)
		imp.File = f.pool.byPath[imp.Path]
		switch f.Tree.TokenText(stmt.Modifier) {
		case "public":
			imp.Public, f.public = true, true
		case "option":
			imp.Option = true
		}
		if first, ok := seen[imp.Path]; ok {
			d := f.Tree.Diagnostic(f.ImportSpan(i), fmt.Sprintf("%q is imported twice", imp.Path))
			d.Notes = []report.Note{f.Tree.Note(f.ImportSpan(first), "first here")}
			d.Hint = "remove one of the imports"
			found = append(found, d)
		} else {
			seen[imp.Path] = i
		}
	}
	return found
}

// Colours of files while they are sorted.
const (
	unseen = iota
	open
	done
)

// maxCycles is how many import cycles of a run are told.
const maxCycles = 20

// sorted orders files so that each comes behind what it imports, depth first, and tells of cycles.
func sorted(files []*File) ([]*File, report.List) {
	type step struct {
		file *File
		next int
	}
	colour := map[*File]int{}
	wanted := make(map[*File]bool, len(files))
	for _, f := range files {
		wanted[f] = true
	}
	var order []*File
	var found report.List
	told := map[*File]bool{}
	for _, start := range files {
		if colour[start] != unseen {
			continue
		}
		colour[start] = open
		stack := []step{{file: start}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			f := top.file
			if top.next == len(f.Imports) {
				colour[f] = done
				order = append(order, f)
				stack = stack[:len(stack)-1]
				continue
			}
			to := f.Imports[top.next].File
			top.next++
			if to == nil || !wanted[to] {
				continue
			}
			switch colour[to] {
			case unseen:
				colour[to] = open
				stack = append(stack, step{file: to})
			case open:
				if to != f && told[to] && told[f] || len(found) == maxCycles {
					continue
				}
				cycle := shortest(to, f)
				found = append(found, cycleError(cycle))
				for _, f := range cycle {
					told[f] = true
				}
			}
		}
	}
	return order, found
}

// shortest returns the files of the shortest way along imports, both ends included.
func shortest(start, end *File) []*File {
	from := map[*File]*File{start: nil}
	for queue := []*File{start}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == end {
			break
		}
		for _, imp := range queue[0].Imports {
			if _, seen := from[imp.File]; imp.File != nil && !seen {
				from[imp.File] = queue[0]
				queue = append(queue, imp.File)
			}
		}
	}
	var way []*File
	for f := end; f != nil; f = from[f] {
		way = append(way, f)
	}
	slices.Reverse(way)
	return way
}

// cycleError tells of all steps of a cycle, from its first file by name on.
func cycleError(files []*File) report.Diagnostic {
	first := slices.Index(files, slices.MinFunc(files, func(a, b *File) int {
		return cmp.Compare(a.Path, b.Path)
	}))
	files = append(slices.Clone(files[first:]), files[:first]...)
	var text strings.Builder
	text.WriteString("import cycle: ")
	for _, f := range files {
		fmt.Fprintf(&text, "%q imports ", f.Path)
	}
	fmt.Fprintf(&text, "%q", files[0].Path)
	var d report.Diagnostic
	for i, f := range files {
		next := files[(i+1)%len(files)]
		at := slices.IndexFunc(f.Imports, func(imp Import) bool { return imp.File == next })
		span := f.ImportStatement(at)
		if i == 0 {
			d = f.Tree.Diagnostic(span, text.String())
		} else {
			d.Notes = append(d.Notes,
				f.Tree.Note(span, fmt.Sprintf("%q imports %q", f.Path, next.Path)))
		}
	}
	if d.Hint = "move what both need into a third file"; len(files) == 1 {
		d.Hint = "remove it"
	}
	return d
}

// Unused returns warnings of the imports of a file that nothing is used of. It is asked when names
// and options have been resolved without an error.
func (f *File) Unused() (found report.List) {
	for i, imp := range f.Imports {
		if imp.used || imp.Public || imp.File == nil || imp.File.public {
			continue
		}
		d := f.Tree.Diagnostic(f.ImportSpan(i), fmt.Sprintf("unused import %q", imp.Path))
		d.Severity = report.Warning
		d.Hint = "remove it"
		found = append(found, d)
	}
	return found
}
