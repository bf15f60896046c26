package wire

// Fields reads what a payload holds, one value after the other. After the first
// that is not there all are zero, and Err says so.
type Fields struct {
	b   []byte
	bad bool
}

// NewFields reads payload, which strings and bytes alias.
func NewFields(payload []byte) *Fields { return &Fields{b: payload} }

// take returns the next n bytes.
func (f *Fields) take(n int) []byte {
	if f.bad || n < 0 || n > len(f.b) {
		f.bad = true
		return nil
	}
	b := f.b[:n]
	f.b = f.b[n:]
	return b
}

// Uint16 reads two bytes.
func (f *Fields) Uint16() uint16 {
	if b := f.take(2); b != nil {
		return little.Uint16(b)
	}
	return 0
}

// Uint32 reads four bytes.
func (f *Fields) Uint32() uint32 {
	if b := f.take(4); b != nil {
		return little.Uint32(b)
	}
	return 0
}

// Uint64 reads eight bytes.
func (f *Fields) Uint64() uint64 {
	if b := f.take(8); b != nil {
		return little.Uint64(b)
	}
	return 0
}

// Int64 reads eight bytes.
func (f *Fields) Int64() int64 { return int64(f.Uint64()) }

// Bytes reads a length of two bytes and as many bytes.
func (f *Fields) Bytes() []byte { return f.take(int(f.Uint16())) }

// String is Bytes as a copy.
func (f *Fields) String() string { return string(f.Bytes()) }

// Rest is all that was not read.
func (f *Fields) Rest() []byte { return f.take(len(f.b)) }

// Left is how many bytes were not read.
func (f *Fields) Left() int { return len(f.b) }

// Err is a ProtocolError if a value was not there or something is left.
func (f *Fields) Err(t Type) error {
	switch {
	case f.bad:
		return protocolf("a frame of %s is too short for what it says", t)
	case len(f.b) > 0:
		return protocolf("a frame of %s has %d bytes too many", t, len(f.b))
	}
	return nil
}

// AppendBytes appends a value for [Fields.Bytes]; what is over 65,535 bytes is
// cut off.
func AppendBytes[T []byte | string](dst []byte, v T) []byte {
	v = v[:min(len(v), 1<<16-1)]
	return append(little.AppendUint16(dst, uint16(len(v))), v...)
}

// AppendUints appends values for [Fields.Uint64].
func AppendUints(dst []byte, values ...uint64) []byte {
	for _, v := range values {
		dst = little.AppendUint64(dst, v)
	}
	return dst
}
