package rt

import (
	"math"
	"sync"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Encoder is the state of writing one message. It is for generated code, which keeps the text that
// has been written in registers and hands it from call to call.
//
// The functions whose names end in Field write a comma, the name and the value, unless the value is
// zero; those without the ending write a value alone.
type Encoder struct {
	opts  Options
	proto bool // opts, for the functions that generated code calls most
	all   bool
	quote int // 1 if 64-bit integers are in quotes

	code   rt.Code // code of the first error, 0 if there is none
	detail string
	at     int // where in the text it is

	// The budget for what a Reader opens deep down, see depthbudget.go. Levels are counted as those
	// that are left.
	countBelow int // the first level on which it counts what it opens
	// the first level on which Rejects calls overBudget: countBelow, or every level after an error
	askBelow int
	entered  uint32 // messages that Enter was called for
	opened   int    // bytes of the messages that were opened below countBelow

	entries  []entry      // entries of the maps that are open
	extended []extensions // extensions of the messages that have come so far
	numbersOf
	buf  []byte
	swap []byte
}

// numbersOf is encoded lists that are decoded before they are written, where that is faster or less
// code.
type numbersOf struct {
	int32s  []int32
	uint32s []uint32
	int64s  []int64
	uint64s []uint64
	doubles []float64
}

// maxKept is the size in bytes of the largest buffer that is kept for the next message. A larger
// one costs several allocations.
const maxKept = 1 << 20

var encoders = sync.Pool{New: func() any { return new(Encoder) }}

// NewEncoder returns an Encoder for what one Reader reads, which is written when FinishReader is
// called. It is for generated code.
func NewEncoder(o *Options) *Encoder {
	e := newEncoder(o)
	e.countBelow = max(0, e.Depth()-freeLevels)
	e.askBelow = e.countBelow
	return e
}

// newEncoder returns an Encoder for one message, which is written when Finish is called.
func newEncoder(o *Options) *Encoder {
	e := encoders.Get().(*Encoder)
	e.opts, e.proto, e.all, e.quote = *o, o.ProtoNames, o.EmitDefaults, 1
	if o.Int64AsNumber {
		e.quote = 0
	}
	e.countBelow, e.askBelow, e.opened = 0, 0, 0
	return e
}

func (e *Encoder) free() {
	if cap(e.buf) > maxKept || cap(e.swap) > maxKept || cap(e.entries) > maxKept/64 ||
		cap(e.int32s)+cap(e.uint32s)+cap(e.int64s)+cap(e.uint64s)+cap(e.doubles) > maxKept/8 {
		return
	}
	e.opts.Types, e.code, e.extended = nil, 0, nil
	encoders.Put(e)
}

// Marshal returns m as JSON.
func Marshal(m Message, o Options) (b []byte, err error) {
	e := newEncoder(&o)
	defer endless(&b, 0, &err)
	b, err = e.finish(m.GremlinAppendJSON(e, e.buf[:0]), 0, m)
	e.buf = b
	if err == nil {
		// no spare capacity, for which append would have to look up size classes
		text := make([]byte, len(b))
		copy(text, b)
		b = text
	} else {
		b = nil
	}
	e.free()
	return b, err
}

// Append appends m as JSON to b. When it fails it returns b as it was.
func Append(b []byte, m Message, o Options) (nb []byte, err error) {
	e := newEncoder(&o)
	nb = b
	defer endless(&nb, len(b), &err)
	return e.Finish(m.GremlinAppendJSON(e, b), len(b), m)
}

// Finish ends what was written to b from start on, a message of type t, and e. When it fails it
// returns b as it was.
func (e *Encoder) Finish(b []byte, start int, t rt.Type) ([]byte, error) {
	b, err := e.finish(b, start, t)
	e.free()
	return b, err
}

// finish checks and indents what was written to b from start on.
func (e *Encoder) finish(b []byte, start int, t rt.Type) ([]byte, error) {
	if e.code != 0 {
		err := &rt.Error{Code: e.code, Message: t.GremlinTable().Name,
			Path: pathTo(string(b[start:max(start, e.at)])), Offset: -1, Detail: e.detail}
		return b[:start], err
	}
	if e.opts.Indent != "" {
		e.swap = append(e.swap[:0], b[start:]...)
		b = appendIndented(b[:start], e.swap, e.opts.Indent)
	}
	return b, nil
}

// fail records an error for what was to be written behind b.
func (e *Encoder) fail(b []byte, code rt.Code, detail string) []byte {
	if e.code == 0 {
		e.code, e.detail, e.at = code, detail, len(b)
		e.askBelow = math.MaxInt
	}
	return b
}

// Depth returns how deep messages may be nested.
func (e *Encoder) Depth() int { return e.opts.depth() }

// All tells whether zero values are written too.
func (e *Encoder) All() bool { return e.all }

// Name appends the name of a field, with the comma before and the colon behind it.
func (e *Encoder) Name(b []byte, f *Field) []byte {
	name := e.name(f)
	b = grow(b, len(name))
	return b[:putName(b, len(b), name)]
}

func (e *Encoder) name(f *Field) string {
	if e.proto && f.Proto != "" {
		return f.Proto
	}
	return f.Name
}

// End ends the object that starts at offset at: its first comma becomes the brace.
func (e *Encoder) End(b []byte, at int) []byte {
	if len(b) == at {
		return append(b, '{', '}')
	}
	b[at] = '{'
	return append(b, '}')
}

// EndList ends the array that starts at offset at.
func (e *Encoder) EndList(b []byte, at int) []byte {
	if len(b) == at {
		return append(b, '[', ']')
	}
	b[at] = '['
	return append(b, ']')
}

// BoolField appends a field of type bool.
func (e *Encoder) BoolField(b []byte, f *Field, v bool) []byte {
	if !v && !e.all {
		return b
	}
	name := e.name(f)
	b = grow(b, len(name)+8)
	n := putName(b, len(b), name)
	if v {
		putHalf(b, n, 't'|'r'<<8|'u'<<16|'e'<<24)
		return b[:n+4]
	}
	putWord(b, n, 'f'|'a'<<8|'l'<<16|'s'<<24|'e'<<32)
	return b[:n+5]
}

// Bool appends a value.
func (e *Encoder) Bool(b []byte, v bool) []byte {
	if v {
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

// integerField appends a field whose value is an integer: of two's complement if signed is the sign
// bit rather than 0, in quotes if quote is 1.
func (e *Encoder) integerField(b []byte, f *Field, v, signed uint64, quote int) []byte {
	if v == 0 && !e.all {
		return b
	}
	name := f.Name
	if e.proto {
		name = e.name(f)
	}
	b = grow(b, len(name)+room)
	n := len(b)
	switch l := len(name); { // putName, but without a call
	case l < 8:
		n = putHalves(b, n, name)
	case l <= 16:
		n = putWords(b, n, name)
	default:
		n = putName(b, n, name)
	}
	sign := uint64(int64(v&signed) >> 63)
	v = (v ^ sign) - sign
	putHalf(b, n, '"'|'-'<<8)
	n += quote
	putByte(b, n, '-')
	n += int(sign & 1)
	if v < 1e8 {
		k := length(v)
		putWord(b, n, text(v, k))
		n += k
	} else {
		n = putLong(b, n, v)
	}
	putByte(b, n, '"')
	return b[:n+quote]
}

// putName writes the name of a field to b from n on, where there is room, and returns where it
// ends. A few words cost less than a call. A name has four bytes at least: comma, quotes and colon.
func putName(b []byte, n int, name string) int {
	if len(name) < 8 {
		return putHalves(b, n, name)
	}
	for ; len(name) > 16; name = name[8:] {
		putWord(b, n, word(name, 0))
		n += 8
	}
	return putWords(b, n, name)
}

// putHalves writes four to eight bytes, putWords eight to sixteen.
func putHalves(b []byte, n int, s string) int {
	end := n + len(s)
	putHalf(b, n, half(s, 0))
	putHalf(b, end-4, half(s, len(s)-4))
	return end
}

func putWords(b []byte, n int, s string) int {
	end := n + len(s)
	putWord(b, n, word(s, 0))
	putWord(b, end-8, word(s, len(s)-8))
	return end
}

// Int32Field appends a field of type int32, sint32 or sfixed32.
func (e *Encoder) Int32Field(b []byte, f *Field, v int32) []byte {
	return e.integerField(b, f, uint64(v), 1<<63, 0)
}

// Int32 appends a value.
func (e *Encoder) Int32(b []byte, v int32) []byte { return appendInt(b, int64(v)) }

// Uint32Field appends a field of type uint32 or fixed32.
func (e *Encoder) Uint32Field(b []byte, f *Field, v uint32) []byte {
	return e.integerField(b, f, uint64(v), 0, 0)
}

// Uint32 appends a value.
func (e *Encoder) Uint32(b []byte, v uint32) []byte { return appendUint(b, uint64(v)) }

// Int64Field appends a field of type int64, sint64 or sfixed64.
func (e *Encoder) Int64Field(b []byte, f *Field, v int64) []byte {
	return e.integerField(b, f, uint64(v), 1<<63, e.quote)
}

// Int64 appends a value.
func (e *Encoder) Int64(b []byte, v int64) []byte {
	u, minus := magnitude(v)
	return appendInteger(b, u, minus, e.quote)
}

// Uint64Field appends a field of type uint64 or fixed64.
func (e *Encoder) Uint64Field(b []byte, f *Field, v uint64) []byte {
	return e.integerField(b, f, v, 0, e.quote)
}

// Uint64 appends a value.
func (e *Encoder) Uint64(b []byte, v uint64) []byte {
	return appendInteger(b, v, 0, e.quote)
}

// BytesField appends a field of type bytes.
func (e *Encoder) BytesField(b []byte, f *Field, v []byte) []byte {
	if len(v) == 0 && !e.all {
		return b
	}
	return e.Bytes(append(b, e.name(f)...), v)
}

// EnumField appends a field of an enum type.
func (e *Encoder) EnumField(b []byte, f *Field, v int32, info *rt.EnumInfo) []byte {
	if v == 0 && !e.all {
		return b
	}
	return e.Enum(e.Name(b, f), v, info)
}

// nullValue is the enum whose only value is null.
const nullValue = "google.protobuf.NullValue"

// Enum appends a value: its name, or the number where it has none.
func (e *Encoder) Enum(b []byte, v int32, info *rt.EnumInfo) []byte {
	if info.Name == nullValue {
		return append(b, "null"...)
	}
	if !e.opts.EnumNumbers {
		if name, ok := info.Find(v); ok {
			b = append(append(b, '"'), name...)
			return append(b, '"')
		}
	}
	return appendInt(b, int64(v))
}
