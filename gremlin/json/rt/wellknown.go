package rt

import (
	"math"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// The fields of google.protobuf.Value, as the indexes of its tables.
const (
	kindNull = iota
	kindNumber
	kindString
	kindBool
	kindStruct
	kindList
)

// Number appends the number of a google.protobuf.Value, which must be one that JSON has.
func (e *Encoder) Number(b []byte, v float64) []byte {
	if v != v || math.IsInf(v, 0) {
		return e.fail(b, rt.BadValue, "google.protobuf.Value of a number that JSON does not have")
	}
	return e.Double(b, v)
}

// NoValue fails for a google.protobuf.Value that is not set.
func (e *Encoder) NoValue(b []byte) []byte {
	return e.fail(b, rt.BadValue, "google.protobuf.Value of no kind")
}

// Peek returns the first byte of the value that d is at.
func (d *Decoder) Peek() byte { return d.next() }

// Null reads null.
func (d *Decoder) Null() { d.literal("null") }

// Number reads a number that is not in quotes, where any other value could stand.
func (d *Decoder) Number(v *float64) {
	if d.numberNext() {
		d.Double(v)
	}
}

// numberNext tells whether a number begins where any value could. It fails if it does not.
func (d *Decoder) numberNext() bool {
	if c := d.next(); c != '-' && (c < '0' || c > '9') {
		d.wrongValue("a value")
		return false
	}
	return true
}

// special reads a message that has a form of its own and appends it, encoded.
func (d *Decoder) special(b []byte, t *Table) []byte {
	w := t.Wire.Fields
	switch t.Special {
	case SpecialAny:
		return d.anyToWire(b, w)
	case SpecialTimestamp, SpecialDuration:
		var seconds int64
		var nanos int32
		if t.Special == SpecialTimestamp {
			d.Timestamp(&seconds, &nanos)
		} else {
			d.Duration(&seconds, &nanos)
		}
		b = rt.AppendVarint(b, w[0].Tag(), uint64(seconds))
		return rt.AppendVarint(b, w[1].Tag(), uint64(nanos))
	case SpecialFieldMask:
		return d.wireMask(b, w[0].Tag())
	case SpecialStruct, SpecialListValue, SpecialWrapper:
		return d.wireField(b, &Field{}, &w[0])
	case SpecialValue:
		kind := kindNumber
		switch d.next() {
		case 'n':
			kind = kindNull
		case '"':
			kind = kindString
		case 't', 'f':
			kind = kindBool
		case '{':
			kind = kindStruct
		case '[':
			kind = kindList
		default:
			if !d.numberNext() {
				return b
			}
		}
		return d.wireField(b, &Field{Flags: FlagPresence}, &w[kind])
	}
	var o Object
	for d.Object(&o, t); d.Field(&o) != Done; { // Empty
	}
	return b
}
