package rt

// The lists of a Message. Packed lists are written like nested messages: a length that is patched
// in, no second pass.

// AppendVarintFields appends a list of varints, a field each.
func AppendVarintFields[T varintNumber](b []byte, tag uint32, s []T) []byte {
	for _, v := range s {
		b = AppendVarintWideAlways(b, tag, uint64(v))
	}
	return b
}

// AppendSintFields appends a list of sint32 or sint64, a field each.
func AppendSintFields[T int32 | int64](b []byte, tag uint32, s []T) []byte {
	for _, v := range s {
		b = AppendVarintWideAlways(b, tag, Zigzag(int64(v)))
	}
	return b
}

// AppendBoolFields appends a list of bool, a field each.
func AppendBoolFields(b []byte, tag uint32, s []bool) []byte {
	for _, v := range s {
		b = AppendBoolAlways(b, tag, v)
	}
	return b
}

// AppendFixedFields appends a list of numbers of 4 or 8 bytes, a field each.
func AppendFixedFields[T fixedNumber](b []byte, tag uint32, s []T) []byte {
	for i := range s {
		b = appendRaw(appendVarint(b, uint64(tag)), s[i:i+1])
	}
	return b
}

// AppendStringFields appends a list of strings.
func AppendStringFields(b []byte, tag uint32, s []string) []byte {
	for _, v := range s {
		b = AppendStringWideAlways(b, tag, v)
	}
	return b
}

// AppendBytesFields appends a list of byte slices.
func AppendBytesFields(b []byte, tag uint32, s [][]byte) []byte {
	for _, v := range s {
		b = AppendBytesAlways(b, tag, v)
	}
	return b
}

// maxShortList is the length of the longest list of varints that is written with one look at the
// capacity. It takes less than 1<<14 bytes, the length of which takes one or two.
const maxShortList = 1<<14/10 - 1

// AppendPackedVarints appends a packed list of varints unless it is empty.
func AppendPackedVarints[T varintNumber](b []byte, tag uint32, s []T) []byte {
	if len(s) == 0 {
		return b
	}
	return appendPackedVarints(b, tag, s)
}

//go:noinline
func appendPackedVarints[T varintNumber](b []byte, tag uint32, s []T) []byte {
	i := uint(len(b))
	if len(s) > maxShortList || uint(cap(b))-i < room+10*uint(len(s)) || tag >= maxTag {
		b, at := (*Encoder)(nil).Begin(b, tag)
		return endLength(packVarints(b, s), at, 1)
	}
	p := ptrOf(b)
	i = storeTag(p, i, tag)
	end := storeVarints(p, i+1, s)
	if end > i+0x80 {
		return endTwo(b, i, end)
	}
	store8(p, i, byte(end-i-1))
	return b[:end]
}

// storeVarints writes varints at p+i, where there is room, and returns the offset behind them.
func storeVarints[T varintNumber](p Ptr, i uint, s []T) uint {
	for _, v := range s {
		if x := uint64(v); x < 0x80 {
			store8(p, i, byte(x))
			i++
		} else if x < 1<<56 {
			i = storeShort(p, i, x)
		} else {
			i = storeLong(p, i, x)
		}
	}
	return i
}

// endTwo sets the length of a list of at least 0x80 bytes that ends at end and has the byte at i
// for it.
//
//go:noinline
func endTwo(b []byte, i, end uint) []byte {
	b = b[:end+1]
	n := copy(b[i+2:], b[i+1:end])
	b[i], b[i+1] = byte(n)|0x80, byte(n>>7)
	return b
}

// packVarints appends varints alone.
func packVarints[T varintNumber](b []byte, s []T) []byte {
	for len(s) > 0 {
		// As many as surely fit are stored without looking at the capacity again.
		n := min((cap(b)-len(b))/10, len(s))
		if n == 0 {
			b, s = appendVarint(b, uint64(s[0])), s[1:]
			continue
		}
		b, s = b[:storeVarints(ptrOf(b), uint(len(b)), s[:n])], s[n:]
	}
	return b
}

// AppendPackedSints appends a packed list of sint32 or sint64 unless it is empty.
func AppendPackedSints[T int32 | int64](b []byte, tag uint32, s []T) []byte {
	if len(s) == 0 {
		return b
	}
	return appendPackedSints(b, tag, s)
}

