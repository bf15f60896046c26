package compiler

import (
	"regexp"
	"slices"
	"strings"

	pcreport "github.com/bufbuild/protocompile/experimental/report"
	"github.com/bufbuild/protocompile/experimental/source"
	"github.com/bufbuild/protocompile/experimental/source/length"

	"github.com/octopus-framework/octopus/compiler/report"
)

// importStatement is one import in a source text.
type importStatement struct {
	path   string
	public bool
	span   source.Span
}

var importLine = regexp.MustCompile(
	`(?m)^[ \t]*import[ \t]+(?:(public|weak|option)[ \t]+)?["']([^"'\n]+)["'][ \t]*;`)

// imports finds the import statements of a file that has been read. The linker has no syntax tree
// to offer for a file on a cycle, so that this looks at the text.
func (s *Sources) imports(importPath string) []importStatement {
	s.mu.Lock()
	f := s.read[importPath]
	s.mu.Unlock()
	if f == nil {
		return nil
	}
	var out []importStatement
	text := f.Text()
	for _, m := range importLine.FindAllStringSubmatchIndex(text, -1) {
		start := m[0] + strings.Index(text[m[0]:], "import")
		out = append(out, importStatement{
			path:   text[m[4]:m[5]],
			public: m[2] >= 0 && text[m[2]:m[3]] == "public",
			span:   f.Span(start, m[1]),
		})
	}
	return out
}

// showCycle shows every step of an import cycle. Where the linker notices a cycle depends on which
// file it came to first; the cycle is shown from its first file by name, so that a run's output
// does not depend on timing, and a cycle noticed twice is one diagnostic.
func (s *Sources) showCycle(d *pcreport.Diagnostic, out *report.Diagnostic) {
	files := s.findCycle(s.importPath(d.Primary().Path()))
	if len(files) == 0 {
		return
	}
	first := slices.Index(files, slices.Min(files))
	files = append(slices.Clone(files[first:]), files[:first]...)
	out.Message = `import cycle: "` + strings.Join(files, `" imports "`) + `" imports "` +
		files[0] + `"`
	out.Notes, out.Hint = nil, "move what both need into a third file"
	for i, f := range files {
		next := files[(i+1)%len(files)]
		for _, imp := range s.imports(f) {
			if imp.path != next {
				continue
			}
			from, to := imp.span.Location(imp.span.Start, length.Runes),
				imp.span.Location(imp.span.End, length.Runes)
			if i == 0 {
				out.File, out.Line, out.Column, out.EndLine, out.EndColumn = imp.span.Path(),
					from.Line, from.Column, to.Line, to.Column
				break
			}
			out.Notes = append(out.Notes, report.Note{
				File: imp.span.Path(), Line: from.Line, Column: from.Column, EndLine: to.Line,
				EndColumn: to.Column,
				Message:   `"` + f + `" imports "` + next + `"`,
			})
			break
		}
	}
}

// findCycle returns the shortest cycle through a file, breadth first, or nil.
func (s *Sources) findCycle(start string) []string {
	from := map[string]string{}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, imp := range s.imports(queue[0]) {
			if imp.path == start {
				var files []string
				for f := queue[0]; f != start; f = from[f] {
					files = append(files, f)
				}
				files = append(files, start)
				slices.Reverse(files)
				return files
			}
			if _, seen := from[imp.path]; !seen {
				from[imp.path] = queue[0]
				queue = append(queue, imp.path)
			}
		}
	}
	return nil
}
