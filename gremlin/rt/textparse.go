package rt

import (
	"math"
	"unicode/utf8"
)

// anyName is the type whose contents text writes under the name of what it holds. Its fields are
// type_url = 1, value = 2.
const anyName = "google.protobuf.Any"

// Unmarshal replaces the contents of m by those of text. It is strict: names that m does not have,
// fields that are set twice and values that do not fit are errors, and required fields must be set.
// Errors are *Error with line and column. When the text is at fault m is as it was.
func (o TextOptions) Unmarshal(text string, m Message) error {
	b, err := o.Parse(nil, text, m.GremlinTable())
	if err != nil {
		return err
	}
	return m.Unmarshal(b)
}

// Parse appends the encoding of text, a message of type t, to dst: fields come in the order in
// which text has them. It does not ask for required fields; apart from that it is Unmarshal without
// the message.
func (o TextOptions) Parse(dst []byte, text string, t Type) ([]byte, error) {
	table := t.GremlinTable()
	p := textParser{textScanner: textScanner{text: text}, b: dst, types: o.Types,
		discard: o.DiscardUnknown}
	err := p.whole(table, len(dst))
	if err != nil {
		err.Message = table.Name
		return dst, err
	}
	return p.e.Finish(p.b), nil
}

// textParser turns text into an encoding, by the tables.
type textParser struct {
	textScanner
	b       []byte // the encoding, see Encoder
	e       Encoder
	types   *Types
	discard bool
	value   []byte // scratch for strings

	// The packed list that comes next in the encoding, and its elements: it is appended when no
	// further one can come.
	packed   *FieldInfo // nil when there is none
	elements []byte

	// Stacks: of each open message, how often each field and each extension of it has been set.
	fields     []int
	extensions []extensionCount
}

type extensionCount struct {
	f *FieldInfo
	n int
}

func (p *textParser) whole(t *Table, start int) *Error {
	if uint64(len(p.text)) > MaxSize {
		return &Error{Code: TooLarge}
	}
	if !utf8.ValidString(p.text) {
		off := 0
		for r, size := utf8.DecodeRuneInString(p.text); r != utf8.RuneError ||
			size > 1; r, size = utf8.DecodeRuneInString(p.text[off:]) {
			off += size
		}
		return p.fail(off, InvalidUTF8, "")
	}
	if err := p.message(t, 0, MaxDepth-1); err != nil {
		return err
	}
	if len(p.b)+p.e.extra-start > MaxSize {
		return &Error{Code: TooLarge}
	}
	return nil
}

// message reads fields up to and with the bracket that ends them; 0 stands for the end of the text.
func (p *textParser) message(t *Table, end byte, depth int) *Error {
	fields, extensions := len(p.fields), len(p.extensions)
	p.fields = append(p.fields, make([]int, len(t.Fields))...)
	for next := 0; ; {
		if done, err := p.ends(end); done || err != nil {
			p.fields, p.extensions = p.fields[:fields], p.extensions[:extensions]
			p.flush()
			return err
		}
		var err *Error
		if at := p.off; p.text[at] == '[' {
			err = p.bracketedField(t, fields, extensions, depth)
		} else if name := p.identifier(); name == "" {
			err = p.expected("the name of a field")
		} else if i := t.named(name, next); i >= 0 {
			next = i + 1
			err = p.field(t, i, at, fields, depth)
		} else if p.discard || t.isReserved(name) {
			err = p.skip(depth)
		} else {
			err = p.fail(at, UnknownName, "unknown field "+quoted(name))
		}
		if err != nil {
			return err
		}
		p.separator()
	}
}

// ends tells whether the bracket that ends a message comes next, and passes over it.
func (p *textParser) ends(end byte) (bool, *Error) {
	c := p.peek()
	switch {
	case p.off == len(p.text) && end == 0:
		return true, nil
	case p.off == len(p.text):
		return false, p.expected(`"` + string(end) + `"`)
	case c == end && end != 0:
		p.off++
		return true, nil
	}
	return false, nil
}

// separator passes over what may stand between fields.
func (p *textParser) separator() {
	if !p.accept(',') {
		p.accept(';')
	}
}

func (t *Table) isReserved(name string) bool {
	for _, r := range t.Reserved {
		if r == name {
			return true
		}
	}
	return false
}

// field reads the value of field i of t, whose name was at an offset. fields is where the counts of
// the message start.
func (p *textParser) field(t *Table, i, at, fields, depth int) *Error {
	f, set := &t.Fields[i], p.fields[fields:]
	if set[i] > 0 && !f.isList() {
		return p.fail(at, Duplicate, "field "+quoted(f.Name)+" is set twice")
	}
	if f.Oneof != 0 {
		for j := range t.Fields {
			if g := &t.Fields[j]; g.Oneof == f.Oneof && set[j] > 0 {
				return p.fail(at, Duplicate, "field "+quoted(f.Name)+" is in a oneof of which "+
					quoted(g.Name)+" is set")
			}
		}
	}
	n := set[i]
	err := p.values(f, f.Name, &n, depth)
	p.fields[fields+i] = n // which may have moved
	return err
}

