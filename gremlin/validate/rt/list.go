package rt

import (
	"slices"
	"strings"
)

// In tells whether x is in list.
func In[T comparable](x T, list ...T) bool { return slices.Contains(list, x) }

// BytesIn tells whether x is in list.
func BytesIn(x []byte, list ...string) bool {
	for _, s := range list {
		if string(x) == s {
			return true
		}
	}
	return false
}

// IsFinite tells whether x is neither an infinity nor NaN.
func IsFinite[T float32 | float64](x T) bool { return x-x == 0 }

// maxPairs is how long a list is at most whose elements are compared each with each.
const maxPairs = 16

// IsUnique tells whether no two elements of list are equal; NaN equals nothing.
func IsUnique[T comparable](list []T) bool {
	if len(list) <= maxPairs {
		for i, x := range list {
			for _, y := range list[:i] {
				if x == y {
					return false
				}
			}
		}
		return true
	}
	seen := make(map[T]struct{}, len(list))
	for _, x := range list {
		if _, ok := seen[x]; ok {
			return false
		}
		seen[x] = struct{}{}
	}
	return true
}

// AreUniqueBytes is IsUnique for byte slices.
func AreUniqueBytes(list [][]byte) bool {
	if len(list) <= maxPairs {
		for i, x := range list {
			for _, y := range list[:i] {
				if string(x) == string(y) {
					return false
				}
			}
		}
		return true
	}
	seen := make(map[string]struct{}, len(list))
	for _, x := range list {
		if _, ok := seen[string(x)]; ok {
			return false
		}
		seen[string(x)] = struct{}{}
	}
	return true
}

// Covers tells whether one of the paths of a field mask is path or leads to a message that path
// leads into.
func Covers(paths []string, path string) bool {
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(path, p); ok && (rest == "" || rest[0] == '.') {
			return true
		}
	}
	return false
}

// CoversAll tells whether Covers is true for each of the paths of a field mask.
func CoversAll(paths, mask []string) bool {
	for _, p := range mask {
		if !Covers(paths, p) {
			return false
		}
	}
	return true
}

// CoversNone tells whether Covers is true for none of the paths of a field mask.
func CoversNone(paths, mask []string) bool {
	for _, p := range mask {
		if Covers(paths, p) {
			return false
		}
	}
	return true
}
