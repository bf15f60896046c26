// Package patch reads and changes single fields of an encoded message by path, without decoding the
// rest: what the path does not touch is copied as it stands, unknown fields too.
//
//	path, err := patch.Parse(types.Message("shop.v1.Deposit"), `items[2].sku`)
//	sku, ok, err := path.Get(b)
//	b, err = path.Set(nil, b, dynamic.Scalar{Text: "A-7"})
//
// The result is what decoding, changing and encoding the message would give: of a singular field
// that comes twice the last value counts, pieces of a message are merged, setting a member of a
// oneof clears the others, and lists of numbers may be packed or not. Only the messages on the way
// are looked at; what is malformed elsewhere stays so.
package patch

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/internal/wire"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Path leads to a field. Any number of goroutines may use one.
type Path struct {
	steps []step
	root  string // full name of the message's type, "" when it is not known
}

// step is one field on the way.
type step struct {
	number uint32
	kind   dynamic.Kind
	field  *dynamic.Field // nil for a path by numbers
	name   string

	indexed bool // an element of a list
	index   int
	keyed   bool // the value of an entry of a map
	key     dynamic.Scalar
	inEntry bool // the value of the entry that the step before found
}

// SyntaxError says what is wrong with a path.
type SyntaxError struct {
	Path   string
	Offset int // the offset in bytes
	Detail string
}

// Error returns `items[x]: "x" is no index at offset 6`.
func (e *SyntaxError) Error() string {
	return e.Path + ": " + e.Detail + " at offset " + strconv.Itoa(e.Offset)
}

// Parse returns the path by names in messages of type t: "user.geo.country"; an element of a list
// by its index, "items[2].sku"; the value of an entry of a map by its key, `labels["k"]` or
// `by_id[7]`. Names are those of the .proto file or of JSON, of an extension "[shop.v1.region]".
// The error is a *SyntaxError or a *dynamic.PathError.
func Parse(t *dynamic.Type, path string) (Path, error) {
	p := Path{root: t.Name}
	for at := 0; ; at++ {
		name := segment(path[at:])
		if t == nil {
			return Path{}, &dynamic.PathError{Path: path, Offset: at, Name: name,
				Field: p.steps[len(p.steps)-1].field}
		}
		f := t.FieldNamed(name)
		if f == nil {
			return Path{}, &dynamic.PathError{Path: path, Offset: at, Name: name, Type: t}
		}
		s := step{number: f.Number, kind: f.Kind, field: f, name: name}
		if at += len(name); at < len(path) && path[at] == '[' {
			end := closing(path[at:])
			if end < 0 {
				return Path{}, &SyntaxError{path, at, "a bracket that is not closed"}
			}
			if wrong := s.selector(path[at+1 : at+end]); wrong != "" {
				return Path{}, &SyntaxError{path, at + 1, wrong}
			}
			at += end + 1
		}
		p.steps = append(p.steps, s)
		if s.keyed {
			p.steps = append(p.steps, valueStep(f.Value()))
		}
		switch {
		case at == len(path):
			return p, nil
		case path[at] != '.':
			return Path{}, &SyntaxError{path, at, "expected a point"}
		case f.List() && !s.indexed && !s.keyed:
			return Path{}, &SyntaxError{path, at, "field " + f.FullName +
				" has several values: say which, as " + name + "[0]"}
		}
		if t = f.Message; s.keyed {
			t = f.Value().Message
		}
	}
}

// valueStep is the step from the entry of a map to its value.
func valueStep(f *dynamic.Field) step {
	return step{number: f.Number, kind: f.Kind, field: f, name: "value", inEntry: true}
}

// Numbers returns the path by field numbers to a value of a kind, for messages without a schema.
// What it goes through is singular messages; it knows nothing of oneofs.
func Numbers(kind dynamic.Kind, numbers ...uint32) Path {
	var p Path
	for i, n := range numbers {
		s := step{number: n, kind: dynamic.MessageKind, name: strconv.Itoa(int(n))}
		if i == len(numbers)-1 {
			s.kind = kind
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// segment returns the name that path starts with.
func segment(path string) string {
	if strings.HasPrefix(path, "[") {
		if end := strings.IndexByte(path, ']'); end >= 0 {
			return path[:end+1]
		}
	}
	if end := strings.IndexAny(path, ".["); end >= 0 {
		return path[:end]
	}
	return path
}

// closing returns where the bracket that s starts with ends, behind a string if there is one; -1
// when it does not.
func closing(s string) int {
	if quoted, err := strconv.QuotedPrefix(s[1:]); err == nil {
		if end := 1 + len(quoted); end < len(s) && s[end] == ']' {
			return end
		}
		return -1
	}
	return strings.IndexByte(s, ']')
}

// selector reads what stands in brackets and returns what is wrong with it.
func (s *step) selector(text string) (wrong string) {
	switch {
	case s.kind == dynamic.Map:
		return s.readKey(text)
	case !s.field.Repeated:
		return "field " + s.field.FullName + " is neither a list nor a map"
	}
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 {
		return quote(text) + " is no index"
	}
	s.indexed, s.index = true, i
	return ""
}

func (s *step) readKey(text string) (wrong string) {
	var err error
	var signed int64
	s.keyed = true
	switch key := s.field.Key(); key.Kind {
	case dynamic.String:
		s.key.Text, err = strconv.Unquote(text)
		if err == nil && key.UTF8 && !utf8.ValidString(s.key.Text) {
			err = strconv.ErrSyntax
		}
	case dynamic.Bool:
		if text != "true" && text != "false" {
			err = strconv.ErrSyntax
		} else if text == "true" {
			s.key.Bits = 1
		}
	case dynamic.Int32, dynamic.Sint32, dynamic.Sfixed32:
		signed, err = strconv.ParseInt(text, 10, 32)
		s.key.Bits = uint64(signed)
	case dynamic.Int64, dynamic.Sint64, dynamic.Sfixed64:
		signed, err = strconv.ParseInt(text, 10, 64)
		s.key.Bits = uint64(signed)
	case dynamic.Uint32, dynamic.Fixed32:
		s.key.Bits, err = strconv.ParseUint(text, 10, 32)
	default:
		s.key.Bits, err = strconv.ParseUint(text, 10, 64)
	}
	if err != nil {
		return quote(text) + " is no key of " + s.field.FullName
	}
	return ""
}

func quote(s string) string { return strconv.Quote(s[:min(len(s), 100)]) }

// accepts tells whether the field is read from this wire type.
func (s *step) accepts(typ uint8) bool {
	if s.field != nil {
		return s.field.Accepts(typ)
	}
	f := dynamic.Field{Kind: s.kind}
	return f.Accepts(typ) || s.kind == dynamic.MessageKind && typ == wire.Start
}

// fail returns an error about what is at off; the path leads up to this step.
func (p *Path) fail(code rt.Code, level, off int, detail string) error {
	var path strings.Builder
	for i := range level + 1 {
		if i > 0 {
			path.WriteByte('.')
		}
		path.WriteString(p.steps[i].name)
	}
	return &rt.Error{Code: code, Message: p.root, Path: path.String(), Offset: off, Detail: detail}
}
