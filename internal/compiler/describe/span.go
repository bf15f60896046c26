package describe

import (
	"sync"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// Part is a part of a declaration.
type Part uint8

// The parts of declarations. A part that a declaration does not have in the text is the whole of
// it.
const (
	Whole    Part = iota // from the first keyword to the semicolon or brace
	Name                 // of a file: the name of its package
	Number               // of a field, enum value or range
	Type                 // of a field
	Label                // of a field
	Extendee             // of an extension
	Default              // the value of the option default
	JSONName             // the value of the option json_name
	Input                // type of a method
	Output               // type of a method
	Edition              // of a file: what its syntax or edition is set to
	Header               // what stands in front of the brace or the options
)

// index finds the declaration of a descriptor. It is made when the first is asked for, which is
// upon the first error.
type index struct {
	once sync.Once
	of   map[any]declaration

	statements sync.Once
	options    map[any]int // indices of statements, by owner
}

// declaration is what a descriptor was made of.
type declaration struct {
	decl   syntax.Decl
	extend *syntax.Extend // what an extension stands in
	number syntax.NumberRange
}

// Span returns the place of a part of the declaration that a descriptor was made of, which is the
// file's own or below it. Entries of maps are at their fields, synthetic oneofs, too. The span is
// zero for what is not of this file.
func (f *File) Span(element any, part Part) syntax.Span {
	f.index.once.Do(func() { f.index.of = f.declarations() })
	d := f.index.of[element]
	return f.tree().Span(f.part(d, element, part))
}

// ReservedName returns the place of a name that an element of the file reserves: i counts the
// names of m, which is a message or enum.
func (f *File) ReservedName(m any, i int) syntax.Span {
	f.index.once.Do(func() { f.index.of = f.declarations() })
	var body syntax.Body
	switch d := f.index.of[m].decl.(type) {
	case *syntax.Message:
		body = d.Body
	case *syntax.Enum:
		body = d.Body
	case *syntax.Field:
		if d.Group != nil {
			body = *d.Group
		}
	}
	for _, d := range body.Decls {
		if r, ok := d.(*syntax.Reserved); ok {
			if i < len(r.Names) {
				return f.tree().Span(r.Names[i])
			}
			i -= len(r.Names)
		}
	}
	return syntax.Span{}
}
