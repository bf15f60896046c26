package dynamic

import (
	"encoding/binary"

	"github.com/octopus-framework/octopus/gremlin/internal/wire"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// wireType returns the wire type of one value of a kind.
func wireType(k Kind) uint8 {
	switch {
	case k <= EnumKind:
		return wire.Varint
	case k <= Float:
		return wire.Fixed32
	case k <= Double:
		return wire.Fixed64
	case k == Group:
		return wire.Start
	}
	return wire.Bytes
}

// Accepts tells whether the field is read from this wire type: its own, or packed for lists of
// numbers. Other fields with its number are unknown fields.
func (f *Field) Accepts(wireTyp uint8) bool {
	return wireTyp == wireType(f.Kind) || wireTyp == wire.Bytes && f.Repeated && f.Kind <= Double
}

// bitsOf makes Scalar.Bits of what the wire has.
func bitsOf(k Kind, x uint64) uint64 {
	switch k {
	case Bool:
		if x != 0 {
			return 1
		}
		return 0
	case Int32, EnumKind, Sfixed32:
		return uint64(int64(int32(x)))
	case Uint32:
		return uint64(uint32(x))
	case Sint32:
		return uint64(int64(int32(wire.Unzigzag(uint64(uint32(x))))))
	case Sint64:
		return uint64(wire.Unzigzag(x))
	}
	return x
}

// DecodeScalar returns the value that b, the payload of a field that is no message, holds; false
// when it is none of this kind. Text is a copy.
func DecodeScalar(k Kind, b []byte) (s Scalar, ok bool) {
	if k >= String {
		return Scalar{Text: string(b)}, true
	}
	x, next := wire.Number(b, 0, wireType(k))
	return Scalar{Bits: bitsOf(k, x)}, next == len(b)
}

// AppendScalar appends a value to b as it stands behind the tag of its field: strings and bytes
// with their length.
func AppendScalar(b []byte, k Kind, s Scalar) []byte {
	switch {
	case k >= String:
		return append(binary.AppendUvarint(b, uint64(len(s.Text))), s.Text...)
	case k == Sint32:
		return binary.AppendUvarint(b, uint64(uint32(rt.Zigzag(int64(s.Bits)))))
	case k == Sint64:
		return binary.AppendUvarint(b, rt.Zigzag(int64(s.Bits)))
	case k <= EnumKind:
		return binary.AppendUvarint(b, s.Bits)
	case k <= Float:
		return binary.LittleEndian.AppendUint32(b, uint32(s.Bits))
	}
	return binary.LittleEndian.AppendUint64(b, s.Bits)
}

// compare orders the keys of a map: numbers by value, false before true, text by bytes.
func compareKeys(k Kind, a, b Scalar) int {
	switch {
	case k == String && a.Text < b.Text:
		return -1
	case k == String && a.Text > b.Text:
		return 1
	case a.Bits == b.Bits:
		return 0
	}
	less := a.Bits < b.Bits
	switch k {
	case Int32, Sint32, Sfixed32, Int64, Sint64, Sfixed64:
		less = int64(a.Bits) < int64(b.Bits)
	}
	if less {
		return -1
	}
	return 1
}
