package options

import (
	"math"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

const (
	// maxLevels is how many messages may be in each other in an encoding: protoc reads no more.
	maxLevels = 100
	// maxNesting is how many may be in each other in a value. Those in an Any begin a new encoding,
	// those of fields that there no longer are have none.
	maxNesting = 10_000
)

// aggregate reads a message in braces and returns its encoding. level counts it and those around
// it.
func (r *reader) aggregate(m *message, v syntax.Value, level int) ([]byte, *problem) {
	a := aggregate{reader: r, end: v.Literal.Last + 1, value: v.Range, level: level}
	if a.next = v.Literal.First; !v.Literal.Present() {
		a.next, a.end = v.Last, v.Last
	}
	// protoc puts the tokens into one line before it reads them as text format, where "#" begins a
	// comment.
	for t := a.next; t < a.end; t++ {
		if r.tree.Tokens[t].Kind == syntax.Symbol && r.tree.TokenText(t) == "#" {
			a.end = t
			break
		}
	}
	b := &builder{message: m}
	for a.next < a.end {
		if err := a.field(b); err != nil {
			return nil, err
		}
	}
	encoded, missing := b.encode()
	if missing != nil {
		return nil, a.at(v.Last, "required field %q of message %q is missing",
			missing.proto.GetName(), m.name)
	}
	return encoded, nil
}

// aggregate is text format that is being read.
type aggregate struct {
	*reader
	next, end syntax.TokenID // token in view, and the one behind the last
	value     syntax.Range   // all of it, with the braces
	level     int            // level of the message that is being read, in its encoding
	nesting   int            // level of nesting in the value
}

// kind returns what the token in view is.
func (a *aggregate) kind() syntax.Kind {
	if a.next >= a.end {
		return syntax.EOF
	}
	return a.tree.Tokens[a.next].Kind
}

// text returns the token in view, "" at the end.
func (a *aggregate) text() string {
	if a.next >= a.end {
		return ""
	}
	return a.tree.TokenText(a.next)
}

func (a *aggregate) advance() { a.next++ }

// at returns the error about a token.
func (a *aggregate) at(t syntax.TokenID, format string, args ...any) *problem {
	if t >= a.end {
		t = a.value.Last // nothing is where it should be: the brace is there
	}
	return a.wrong(syntax.Range{First: t, Last: t}, format, args...)
}

func (a *aggregate) unexpected(want string) *problem {
	if a.kind() == syntax.EOF {
		return a.at(a.next, "expected %s, found the end of the value", want)
	}
	return a.at(a.next, "expected %s, found %s", want, show(a.text()))
}

func (a *aggregate) sees(sign string) bool {
	return a.kind() == syntax.Symbol && a.text() == sign
}

func (a *aggregate) accept(sign string) bool {
	if !a.sees(sign) {
		return false
	}
	a.advance()
	return true
}

func (a *aggregate) expect(sign string) *problem {
	if !a.accept(sign) {
		return a.unexpected(`"` + sign + `"`)
	}
	return nil
}

// names reads words with points between them.
func (a *aggregate) names() (string, *problem) {
	first := a.next
	for {
		if a.kind() != syntax.Ident {
			return "", a.unexpected("a name")
		}
		a.advance()
		if !a.accept(".") {
			return a.tree.Name(syntax.Range{First: first, Last: a.next - 1}), nil
		}
	}
}

// field reads one field of a message, or a list of values of one.
func (a *aggregate) field(b *builder) *problem {
	first := a.next
	f, skipped, err := a.name(b)
	if err != nil || skipped {
		return err
	}
	if err := a.target(syntax.Range{First: first, Last: a.next - 1}, f); err != nil {
		return err
	}
	if why := b.check(f); why != "" {
		return a.at(first, "%s", why)
	}
	if !a.accept(":") && !f.isMessage() {
		return a.unexpected(`":"`)
	}
	if err := a.values(f.repeated, func() *problem { return a.one(b, f) }); err != nil {
		return err
	}
	a.separator()
	return nil
}

// name reads the name of a field. Messages in an Any, and fields that there no longer are, it reads
// as a whole.
func (a *aggregate) name(b *builder) (f *field, all bool, err *problem) {
	first := a.next
	if a.accept("[") {
		if b.message.name == "google.protobuf.Any" {
			return nil, true, a.any(b, first)
		}
		name, err := a.names()
		if err != nil {
			return nil, false, err
		}
		if err := a.expect("]"); err != nil {
			return nil, false, err
		}
		if f = a.extension(name, b.message); f == nil || f.parent != b.message {
			return nil, false, a.wrong(syntax.Range{First: first, Last: a.next - 1},
				"message %q has no extension %q here", b.message.name, name)
		}
		return f, false, nil
	}
	if a.kind() != syntax.Ident {
		return nil, false, a.unexpected("the name of a field")
	}
	name := a.text()
	a.advance()
	if f = b.message.fieldByText(name); f != nil {
		return f, false, nil
	}
	for _, reserved := range b.message.proto.ReservedName {
		if reserved == name {
			return nil, true, a.skip()
		}
	}
	err = a.at(first, "message %q has no field %q", b.message.name, name)
	err.hint = b.message.hint(a.reader, name)
	return nil, false, err
}

// fieldByText returns the field that a name in text format means. A group may be called by the name
// of its type, too.
func (m *message) fieldByText(name string) *field {
	if f := m.byName[name]; f != nil {
		return f
	}
	f := m.byName[strings.ToLower(name)]
	if f == nil || f.kind != groupKind || f.message == nil || f.message.proto.GetName() != name ||
		parent(f.message.name) != m.name || f.message.file != m.file {
		return nil
	}
	return f
}

// separator passes over what may stand behind a field.
func (a *aggregate) separator() {
	if !a.accept(";") {
		a.accept(",")
	}
}

// values reads one value, or several in brackets.
func (a *aggregate) values(list bool, one func() *problem) *problem {
	if !list || !a.accept("[") {
		return one()
	}
	if a.accept("]") {
		return nil
	}
	for {
		if err := one(); err != nil || a.accept("]") {
			return err
		}
		if err := a.expect(","); err != nil {
			return err
		}
	}
}

// body reads a message in braces or angle brackets, by the fields that one reads.
func (a *aggregate) body(one func() *problem) *problem {
	if a.nesting++; a.nesting > maxNesting || a.level > maxLevels {
		return a.at(a.next, "too many messages in each other: %d", a.nesting)
	}
	defer func() { a.nesting-- }()
	stop := "}"
	if a.accept("<") {
		stop = ">"
	} else if err := a.expect("{"); err != nil {
		return err
	}
	for !a.accept(stop) {
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}

// nested reads a message and returns its encoding.
func (a *aggregate) nested(m *message) ([]byte, *problem) {
	first, b := a.next, &builder{message: m}
	a.level++
	defer func() { a.level-- }()
	if err := a.body(func() *problem { return a.field(b) }); err != nil {
		return nil, err
	}
	encoded, missing := b.encode()
	if missing != nil {
		return nil, a.at(first, "required field %q of message %q is missing",
			missing.proto.GetName(), m.name)
	}
	return encoded, nil
}

// any reads a message in an Any, behind the bracket before the name of its type.
func (a *aggregate) any(b *builder, first syntax.TokenID) *problem {
	prefix, err := a.names()
	if err != nil {
		return err
	}
	if err := a.expect("/"); err != nil {
		return err
	}
	name, err := a.names()
	if err != nil {
		return err
	}
	if err := a.expect("]"); err != nil {
		return err
	}
	var m *message
	if prefix == "type.googleapis.com" || prefix == "type.googleprod.com" {
		m = a.types.message(a.view.Lookup("."+name, ""))
	}
	if m == nil {
		return a.wrong(syntax.Range{First: first, Last: a.next - 1},
			"message type %q is not known here", prefix+"/"+name)
	}
	a.accept(":")
	level := a.level
	a.level = 0 // the message is read on its own
	encoded, err := a.nested(m)
	if err != nil {
		return err
	}
	a.level = level
	for _, part := range []struct{ field, value string }{{"type_url", prefix + "/" + name},
		{"value", string(encoded)}} {
		f := b.message.byName[part.field]
		if f == nil {
			return a.at(first, "message %q has no field %q", b.message.name, part.field)
		}
		if why := b.check(f); why != "" {
			return a.at(first, "%s", why)
		}
		b.scalar(f, scalar{text: part.value})
	}
	a.separator()
	return nil
}

// one reads one value of a field.
func (a *aggregate) one(b *builder, f *field) *problem {
	if f.isMessage() {
		if f.message == nil {
			return a.unknownType(f)
		}
		encoded, err := a.nested(f.message)
		if err == nil {
			b.submessage(f, encoded)
		}
		return err
	}
	if f.kind == enumKind && f.enum == nil {
		return a.unknownType(f)
	}
	first := a.next
	v, ok := a.simple(f)
	if !ok {
		if first >= a.end {
			return a.at(first, "expected a value of field %q, found the end of the value",
				f.proto.GetName())
		}
		return a.misfit(syntax.Range{First: first, Last: max(first, a.next-1)}, "field", f)
	}
	b.scalar(f, v)
	return nil
}

// simple reads a simple value in text format.
func (a *aggregate) simple(f *field) (v scalar, ok bool) {
	if f.kind == stringKind || f.kind == bytesKind {
		first := a.next
		for a.kind() == syntax.String {
			a.advance()
		}
		if a.next == first {
			return v, false
		}
		v.text = a.tree.String(syntax.Range{First: first, Last: a.next - 1})
		return v, f.fits(v.text)
	}
	negative := f.kind != boolKind && a.accept("-")
	is, text := a.kind(), a.text()
	whole, small := uint64(0), false
	if is == syntax.Integer {
		whole, small = syntax.ParseInteger(text)
	}
	if is != syntax.EOF {
		a.advance()
	}
	switch f.kind {
	case boolKind:
		switch text {
		case "true", "True", "t":
			return scalar{bits: 1}, true
		case "false", "False", "f":
			return scalar{}, true
		}
		return scalar{bits: whole}, small && whole <= 1
	case enumKind:
		if is == syntax.Ident {
			n, ok := f.enum.numbers[text]
			return scalar{bits: uint64(n)}, ok && !negative
		}
		v, ok = inRange(descriptorpb.FieldDescriptorProto_TYPE_INT32, whole, negative)
		return v, ok && small && (!f.closed || f.enum.declared[int32(v.bits)])
	case floatKind, doubleKind:
		return textNumber(f.kind, is, text, negative)
	}
	v, ok = inRange(f.kind, whole, negative)
	return v, ok && small
}

// textNumber reads the value of a float or double in text format.
func textNumber(k kind, is syntax.Kind, text string, negative bool) (scalar, bool) {
	var v float64
	switch lower := strings.ToLower(text); {
	case is == syntax.Integer && (len(text) == 1 || text[0] != '0'), is == syntax.Float:
		v = syntax.ParseFloat(text)
	case is == syntax.Ident && (lower == "inf" || lower == "infinity"):
		v = math.Inf(1)
	case is == syntax.Ident && lower == "nan":
		v = nan
	default:
		return scalar{}, false
	}
	if negative {
		v = -v
	}
	return ofFloat(k, v), true
}

// skip reads the values of a field that there no longer is.
func (a *aggregate) skip() *problem {
	if !a.accept(":") && !a.sees("{") && !a.sees("<") {
		return a.unexpected(`":"`)
	}
	if err := a.values(true, a.skipValue); err != nil {
		return err
	}
	a.separator()
	return nil
}

func (a *aggregate) skipValue() *problem {
	switch {
	case a.sees("{"), a.sees("<"):
		return a.body(a.skipField)
	case a.kind() == syntax.String:
		for a.kind() == syntax.String {
			a.advance()
		}
		return nil
	}
	negative := a.accept("-")
	switch lower := strings.ToLower(a.text()); {
	case a.kind() == syntax.Integer, a.kind() == syntax.Float:
	case a.kind() == syntax.Ident && (!negative || lower == "inf" || lower == "infinity" ||
		lower == "nan"):
	default:
		return a.unexpected("a value")
	}
	a.advance()
	return nil
}

// skipField reads a field of a message that there no longer is.
func (a *aggregate) skipField() *problem {
	if a.accept("[") {
		if _, err := a.names(); err != nil {
			return err
		}
		if a.accept("/") {
			if _, err := a.names(); err != nil {
				return err
			}
		}
		if err := a.expect("]"); err != nil {
			return err
		}
	} else if a.kind() != syntax.Ident {
		return a.unexpected("the name of a field")
	} else {
		a.advance()
	}
	return a.skip()
}
