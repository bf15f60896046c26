package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// Lists of numbers are written by loops of their own, which make room for many elements at once.

// chunk is how many elements room is made for at once.
const chunk = 64

type integer interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// integers appends a list, in brackets.
func integers[T integer](b []byte, list []T, quote int) []byte {
	if len(list) == 0 {
		return append(b, '[', ']')
	}
	start := len(b)
	for len(list) > 0 {
		some := list[:min(len(list), chunk)]
		list = list[len(some):]
		b = grow(b, len(some)*(1+room))
		n := len(b)
		for _, v := range some {
			putHalf(b, n, ','|'"'<<8)
			n += 1 + quote
			u := uint64(v)
			if v < 0 {
				putByte(b, n, '-')
				n++
				u = -u
			}
			if u < 1e8 {
				k := length(u)
				putWord(b, n, text(u, k))
				n += k
			} else {
				n = putLong(b, n, u)
			}
			putByte(b, n, '"')
			n += quote
		}
		b = b[:n]
	}
	b[start] = '['
	return append(b, ']')
}

// Int32s appends a list.
func (e *Encoder) Int32s(b []byte, list []int32) []byte { return integers(b, list, 0) }

// Uint32s appends a list.
func (e *Encoder) Uint32s(b []byte, list []uint32) []byte { return integers(b, list, 0) }

// Int64s appends a list.
func (e *Encoder) Int64s(b []byte, list []int64) []byte { return integers(b, list, e.quote) }

// Uint64s appends a list.
func (e *Encoder) Uint64s(b []byte, list []uint64) []byte { return integers(b, list, e.quote) }

// Floats appends a list.
func (e *Encoder) Floats(b []byte, list []float32) []byte {
	at := len(b)
	for _, v := range list {
		b = e.Float(append(b, ','), v)
	}
	return e.EndList(b, at)
}

// Doubles appends a list.
func (e *Encoder) Doubles(b []byte, list []float64) []byte {
	at := len(b)
	for _, v := range list {
		b = grow(b, 1+floatRoom)
		n := len(b)
		putByte(b, n, ',')
		b = b[:e.putFloat(b, n+1, v, 64)]
	}
	return e.EndList(b, at)
}

// Bools appends a list.
func (e *Encoder) Bools(b []byte, list []bool) []byte {
	at := len(b)
	for _, v := range list {
		b = e.Bool(append(b, ','), v)
	}
	return e.EndList(b, at)
}

// Strings appends a list.
func (e *Encoder) Strings(b []byte, list []string) []byte {
	at := len(b)
	for _, v := range list {
		b = e.String(append(b, ','), v)
	}
	return e.EndList(b, at)
}

// varints is integers for an encoded list: numbers are decoded while those before are written. It
// leaves the brackets to EndList.
func varints[T integer](b []byte, l rt.List, quote int) []byte {
	n, end := len(b), cap(b)-1-room
	for v := range rt.EachVarint[T](l) {
		if n > end {
			b = growSlow(b[:n], 1+room)
			end = cap(b) - 1 - room
		}
		putHalf(b, n, ','|'"'<<8)
		n += 1 + quote
		u := uint64(v)
		if v < 0 {
			putByte(b, n, '-')
			n++
			u = -u
		}
		if u < 1e8 {
			k := length(u)
			putWord(b, n, text(u, k))
			n += k
		} else {
			n = putLong(b, n, u)
		}
		putByte(b, n, '"')
		n += quote
	}
	return b[:n]
}
