package json

import (
	"strings"

	"github.com/octopus-framework/octopus/gremlin"
)

// List reads an array, appending to *list what elem reads.
func List[T any](d *Decoder, list *[]T, elem func(*Decoder, *T)) {
	if !d.begin('[') {
		return
	}
	s := *list
	for more := false; d.element(more, ']'); more = true {
		var zero T
		s = append(s, zero)
		elem(d, &s[len(s)-1])
		if d.omit {
			d.omit = false
			s = s[:len(s)-1]
		}
	}
	*list = s
}

// Numbers is List for numbers; it makes room for all of them at once.
func Numbers[T any](d *Decoder, list *[]T, elem func(*Decoder, *T)) {
	if d.next() == '[' && cap(*list) == 0 {
		s := d.s[d.off:]
		if end := strings.IndexByte(s, ']'); end > 1 {
			*list = make([]T, 0, strings.Count(s[:end], ",")+1)
		}
	}
	List(d, list, elem)
}

// Map reads an object into a map. Keys are strings whatever their type.
func Map[K comparable, V any](d *Decoder, m *map[K]V, key func(*Decoder, *K), value func(*Decoder, *V)) {
	if !d.begin('{') {
		return
	}
	var k, noKey K // outside of the loop: the functions put them on the heap
	var v, noValue V
	for more := false; d.element(more, '}'); more = true {
		k, v = noKey, noValue
		at := d.off
		key(d, &k)
		d.colon()
		value(d, &v)
		if d.omit {
			d.omit = false
			continue
		}
		if *m == nil {
			*m = make(map[K]V)
		}
		n := len(*m)
		if (*m)[k] = v; len(*m) == n {
			d.fail(gremlin.Duplicate, at, "key set twice")
		}
	}
}

// BoolKey reads the key of a map.
func (d *Decoder) BoolKey(v *bool) {
	at := d.off
	switch s := d.content(); s {
	case "true", "false":
		*v = s == "true"
	default:
		d.fail(gremlin.BadValue, at, "")
	}
}
