package anatomy

import (
	"encoding/binary"
	"math"
	"strconv"
	"unicode"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/internal/wire"
)

var wireNames = [...]string{wire.Varint: "varint", wire.Fixed64: "fixed64", wire.Bytes: "bytes",
	wire.Start: "group", wire.End: "end", wire.Fixed32: "fixed32"}

var kindNames = [...]string{dynamic.Bool: "bool", dynamic.Int32: "int32", dynamic.Sint32: "sint32",
	dynamic.Uint32: "uint32", dynamic.Int64: "int64", dynamic.Sint64: "sint64",
	dynamic.Uint64: "uint64", dynamic.EnumKind: "enum", dynamic.Sfixed32: "sfixed32",
	dynamic.Fixed32: "fixed32", dynamic.Float: "float", dynamic.Sfixed64: "sfixed64",
	dynamic.Fixed64: "fixed64", dynamic.Double: "double", dynamic.String: "string",
	dynamic.Bytes: "bytes", dynamic.MessageKind: "message", dynamic.Group: "group",
	dynamic.Map: "map entry"}

// wireOf returns the wire type of one number.
func wireOf(k dynamic.Kind) uint8 {
	switch {
	case k <= dynamic.EnumKind:
		return wire.Varint
	case k <= dynamic.Float:
		return wire.Fixed32
	}
	return wire.Fixed64
}

// unlisted tells whether b is a number that the closed enum of f does not have.
func unlisted(b []byte, f *dynamic.Field) bool {
	if f.Kind != dynamic.EnumKind {
		return false
	}
	x, _ := binary.Uvarint(b)
	return !f.Enum.Valid(int32(x))
}

// number returns a number in words: as f has it, or all that it could be.
func number(b []byte, wireName string, f *dynamic.Field) string {
	x, _ := binary.Uvarint(b)
	switch wireName {
	case "fixed32":
		x = uint64(binary.LittleEndian.Uint32(b))
	case "fixed64":
		x = binary.LittleEndian.Uint64(b)
	}
	if f == nil {
		return unknownNumber(x, wireName)
	}
	switch f.Kind {
	case dynamic.Bool:
		return strconv.FormatBool(x != 0)
	case dynamic.EnumKind:
		if name, ok := f.Enum.NameOf(int32(x)); ok {
			return name + " (" + strconv.Itoa(int(int32(x))) + ")"
		}
		return strconv.Itoa(int(int32(x)))
	case dynamic.Int32, dynamic.Sfixed32:
		return strconv.Itoa(int(int32(x)))
	case dynamic.Int64, dynamic.Sfixed64:
		return strconv.FormatInt(int64(x), 10)
	case dynamic.Sint32:
		return strconv.FormatInt(int64(int32(wire.Unzigzag(uint64(uint32(x))))), 10)
	case dynamic.Sint64:
		return strconv.FormatInt(wire.Unzigzag(x), 10)
	case dynamic.Uint32:
		return strconv.FormatUint(uint64(uint32(x)), 10)
	case dynamic.Float:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(x))), 'g', -1, 32)
	case dynamic.Double:
		return strconv.FormatFloat(math.Float64frombits(x), 'g', -1, 64)
	}
	return strconv.FormatUint(x, 10)
}

// unknownNumber returns the number, and what else it could be where that is likelier.
func unknownNumber(x uint64, wireName string) string {
	s := strconv.FormatUint(x, 10)
	var float string
	switch wireName {
	case "varint":
		if int64(x) < 0 {
			return s + " or " + strconv.FormatInt(int64(x), 10)
		}
		return s
	case "fixed32":
		float = strconv.FormatFloat(float64(math.Float32frombits(uint32(x))), 'g', -1, 32)
	default:
		float = strconv.FormatFloat(math.Float64frombits(x), 'g', -1, 64)
	}
	return s + " or " + float
}

// quote returns at most so many bytes in quotes. What a terminal would not show as it stands is
// escaped, and what is no text byte by byte.
func quote(b []byte, text bool, most int) string {
	cut := len(b) > most
	if cut {
		b = b[:most]
	}
	out := []byte{'"'}
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case b[0] == '"' || b[0] == '\\':
			out = append(out, '\\', b[0])
		case b[0] == '\n':
			out = append(out, `\n`...)
		case b[0] >= ' ' && b[0] < 0x7f,
			text && b[0] >= utf8.RuneSelf && size > 1 && unicode.IsPrint(r):
			out = append(out, b[:size]...)
		default:
			const hex = "0123456789abcdef"
			out = append(out, '\\', 'x', hex[b[0]>>4], hex[b[0]&15])
			size = 1
		}
		b = b[size:]
	}
	out = append(out, '"')
	if cut {
		out = append(out, "..."...)
	}
	return string(out)
}
