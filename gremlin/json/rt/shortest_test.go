package rt

import (
	"flag"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

var doubles = flag.Int("doubles", 200_000,
	"how many random doubles TestShortest compares of each sort; 100,000,000 take minutes")

var (
	encoder Encoder
	decoder Decoder
)

// checkDouble compares what is written for v, and what is read from it, with strconv.
func checkDouble(t *testing.T, v float64, size int) {
	t.Helper()
	// which lies halfway between two decimals; strconv takes the odd one
	if v-v != 0 || v == 0 || size == 32 && v == 0x1p-12 {
		return
	}
	v = math.Abs(v)
	var space, text [64]byte
	want := strconv.AppendFloat(space[:0], v, 'e', -1, size)
	m, exp := shortest(v, size)
	for m%10 == 0 { // zeros at the end count as no digits
		m, exp = m/10, exp+1
	}
	digits := strconv.AppendUint(text[:0], m, 10)
	got := append(make([]byte, 0, 40), digits[0])
	if len(digits) > 1 {
		got = append(append(got, '.'), digits[1:]...)
	}
	exp += len(digits) - 1
	got = append(got, 'e', "+-"[uint64(int64(exp))>>63])
	if max(exp, -exp) < 10 {
		got = append(got, '0')
	}
	if got = strconv.AppendInt(got, int64(max(exp, -exp)), 10); string(got) != string(want) {
		t.Fatalf("%x of %d bits: %s, want %s", v, size, got, want)
	}
	if size == 32 {
		return
	}
	b := encoder.Double(space[:0], v)
	decoder.s, decoder.off = view(b), 0
	var back float64
	if decoder.Double(&back); decoder.code != 0 || back != v {
		t.Fatalf("%s is read as %v", b, back)
	}
	if back, err := strconv.ParseFloat(string(b), 64); err != nil || back != v {
		t.Fatalf("%v is written as %s", v, b)
	}
}

// TestShortest compares with strconv, which is another algorithm: at all powers of two and of ten
// and beside them, at numbers halfway between decimals, and at random.
func TestShortest(t *testing.T) {
	around := func(v float64) {
		for range 3 {
			checkDouble(t, v, 64)
			checkDouble(t, math.Nextafter(v, 0), 64)
			if f := float32(v); f > 0 && !math.IsInf(float64(f), 0) {
				checkDouble(t, float64(f), 32)
				checkDouble(t, float64(math.Nextafter32(f, 0)), 32)
			}
			v = math.Nextafter(v, math.Inf(1))
		}
	}
	for exp := -1074; exp < 1024; exp++ {
		v := math.Ldexp(1, exp)
		around(v)
		around(v * 1.5)
		around(v * (2 - 0x1p-52))
	}
	for exp := -324; exp < 309; exp++ {
		for _, m := range []string{"1", "5", "25", "45", "9.5", "123456789012345",
			"99999999999999995", "4503599627370496.5", "9007199254740991.5"} {
			v, _ := strconv.ParseFloat(m+"e"+strconv.Itoa(exp), 64)
			around(v)
		}
	}
	rng := rand.New(rand.NewPCG(rand.Uint64(), 0))
	for range *doubles {
		bits := rng.Uint64()
		checkDouble(t, math.Float64frombits(bits), 64)
		checkDouble(t, float64(math.Float32frombits(uint32(bits))), 32)
		// many digits
		checkDouble(t, math.Float64frombits(bits>>12|1023<<52)*1000, 64)
		// few
		checkDouble(t, float64(bits>>(11+bits%53))/pow10[bits>>32%23], 64)
		// zeros at the end
		checkDouble(t, math.Float64frombits(bits&^(1<<(bits%52)-1)), 64)
		// just above powers of two
		checkDouble(t, math.Float64frombits(bits&(1<<(bits>>58)-1)|
			uint64(1023+rng.IntN(130)-65)<<52), 64)
	}
}

func FuzzShortest(f *testing.F) {
	f.Add(math.Float64bits(0.1))
	f.Fuzz(func(t *testing.T, bits uint64) {
		checkDouble(t, math.Float64frombits(bits), 64)
		checkDouble(t, float64(math.Float32frombits(uint32(bits))), 32)
	})
}
