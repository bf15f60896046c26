package rt

import (
	"iter"
	"slices"
	"strings"
)

// What generated Equal, Clone and MarshalStable need beyond the language's own operators.

// EqualFloat compares numbers; NaN equals NaN.
func EqualFloat[T float32 | float64](x, y T) bool { return x == y || x != x && y != y }

// EqualFloats compares lists of numbers by EqualFloat.
func EqualFloats[T float32 | float64](x, y []T) bool {
	return slices.EqualFunc(x, y, EqualFloat[T])
}

// EqualBytes compares byte slices; nil equals empty.
func EqualBytes(x, y []byte) bool { return string(x) == string(y) }

// EqualByteSlices compares lists of byte slices.
func EqualByteSlices(x, y [][]byte) bool { return slices.EqualFunc(x, y, EqualBytes) }

// EqualList compares lists of anything that == compares.
func EqualList[T comparable](x, y []T) bool { return slices.Equal(x, y) }

// EqualOptional compares fields with presence.
func EqualOptional[T comparable](x, y *T) bool {
	return x == y || x != nil && y != nil && *x == *y
}

// EqualOptionalFloat compares fields with presence by EqualFloat.
func EqualOptionalFloat[T float32 | float64](x, y *T) bool {
	return x == y || x != nil && y != nil && EqualFloat(*x, *y)
}

// EqualMap compares maps whose values == compares.
func EqualMap[K, V comparable](x, y map[K]V) bool {
	return EqualMapFunc(x, y, func(a, b V) bool { return a == b })
}

// EqualMapFunc compares maps by a function of their values.
func EqualMapFunc[K comparable, V any](x, y map[K]V, equal func(V, V) bool) bool {
	if len(x) != len(y) {
		return false
	}
	for k, a := range x {
		if b, ok := y[k]; !ok || !equal(a, b) {
			return false
		}
	}
	return true
}

// CloneOptional copies a field with presence.
func CloneOptional[T any](x *T) *T {
	if x == nil {
		return nil
	}
	y := owned(*x)
	return &y
}

// CloneString copies a string, which may be memory of an input, see Borrow.
func CloneString(x string) string { return strings.Clone(x) }

// owned returns x, copied if it is a string.
func owned[T any](x T) T {
	if s, ok := any(&x).(*string); ok {
		*s = strings.Clone(*s)
	}
	return x
}

// CloneBytes copies a byte slice; nil stays nil.
func CloneBytes(x []byte) []byte { return slices.Clone(x) }

// CloneList copies a list of values.
func CloneList[T any](x []T) []T {
	y := slices.Clone(x)
	if texts, ok := any(y).([]string); ok {
		for i, s := range texts {
			texts[i] = strings.Clone(s)
		}
	}
	return y
}

// CloneByteSlices copies a list of byte slices.
func CloneByteSlices(x [][]byte) [][]byte {
	y := slices.Clone(x)
	for i := range y {
		y[i] = slices.Clone(y[i])
	}
	return y
}

// CloneMap copies a map of values.
func CloneMap[K comparable, V any](x map[K]V) map[K]V {
	return CloneMapFunc(x, owned[V])
}

// CloneMapFunc copies a map with a function that copies its values.
func CloneMapFunc[K comparable, V any](x map[K]V, clone func(V) V) map[K]V {
	if x == nil {
		return nil
	}
	y := make(map[K]V, len(x))
	for k, v := range x {
		y[owned(k)] = clone(v)
	}
	return y
}

// StableKeys returns the keys of m in ascending order if e asks for sorted maps, else none;
// UnlessStable has the entries if it does not, else none. So a loop over each writes the entries
// once.
func StableKeys[K comparable, V any](m map[K]V, e *Encoder) []K {
	if !e.Stable {
		return nil
	}
	return sortedKeys(m)
}