func (f *FieldInfo) isList() bool { return f.Flags&FlagRepeated != 0 || f.Kind == KindMap }

// bracketedField reads an extension, or the contents of an Any. fields and extensions are where the
// counts of the message start.
func (p *textParser) bracketedField(t *Table, fields, extensions, depth int) *Error {
	at := p.off
	name, isType, err := p.bracketed()
	if err != nil {
		return err
	}
	if isType {
		return p.any(t, at, name, p.fields[fields:], depth)
	}
	f := p.types.ExtensionNamed(t, name)
	if f == nil && p.discard {
		return p.skip(depth)
	} else if f == nil {
		return p.fail(at, UnknownName, "unknown extension "+quoted(name))
	}
	i := extensions
	for i < len(p.extensions) && p.extensions[i].f != f {
		i++
	}
	if i == len(p.extensions) {
		p.extensions = append(p.extensions, extensionCount{f: f})
	} else if !f.isList() {
		return p.fail(at, Duplicate, "extension "+quoted(name)+" is set twice")
	}
	n := p.extensions[i].n
	err = p.values(f, "["+f.Name+"]", &n, depth)
	p.extensions[i].n = n // which may have moved
	return err
}

func (p *textParser) any(t *Table, at int, url string, set []int, depth int) *Error {
	if t.Name != anyName || len(set) < 2 {
		return p.fail(at, UnknownName, quoted(url)+" is a type: such a name belongs into an Any")
	}
	if set[0] > 0 || set[1] > 0 {
		return p.fail(at, Duplicate, "the contents of an Any are set twice")
	}
	set[0], set[1] = 1, 1
	sub := p.types.MessageNamed(typeOfURL(url))
	if sub == nil && p.discard {
		return p.skip(depth)
	} else if sub == nil {
		return p.fail(at, UnknownName, "unknown type "+quoted(url))
	}
	p.accept(':')
	p.flush()
	p.b = AppendStringWideAlways(p.b, 1<<3|wireBytes, url)
	without := len(p.b)
	var start int
	p.b, start = p.e.Begin(p.b, 2<<3|wireBytes)
	if err := p.braces(sub, depth); err != nil {
		err.in("["+url+"]", -1)
		return err
	}
	if len(p.b) == start {
		p.b = p.b[:without] // an empty value is not written
		return nil
	}
	p.b = p.e.End(p.b, start)
	return nil
}

// values reads what comes behind the name of f: a value, or if f is a list also several in
// brackets. n counts them.
func (p *textParser) values(f *FieldInfo, name string, n *int, depth int) *Error {
	err := p.valuesOf(f, n, depth)
	if err != nil {
		index := -1
		if f.Flags&FlagRepeated != 0 {
			index = *n
		}
		err.in(name, index)
	}
	return err
}

func (p *textParser) valuesOf(f *FieldInfo, n *int, depth int) *Error {
	if !p.accept(':') && f.Kind < KindMessage {
		return p.expected(`":"`)
	}
	if f.isList() && p.accept('[') {
		return p.list(func() *Error {
			err := p.one(f, depth)
			if err == nil {
				*n++
			}
			return err
		})
	}
	if err := p.one(f, depth); err != nil {
		return err
	}
	*n++
	return nil
}

// list reads elements up to and with the closing bracket.
func (p *textParser) list(one func() *Error) *Error {
	if p.accept(']') {
		return nil
	}
	for {
		if err := one(); err != nil {
			return err
		}
		if p.accept(']') {
			return nil
		}
		if !p.accept(',') {
			return p.expected(`"," or "]"`)
		}
	}
}

// one reads one value of f.
func (p *textParser) one(f *FieldInfo, depth int) *Error {
	tag := f.Number<<3 | uint32(f.Kind.wire())
	if f != p.packed {
		p.flush()
	}
	switch f.Kind {
	case KindMessage, KindMap:
		var start int
		p.b, start = p.e.Begin(p.b, tag)
		if err := p.braces(f.Sub.GremlinTable(), depth); err != nil {
			return err
		}
		p.b = p.e.End(p.b, start)
		return nil
	case KindGroup:
		p.b = AppendTag(p.b, tag)
		if err := p.braces(f.Sub.GremlinTable(), depth); err != nil {
			return err
		}
		p.b = AppendTag(p.b, tag+wireEnd-wireStart)
		return nil
	case KindString, KindBytes:
		p.peek()
		at := p.off
		v, err := p.strings(p.value[:0])
		if err != nil {
			return err
		}
		if f.Flags&FlagUTF8 != 0 && !utf8.Valid(v) {
			return p.fail(at, InvalidUTF8, "")
		}
		p.value = v
		p.b = AppendBytesAlways(p.b, tag, v)
		return nil
	}
	return p.scalar(f, tag)
}

