package rt

import (
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Decoder reads JSON. It is for generated code, which asks it for one field of an object after the
// other:
//
//	var o json.Object
//	for d.Object(&o, &jsonOfX); ; {
//		switch d.Field(&o) {
//		case json.Done:
//			return
//		case 0:
//			d.String(&m.Name)
//		}
//	}
//
// After an error the text reads as ended: Field returns Done and nothing is read any more. Values
// are copied.
type Decoder struct {
	s     string // what is read
	off   int
	depth int  // levels left
	anys  int  // levels of Any that are open
	omit  bool // an element is to be left out: a name that its enum does not have

	discard bool // Options.DiscardUnknown
	types   *rt.Types

	code   rt.Code // code of the first error, 0 if there is none
	at     int     // where it is
	detail string

	chunk   strings.Builder // room for short strings, see text
	wire    rt.Encoder      // the encoding that is written
	scratch []byte          // what a string with escapes says
	wide    []uint64        // what has been seen of objects with more than 64 fields
	lists   []any           // room for lists that grow, see roomFor
	keys    []wireKey       // keys of the maps that are open, see wireMap
	omitted []byte          // keys of theirs, as they are encoded, whose entries are left out
}

var decoders = sync.Pool{New: func() any { return new(Decoder) }}

// newDecoder returns a Decoder of text, which the caller must not change before finish.
func newDecoder(text []byte, o *Options) *Decoder {
	d := decoders.Get().(*Decoder)
	d.s, d.off, d.depth, d.discard, d.types = view(text), 0, o.depth(), o.DiscardUnknown, o.Types
	limit := o.MaxSize
	if limit <= 0 || limit > rt.MaxSize {
		limit = rt.MaxSize
	}
	if len(text) > limit {
		d.fail(rt.TooLarge, 0, "text larger than "+strconv.Itoa(limit)+" bytes")
	}
	return d
}

// finish returns what was wrong with text, which was to be a message of this name, and gives d
// back.
func (d *Decoder) finish(text []byte, name string) error {
	if d.off < len(d.s) && (d.next() != 0 || d.off < len(d.s)) {
		d.unexpected("the end")
	}
	var err error
	if d.code != 0 {
		err = d.err(text, name)
	}
	if cap(d.scratch) > maxKept || cap(d.wide) > maxKept/8 || cap(d.keys) > maxKept/32 ||
		cap(d.omitted) > maxKept {
		return err
	}
	if d.code != 0 {
		*d = Decoder{scratch: d.scratch, wide: d.wide[:0], lists: d.lists, keys: d.keys[:0],
			omitted: d.omitted[:0]}
	} else {
		d.s, d.types = "", nil
		d.chunk.Reset()
		d.wire = rt.Encoder{} // an assignment of its own: together they are copies of copies
	}
	decoders.Put(d)
	return err
}

// err describes what was wrong with text, which was to be a message of this name.
func (d *Decoder) err(text []byte, name string) error {
	e := &rt.Error{Code: d.code, Message: name, Offset: d.at, Detail: d.detail}
	if d.code != rt.TooLarge {
		e.Path = pathTo(view(text)[:d.at])
		e.Line, e.Column = position(view(text)[:d.at])
	}
	return e
}

// Unmarshal replaces the contents of m by those of text, of which it keeps nothing. After an error
// m is empty, unless all that is wrong is a required field.
func Unmarshal(text []byte, m Message, o Options) error {
	m.Reset()
	d := newDecoder(text, &o)
	m.GremlinDecodeJSON(d)
	if err := d.finish(text, m.GremlinTable().Name); err != nil {
		m.Reset()
		return err
	}
	return rt.CheckInitialized(m)
}

// Check tells whether text is JSON, and in UTF-8. Strings must not have halves of surrogate pairs.
func Check(text []byte, o Options) error {
	d := newDecoder(text, &o)
	d.Skip()
	return d.finish(text, "JSON")
}

// fail records an error at an offset and ends the text.
func (d *Decoder) fail(code rt.Code, at int, detail string) {
	if d.code == 0 {
		d.code, d.at, d.detail = code, at, detail
	}
	d.s, d.off = "", 0
}

// wrongValue fails where another kind of value should stand, and names the one that does.
func (d *Decoder) wrongValue(want string) {
	rest := d.s[d.off:]
	found := ""
	switch {
	case rest == "":
	case rest[0] == '"':
		found = "a string"
	case rest[0] == '{':
		found = "an object"
	case rest[0] == '[':
		found = "an array"
	case numberEnd(d.s, d.off) >= 0:
		found = "a number"
	default:
		for _, word := range []string{"true", "false", "null"} {
			if strings.HasPrefix(rest, word) {
				found = word
			}
		}
	}
	if found == "" {
		d.unexpected(want)
		return
	}
	d.fail(rt.BadSyntax, d.off, found+" where "+want+" should be")
}

// unexpected fails where something else should stand.
func (d *Decoder) unexpected(want string) {
	found := "the end"
	if d.off < len(d.s) {
		r, size := utf8.DecodeRuneInString(d.s[d.off:])
		if r == utf8.RuneError && size == 1 {
			d.fail(rt.InvalidUTF8, d.off, "")
			return
		}
		found = strconv.QuoteRune(r)
	}
	d.fail(rt.BadSyntax, d.off, found+" where "+want+" should be")
}

// next goes to the next byte that is not space and returns it, 0 at the end.
func (d *Decoder) next() byte {
	s, i := d.s, d.off
	for i < len(s) {
		c := s[i]
		if c > ' ' || c != ' ' && c != '\n' && c != '\r' && c != '\t' {
			d.off = i
			return c
		}
		i++
	}
	d.off = i
	return 0
}

// begin goes into an object or array.
func (d *Decoder) begin(open byte) bool {
	switch c := d.next(); {
	case c != open && open == '{':
		d.wrongValue("an object")
	case c != open:
		d.wrongValue("an array")
	case d.depth == 0:
		d.fail(rt.TooDeep, d.off, "")
	default:
		d.depth--
		d.off++
		return true
	}
	return false
}

// element goes to the next element of an object or array and tells whether there is one. more is
// whether there was one before.
func (d *Decoder) element(more bool, end byte) bool {
	c := d.next()
	if c == end {
		d.off++
		d.depth++
		return false
	}
	if more {
		if c != ',' {
			d.unexpected("a comma or '" + string(rune(end)) + "'")
			return false
		}
		d.off++
		c = d.next()
	}
	if end == '}' && c != '"' {
		d.unexpected("a name")
		return false
	}
	return d.code == 0
}

// colon goes behind the colon after a name.
func (d *Decoder) colon() {
	if d.next() != ':' {
		d.unexpected("a colon")
		return
	}
	d.off++
}

// literal goes behind a word.
func (d *Decoder) literal(word string) bool {
	if strings.HasPrefix(d.s[d.off:], word) {
		d.off += len(word)
		return true
	}
	d.unexpected("a value")
	return false
}

// number goes behind a number and returns it. want is what should be there.
func (d *Decoder) number(want string) string {
	end := numberEnd(d.s, d.off)
	if end < 0 {
		d.wrongValue(want)
		return ""
	}
	text := d.s[d.off:end]
	d.off = end
	return text
}

// numberEnd returns the offset behind the number at s[i], -1 if there is none.
func numberEnd(s string, i int) int {
	if i < len(s) && s[i] == '-' {
		i++
	}
	start := i
	if i = digitsEnd(s, i); i == start || i > start+1 && s[start] == '0' {
		return -1
	}
	if i < len(s) && s[i] == '.' {
		i++
		start = i
		if i = digitsEnd(s, i); i == start {
			return -1
		}
	}
	if i < len(s) && s[i]|0x20 == 'e' {
		if i++; i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		start = i
		if i = digitsEnd(s, i); i == start {
			return -1
		}
	}
	return i
}

// digitsEnd returns the offset behind the digits at s[i].
func digitsEnd(s string, i int) int {
	for i+8 <= len(s) {
		w := word(s, i) - asciiZeros
		if (w|(w+ones*0x76))&highs != 0 {
			break
		}
		i += 8
	}
	for i < len(s) && s[i]-'0' <= 9 {
		i++
	}
	return i
}
