//go:build purego || !(amd64 || arm64 || 386 || ppc64le || wasm)

package rt

import "math"

// This file gives the functions of unsafe.go without unsafe; see there. Strings are copied,
// everything else is the same.

// Ptr points to the first byte of a message. It is opaque to generated code.
type Ptr struct{ b []byte }

func ptrOf(b []byte) Ptr { return Ptr{b[:cap(b)]} }

func ptrAdd(p Ptr, off uint) Ptr { return Ptr{p.b[off:]} }

func load8(p Ptr, i uint) uint { return uint(p.b[i]) }

func load16(p Ptr, i uint) uint {
	b := p.b[i : i+2]
	return uint(b[0]) | uint(b[1])<<8
}

func load32(p Ptr, i uint) uint32 {
	b := p.b[i : i+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func load64(p Ptr, i uint) uint64 { return uint64(load32(p, i)) | uint64(load32(p, i+4))<<32 }

func store8(p Ptr, i uint, v byte) { p.b[i] = v }

func store16(p Ptr, i uint, v uint16) {
	b := p.b[i : i+2]
	b[0], b[1] = byte(v), byte(v>>8)
}

func store32(p Ptr, i uint, v uint32) {
	b := p.b[i : i+4]
	b[0], b[1], b[2], b[3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

func store64(p Ptr, i uint, v uint64) {
	store32(p, i, uint32(v))
	store32(p, i+4, uint32(v>>32))
}

func viewString(p Ptr, i, l uint) string { return string(p.b[i : i+l]) }

func viewBytes(p Ptr, i, l uint) []byte { return p.b[i : i+l : i+l] }

func setString(v *string, p Ptr, i, l uint) { *v = viewString(p, i, l) }

func setBytes(v *[]byte, p Ptr, i, l uint) { *v = viewBytes(p, i, l) }

// AppendStringAlways appends a string. The tag has one byte.
func AppendStringAlways(b []byte, tag uint32, s string) []byte {
	return appendStringSlow(b, tag, s)
}

// AppendBytesAlways appends a bytes value. The tag may have any length.
func AppendBytesAlways(b []byte, tag uint32, v []byte) []byte {
	return append(appendVarint(appendVarint(b, uint64(tag)), uint64(len(v))), v...)
}

func ownString(b []byte) string { return string(b) }

func appendRaw[T fixedNumber](b []byte, s []T) []byte {
	for _, v := range s {
		switch v := any(v).(type) {
		case int32:
			b = appendWord(b, uint64(v), 4)
		case uint32:
			b = appendWord(b, uint64(v), 4)
		case float32:
			b = appendWord(b, uint64(math.Float32bits(v)), 4)
		case int64:
			b = appendWord(b, uint64(v), 8)
		case uint64:
			b = appendWord(b, v, 8)
		case float64:
			b = appendWord(b, math.Float64bits(v), 8)
		}
	}
	return b
}

func appendBools(b []byte, s []bool) []byte {
	for _, v := range s {
		b = append(b, byte(boolBit(v)))
	}
	return b
}

func appendFixed[T fixedNumber](dst []T, b []byte) []T {
	p, size := ptrOf(b), sizeFixed[T]()
	for off := uint(0); off < uint(len(b)); off += size {
		dst = append(dst, fixedAt[T](p, off))
	}
	return dst
}

const piece = 1984

func copyOfLong(b []byte) []byte { return append(make([]byte, 0, len(b)), b...) }

func makeNumbers[T any](_ *Decoder, n int) []T { return make([]T, 0, n) }

func sizeFixed[T fixedNumber]() uint {
	var zero T
	switch any(zero).(type) {
	case int32, uint32, float32:
		return 4
	}
	return 8
}

func fixedAt[T fixedNumber](p Ptr, off uint) T {
	var x T
	switch x := any(&x).(type) {
	case *int32:
		*x = int32(load32(p, off))
	case *uint32:
		*x = load32(p, off)
	case *float32:
		*x = math.Float32frombits(load32(p, off))
	case *int64:
		*x = int64(load64(p, off))
	case *uint64:
		*x = load64(p, off)
	case *float64:
		*x = math.Float64frombits(load64(p, off))
	}
	return x
}

// MakeBuffer returns an empty buffer with room for n bytes. It is for generated code.
func MakeBuffer(n int) []byte { return make([]byte, 0, n) }

// NoEscape returns p, which escapes.
func NoEscape[T any](p *T) *T { return p }
