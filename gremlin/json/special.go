package json

import (
	"math"

	"github.com/octopus-framework/octopus/gremlin"
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

// special appends a message that has a form of its own.
func (e *Encoder) special(b []byte, v *gremlin.View, slots []uint32, t *Table, depth int) []byte {
	w := t.Wire.Fields
	switch t.Special {
	case SpecialAny:
		return e.any(b, v.String(slots[0], slots[1]), v.Bytes(slots[2], slots[3]), depth)
	case SpecialTimestamp:
		return e.Timestamp(b, int64(v.Varint(slots[0])), int32(v.Varint(slots[1])))
	case SpecialDuration:
		return e.Duration(b, int64(v.Varint(slots[0])), int32(v.Varint(slots[1])))
	case SpecialFieldMask:
		return e.FieldMask(b, v.List(slots[0], w[0].Tag()).AppendStrings(nil))
	case SpecialStruct:
		return e.mapEntries(b, v.List(slots[0], w[0].Tag()), &w[0], depth)
	case SpecialListValue:
		return e.elements(b, v.List(slots[0], w[0].Tag()), &w[0], depth)
	case SpecialWrapper:
		return e.value(b, v, slots, &w[0], depth)
	case SpecialValue:
		for i := range w {
			switch slots := slots[w[i].Slot:]; {
			case slots[0] == 0:
			case i == kindNumber:
				return e.Number(b, v.Double(slots[0]))
			default:
				return e.value(b, v, slots, &w[i], depth)
			}
		}
		return e.NoValue(b)
	}
	return e.End(b, len(b)) // Empty
}

// Number appends the number of a google.protobuf.Value, which must be one that JSON has.
func (e *Encoder) Number(b []byte, v float64) []byte {
	if v != v || math.IsInf(v, 0) {
		return e.fail(b, gremlin.BadValue, "google.protobuf.Value of a number that JSON does not have")
	}
	return e.Double(b, v)
}

// NoValue fails for a google.protobuf.Value that is not set.
func (e *Encoder) NoValue(b []byte) []byte {
	return e.fail(b, gremlin.BadValue, "google.protobuf.Value of no kind")
}

// Peek returns the first byte of the value that d is at.
func (d *Decoder) Peek() byte { return d.next() }

// Null reads null.
func (d *Decoder) Null() { d.literal("null") }

// Number reads a number that is not in quotes.
func (d *Decoder) Number(v *float64) {
	if d.next() == '"' {
		d.unexpected("a number")
		return
	}
	d.Double(v)
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
		b = gremlin.AppendVarint(b, w[0].Tag(), uint64(seconds))
		return gremlin.AppendVarint(b, w[1].Tag(), uint64(nanos))
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
		}
		return d.wireField(b, &Field{Flags: FlagPresence}, &w[kind])
	}
	for o := d.Object(t); d.Field(&o) != Done; { // Empty
	}
	return b
}
