//go:build purego || !(amd64 || arm64 || 386 || ppc64le || wasm)

package rt

// This file gives the functions of unsafe.go without unsafe; see there.

func view(b []byte) string { return string(b) }

func putByte(b []byte, i int, x byte) { b[:cap(b)][i] = x }

func putHalf(b []byte, i int, x uint32) {
	b = b[:cap(b)][i : i+4]
	b[0], b[1], b[2], b[3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
}

func putWord(b []byte, i int, x uint64) {
	putHalf(b, i, uint32(x))
	putHalf(b, i+4, uint32(x>>32))
}

func half(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func word(s string, i int) uint64 { return uint64(half(s, i)) | uint64(half(s, i+4))<<32 }
