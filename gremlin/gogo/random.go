package gogo

// Random is what random messages are made with; *rand.Rand of math/rand is one.
type Random interface {
	Float32() float32
	Float64() float64
	Int63() int64
	Int31() int32
	Uint32() uint32
	Intn(n int) int
}

// AppendVarint appends a varint.
func AppendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// RandomRune returns a digit or a letter.
func RandomRune(r Random) rune {
	return rune("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[r.Intn(62)])
}

// RandomString returns up to 99 digits and letters.
func RandomString(r Random) string {
	b := make([]byte, r.Intn(100))
	for i := range b {
		b[i] = byte(RandomRune(r))
	}
	return string(b)
}

// RandomFields returns up to four encoded fields with numbers from first on.
func RandomFields(r Random, first int) (b []byte) {
	for range r.Intn(5) {
		b = RandomField(b, r, first+r.Intn(100), []int{0, 1, 2, 5}[r.Intn(4)])
	}
	return b
}

// RandomField appends an encoded field with a random value of a wire type.
func RandomField(b []byte, r Random, number, wire int) []byte {
	b = AppendVarint(b, uint64(number)<<3|uint64(wire))
	n := 4
	switch wire {
	case 0:
		return AppendVarint(b, uint64(r.Int63()*int64(1-2*r.Intn(2))))
	case 1:
		n = 8
	case 2:
		n = r.Intn(100)
		b = AppendVarint(b, uint64(n))
	}
	for range n {
		b = append(b, byte(r.Intn(256)))
	}
	return b
}
