package link

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// Missed says why the name that was last looked up means nothing: what names what it should be,
// "type" or "option", and name is how it stands in the text.
func (v *View) Missed(what, name string) (message, hint string, notes []report.Note) {
	message = fmt.Sprintf("%s %q is not defined", what, short(name))
	bare := strings.Trim(name, "()")
	m := v.missed
	switch {
	case m.resolved != root:
		return v.shadowed(message, bare)
	case m.hidden != root:
		return v.hidden(what, name)
	}
	return message, v.suggest(what, bare), nil
}

// shadowed explains that the first part of a name has led to something that has not the rest.
func (v *View) shadowed(message, name string) (string, string, []report.Note) {
	t := &v.pool.table
	first, rest := cut(name)
	n := v.missed.resolved
	s := &t.symbols[n]
	text := fmt.Sprintf("names are looked up from the inside out: %q is the %s %q here, and has no %q",
		short(first), s.kind, t.shown(n), short(rest))
	notes := []report.Note{{Message: text}}
	if s.kind != Package {
		f := v.pool.files[s.file]
		notes[0] = f.Tree.Note(f.Span(s.element, describe.Name), text)
	}
	for scope := s.parent; scope != root; {
		scope = t.symbols[scope].parent
		if meant := t.find(scope, name); meant != root && t.symbols[meant].kind != Package {
			return message, fmt.Sprintf("if %q is meant, write it with a point in front: \".%s\"",
				t.shown(meant), t.shown(meant)), notes
		}
	}
	return message, "", notes
}

// hidden explains that a name is that of a declaration in a file that is not imported.
func (v *View) hidden(what, name string) (message, hint string, notes []report.Note) {
	s := &v.pool.symbols[v.missed.hidden]
	f := v.pool.files[s.file]
	notes = []report.Note{f.Tree.Note(f.Span(s.element, describe.Name),
		fmt.Sprintf("%q is declared here", v.pool.shown(v.missed.hidden)))}
	if v.fields[s.file] == v.stamp {
		return fmt.Sprintf("%s %q is of a file that is imported for options only", what, short(name)),
			fmt.Sprintf("write import %q without the word option", f.Path), notes
	}
	word := ""
	if what == "option" && v.file.Edition >= descriptorpb.Edition_EDITION_2024 {
		word = "option "
	}
	return fmt.Sprintf("%s %q is of a file that is not imported", what, short(name)),
		fmt.Sprintf("add: import %s%q;", word, f.Path), notes
}

// maxComparisons is how many names of a run are compared with others.
const maxComparisons = 50_000_000

// maxSuggestions is for how many names of a file others are suggested: each is compared with all
// that there are.
const maxSuggestions = 10

// suggest returns a hint for a name that nothing has, or "".
func (v *View) suggest(what, name string) string {
	if v.suggested++; v.suggested > maxSuggestions {
		return ""
	}
	t := &v.pool.table
	last := name[strings.LastIndexByte(name, '.')+1:]
	distance := max(1, len(last)/3) + 1
	best, seen := root, false
	for _, n := range v.pool.alike(what, len(last), distance) {
		s := &t.symbols[n]
		if v.pool.names.budget.Add(-1) < 0 {
			break
		}
		d := report.EditDistance(last, s.name, distance+1)
		if d > distance || d == distance && (best == root || seen || !v.sees(s)) {
			continue
		}
		best, distance, seen = n, d, v.sees(s)
	}
	if best == root {
		return ""
	}
	s := &t.symbols[best]
	file, full := v.pool.files[s.file], t.shown(best)
	shown := full
	if s.parent == v.file.pkg {
		shown = s.name
	}
	if what == "option" {
		shown = "(" + shown + ")"
	}
	switch {
	case seen:
		return fmt.Sprintf("did you mean %q?", shown)
	case s.name == last && s.parent != v.file.pkg:
		return fmt.Sprintf("%q defines %q: import it, and name its package", file.Path, s.name)
	}
	return fmt.Sprintf("did you mean %q of %q, which is not imported?", shown, file.Path)
}

// alike returns the types or extensions whose names are about as long as one, in the order of the
// table.
func (p *Pool) alike(what string, length, distance int) []id {
	p.names.once.Do(func() {
		p.names.budget.Store(maxComparisons)
		p.names.types, p.names.extensions = map[int][]id{}, map[int][]id{}
		for n := range p.symbols {
			switch s := &p.symbols[n]; s.kind {
			case Message, Enum:
				p.names.types[len(s.name)] = append(p.names.types[len(s.name)], id(n))
			case Extension:
				p.names.extensions[len(s.name)] = append(p.names.extensions[len(s.name)], id(n))
			}
		}
	})
	of := p.names.types
	if what == "option" {
		of = p.names.extensions
	}
	var out []id
	for n := max(0, length-distance); n <= length+distance; n++ {
		out = append(out, of[n]...)
	}
	return out
}
