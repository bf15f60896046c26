package rt

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// TextOptions say how the text format of protobuf is written and read; the zero value is useful.
//
// The text of a message is the same for ever, so that it may be compared. Fields come in the order
// of their numbers, maps sorted by key, extensions and unknown fields behind them.
type TextOptions struct {
	// Types is what is known of extensions and of what an Any holds. What is not known is written
	// as unknown fields and as type_url and value, and an error to read.
	Types *Types
	// Indent, white space, makes the text one of a line per field, in which nested fields are
	// indented by it once a level.
	Indent string
	// Unknown writes unknown fields too, by their number. They cannot be read again.
	Unknown bool
	// Redact writes [REDACTED] instead of the values of fields with the option debug_redact, for
	// logs and error messages. Such text cannot be read again. Fields that are not known are
	// written as they are, if at all.
	Redact bool
	// DiscardUnknown passes over names of fields, extensions and types of an Any that are not
	// known, instead of rejecting the text.
	DiscardUnknown bool
}

// Text returns m on one line, with unknown fields and without what debug_redact hides. It is what
// String of generated code does.
func Text(m Message) string {
	return string(TextOptions{Unknown: true, Redact: true}.Append(nil, m))
}

// Append appends m to dst. It cannot fail.
func (o TextOptions) Append(dst []byte, m Message) []byte {
	return o.format(dst, MarshalStable(nil, m), m.GremlinTable(), false)
}

// Format appends the text of b, an encoded message of type t, to dst. Fields come in the order in
// which b has them; of a singular field that comes twice the last value is written, pieces of a
// message are put together.
func (o TextOptions) Format(dst, b []byte, t Type) ([]byte, error) {
	table := t.GremlinTable()
	if uint64(len(b)) > MaxSize {
		return dst, &Error{Code: TooLarge, Message: table.Name, Offset: 0}
	}
	if err := wellFormed(ptrOf(b), uint(len(b)), table); err != nil {
		return dst, err
	}
	return o.format(dst, b, table, true), nil
}

// format appends the text of b, which is well-formed; raw tells that no Message has brought it into
// order.
func (o TextOptions) format(dst, b []byte, t *Table, raw bool) []byte {
	w := textWriter{TextOptions: o, dst: dst, p: ptrOf(b), raw: raw}
	w.message(uint(len(b)), 0, t)
	return w.dst
}

// textWriter walks an encoding, which is well-formed, by the table.
type textWriter struct {
	TextOptions
	dst   []byte
	p     Ptr
	level int  // level of indentation
	space bool // a field has been written before at this level

	guessed int // how many of the messages that are open were unknown fields

	raw    bool // a field may come twice, see rawFields
	looked int  // bytes that rawFields has looked through and copied
}

// maxGuessed is how deep unknown fields are tried as messages; each level looks at all that is
// below it.
const maxGuessed = 10

// message writes the fields in [off, n), or up to the end of the group that they are in, and
// returns the offset behind it.
func (w *textWriter) message(n, off uint, t *Table) uint {
	w.space = false
	if t != nil && t.Name == anyName {
		if next, ok := w.any(n, off); ok {
			return next
		}
	}
	if w.raw && t != nil {
		return w.rawFields(n, off, t)
	}
	return w.fields(n, off, t)
}

// known returns the field that a tag is of, nil if it is none that t or an extension of it is read
// from.
func (w *textWriter) known(t *Table, tag uint) (f *FieldInfo, extension bool) {
	if t == nil {
		return nil, false
	}
	if f = t.field(tag >> 3); f == nil {
		f = w.Types.ExtensionNumbered(t, tag>>3)
		extension = f != nil
	}
	if f == nil || !f.accepts(tag&7) {
		return nil, false
	}
	return f, extension
}

// fields writes the fields in [off, n), or up to the end of the group that they are in, and returns
// the offset behind it.
func (w *textWriter) fields(n, off uint, t *Table) uint {
	for off < n {
		tag, after := tagAt(w.p, n, off)
		if after == bad {
			return bad
		}
		if tag&7 == wireEnd {
			return after
		}
		f, extension := w.known(t, tag)
		switch {
		case f == nil && !w.Unknown:
			off = skipValue(w.p, n, after, tag)
		case extension && !w.raw:
			return w.rawFields(n, off, t) // extensions come last, among the unknown fields
		default:
			off = w.field(n, after, tag, textField{f, t, extension})
		}
	}
	return off
}

