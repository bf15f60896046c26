package gogo

// ordered is a type whose values have an order.
type ordered interface {
	~int | ~int32 | ~int64 | ~uint32 | ~uint64 | ~float32 | ~float64 | ~string
}

// EqualPointers tells whether both are nil or point to equal values.
func EqualPointers[T comparable](a, b *T) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// Compare returns -1, 0 or 1. NaN comes behind everything, itself included, as in gogo's code.
func Compare[T ordered](a, b T) int {
	switch {
	case a == b:
		return 0
	case a < b:
		return -1
	}
	return 1
}

// CompareBool returns -1, 0 or 1; false comes first.
func CompareBool[T ~bool](a, b T) int {
	switch {
	case a == b:
		return 0
	case !bool(a):
		return -1
	}
	return 1
}

// ComparePointers compares what pointers point to; nil comes first.
func ComparePointers[T ordered](a, b *T) int {
	if a == nil || b == nil {
		return CompareBool(a != nil, b != nil)
	}
	return Compare(*a, *b)
}

// CompareBoolPointers compares what pointers point to; nil comes first.
func CompareBoolPointers[T ~bool](a, b *T) int {
	if a == nil || b == nil {
		return CompareBool(a != nil, b != nil)
	}
	return CompareBool(*a, *b)
}

// CompareCustom compares two pointers; nil comes first, and compare is called when neither is nil.
func CompareCustom[T any](a, b *T, compare func() int) int {
	if a == nil || b == nil {
		return CompareBool(a != nil, b != nil)
	}
	return compare()
}