// UnlessStable belongs to StableKeys. It stops behind the last entry, because a map that is asked
// for another one goes through all its slots that are left.
func UnlessStable[K comparable, V any](m map[K]V, e *Encoder) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		if e.Stable {
			return
		}
		left := len(m)
		if left == 0 {
			return
		}
		for k, v := range m {
			if !yield(k, v) {
				return
			}
			if left--; left == 0 {
				return
			}
		}
	}
}

// sortedKeys has false before true.
func sortedKeys[K comparable, V any](m map[K]V) []K {
	keys := make([]K, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys[K])
	return keys
}

func compareKeys[K comparable](x, y K) int {
	switch x := any(x).(type) {
	case string:
		return compare(x, any(y).(string))
	case bool:
		return int(boolBit(x)) - int(boolBit(any(y).(bool)))
	case int32:
		return compare(x, any(y).(int32))
	case int64:
		return compare(x, any(y).(int64))
	case uint32:
		return compare(x, any(y).(uint32))
	case uint64:
		return compare(x, any(y).(uint64))
	}
	return 0
}

func compare[T varintNumber | ~string](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// EqualListFunc compares lists by a function of their elements.
func EqualListFunc[T any](x, y []T, equal func(T, T) bool) bool {
	return slices.EqualFunc(x, y, equal)
}

// CloneListFunc copies a list with a function that copies its elements; nil stays nil.
func CloneListFunc[T any](x []T, clone func(T) T) []T {
	y := slices.Clone(x)
	for i := range y {
		y[i] = clone(x[i])
	}
	return y
}

// EqualUnknown compares unknown fields: the same ones in the same order among those of one number.
func EqualUnknown(x, y Unknown) bool { return x == y || equalUnknown(x.Bytes(), y.Bytes()) }

func equalUnknown(x, y []byte) bool {
	if string(x) == string(y) {
		return true
	}
	return len(x) == len(y) && string(sortUnknown(x)) == string(sortUnknown(y))
}

// sortUnknown returns the fields in b, which is well-formed, in the order of their numbers.
func sortUnknown(b []byte) []byte {
	type field struct {
		tag        uint
		start, end uint
	}
	var fields []field
	p, n := ptrOf(b), uint(len(b))
	for off := uint(0); off < n; {
		tag, next := tagAt(p, n, off)
		if next == bad {
			return b
		}
		next = skipValue(p, n, next, tag)
		if next == bad {
			return b
		}
		fields = append(fields, field{tag >> 3, off, next})
		off = next
	}
	slices.SortStableFunc(fields, func(x, y field) int { return int(x.tag) - int(y.tag) })
	sorted := make([]byte, 0, len(b))
	for _, f := range fields {
		sorted = append(sorted, b[f.start:f.end]...)
	}
	return sorted
}

// comparableMessage says that P is the pointer to a message T of generated code.
type comparableMessage[T, P any] interface {
	*T
	Equal(P) bool
	Clone() P
}

// EqualMessages compares lists of messages.
func EqualMessages[T any, P comparableMessage[T, P]](x, y []T) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !P(&x[i]).Equal(&y[i]) {
			return false
		}
	}
	return true
}

// EqualMessageMap compares maps of messages.
func EqualMessageMap[K comparable, T any, P comparableMessage[T, P]](x, y map[K]T) bool {
	return EqualMapFunc(x, y, func(a, b T) bool { return P(&a).Equal(&b) })
}

// CloneMessages copies a list of messages; nil stays nil.
func CloneMessages[T any, P comparableMessage[T, P]](x []T) []T {
	y := slices.Clone(x)
	for i := range y {
		y[i] = *P(&x[i]).Clone()
	}
	return y
}

// CloneMessageMap copies a map of messages; nil stays nil.
func CloneMessageMap[K comparable, T any, P comparableMessage[T, P]](x map[K]T) map[K]T {
	return CloneMapFunc(x, func(v T) T { return *P(&v).Clone() })
}
