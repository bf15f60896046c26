package rt

import (
	"iter"
	"math/bits"
	"slices"
)

// The lists of numbers. Each is read whether packed or not, and mixed; the walk goes run by run, a
// run being one packed field or one single value.

type varintNumber interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

type fixedNumber interface {
	int32 | uint32 | float32 | int64 | uint64 | float64
}

// growSlice makes room for n more elements.
func growSlice[T any](s []T, n int) []T {
	switch {
	case n <= cap(s)-len(s):
		return s
	case cap(s) == 0:
		return make([]T, 0, n) // slices.Grow clears the memory twice
	}
	return slices.Grow(s, n)
}

// run moves to the next run and returns where it starts and ends; 0 and 0 when there is none.
func (l *List) run(single uint) (pos, end uint) {
	if l.off == 0 {
		return 0, 0
	}
	return l.nextRun(single)
}

//go:noinline
func (l *List) nextRun(single uint) (pos, end uint) {
	for l.off != 0 {
		tag := uint(uint32(l.tag))&^7 | single
		other := tag&^7 | wireBytes
		if l.tag&listPacked != 0 {
			pos, end = payloadAt(l.p, l.n, l.off)
			tag, other = other, tag
		} else {
			pos, end = l.off, skipValue(l.p, l.n, l.off, single)
		}
		l.off = 0
		if end == bad {
			return 0, 0
		}
		if l.off, tag = l.follow(end, tag, other); tag&7 == wireBytes {
			l.tag |= listPacked
		} else {
			l.tag &^= listPacked
		}
		if pos < end {
			return pos, end
		}
	}
	return 0, 0
}

// The Each functions are the iterators of Readers. They are functions that return one, because of
// those the compiler inlines more: a loop over a list becomes one loop, without a call for an
// element. What they call is inlined or does not keep l.

// Where the processor helps, packed varints are read many at once, see unspread.
const (
	fewBytes    = 6  // shorter lists take less time without
	manyBytes   = 24 // shorter runs take less time without in an iterator
	spareBytes  = 72 // must be readable, whatever the length of the list
	someVarints = 16 // are read at once by an iterator; more take longer to clear
)

// EachVarint yields the values of a list of int32, int64, uint32, uint64 or an open enum.
func EachVarint[T varintNumber](l List) iter.Seq[T] {
	return func(yield func(T) bool) {
		l := l
		var some *[someVarints]uint64
		off, end := l.run(wireVarint)
		if hasUnspread && off+manyBytes <= end {
			some = new([someVarints]uint64)
		}
		for ; off < end; off, end = l.run(wireVarint) {
			for off < end {
				var x uint64
				count := 0
				if some != nil && off+manyBytes <= end && off+spareBytes <= l.n {
					count, off = unspreadSome(some, l.p, end, off, l.n)
				}
				if count != 0 {
					x = some[0]
				} else if x = uint64(load8(l.p, off)); x < 0x80 {
					off++
				} else if off+8 <= l.n && load64(l.p, off)&continuation != continuation {
					x = load64(l.p, off)
					stop := ^x & continuation
					x = compact(x & (stop ^ (stop - 1)))
					off += uint(bits.TrailingZeros64(stop)>>3) + 1
					if off > end {
						return
					}
				} else if x, off = longVarintAt(l.p, end, off); off == bad {
					return
				}
				for i := 1; ; i++ {
					if !yield(T(x)) {
						return
					}
					if i >= count || i >= len(some) {
						break
					}
					x = some[i]
				}
			}
		}
	}
}

// EachSint yields the values of a list of sint32 or sint64.
func EachSint[T int32 | int64](l List) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := range EachVarint[uint64](l) {
			if !yield(sintOf[T](x)) {
				return
			}
		}
	}
}

// sintOf undoes the zigzag coding; a sint32 is cut to 32 bits before.
func sintOf[T int32 | int64](x uint64) T {
	if T(1)<<31 < 0 {
		x = uint64(uint32(x))
	}
	return T(unzigzag(x))
}

// EachBool yields the values of a list of bool.
func EachBool(l List) iter.Seq[bool] {
	return func(yield func(bool) bool) {
		for x := range EachVarint[uint64](l) {
			if !yield(x != 0) {
				return
			}
		}
	}
}

// EachClosedEnum yields the values of a list of a closed enum, without the numbers that it does not
// have.
func EachClosedEnum[T ~int32](l List, e *EnumInfo) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := range EachVarint[T](l) {
			if e.Valid(int32(x)) && !yield(x) {
				return
			}
		}
	}
}

