package gogo

import (
	"encoding/binary"
	"math"
)

// MaxDepth is how many messages may lie in one another within a package. gogo has no limit: its
// process dies of a stack that overflows.
const MaxDepth = 10000

// Negative offsets say what went wrong.
const (
	truncated = -1 - iota
	overflow
	negativeLength
	endOfGroup
	wireType6
	wireType7
)

// Varint reads a varint. Bits above the 64th are dropped, as gogo drops them.
func Varint(b []byte, i int) (v uint64, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	return longVarint(b, i)
}

func longVarint(b []byte, i int) (v uint64, next int) {
	if i < 0 {
		return 0, i
	}
	for shift := 0; shift < 64; shift += 7 {
		if i >= len(b) {
			return 0, truncated
		}
		c := b[i]
		i++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v, i
		}
	}
	return 0, overflow
}

// Tag reads a tag; generated code reads those of one byte itself. The number of the field has 32
// bits, as in gogo's code; those above are dropped.
func Tag(b []byte, i int) (tag uint64, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		return uint64(b[i]), i + 1
	}
	v, next := longVarint(b, i)
	return v & (1<<35 - 1), next
}

// Zigzag32 reads an int32 in zigzag form.
func Zigzag32(b []byte, i int) (v int32, next int) {
	u, next := Varint(b, i)
	return int32(uint32(u)>>1) ^ -int32(u&1), next
}

// Zigzag64 reads an int64 in zigzag form.
func Zigzag64(b []byte, i int) (v int64, next int) {
	u, next := Varint(b, i)
	return int64(u>>1) ^ -int64(u&1), next
}

// Fixed32 reads four bytes.
func Fixed32(b []byte, i int) (v uint32, next int) {
	if i < 0 {
		return 0, i
	}
	if len(b)-i < 4 {
		return 0, truncated
	}
	return binary.LittleEndian.Uint32(b[i:]), i + 4
}

// Fixed64 reads eight bytes.
func Fixed64(b []byte, i int) (v uint64, next int) {
	if i < 0 {
		return 0, i
	}
	if len(b)-i < 8 {
		return 0, truncated
	}
	return binary.LittleEndian.Uint64(b[i:]), i + 8
}

// Float reads a float.
func Float(b []byte, i int) (v float32, next int) {
	u, next := Fixed32(b, i)
	return math.Float32frombits(u), next
}

// Double reads a double.
func Double(b []byte, i int) (v float64, next int) {
	u, next := Fixed64(b, i)
	return math.Float64frombits(u), next
}

// End reads a length and returns where what is so long starts and ends.
func End(b []byte, i int) (start, end int) {
	n, i := Varint(b, i)
	switch {
	case i < 0:
		return i, i
	case n > math.MaxInt || i+int(n) < 0:
		return negativeLength, negativeLength
	case int(n) > len(b)-i:
		return truncated, truncated
	}
	return i, i + int(n)
}

// Bytes reads a length and returns the bytes behind it, which lie in b.
func Bytes(b []byte, i int) (s []byte, next int) {
	if uint(i) < uint(len(b)) && b[i] < 0x80 {
		if n := int(b[i]); n < len(b)-i {
			return b[i+1 : i+1+n], i + 1 + n
		}
		return nil, truncated
	}
	start, end := End(b, i)
	if end < 0 {
		return nil, end
	}
	return b[start:end], end
}

// reserve makes room for n elements in a list that is empty, as gogo does.
func reserve[T any](list []T, n int) []T {
	if len(list) == 0 && n != 0 {
		return make([]T, 0, n)
	}
	return list
}

// countVarints returns how many varints end in b.
func countVarints(b []byte) (n int) {
	for _, c := range b {
		n += int(^c >> 7)
	}
	return n
}

// Varints appends a packed list. As in gogo's code, a value that starts in the list may end behind
// it.
func Varints[T integer](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, countVarints(b[i:end]))
	for uint(i) < uint(end) {
		var v uint64
		v, i = Varint(b, i)
		if i >= 0 {
			list = append(list, T(v))
		}
	}
	return list, i
}

// Zigzags32 appends a packed list of int32 in zigzag form.
func Zigzags32[T ~int32](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, countVarints(b[i:end]))
	for uint(i) < uint(end) {
		var v int32
		if v, i = Zigzag32(b, i); i >= 0 {
			list = append(list, T(v))
		}
	}
	return list, i
}

// Zigzags64 appends a packed list of int64 in zigzag form.
func Zigzags64[T ~int64](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, countVarints(b[i:end]))
	for uint(i) < uint(end) {
		var v int64
		if v, i = Zigzag64(b, i); i >= 0 {
			list = append(list, T(v))
		}
	}
	return list, i
}

// Bools appends a packed list.
func Bools[T ~bool](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, end-i)
	for uint(i) < uint(end) {
		var v uint64
		if v, i = Varint(b, i); i >= 0 {
			list = append(list, v != 0)
		}
	}
	return list, i
}

// Fixed32s appends a packed list.
func Fixed32s[T ~int32 | ~uint32](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, (end-i)/4)
	for uint(i) < uint(end) {
		var v uint32
		if v, i = Fixed32(b, i); i >= 0 {
			list = append(list, T(v))
		}
	}
	return list, i
}

// Fixed64s appends a packed list.
func Fixed64s[T ~int64 | ~uint64](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, (end-i)/8)
	for uint(i) < uint(end) {
		var v uint64
		if v, i = Fixed64(b, i); i >= 0 {
			list = append(list, T(v))
		}
	}
	return list, i
}

// Floats appends a packed list.
func Floats[T ~float32](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, (end-i)/4)
	for uint(i) < uint(end) {
		var v float32
		if v, i = Float(b, i); i >= 0 {
			list = append(list, T(v))
		}
	}
	return list, i
}

// Doubles appends a packed list.
func Doubles[T ~float64](list []T, b []byte, i int) (_ []T, next int) {
	i, end := End(b, i)
	if i < 0 {
		return list, i
	}
	list = reserve(list, (end-i)/8)
	for uint(i) < uint(end) {
		var v float64
		if v, i = Double(b, i); i >= 0 {
			list = append(list, T(v))
		}
	}
	return list, i
}