// braces reads a message in its brackets.
func (p *textParser) braces(t *Table, depth int) *Error {
	c := p.peek()
	if c != '{' && c != '<' {
		return p.expected(`"{"`)
	}
	if depth == 0 {
		return p.fail(p.off, TooDeep, "")
	}
	p.off++
	return p.message(t, c+2, depth-1) // in ASCII the closing one is two further
}

// scalar reads a number, a bool or an enum.
func (p *textParser) scalar(f *FieldInfo, tag uint32) *Error {
	l, err := p.literal("a value")
	if err != nil {
		return err
	}
	v, ok, what := f.parse(l)
	if !ok {
		text := l.text
		if l.negative {
			text = "-" + text
		}
		code := BadValue
		if f.Kind == KindEnum && l.name {
			code = UnknownName
		}
		return p.fail(l.at, code, quoted(text)+" is no "+what)
	}
	b := &p.b
	if f.Flags&FlagPacked != 0 {
		p.packed, b = f, &p.elements
	} else {
		p.b = AppendTag(p.b, tag)
	}
	switch f.Kind.wire() {
	case wireFixed32:
		*b = append(*b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	case wireFixed64:
		*b = append(*b, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32), byte(v>>40),
			byte(v>>48), byte(v>>56))
	default:
		*b = appendVarint(*b, v)
	}
	return nil
}

// flush appends the packed list that was begun.
func (p *textParser) flush() {
	if p.packed != nil {
		p.b = AppendBytesAlways(p.b, p.packed.Number<<3|wireBytes, p.elements)
		p.packed, p.elements = nil, p.elements[:0]
	}
}

// parse returns the value as it is encoded. what is what it should have been if it does not fit.
func (f *FieldInfo) parse(l literal) (v uint64, ok bool, what string) {
	var s int64
	switch f.Kind {
	case KindBool:
		switch l.text {
		case "true", "True", "t":
			v, ok = 1, l.name
		case "false", "False", "f":
			v, ok = 0, l.name
		default:
			v, ok = l.unsigned()
		}
		return v, ok && !l.negative && v <= 1, "bool"
	case KindEnum:
		n, ok := f.Enum.Number(l.text)
		if !l.name {
			s, ok = l.signed(32)
			n, ok = int32(s), ok && f.Enum.Valid(int32(s))
		}
		return uint64(int64(n)), ok && !(l.name && l.negative), "value of the enum " + f.Enum.Name
	case KindInt32, KindSfixed32:
		s, ok = l.signed(32)
		return uint64(s), ok, "32-bit integer"
	case KindSint32:
		s, ok = l.signed(32)
		return Zigzag(s), ok, "32-bit integer"
	case KindInt64, KindSfixed64:
		s, ok = l.signed(64)
		return uint64(s), ok, "64-bit integer"
	case KindSint64:
		s, ok = l.signed(64)
		return Zigzag(s), ok, "64-bit integer"
	case KindUint32, KindFixed32:
		v, ok = l.unsigned()
		return v, ok && !l.negative && v <= math.MaxUint32, "unsigned 32-bit integer"
	case KindFloat:
		x, ok := l.float(32)
		return uint64(math.Float32bits(float32(x))), ok, "number"
	case KindDouble:
		x, ok := l.float(64)
		return math.Float64bits(x), ok, "number"
	}
	v, ok = l.unsigned()
	return v, ok && !l.negative, "unsigned 64-bit integer"
}

// skip passes over what comes behind the name of a reserved field.
func (p *textParser) skip(depth int) *Error {
	colon := p.accept(':')
	switch c := p.peek(); {
	case c == '[':
		p.off++
		return p.list(func() *Error { return p.skipValue(depth) })
	case c != '{' && c != '<' && !colon:
		return p.expected(`":"`)
	}
	return p.skipValue(depth)
}

func (p *textParser) skipValue(depth int) (err *Error) {
	switch c := p.peek(); c {
	case '"', '\'':
		p.value, err = p.strings(p.value[:0])
		return err
	case '{', '<':
		if depth == 0 {
			return p.fail(p.off, TooDeep, "")
		}
		p.off++
		for {
			if done, err := p.ends(c + 2); done || err != nil {
				return err
			}
			if p.text[p.off] == '[' {
				_, _, err = p.bracketed()
			} else if p.identifier() == "" {
				err = p.expected("the name of a field")
			}
			if err == nil {
				err = p.skip(depth - 1)
			}
			if err != nil {
				return err
			}
			p.separator()
		}
	}
	l, err := p.literal("a value")
	if err == nil && !l.name {
		_, isInt := l.unsigned()
		if _, isFloat := l.float(64); !isInt && !isFloat {
			err = p.fail(l.at, BadSyntax, quoted(l.text)+" is no number")
		}
	}
	return err
}
