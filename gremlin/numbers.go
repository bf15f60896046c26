package gremlin

import (
	"iter"
	"math/bits"
	"slices"
)

// The lists of numbers. Each is read whether packed or not, and mixed; the walk goes run by run, a run being one packed
// field or one single value.

type varintNumber interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

type fixedNumber interface {
	int32 | uint32 | float32 | int64 | uint64 | float64
}

// growSlice makes room for n more elements.
func growSlice[T any](s []T, n int) []T {
	if n > cap(s)-len(s) {
		return slices.Grow(s, n)
	}
	return s
}

// run moves to the next run and tells whether there is one. Afterwards [pos, end) are its bytes.
//
//go:noinline
func (l *List) run(single uint) bool {
	for l.off != 0 {
		next := bad
		if l.packed {
			l.pos, l.end = payloadAt(l.p, l.n, l.off)
			next = l.end
		} else if next = skipValue(l.p, l.n, l.off, single); next != bad {
			l.pos, l.end = l.off, next
		}
		l.off = 0
		if next == bad {
			l.pos, l.end = 0, 0
			return false
		}
		for next < l.n {
			tag, after := tagAt(l.p, l.n, next)
			if after == bad {
				break
			}
			if wt := tag & 7; tag>>3 == uint(l.tag>>3) && (wt == single || wt == wireBytes) {
				l.off, l.packed = after, wt == wireBytes
				break
			}
			if !l.irregular {
				break
			}
			next = skipValue(l.p, l.n, after, tag)
		}
		if l.pos < l.end {
			return true
		}
	}
	return false
}

//go:noinline
func (l *List) nextVarint() (uint64, bool) {
	if l.pos >= l.end && !l.run(wireVarint) {
		return 0, false
	}
	x, next := varintAt(l.p, l.end, l.pos)
	if next == bad {
		*l = List{}
		return 0, false
	}
	l.pos = next
	return x, true
}

// Varints yields the numbers of a list of int32, int64, uint32, uint64 or an open enum.
func Varints[T varintNumber](l List) iter.Seq[T] {
	return func(yield func(T) bool) {
		l := l
		for {
			x, ok := l.nextVarint()
			if !ok || !yield(T(x)) {
				return
			}
		}
	}
}

// Sints yields the numbers of a list of sint32 or sint64.
func Sints[T int32 | int64](l List) iter.Seq[T] {
	return func(yield func(T) bool) {
		l := l
		for {
			x, ok := l.nextVarint()
			if !ok || !yield(sintOf[T](x)) {
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

// Bools yields the values of a list of bool.
func (l List) Bools() iter.Seq[bool] {
	return func(yield func(bool) bool) {
		l := l
		for {
			x, ok := l.nextVarint()
			if !ok || !yield(x != 0) {
				return
			}
		}
	}
}

// ClosedEnums yields the values of a list of a closed enum, without the numbers that it does not have.
func ClosedEnums[T ~int32](l List, e *EnumInfo) iter.Seq[T] {
	return func(yield func(T) bool) {
		l := l
		for {
			x, ok := l.nextEnum(e)
			if !ok || !yield(T(x)) {
				return
			}
		}
	}
}

//go:noinline
func (l *List) nextEnum(e *EnumInfo) (int32, bool) {
	for {
		x, ok := l.nextVarint()
		if !ok || e.Valid(int32(x)) {
			return int32(x), ok
		}
	}
}

// Fixed yields the numbers of a list of fixed32, sfixed32, float, fixed64, sfixed64 or double.
func Fixed[T fixedNumber](l List) iter.Seq[T] {
	return func(yield func(T) bool) {
		l := l
		for {
			at, ok := l.nextFixed(sizeFixed[T]())
			if !ok || !yield(fixedAt[T](l.p, at)) {
				return
			}
		}
	}
}

// nextFixed returns where the next number of size bytes is. It is no generic function, for which l would go to the heap.
//
//go:noinline
func (l *List) nextFixed(size uint) (at uint, ok bool) {
	wire := uint(wireFixed32)
	if size == 8 {
		wire = wireFixed64
	}
	for l.pos+size > l.end {
		if !l.run(wire) {
			return 0, false
		}
	}
	at = l.pos
	l.pos += size
	return at, true
}

// LenVarints counts the numbers of a list of varints without decoding them.
func (l List) LenVarints() (count int) {
	for l.run(wireVarint) {
		count += countVarints(l.p, l.end, l.pos)
	}
	return count
}

// LenEnums counts the values of a list of a closed enum.
func (l List) LenEnums(e *EnumInfo) (count int) {
	for {
		if _, ok := l.nextEnum(e); !ok {
			return count
		}
		count++
	}
}

// LenFixed counts the numbers of a list of 4- or 8-byte numbers.
func (l List) LenFixed(size int) (count int) {
	wire := uint(wireFixed32)
	if size == 8 {
		wire = wireFixed64
	}
	for l.run(wire) {
		count += int(l.end-l.pos) / size
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

// AppendVarints appends what Varints yields.
func AppendVarints[T varintNumber](dst []T, l List) []T {
	dst = growSlice(dst, l.LenVarints())
	for l.run(wireVarint) {
		var next uint
		if dst, next = appendVarints(dst, l.p, l.end, l.pos); next == bad {
			return dst
		}
	}
	return dst
}

// appendVarints appends the varints up to n and returns n, or bad when one is malformed. dst has room for them.
func appendVarints[T varintNumber](dst []T, p Ptr, n, off uint) ([]T, uint) {
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

// AppendSints appends what Sints yields.
func AppendSints[T int32 | int64](dst []T, l List) []T {
	dst = growSlice(dst, l.LenVarints())
	for x := range Sints[T](l) {
		dst = append(dst, x)
	}
	return dst
}

// AppendBools appends what Bools yields.
func (l List) AppendBools(dst []bool) []bool {
	dst = growSlice(dst, l.LenVarints())
	for x := range l.Bools() {
		dst = append(dst, x)
	}
	return dst
}

// AppendClosedEnums appends what ClosedEnums yields.
func AppendClosedEnums[T ~int32](dst []T, l List, e *EnumInfo) []T {
	for x := range ClosedEnums[T](l, e) {
		dst = append(dst, x)
	}
	return dst
}

// AppendFixed appends what Fixed yields.
func AppendFixed[T fixedNumber](dst []T, l List) []T {
	size, wire := sizeFixed[T](), uint(wireFixed32)
	if size == 8 {
		wire = wireFixed64
	}
	for l.run(wire) {
		dst = appendFixed(dst, viewBytes(l.p, l.pos, (l.end-l.pos)/size*size))
	}
	return dst
}