// textField is a field of the message type t, or of none; f is nil when it is unknown.
type textField struct {
	f         *FieldInfo
	t         *Table
	extension bool
}

// name writes what comes before a value.
func (w *textWriter) name(x textField, number uint) {
	w.newField()
	switch {
	case x.f == nil:
		w.dst = strconv.AppendUint(w.dst, uint64(number), 10)
	case x.extension:
		w.dst = append(append(append(w.dst, '['), x.f.Name...), ']')
	default:
		w.dst = append(w.dst, x.f.textName(x.t)...)
	}
}

func (w *textWriter) newField() {
	if w.Indent != "" {
		for range w.level {
			w.dst = append(w.dst, w.Indent...)
		}
	} else if w.space {
		w.dst = append(w.dst, ' ')
	}
	w.space = true
}

// endField ends the line of a field.
func (w *textWriter) endField() {
	if w.Indent != "" {
		w.dst = append(w.dst, '\n')
	}
}

// field writes one field and returns the offset behind it.
func (w *textWriter) field(n, off, tag uint, x textField) uint {
	f := x.f
	if w.Redact && f != nil && f.Flags&FlagRedact != 0 {
		w.name(x, tag>>3)
		w.dst = append(w.dst, ": [REDACTED]"...)
		w.endField()
		return skipValue(w.p, n, off, tag)
	}
	switch tag & 7 {
	case wireStart:
		var sub *Table
		if f != nil {
			sub = f.Sub.GremlinTable()
		}
		w.name(x, tag>>3)
		return w.braces(n, off, sub)
	case wireBytes:
		start, end := payloadAt(w.p, n, off)
		switch {
		case start == bad:
			return bad
		case f != nil && f.Kind == KindMap && !w.entryListed(end, start, f.Sub.GremlinTable()):
			if w.Unknown {
				return w.field(n, off, tag, textField{})
			}
		case f != nil && f.Kind >= KindMessage:
			w.name(x, tag>>3)
			w.braces(end, start, f.Sub.GremlinTable())
		case f != nil && f.Kind.packable():
			for start < end {
				start = w.number(end, start, tag&^7|f.Kind.wire(), x)
			}
		case f == nil && start < end && w.guessed < maxGuessed &&
			wellFormed(ptrAdd(w.p, start), end-start, &Table{}) == nil:
			// What can be a message is shown as one.
			w.guessed++
			w.name(x, tag>>3)
			w.braces(end, start, nil)
			w.guessed--
		default:
			w.name(x, tag>>3)
			w.dst = append(w.dst, ": "...)
			w.quote(start, end, f != nil && f.Kind == KindString)
			w.endField()
		}
		return end
	}
	return w.number(n, off, tag, x)
}

// braces writes the message in [off, n), or the group that starts at off, and returns the offset
// behind it.
func (w *textWriter) braces(n, off uint, t *Table) uint {
	w.dst = append(w.dst, " {"...)
	w.endField()
	w.level++
	if w.Indent == "" {
		w.dst = append(w.dst, ' ')
	}
	off = w.message(n, off, t)
	w.level--
	if w.Indent == "" && w.space {
		w.dst = append(w.dst, ' ')
	} else if w.Indent != "" {
		w.newField()
	}
	w.dst = append(w.dst, '}')
	w.endField()
	w.space = true
	return off
}

// any writes what an Any holds under the name of its type, if it can, and returns the offset behind
// the Any.
func (w *textWriter) any(n, off uint) (next uint, ok bool) {
	var url string
	var start, end uint
	for off < n {
		tag, after := tagAt(w.p, n, off)
		if tag&7 == wireEnd {
			off = after
			break
		}
		if after == bad || tag&7 != wireBytes {
			return 0, false
		}
		from, to := payloadAt(w.p, n, after)
		switch {
		case from == bad:
			return 0, false
		case tag>>3 == 1:
			url = viewString(w.p, from, to-from)
		case tag>>3 == 2:
			start, end = from, to
		default:
			return 0, false
		}
		off = to
	}
	t := w.Types.MessageNamed(typeOfURL(url))
	if t == nil || wellFormed(ptrAdd(w.p, start), end-start, t) != nil {
		return 0, false
	}
	w.newField()
	w.dst = append(append(append(w.dst, '['), url...), ']')
	was := w.raw
	w.raw = true
	w.braces(end, start, t)
	w.raw = was
	return off, true
}