// EachFixed yields the values of a list of fixed32, sfixed32, float, fixed64, sfixed64 or double.
func EachFixed[T fixedNumber](l List) iter.Seq[T] {
	return func(yield func(T) bool) {
		l := l
		size, wire := fixedWire[T]()
		for off, end := l.run(wire); off < end; off, end = l.run(wire) {
			for ; off+size <= end; off += size {
				if !yield(fixedAt[T](l.p, off)) {
					return
				}
			}
		}
	}
}

// fixedWire returns the size of T in bytes and its wire type.
func fixedWire[T fixedNumber]() (size, wire uint) {
	if size = sizeFixed[T](); size == 8 {
		return size, wireFixed64
	}
	return size, wireFixed32
}

// LenVarints counts the numbers of a list of varints without decoding them.
func (l List) LenVarints() (count int) {
	for off, end := l.run(wireVarint); off < end; off, end = l.run(wireVarint) {
		count += countVarints(l.p, end, off)
	}
	return count
}

// LenEnums counts the values of a list of a closed enum.
func (l List) LenEnums(e *EnumInfo) (count int) {
	for range EachClosedEnum[int32](l, e) {
		count++
	}
	return count
}

// LenFixed counts the numbers of a list of 4- or 8-byte numbers.
func (l List) LenFixed(size int) (count int) {
	wire := uint(wireFixed32)
	if size == 8 {
		wire = wireFixed64
	}
	for off, end := l.run(wire); off < end; off, end = l.run(wire) {
		count += int(end-off) / size
	}
	return count
}

// countVarints counts the bytes that end a varint.
func countVarints(p Ptr, n, off uint) (count int) {
	for ; off+8 <= n; off += 8 {
		count += bits.OnesCount64(^load64(p, off) & continuation)
	}
	for ; off < n; off++ {
		if load8(p, off) < 0x80 {
			count++
		}
	}
	return count
}

// CollectVarints appends what EachVarint yields.
func CollectVarints[T varintNumber](dst []T, l List) []T {
	dst = growSlice(dst, l.LenVarints())
	for off, end := l.run(wireVarint); off < end; off, end = l.run(wireVarint) {
		if dst, off = appendVarints(dst, l.p, end, off, l.n); off == bad {
			return dst
		}
	}
	return dst
}

// appendVarints appends the varints up to n and returns n, or bad when one is malformed. dst has
// room for them. p may be read up to limit, which makes it faster.
func appendVarints[T varintNumber](dst []T, p Ptr, n, off, limit uint) ([]T, uint) {
	if hasUnspread && off+fewBytes <= n {
		dst, off = unspread(dst, p, n, off, limit)
	}
	for off+8 <= n {
		x := load64(p, off)
		stop := ^x & continuation
		if stop == 0 {
			v, next := longVarintAt(p, n, off)
			if next == bad {
				return dst, bad
			}
			dst, off = append(dst, T(v)), next
			continue
		}
		dst = append(dst, T(compact(x&(stop^(stop-1)))))
		off += uint(bits.TrailingZeros64(stop)>>3) + 1
	}
	for off < n {
		v, next := varintAt(p, n, off)
		if next == bad {
			return dst, bad
		}
		dst, off = append(dst, T(v)), next
	}
	return dst, off
}

// CollectSints appends what EachSint yields.
func CollectSints[T int32 | int64](dst []T, l List) []T {
	before := len(dst)
	dst = CollectVarints(dst, l)
	unzigzagAll(dst[before:])
	return dst
}

// unzigzagAll undoes the zigzag coding of numbers that were read as if they had none.
func unzigzagAll[T int32 | int64](s []T) {
	for i, x := range s {
		s[i] = sintOf[T](uint64(x))
	}
}

// CollectBools appends what EachBool yields.
func (l List) CollectBools(dst []bool) []bool {
	dst = growSlice(dst, l.LenVarints())
	for x := range EachBool(l) {
		dst = append(dst, x)
	}
	return dst
}

// CollectClosedEnums appends what EachClosedEnum yields.
func CollectClosedEnums[T ~int32](dst []T, l List, e *EnumInfo) []T {
	for x := range EachClosedEnum[T](l, e) {
		dst = append(dst, x)
	}
	return dst
}

// CollectFixed appends what EachFixed yields.
func CollectFixed[T fixedNumber](dst []T, l List) []T {
	size, wire := fixedWire[T]()
	for off, end := l.run(wire); off < end; off, end = l.run(wire) {
		dst = appendFixed(dst, viewBytes(l.p, off, (end-off)/size*size))
	}
	return dst
}
