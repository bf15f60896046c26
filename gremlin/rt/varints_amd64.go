//go:build gc && !purego

package rt

// hasUnspread tells whether unspread works here and is fast: an x86 processor with BMI2, and of
// AMD's not one before Zen 3, on which PEXT takes hundreds of cycles.
var hasUnspread = hasFastPEXT()

// cpuid asks the processor what it is and what it can.
func cpuid(leaf uint32) (eax, ebx, ecx uint32)

func hasFastPEXT() bool {
	// intel: the first letters of the vendor's name
	const intel, zen3, bmi1, bmi2 = 0x756e6547, 0x19, 1 << 3, 1 << 8
	last, vendor, _ := cpuid(0)
	if last < 7 {
		return false
	}
	version, _, _ := cpuid(1)
	family := version >> 8 & 0xf
	if family == 0xf {
		family += version >> 20 & 0xff
	}
	_, features, _ := cpuid(7)
	return features&bmi1 != 0 && features&bmi2 != 0 && (vendor == intel || family >= zen3)
}

// unspread32 and unspread64 decode varints that start at off and end at n or before, to dst, where
// there is room for so many numbers of 4 or 8 bytes. They stop before a varint that is malformed,
// that ends beyond n, or that has no room, and where fewer than spareBytes are left before limit,
// which is how far p may be read. They return how many bytes were written, and where the next
// varint starts.

//go:noescape
func unspread32(dst *byte, room uint, p *byte, n, off, limit uint) (written, next uint)

//go:noescape
func unspread64(dst *byte, room uint, p *byte, n, off, limit uint) (written, next uint)

// unspread appends as many of the varints from off on as it can, where dst has room for them, and
// returns where the next one starts. p may be read up to limit.
func unspread[T varintNumber](dst []T, p Ptr, n, off, limit uint) (_ []T, next uint) {
	old, room := len(dst), uint(cap(dst)-len(dst))
	if room == 0 {
		return dst, off
	}
	first, base := (*byte)(Ptr(&dst[:old+1][old])), (*byte)(p)
	var written uint
	if one := T(1); one<<31<<1 == 0 {
		written, next = unspread32(first, room, base, n, off, limit)
		return dst[:old+int(written/4)], next
	}
	written, next = unspread64(first, room, base, n, off, limit)
	return dst[:old+int(written/8)], next
}

// unspreadSome is unspread for iterators. It is not generic, because what a generic function is
// handed by another one escapes.
func unspreadSome(dst *[someVarints]uint64, p Ptr, n, off, limit uint) (count int, next uint) {
	written, next := unspread64((*byte)(Ptr(dst)), someVarints, (*byte)(p), n, off, limit)
	return int(written / 8), next
}