//go:noinline
func appendPackedSints[T int32 | int64](b []byte, tag uint32, s []T) []byte {
	i := uint(len(b))
	if len(s) <= maxShortList && uint(cap(b))-i >= room+10*uint(len(s)) && tag < maxTag {
		p := ptrOf(b)
		i = storeTag(p, i, tag)
		end := storeSints(p, i+1, s)
		if end > i+0x80 {
			return endTwo(b, i, end)
		}
		store8(p, i, byte(end-i-1))
		return b[:end]
	}
	b, at := (*Encoder)(nil).Begin(b, tag)
	var zigzags [8]uint64 // few at a time, written as varints are
	for len(s) > 0 {
		n := min(len(s), len(zigzags))
		for i, v := range s[:n] {
			zigzags[i] = Zigzag(int64(v))
		}
		b, s = packVarints(b, zigzags[:n]), s[n:]
	}
	return endLength(b, at, 1)
}

// storeSints is storeVarints for sint32 and sint64.
func storeSints[T int32 | int64](p Ptr, i uint, s []T) uint {
	for _, v := range s {
		if x := Zigzag(int64(v)); x < 0x80 {
			store8(p, i, byte(x))
			i++
		} else if x < 1<<56 {
			i = storeShort(p, i, x)
		} else {
			i = storeLong(p, i, x)
		}
	}
	return i
}

// AppendPackedBools appends a packed list of bool unless it is empty.
func AppendPackedBools(b []byte, tag uint32, s []bool) []byte {
	if len(s) == 0 {
		return b
	}
	return appendPackedBools(b, tag, s)
}

//go:noinline
func appendPackedBools(b []byte, tag uint32, s []bool) []byte {
	return appendBools(AppendVarintWideAlways(b, tag, uint64(len(s))), s)
}

// AppendPackedFixed appends a packed list of numbers of 4 or 8 bytes unless it is empty.
func AppendPackedFixed[T fixedNumber](b []byte, tag uint32, s []T) []byte {
	if len(s) == 0 {
		return b
	}
	return appendPackedFixed(b, tag, s)
}

//go:noinline
func appendPackedFixed[T fixedNumber](b []byte, tag uint32, s []T) []byte {
	i, size := uint(len(b)), uint(len(s))*sizeFixed[T]()
	if size >= 0x80 || uint(cap(b))-i < room || tag >= maxTag {
		return appendRaw(AppendVarintWideAlways(b, tag, uint64(size)), s)
	}
	p := ptrOf(b)
	i = storeTag(p, i, tag)
	store8(p, i, byte(size))
	return appendRaw(b[:i+1], s)
}

// SizeVarintFields returns the length of a list of varints, a field each.
func SizeVarintFields[T varintNumber](tag int, s []T) int { return len(s)*tag + sizeVarints(s) }

// SizeSintFields returns the length of a list of sint32 or sint64, a field each.
func SizeSintFields[T int32 | int64](tag int, s []T) int { return len(s)*tag + sizeSints(s) }

// SizePackedVarints returns the length of a packed list of varints.
func SizePackedVarints[T varintNumber](tag int, s []T) int { return SizeLen(tag, sizeVarints(s)) }

// SizePackedSints returns the length of a packed list of sint32 or sint64.
func SizePackedSints[T int32 | int64](tag int, s []T) int { return SizeLen(tag, sizeSints(s)) }

func sizeVarints[T varintNumber](s []T) (n int) {
	for _, v := range s {
		n += sizeVarint(uint64(v))
	}
	return n
}

func sizeSints[T int32 | int64](s []T) (n int) {
	for _, v := range s {
		n += sizeVarint(Zigzag(int64(v)))
	}
	return n
}

// SizeStringFields returns the length of a list of strings.
func SizeStringFields(tag int, s []string) (n int) {
	for _, v := range s {
		n += SizeLenAlways(tag, len(v))
	}
	return n
}

// SizeBytesFields returns the length of a list of byte slices.
func SizeBytesFields(tag int, s [][]byte) (n int) {
	for _, v := range s {
		n += SizeLenAlways(tag, len(v))
	}
	return n
}
