package rt

import "math"

// The functions of this file give the encoded length of a field, its tag included, in bytes; tag is
// the length of the tag. Like their Append namesakes they give 0 for the zero value, unless their
// name ends in Always.

// SizeVarint returns the length of a field that holds v.
func SizeVarint(tag int, v uint64) int {
	if v == 0 {
		return 0
	}
	return tag + sizeVarint(v)
}

// SizeVarintAlways returns the length of a field that holds v.
func SizeVarintAlways(tag int, v uint64) int { return tag + sizeVarint(v) }

// SizeFixed returns the length of a field of size bytes that is written when set.
func SizeFixed(tag, size int, set bool) int {
	if !set {
		return 0
	}
	return tag + size
}

// SizeFloat returns the length of a float field.
func SizeFloat(tag int, v float32) int { return SizeFixed(tag, 4, math.Float32bits(v) != 0) }

// SizeDouble returns the length of a double field.
func SizeDouble(tag int, v float64) int { return SizeFixed(tag, 8, math.Float64bits(v) != 0) }

// SizeLen returns the length of a string, bytes or message field with a payload of l bytes, unless
// l is 0.
func SizeLen(tag, l int) int {
	if l == 0 {
		return 0
	}
	return tag + sizeVarint(uint64(l)) + l
}

// SizeLenAlways returns the length of a string, bytes or message field with a payload of l bytes.
func SizeLenAlways(tag, l int) int { return tag + sizeVarint(uint64(l)) + l }

// SizeMessage returns the length of a field that holds a message of size bytes, if it is set.
func SizeMessage(tag int, set bool, size int) int {
	if !set {
		return 0
	}
	return SizeLenAlways(tag, size)
}
