package project

import (
	"encoding/binary"
	"math"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// Values is what one field of a message has: Scalars of scalars, Messages of messages, whose pieces
// are joined, and of maps the entries. A field that is no list has one at most.
type Values struct {
	Scalars  []dynamic.Scalar
	Messages [][]byte
}

// Level reads the field only, or if that is nil all fields, of one message, which decodes, without
// going into messages below it. Strings and messages alias data. It allocates: it is for values
// that no column has. Spend, if it is not nil, is told how many bytes each value takes before it is
// made, and may panic.
func Level(t *dynamic.Type, data []byte, only *dynamic.Field, spend func(bytes int),
) map[uint32]*Values {
	fields := map[uint32]*Values{}
	if t.MessageSet {
		return fields
	}
	for i := 0; i < len(data); {
		tag, at := varint(data, i)
		if at < 0 {
			return fields
		}
		next := skip(data, at, tag, maxDepth)
		if next < 0 {
			return fields
		}
		if f := t.Field(uint32(tag >> 3)); f != nil && wants(only, f) {
			readField(fields, f, tag&7, data, at, next, spend)
		}
		i = next
	}
	return fields
}

// wants tells whether a field has to be read to know what only has: of a oneof the last one counts.
func wants(only, f *dynamic.Field) bool {
	return only == nil || f == only || f.Oneof != nil && f.Oneof == only.Oneof
}

// scalarBytes is what a Scalar takes; the slice of a message is as long.
const scalarBytes = 24

func readField(fields map[uint32]*Values, f *dynamic.Field, wire uint64, data []byte, at, end int,
	spend func(int)) {
	if spend == nil {
		spend = func(int) {}
	}
	want, set, _, checkPacked := scalarForm(f.Kind)
	isPacked := f.Repeated && wire == wireBytes && checkPacked != unknown
	if wire != want && !isPacked {
		return
	}
	v := fields[f.Number]
	if v == nil {
		v = &Values{}
	}
	spend(scalarBytes)
	switch {
	case f.Message != nil:
		start, stop := contents(data, at, end, f.Number, wire)
		piece := data[start:stop:stop]
		switch {
		case f.Kind == dynamic.Map && !listed(f, piece):
			return // an unknown field
		case f.List() || len(v.Messages) == 0:
			v.Messages = append(v.Messages, piece)
		default:
			spend(len(piece))
			v.Messages[0] = append(v.Messages[0], piece...)
		}
	case isPacked:
		start, stop := span(data, at)
		for start < stop {
			var x dynamic.Scalar
			x, start = scalar(data[:stop], start, want, set)
			spend(scalarBytes)
			v.add(f, x)
		}
	default:
		x, _ := scalar(data, at, want, set)
		if !v.add(f, x) {
			return
		}
	}
	clearMembers(fields, f)
	fields[f.Number] = v
}

// add takes a value in, unless it is a number that a closed enum does not have.
func (v *Values) add(f *dynamic.Field, x dynamic.Scalar) bool {
	if f.Enum != nil && f.Enum.Closed && !f.Enum.Valid(int32(x.Bits)) {
		return false
	}
	if !f.Repeated {
		v.Scalars = v.Scalars[:0]
	}
	v.Scalars = append(v.Scalars, x)
	return true
}

func clearMembers(fields map[uint32]*Values, f *dynamic.Field) {
	if f.Oneof == nil {
		return
	}
	for _, o := range f.Oneof.Fields {
		delete(fields, o.Number)
	}
}

// contents returns where the fields of a message begin and end, of which the value, with the end
// tag of a group, is data[at:end].
func contents(data []byte, at, end int, number uint32, wire uint64) (start, stop int) {
	if wire == wireBytes {
		return span(data, at)
	}
	// The end tag may be longer than it needs to be.
	for end > at && data[end-1]&0x7f == 0 {
		end--
	}
	for tag := uint64(number)<<3 | wireEnd; tag > 0; tag >>= 7 {
		end--
	}
	return at, end
}

// scalar reads a value that is known to be sound, and where it ends.
func scalar(data []byte, at int, wire uint64, set action) (x dynamic.Scalar, next int) {
	switch wire {
	case wireVarint:
		v, next := varint(data, at)
		return dynamic.Scalar{Bits: uint64(convert(set, v))}, next
	case wireFixed32:
		bits := uint64(binary.LittleEndian.Uint32(data[at:]))
		if set == setSfixed32 {
			bits = uint64(int64(int32(bits)))
		}
		return dynamic.Scalar{Bits: bits}, at + 4
	case wireFixed64:
		return dynamic.Scalar{Bits: binary.LittleEndian.Uint64(data[at:])}, at + 8
	}
	start, stop := span(data, at)
	return dynamic.Scalar{Text: view(data[start:stop])}, stop
}

// Float returns the number that a scalar of a float or double has.
func Float(f *dynamic.Field, x dynamic.Scalar) float64 {
	if f.Kind == dynamic.Float {
		return float64(math.Float32frombits(uint32(x.Bits)))
	}
	return math.Float64frombits(x.Bits)
}
