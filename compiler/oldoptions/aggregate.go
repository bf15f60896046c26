package oldoptions

import (
	"errors"
	"math"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxNesting is how deep messages may be nested in a value.
const maxNesting = 256

// aggregate reads a message in braces, the first of which is in view, and returns its encoding.
func (r *reader) aggregate(fd protoreflect.FieldDescriptor) ([]byte, error) {
	body := &aggregate{Set: r.Set, src: r.src}
	r.advance()
	hidden := false
	for depth := 1; ; r.advance() {
		switch {
		case r.token.kind == end || r.token.wrong != "":
			return nil, r.unexpected(`"}"`)
		case r.token.kind == symbol && r.text() == "{":
			depth++
		case r.token.kind == symbol && r.text() == "}":
			depth--
		}
		if depth == 0 {
			break
		}
		// protoc puts the tokens into one line before it reads them as text format, where "#"
		// begins a comment.
		hidden = hidden || r.token.kind == symbol && r.text() == "#"
		if !hidden {
			body.tokens = append(body.tokens, r.token)
		}
	}
	body.last = token{kind: end, start: r.token.start, end: r.token.end}
	m := newMessage(fd.Message())
	for body.token().kind != end {
		if err := body.field(m, 1); err != nil {
			return nil, err
		}
	}
	encoded, err := m.encode()
	if err != nil {
		return nil, body.at(body.last, err)
	}
	return encoded, nil
}

// aggregate is text format that is being read.
type aggregate struct {
	*Set
	src    string
	tokens []token
	last   token // behind them
}

func (a *aggregate) token() token {
	if len(a.tokens) == 0 {
		return a.last
	}
	return a.tokens[0]
}

func (a *aggregate) text() string {
	t := a.token()
	return a.src[t.start:t.end]
}

func (a *aggregate) advance() {
	if len(a.tokens) > 0 {
		a.tokens = a.tokens[1:]
	}
}

func (a *aggregate) at(t token, err error) error { return &Error{t.start, t.end, err.Error()} }

func (a *aggregate) unexpected(want string) error {
	found := `"` + a.text() + `"`
	if a.token().kind == end {
		found = "the end of the value"
	}
	return a.at(a.token(), errors.New("expected "+want+", found "+found))
}

func (a *aggregate) sees(sign string) bool { return a.token().kind == symbol && a.text() == sign }

func (a *aggregate) accept(sign string) bool {
	if !a.sees(sign) {
		return false
	}
	a.advance()
	return true
}

func (a *aggregate) expect(sign string) error {
	if !a.accept(sign) {
		return a.unexpected(`"` + sign + `"`)
	}
	return nil
}

// names reads words with points between them.
func (a *aggregate) names() (string, error) {
	var b strings.Builder
	for {
		if a.token().kind != identifier {
			return "", a.unexpected("a name")
		}
		b.WriteString(a.text())
		a.advance()
		if !a.accept(".") {
			return b.String(), nil
		}
		b.WriteByte('.')
	}
}

// field reads one field of a message, or a list of values of one.
func (a *aggregate) field(m *message, depth int) error {
	first := a.token()
	if depth > maxNesting {
		return a.at(first, errors.New("value nests deeper than 256 levels"))
	}
	var fd protoreflect.FieldDescriptor
	if a.accept("[") {
		if m.desc.FullName() == "google.protobuf.Any" {
			return a.any(m, first, depth)
		}
		name, err := a.names()
		if err != nil {
			return err
		}
		if err := a.expect("]"); err != nil {
			return err
		}
		if fd = a.Types.Extension(name, m.desc.FullName()); fd == nil ||
			fd.ContainingMessage().FullName() != m.desc.FullName() {
			return a.at(first, errors.New(`message "`+string(m.desc.FullName())+
				`" has no extension "`+name+`" here`))
		}
	} else {
		if first.kind != identifier {
			return a.unexpected("the name of a field")
		}
		name := protoreflect.Name(a.text())
		a.advance()
		if fd = byName(m.desc, name); fd == nil {
			if m.desc.ReservedNames().Has(name) {
				return a.skip(depth)
			}
			return a.at(first, errors.New(`message "`+string(m.desc.FullName())+`" has no field "`+
				string(name)+`"`))
		}
	}
	if err := (&reader{Set: a.Set}).target(first, fd); err != nil {
		return err
	}
	if err := m.check(fd); err != nil {
		return a.at(first, err)
	}
	if !a.accept(":") && fd.Message() == nil {
		return a.unexpected(`":"`)
	}
	if err := a.values(fd.Cardinality() == protoreflect.Repeated, func() error {
		return a.value(m, fd, depth)
	}); err != nil {
		return err
	}
	a.separator()
	return nil
}

// byName returns a field. A group may be called by the name of its type, too.
func byName(desc protoreflect.MessageDescriptor,
	name protoreflect.Name) protoreflect.FieldDescriptor {
	if fd := desc.Fields().ByName(name); fd != nil {
		return fd
	}
	fd := desc.Fields().ByName(protoreflect.Name(strings.ToLower(string(name))))
	if fd == nil || fd.Kind() != protoreflect.GroupKind || fd.Message().Name() != name {
		return nil
	}
	return fd
}

// separator passes over what may stand behind a field.
func (a *aggregate) separator() {
	if !a.accept(";") {
		a.accept(",")
	}
}

// values reads one value, or several in brackets.
func (a *aggregate) values(list bool, one func() error) error {
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

// message reads a message in braces or angle brackets, by the fields that one reads.
func (a *aggregate) message(one func() error) error {
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
func (a *aggregate) nested(desc protoreflect.MessageDescriptor, depth int) ([]byte, error) {
	first, m := a.token(), newMessage(desc)
	if err := a.message(func() error { return a.field(m, depth+1) }); err != nil {
		return nil, err
	}
	encoded, err := m.encode()
	if err != nil {
		return nil, a.at(first, err)
	}
	return encoded, nil
}

// any reads a message in an Any, behind the bracket before the name of its type.
func (a *aggregate) any(m *message, first token, depth int) error {
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
	var desc protoreflect.MessageDescriptor
	if prefix == "type.googleapis.com" || prefix == "type.googleprod.com" {
		desc = a.Types.Message(protoreflect.FullName(name))
	}
	if desc == nil {
		return a.at(first, errors.New(`message type "`+prefix+"/"+name+`" is not known here`))
	}
	a.accept(":")
	encoded, err := a.nested(desc, depth)
	if err != nil {
		return err
	}
	fields := m.desc.Fields()
	for n, text := range map[protoreflect.FieldNumber]string{1: prefix + "/" + name,
		2: string(encoded)} {
		fd := fields.ByNumber(n)
		if err := m.check(fd); err != nil {
			return a.at(first, err)
		}
		m.scalar(fd, scalar{text: text})
	}
	a.separator()
	return nil
}

// value reads one value of a field.
func (a *aggregate) value(m *message, fd protoreflect.FieldDescriptor, depth int) error {
	if fd.Message() != nil {
		encoded, err := a.nested(fd.Message(), depth)
		if err == nil {
			m.message(fd, encoded)
		}
		return err
	}
	first := a.token()
	v, ok := a.scalar(fd)
	if !ok {
		return a.at(first, errors.New("expected "+wanted(fd)+` for field "`+string(fd.Name())+
			`", found "`+a.src[first.start:first.end]+`"`))
	}
	m.scalar(fd, v)
	return nil
}

// scalar reads a simple value in text format.
func (a *aggregate) scalar(fd protoreflect.FieldDescriptor) (v scalar, ok bool) {
	kind := fd.Kind()
	if kind == protoreflect.StringKind || kind == protoreflect.BytesKind {
		for ; a.token().kind == quoted; a.advance() {
			v.text, ok = v.text+unquote(a.text()), true
		}
		return v, ok && fits(fd, v.text)
	}
	negative := kind != protoreflect.BoolKind && a.accept("-")
	is, text := a.token().kind, a.text()
	whole, small := uint64(0), false
	if is == integer {
		whole, small = parseInteger(text)
	}
	a.advance()
	switch kind {
	case protoreflect.BoolKind:
		switch text {
		case "true", "True", "t":
			return scalar{bits: 1}, true
		case "false", "False", "f":
			return scalar{}, true
		}
		return scalar{bits: whole}, small && whole <= 1
	case protoreflect.EnumKind:
		if is == identifier {
			value := fd.Enum().Values().ByName(protoreflect.Name(text))
			if value == nil || negative {
				return v, false
			}
			return scalar{bits: uint64(value.Number())}, true
		}
		v, ok = inRange(protoreflect.Int32Kind, whole, negative)
		return v, ok && small && (!isClosed(fd) ||
			fd.Enum().Values().ByNumber(protoreflect.EnumNumber(v.bits)) != nil)
	case protoreflect.FloatKind, protoreflect.DoubleKind:
		return number(kind, is, text, negative)
	}
	v, ok = inRange(kind, whole, negative)
	return v, ok && small
}

// isClosed tells whether a field can only have the values of its enum. To protoc, all enums are
// closed in proto2.
func isClosed(fd protoreflect.FieldDescriptor) bool {
	return fd.Enum().IsClosed() || fd.ParentFile().Syntax() == protoreflect.Proto2
}

// number reads the value of a float or double in text format.
func number(kind protoreflect.Kind, is kind, text string, negative bool) (scalar, bool) {
	var v float64
	switch lower := strings.ToLower(text); {
	case is == integer && (len(text) == 1 || text[0] != '0'), is == float:
		v = parseFloat(text)
	case is == identifier && (lower == "inf" || lower == "infinity"):
		v = math.Inf(1)
	case is == identifier && lower == "nan":
		v = nan
	default:
		return scalar{}, false
	}
	if negative {
		v = -v
	}
	return ofFloat(kind, v), true
}

// skip reads the values of a field that there no longer is.
func (a *aggregate) skip(depth int) error {
	if depth > maxNesting {
		return a.at(a.token(), errors.New("value nests deeper than 256 levels"))
	}
	nested := func() error {
		return a.message(func() error {
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
			} else if a.token().kind != identifier {
				return a.unexpected("the name of a field")
			} else {
				a.advance()
			}
			return a.skip(depth + 1)
		})
	}
	one := func() error {
		switch {
		case a.sees("{"), a.sees("<"):
			return nested()
		case a.token().kind == quoted:
			for a.token().kind == quoted {
				a.advance()
			}
			return nil
		}
		negative := a.accept("-")
		switch lower := strings.ToLower(a.text()); {
		case a.token().kind == integer, a.token().kind == float:
		case a.token().kind == identifier && (!negative || lower == "inf" || lower == "infinity" ||
			lower == "nan"):
		default:
			return a.unexpected("a value")
		}
		a.advance()
		return nil
	}
	if !a.accept(":") && !a.sees("{") && !a.sees("<") {
		return a.unexpected(`":"`)
	}
	if err := a.values(true, one); err != nil {
		return err
	}
	a.separator()
	return nil
}
