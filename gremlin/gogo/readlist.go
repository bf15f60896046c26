package gogo

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
)

// reserve makes room for n more elements: exactly n in a list that is empty, as gogo does.
func reserve[T any](list []T, n int) []T {
	if len(list) == 0 && n != 0 {
		return make([]T, 0, n)
	}
	return slices.Grow(list, n)
}

// Grow makes room in a full list: for as many elements as come in a row, the one whose tag is at
// start first.
func Grow[L ~[]T, T any](list L, b []byte, start int, tag uint64) L {
	n := 0
	for i := start; i < len(b); n++ {
		t, at := Tag(b, i)
		if at < 0 || t != tag {
			break
		}
		size, at := Length(b, at)
		if at < 0 || size > len(b)-at {
			break
		}
		i = at + size
	}
	return slices.Grow(list, max(n, 1))
}

// countVarints returns how many varints end in b.
func countVarints(b []byte) (n int) {
	for len(b) >= 8 {
		n += bits.OnesCount64(^binary.LittleEndian.Uint64(b) & 0x8080808080808080)
		b = b[8:]
	}
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
		v := uint64(b[i])
		if i++; v >= 0x80 {
			// Two bytes, or any number of them.
			if i < len(b) && b[i] < 0x80 {
				v = v&0x7f | uint64(b[i])<<7
				i++
			} else if v, i = longVarint(b, i-1); i < 0 {
				break
			}
		}
		list = append(list, T(v))
	}
	return list, i
}

// Zigzags32 appends a packed list of int32 in zigzag form.
func Zigzags32[T ~int32](list []T, b []byte, i int) (_ []T, next int) {
	from := len(list)
	list, i = Varints(list, b, i)
	for k, v := range list[from:] {
		list[from+k] = T(uint32(v)>>1) ^ -(v & 1)
	}
	return list, i
}

// Zigzags64 appends a packed list of int64 in zigzag form.
func Zigzags64[T ~int64](list []T, b []byte, i int) (_ []T, next int) {
	from := len(list)
	list, i = Varints(list, b, i)
	for k, v := range list[from:] {
		list[from+k] = T(uint64(v)>>1) ^ -(v & 1)
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

// fixed reads the length of a packed list whose elements take size bytes, and returns the bytes of
// those that start in it. As in gogo's code the last one may end behind the list; short tells that
// it ends behind b.
func fixed(b []byte, i, size int) (s []byte, next int, short bool) {
	i, end := End(b, i)
	if i < 0 {
		return nil, i, false
	}
	n := (end - i + size - 1) / size
	if n*size > len(b)-i {
		return b[i : i+(n-1)*size], truncated, true
	}
	return b[i : i+n*size], i + n*size, false
}

// Fixed32s appends a packed list.
func Fixed32s[T ~int32 | ~uint32](list []T, b []byte, i int) (_ []T, next int) {
	s, next, short := fixed(b, i, 4)
	if next < 0 && !short {
		return list, next
	}
	list = reserve(list, len(s)/4)
	for len(s) >= 4 {
		list = append(list, T(binary.LittleEndian.Uint32(s)))
		s = s[4:]
	}
	return list, next
}

// Fixed64s appends a packed list.
func Fixed64s[T ~int64 | ~uint64](list []T, b []byte, i int) (_ []T, next int) {
	s, next, short := fixed(b, i, 8)
	if next < 0 && !short {
		return list, next
	}
	list = reserve(list, len(s)/8)
	for len(s) >= 8 {
		list = append(list, T(binary.LittleEndian.Uint64(s)))
		s = s[8:]
	}
	return list, next
}

// Floats appends a packed list.
func Floats[T ~float32](list []T, b []byte, i int) (_ []T, next int) {
	s, next, short := fixed(b, i, 4)
	if next < 0 && !short {
		return list, next
	}
	list = reserve(list, len(s)/4)
	for len(s) >= 4 {
		list = append(list, T(math.Float32frombits(binary.LittleEndian.Uint32(s))))
		s = s[4:]
	}
	return list, next
}

// Doubles appends a packed list.
func Doubles[T ~float64](list []T, b []byte, i int) (_ []T, next int) {
	s, next, short := fixed(b, i, 8)
	if next < 0 && !short {
		return list, next
	}
	list = reserve(list, len(s)/8)
	for len(s) >= 8 {
		list = append(list, T(math.Float64frombits(binary.LittleEndian.Uint64(s))))
		s = s[8:]
	}
	return list, next
}
