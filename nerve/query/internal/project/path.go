package project

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// Select says which of a field's values a step of a path means.
type Select uint8

const (
	One   Select = iota // the value of a field that is no list; a list or map as a whole
	Each                // all elements, a row for each: []
	All                 // all elements, as a list: [*]
	Index               // the element with a number
	Key                 // the value that a map has for a key
)

// Step is a field on a path.
type Step struct {
	Field  *dynamic.Field
	Select Select
	Index  int            // the index, for the kind Index
	Key    dynamic.Scalar // the key, for the kind Key
}

// Want is what of the last field of a path is wanted.
type Want uint8

const (
	Value    Want = iota // its value; of a message its encoding
	Presence             // whether it is there
	Size                 // how many elements it has
)

// Path leads from the root to a value.
type Path struct {
	Steps []Step
	Want  Want
}

// String returns the path as it is written: `items[0].labels["k"]`.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p.Steps {
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(s.Field.Name)
		switch s.Select {
		case Each:
			b.WriteString("[]")
		case All:
			b.WriteString("[*]")
		case Index:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case Key:
			b.WriteString("[" + keyText(s) + "]")
		}
	}
	switch p.Want {
	case Presence:
		return "has(" + b.String() + ")"
	case Size:
		return "size(" + b.String() + ")"
	}
	return b.String()
}

func keyText(s Step) string {
	switch s.Field.Key().Kind {
	case dynamic.String:
		return strconv.Quote(s.Key.Text)
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		return strconv.FormatUint(s.Key.Bits, 10) + "u"
	case dynamic.Bool:
		return strconv.FormatBool(s.Key.Bits != 0)
	}
	return strconv.FormatInt(int64(s.Key.Bits), 10)
}
