package rt

import (
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Keys of a map that becomes an encoding are compared when all have been read, as they are encoded:
// Decoders keep room for where they are, so that it takes no memory of its own, and sorting cannot
// be made slow by the choice of keys as hashing could.

// wireKey is the key of an entry that has been read.
type wireKey struct {
	start, end int  // where it is in the encoding, or in Decoder.omitted
	at         int  // where it is in the text
	omit       bool // the entry is left out: its value is a name that the enum does not have
}

// wireMap reads a map and appends its entries.
func (d *Decoder) wireMap(b []byte, tag uint32, t *rt.Table) []byte {
	if !d.begin('{') {
		return b
	}
	key, value := &t.Fields[0], &t.Fields[1]
	mark, omitted := len(d.keys), len(d.omitted)
	for more := false; d.element(more, '}'); more = true {
		start, k := len(b), wireKey{at: d.off}
		b, k.start = d.wire.Begin(b, tag)
		if key.Kind == rt.KindBool {
			var v bool
			d.BoolKey(&v)
			b = appendBits(b, key.Tag(), key, bit(v))
		} else {
			b = d.wireValue(b, key.Tag(), key, true)
		}
		k.end = len(b)
		d.colon()
		b = d.wireValue(b, value.Tag(), value, true)
		if n := len(b); n == k.end {
			from := len(d.omitted)
			d.omitted = append(d.omitted, b[k.start:]...)
			k.start, k.end, k.omit = from, len(d.omitted), true
			b = b[:start]
		} else {
			b = d.wire.End(b, k.start)
			moved := len(b) - n
			k.start, k.end = k.start+moved, k.end+moved
		}
		if d.code == 0 {
			d.keys = append(d.keys, k)
		}
	}
	if at := d.repeated(b, d.keys[mark:]); at >= 0 {
		d.code = 0 // what is wrong behind this is not the first error
		d.fail(rt.Duplicate, at, "key set twice")
	}
	d.keys, d.omitted = d.keys[:mark], d.omitted[:omitted]
	return b
}

// repeated returns where in the text a key stands that an entry before had which is not left out,
// the first of those; -1 if there is none.
func (d *Decoder) repeated(b []byte, keys []wireKey) (at int) {
	text := func(k *wireKey) string {
		if k.omit {
			return view(d.omitted[k.start:k.end])
		}
		return view(b[k.start:k.end])
	}
	slices.SortFunc(keys, func(x, y wireKey) int {
		if c := strings.Compare(text(&x), text(&y)); c != 0 {
			return c
		}
		return x.at - y.at
	})
	at = -1
	there := false // the key, in an entry that is not left out
	for i := range keys {
		k := &keys[i]
		there = there && text(&keys[i-1]) == text(k)
		if there && (at < 0 || k.at < at) {
			at = k.at
		}
		there = there || !k.omit
	}
	return at
}
