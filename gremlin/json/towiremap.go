package json

import (
	"slices"

	"github.com/octopus-framework/octopus/gremlin"
)

// Keys of a map that becomes an encoding are compared when all have been read, as they are encoded: Decoders keep room for
// where they are, so that it takes no memory of its own, and sorting cannot be made slow by the choice of keys as hashing could.

// wireKey is the key of an entry that has been read.
type wireKey struct {
	start, end int // where it is in the encoding
	at         int // where it is in the text
}

// wireMap reads a map and appends its entries.
func (d *Decoder) wireMap(b []byte, tag uint32, t *gremlin.Table) []byte {
	if !d.begin('{') {
		return b
	}
	key, value := &t.Fields[0], &t.Fields[1]
	mark := len(d.keys)
	for more := false; d.element(more, '}'); more = true {
		start, k := len(b), wireKey{at: d.off}
		b, k.start = d.wire.Begin(b, tag)
		if key.Kind == gremlin.KindBool {
			var v bool
			d.BoolKey(&v)
			b = appendBits(b, key.Tag(), key, bit(v))
		} else {
			b = d.wireValue(b, key.Tag(), key, true)
		}
		k.end = len(b)
		d.colon()
		b = d.wireValue(b, value.Tag(), value, true)
		n := len(b)
		if n == k.end {
			b = b[:start] // an unknown name of an enum value
			continue
		}
		b = d.wire.End(b, k.start)
		if d.code == 0 {
			moved := len(b) - n
			d.keys = append(d.keys, wireKey{k.start + moved, k.end + moved, k.at})
		}
	}
	if at := repeated(b, d.keys[mark:]); at >= 0 {
		d.code = 0 // what is wrong behind this is not the first error
		d.fail(gremlin.Duplicate, at, "key set twice")
	}
	d.keys = d.keys[:mark]
	return b
}

// repeated returns where in the text a key stands that was there before, the first of those; -1 if there is none.
func repeated(b []byte, keys []wireKey) (at int) {
	slices.SortFunc(keys, func(x, y wireKey) int {
		switch k, l := b[x.start:x.end], b[y.start:y.end]; {
		case string(k) < string(l):
			return -1
		case string(k) > string(l):
			return 1
		}
		return x.at - y.at
	})
	at = -1
	for i := 1; i < len(keys); i++ {
		x, y := keys[i-1], keys[i]
		if string(b[x.start:x.end]) == string(b[y.start:y.end]) && (at < 0 || y.at < at) {
			at = y.at
		}
	}
	return at
}
