package gremlin

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Text returns m in the text format of protobuf, on one line. t is the table of m's type. It walks the encoding by the table;
// unknown fields come as numbers.
func Text(m Message, t *Table) string {
	b := m.MarshalStable(nil)
	w := textWriter{p: ptrOf(b)}
	w.message(uint(len(b)), 0, 0, t, MaxDepth)
	return string(w.dst)
}

type textWriter struct {
	dst   []byte
	p     Ptr
	space bool // a field has been written before at this level
}

// message writes the fields in [off, n), or up to the end of the group with this number, and returns the offset behind them.
func (w *textWriter) message(n, off, group uint, t *Table, depth int) uint {
	w.space = len(w.dst) != 0 && w.dst[len(w.dst)-1] != ' '
	for off < n && depth > 0 {
		tag, after := tagAt(w.p, n, off)
		if after == bad {
			return bad
		}
		if tag&7 == wireEnd {
			return after
		}
		var f *FieldInfo
		if t != nil {
			f = t.field(tag >> 3)
		}
		if f != nil && !f.accepts(tag&7) {
			f = nil
		}
		off = w.field(n, after, tag, f, depth)
		if off == bad {
			return bad
		}
	}
	return off
}

func (w *textWriter) name(f *FieldInfo, tag uint) {
	if w.space {
		w.dst = append(w.dst, ' ')
	}
	w.space = true
	if f != nil {
		w.dst = append(w.dst, f.Name...)
	} else {
		w.dst = strconv.AppendUint(w.dst, uint64(tag>>3), 10)
	}
}

// field writes one field and returns the offset behind it.
func (w *textWriter) field(n, off, tag uint, f *FieldInfo, depth int) uint {
	switch tag & 7 {
	case wireStart:
		w.name(f, tag)
		var sub *Table
		if f != nil {
			sub = f.Sub.GremlinTable()
		}
		return w.braces(n, off, tag>>3, sub, depth)
	case wireBytes:
		start, end := payloadAt(w.p, n, off)
		switch {
		case start == bad:
			return bad
		case f != nil && f.Kind >= KindMessage:
			w.name(f, tag)
			w.braces(end, start, 0, f.Sub.GremlinTable(), depth)
		case f != nil && f.Kind.packable():
			for start < end && start != bad {
				w.name(f, tag)
				w.dst = append(w.dst, ": "...)
				start = w.number(end, start, f.Kind.wire(), f)
			}
		default:
			w.name(f, tag)
			w.dst = append(w.dst, ": "...)
			w.quote(start, end, f != nil && f.Kind == KindString)
		}
		return end
	}
	if f != nil && f.Kind == KindEnum {
		// A number that a closed enum does not have was kept as an unknown field.
		if x, _ := varintAt(w.p, n, off); !f.Enum.Valid(int32(x)) {
			f = nil
		}
	}
	w.name(f, tag)
	w.dst = append(w.dst, ": "...)
	return w.number(n, off, tag&7, f)
}

func (w *textWriter) braces(n, off, group uint, t *Table, depth int) uint {
	w.dst = append(w.dst, " { "...)
	off = w.message(n, off, group, t, depth-1)
	if w.dst[len(w.dst)-1] != ' ' {
		w.dst = append(w.dst, ' ')
	}
	w.dst = append(w.dst, '}')
	w.space = true
	return off
}

// number writes the number at off, which has the given wire type, and returns the offset behind it.
func (w *textWriter) number(n, off, wire uint, f *FieldInfo) uint {
	var x uint64
	next := bad
	switch {
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
	if f == nil {
		w.dst = strconv.AppendUint(w.dst, x, 10)
		return next
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
	return next
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

// quote writes a string or bytes value, [start, end), between quotes. What is not ASCII is escaped unless text is set and it
// is UTF-8.
func (w *textWriter) quote(start, end uint, text bool) {
	w.dst = append(w.dst, '"')
	for start < end {
		c := byte(load8(w.p, start))
		if c >= utf8.RuneSelf && text {
			b := viewBytes(w.p, start, min(end-start, utf8.UTFMax))
			if r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1 {
				w.dst = append(w.dst, b[:size]...)
				start += uint(size)
				continue
			}
		}
		w.dst = appendEscaped(w.dst, c)
		start++
	}
	w.dst = append(w.dst, '"')
}

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
	case c < ' ' || c >= 0x7f:
		return append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
	}
	return append(dst, c)
}
