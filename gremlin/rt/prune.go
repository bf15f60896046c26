package rt

import "strings"

// pruned is what is kept of a message: a field, whole or with the fields below it.
type pruned struct {
	field *FieldInfo
	below []pruned // nil: all of it
}

// Prune appends to dst the fields of b, a message of type t, that the paths name, in the order in
// which they stand. Paths name fields that there are, with dots between them, sorted so that those
// with one field in front stand together, and none is within another.
func Prune(dst, b []byte, t *Table, paths []string) ([]byte, error) {
	out, off := prune(dst, b, 0, uint(len(b)), 0, keep(t, paths))
	if off == bad || len(b) > MaxSize {
		return dst, diagnose(b, t, wellFormed)
	}
	return out, nil
}

func keep(t *Table, paths []string) []pruned {
	var kept []pruned
	for len(paths) > 0 {
		name, _, nested := strings.Cut(paths[0], ".")
		k := pruned{field: &t.Fields[t.named(name, 0)]}
		n := 1
		if nested {
			prefix := name + "."
			for n < len(paths) && strings.HasPrefix(paths[n], prefix) {
				n++
			}
			below := make([]string, n)
			for i := range below {
				below[i] = paths[i][len(prefix):]
			}
			k.below = keep(k.field.Sub.GremlinTable(), below)
		}
		kept = append(kept, k)
		paths = paths[n:]
	}
	return kept
}

// prune appends what is kept of the fields from off to n, or to the end of the group with this
// number. It returns the offset behind them, bad if they are malformed.
func prune(dst, b []byte, off, n, group uint, kept []pruned) ([]byte, uint) {
	p := ptrOf(b)
	for off < n {
		start := off
		tag, next := varintAt(p, n, off)
		if next > n || tag>>3 == 0 || tag>>3 > maxNumber {
			return dst, bad
		}
		if group != 0 && uint(tag) == group<<3|wireEnd {
			return dst, next
		}
		value := next
		if next = skipValue(p, n, value, uint(tag)); next > n {
			return dst, bad
		}
		off = next
		for _, k := range kept {
			if uint64(k.field.Number) != tag>>3 {
				continue
			}
			switch {
			case k.below == nil:
				dst = append(dst, b[start:next]...)
			case tag&7 == wireBytes:
				_, value = varintAt(p, n, value)
				inner, end := prune(nil, b, value, next, 0, k.below)
				if end == bad {
					return dst, bad
				}
				dst = appendVarint(appendVarint(dst, tag), uint64(len(inner)))
				dst = append(dst, inner...)
			case tag&7 == wireStart:
				var end uint
				dst, end = prune(append(dst, b[start:value]...), b, value, next, uint(tag>>3),
					k.below)
				if end == bad {
					return dst, bad
				}
				dst = appendVarint(dst, tag&^7|wireEnd)
			}
		}
	}
	if group != 0 {
		return dst, bad
	}
	return dst, off
}
