package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// Fields of type bytes are base64 in JSON, unless the compiler was told that a schema's own JSON
// mapping wants hex digits, as that of OpenTelemetry does for the ids of traces and spans.

// Hex appends a value in hex digits, lower case.
func (e *Encoder) Hex(b []byte, v []byte) []byte {
	b = append(grow(b, 2*len(v)+2), '"')
	for _, x := range v {
		b = append(b, hexDigits[x>>4], hexDigits[x&15])
	}
	return append(b, '"')
}

// HexField appends a field of type bytes in hex digits.
func (e *Encoder) HexField(b []byte, f *Field, v []byte) []byte {
	if len(v) == 0 && !e.all {
		return b
	}
	return e.Hex(append(b, e.name(f)...), v)
}

// Hex reads hex digits of either case.
func (d *Decoder) Hex(v *[]byte) {
	d.next()
	at := d.off
	if s := d.content(); d.code == 0 {
		*v = d.hex(make([]byte, 0, len(s)/2), s, at)
	}
}

// hex appends what s, a string at offset at, says.
func (d *Decoder) hex(b []byte, s string, at int) []byte {
	if len(s)%2 != 0 {
		d.fail(rt.BadValue, at, "an odd number of hex digits")
		return b
	}
	for i := 0; i+1 < len(s); i += 2 {
		high, low := hexValue(s[i]), hexValue(s[i+1])
		if high|low > 15 {
			d.fail(rt.BadValue, at, "not hex digits")
			return b
		}
		b = append(b, high<<4|low)
	}
	return b
}

// hexValue returns the value of a hex digit, more than 15 for anything else.
func hexValue(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c|0x20-'a' <= 5:
		return c | 0x20 - 'a' + 10
	}
	return 0xff
}
