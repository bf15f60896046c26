package dynamic

import (
	"math"
	"strconv"

	"github.com/octopus-framework/octopus/gremlin/descriptor"
)

// defaultOf reads what a field without a value has: what the descriptor says as text, else the
// first value of an enum, else zero.
func (l *loader) defaultOf(file string, f *Field, d *descriptor.FieldDescriptorProtoReader) {
	if f.Enum != nil {
		f.Default.Bits = uint64(int64(f.Enum.Values[0].Number))
	}
	if !d.HasDefaultValue() || l.err != nil {
		return
	}
	text := d.GetDefaultValue()
	var bits uint64
	var ok bool
	switch f.Kind {
	case Bool:
		ok = text == "true" || text == "false"
		if text == "true" {
			bits = 1
		}
	case Int32, Sint32, Sfixed32:
		bits, ok = signed(text, 32)
	case Int64, Sint64, Sfixed64:
		bits, ok = signed(text, 64)
	case Uint32, Fixed32:
		bits, ok = unsigned(text, 32)
	case Uint64, Fixed64:
		bits, ok = unsigned(text, 64)
	case Float:
		var x float64
		x, ok = float(text, 32)
		bits = uint64(math.Float32bits(float32(x)))
	case Double:
		var x float64
		x, ok = float(text, 64)
		bits = math.Float64bits(x)
	case EnumKind:
		var n int32
		n, ok = f.Enum.NumberOf(text)
		bits = uint64(int64(n))
	case String:
		f.Default.Text = text
		return
	case Bytes:
		f.Default.Text, ok = unescape(text)
	}
	if !ok || f.List() {
		l.fail(file, f.FullName, quote(text)+" cannot be its default")
		return
	}
	f.Default.Bits = bits
}

func signed(s string, size int) (uint64, bool) {
	n, err := strconv.ParseInt(s, 10, size)
	return uint64(n), err == nil
}

func unsigned(s string, size int) (uint64, bool) {
	n, err := strconv.ParseUint(s, 10, size)
	return n, err == nil
}

func float(s string, size int) (float64, bool) {
	switch s {
	case "nan", "-nan":
		return math.NaN(), true
	case "inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	}
	x, err := strconv.ParseFloat(s, size)
	return x, err == nil
}

// unescape reads the bytes of a default value, in which those that are not ASCII are escaped as in
// C.
func unescape(s string) (string, bool) {
	simple := map[byte]byte{'a': 7, 'b': 8, 't': 9, 'n': 10, 'v': 11, 'f': 12, 'r': 13,
		'"': '"', '\'': '\'', '\\': '\\', '?': '?'}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i++; i == len(s) {
			return "", false
		}
		start, base, most := i, 8, 3
		if s[i] == 'x' || s[i] == 'X' {
			start, base, most = i+1, 16, 2
		} else if c, ok := simple[s[i]]; ok {
			b = append(b, c)
			continue
		}
		end := start
		for end < len(s) && end < start+most && isDigit(s[end], base) {
			end++
		}
		n, err := strconv.ParseUint(s[start:end], base, 8)
		if err != nil {
			return "", false
		}
		b = append(b, byte(n))
		i = end - 1
	}
	return string(b), true
}

func isDigit(c byte, base int) bool {
	if base == 8 {
		return '0' <= c && c <= '7'
	}
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
