package describe

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// OptionSpan returns the place of the name of an option of a declaration, which is named as in the
// text. It may be set in the braces of one that it is a field of, which then is the place. Where
// nothing sets it the place is that of the whole declaration.
func (f *File) OptionSpan(owner any, name string) syntax.Span {
	f.index.statements.Do(func() {
		f.index.options = make(map[any]int, len(f.Statements))
		for i, s := range f.Statements {
			f.index.options[s.Owner] = i
		}
	})
	if i, ok := f.index.options[owner]; ok {
		for _, o := range f.Statements[i].Options {
			if len(o.Name) == 0 {
				continue
			}
			at := syntax.Range{First: o.Name[0].First, Last: o.Name[len(o.Name)-1].Last}
			if set := f.Tree.Name(at); set == name || strings.HasPrefix(set, name+".") ||
				strings.HasPrefix(name, set+".") {
				return f.Tree.Span(at)
			}
		}
	}
	return f.Span(owner, Whole)
}
