package compiler

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
)

// similarFile returns a hint for an import path that leads nowhere, or "".
func (s *Sources) similarFile(name string) string {
	if best := s.Similar(name); best != "" {
		return `did you mean "` + best + `"?`
	}
	return ""
}

// maxHints is how many unknown types of a run get a hint: each looks at all types there are.
const maxHints = 100

var declaration = regexp.MustCompile(`(?m)^[ \t]*(?:message|enum)[ \t]+([A-Za-z_][A-Za-z0-9_]*)`)

// similarType returns a hint for a type name that is not known, or "". It looks through the text of
// every file that has been read: the file may be broken, so there is no better source of names.
func (s *Sources) similarType(name, shown string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hints++; s.hints > maxHints {
		return ""
	}
	best, in, distance := "", "", max(1, len(name)/3)+1
	for _, importPath := range slices.Sorted(maps.Keys(s.read)) {
		f := s.read[importPath]
		if strings.HasPrefix(f.Path(), builtinPrefix) {
			continue
		}
		names, known := s.declared[importPath]
		if !known {
			for _, m := range declaration.FindAllStringSubmatch(f.Text(), -1) {
				names = append(names, m[1])
			}
			s.declared[importPath] = names
		}
		for _, n := range names {
			d := report.EditDistance(name, n, distance)
			if d < distance || d == distance && f.Path() == shown && best != "" &&
				in != importPath {
				best, in, distance = n, importPath, d
			}
		}
	}
	switch {
	case best == "":
		return ""
	case best == name:
		return `"` + in + `" defines "` + best + `": import it, and name its package`
	}
	return `did you mean "` + best + `"?`
}