// number writes a field that is the number at off and returns the offset behind it.
func (w *textWriter) number(n, off, tag uint, field textField) uint {
	var x uint64
	next := bad
	switch wire := tag & 7; {
	case wire == wireVarint:
		x, next = varintAt(w.p, n, off)
	case wire == wireFixed32 && off+4 <= n:
		x, next = uint64(load32(w.p, off)), off+4
	case wire == wireFixed64 && off+8 <= n:
		x, next = load64(w.p, off), off+8
	}
	if next == bad {
		return bad
	}
	if f := field.f; f != nil && f.Kind == KindEnum && !f.Enum.Valid(int32(x)) {
		// What a closed enum does not have was kept as an unknown field.
		if field = (textField{}); !w.Unknown {
			return next
		}
	}
	w.name(field, tag>>3)
	w.dst = append(w.dst, ": "...)
	w.value(x, field.f)
	w.endField()
	return next
}

// value writes the number x as f has it.
func (w *textWriter) value(x uint64, f *FieldInfo) {
	if f == nil {
		w.dst = strconv.AppendUint(w.dst, x, 10)
		return
	}
	switch f.Kind {
	case KindBool:
		w.dst = strconv.AppendBool(w.dst, x != 0)
	case KindEnum:
		w.dst = append(w.dst, f.Enum.NameOf(int32(x))...)
	case KindInt32, KindSfixed32:
		w.dst = strconv.AppendInt(w.dst, int64(int32(x)), 10)
	case KindInt64, KindSfixed64:
		w.dst = strconv.AppendInt(w.dst, int64(x), 10)
	case KindSint32:
		w.dst = strconv.AppendInt(w.dst, int64(sintOf[int32](x)), 10)
	case KindSint64:
		w.dst = strconv.AppendInt(w.dst, unzigzag(x), 10)
	case KindUint32:
		w.dst = strconv.AppendUint(w.dst, uint64(uint32(x)), 10)
	case KindFloat:
		w.float(float64(math.Float32frombits(uint32(x))), 32)
	case KindDouble:
		w.float(math.Float64frombits(x), 64)
	default:
		w.dst = strconv.AppendUint(w.dst, x, 10)
	}
}

func (w *textWriter) float(x float64, size int) {
	switch {
	case math.IsNaN(x):
		w.dst = append(w.dst, "nan"...)
	case math.IsInf(x, 1):
		w.dst = append(w.dst, "inf"...)
	case math.IsInf(x, -1):
		w.dst = append(w.dst, "-inf"...)
	default:
		w.dst = strconv.AppendFloat(w.dst, x, 'g', -1, size)
	}
}

// quote writes a string or bytes value, [start, end), between quotes. What is not ASCII is escaped
// unless text is set and it is UTF-8.
func (w *textWriter) quote(start, end uint, text bool) {
	w.dst = append(w.dst, '"')
	if start < end {
		b := viewBytes(w.p, start, end-start)
		kept := 0 // up to here it has been written
		for i := 0; i < len(b); {
			c := b[i]
			if c >= utf8.RuneSelf && text {
				if r, size := utf8.DecodeRune(b[i:]); r != utf8.RuneError || size > 1 {
					i += size
					continue
				}
			}
			i++
			if c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
				w.dst = appendEscaped(append(w.dst, b[kept:i-1]...), c)
				kept = i
			}
		}
		w.dst = append(w.dst, b[kept:]...)
	}
	w.dst = append(w.dst, '"')
}

// appendEscaped appends the escape sequence of a character that needs one.
func appendEscaped(dst []byte, c byte) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', c)
	case c == '\n':
		return append(dst, `\n`...)
	case c == '\r':
		return append(dst, `\r`...)
	case c == '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
}
