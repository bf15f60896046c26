package json

// Lists of numbers are written by loops of their own, which make room for many elements at once.

// chunk is how many elements room is made for, and maxDigits how many bytes an integer takes at most, with a comma.
const (
	chunk     = 64
	maxDigits = 24
)

type integer interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// integers appends a list, in brackets.
func integers[T integer](b []byte, list []T, quoted bool) []byte {
	if len(list) == 0 {
		return append(b, '[', ']')
	}
	at := len(b)
	for len(list) > 0 {
		n := min(len(list), chunk)
		b = grow(b, n*maxDigits)
		w := b[len(b) : len(b)+n*maxDigits]
		k := 0
		for _, v := range list[:n] {
			w[k] = ','
			k++
			if quoted {
				w[k] = '"'
				k++
			}
			u := uint64(v)
			if v < 0 {
				w[k] = '-'
				k++
				u = -u
			}
			if u < 10 {
				w[k] = '0' + byte(u)
				k++
			} else {
				start := k
				k += decimals(u)
				putUint(w[start:k], u)
			}
			if quoted {
				w[k] = '"'
				k++
			}
		}
		b = b[:len(b)+k]
		list = list[n:]
	}
	b[at] = '['
	return append(b, ']')
}

// Int32s appends a list.
func (e *Encoder) Int32s(b []byte, list []int32) []byte { return integers(b, list, false) }

// Uint32s appends a list.
func (e *Encoder) Uint32s(b []byte, list []uint32) []byte { return integers(b, list, false) }

// Int64s appends a list.
func (e *Encoder) Int64s(b []byte, list []int64) []byte { return integers(b, list, !e.numbers) }

// Uint64s appends a list.
func (e *Encoder) Uint64s(b []byte, list []uint64) []byte { return integers(b, list, !e.numbers) }

// Floats appends a list.
func (e *Encoder) Floats(b []byte, list []float32) []byte {
	at := len(b)
	for _, v := range list {
		b = e.float(append(b, ','), float64(v), 32)
	}
	return e.EndList(b, at)
}

// Doubles appends a list.
func (e *Encoder) Doubles(b []byte, list []float64) []byte {
	at := len(b)
	for _, v := range list {
		b = e.float(append(b, ','), v, 64)
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
