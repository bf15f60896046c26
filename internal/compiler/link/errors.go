package link

import (
	"fmt"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// wrongKind tells that a name means something else than what has to stand there.
func (r *resolving) wrongKind(n id, name, want string, element any, part describe.Part) {
	s := &r.pool.symbols[n]
	d := r.file.Tree.Diagnostic(r.file.Span(element, part),
		an(fmt.Sprintf("%q is a %s, expected %s", short(name), s.kind, want)))
	if s.kind != Package {
		f := r.pool.files[s.file]
		d.Notes = append(d.Notes, f.Tree.Note(f.Span(s.element, describe.Name),
			fmt.Sprintf("the %s %q is declared here", s.kind, r.pool.shown(n))))
	}
	r.found = append(r.found, d)
}

// undefined tells that a name means nothing, unless something may be missing that declares it.
func (r *resolving) undefined(name string, element any, part describe.Part) {
	if r.file.blind {
		r.file.Hold()
		return
	}
	message, hint, notes := r.Missed("type", name)
	d := r.file.Tree.Diagnostic(r.file.Span(element, part), message)
	d.Hint, d.Notes = hint, notes
	r.found = append(r.found, d)
}
