package rt

import (
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// roomFor takes a list out of d that has been used before, empty, or makes one. Lists grow there,
// and what the message gets is made when their length is known. A list in a list takes another one.
func roomFor[T any](d *Decoder) *[]T {
	for i, x := range d.lists {
		if p, ok := x.(*[]T); ok {
			last := len(d.lists) - 1
			d.lists[i] = d.lists[last]
			d.lists = d.lists[:last]
			return p
		}
	}
	return new([]T)
}

// maxRoom is the capacity of the largest list that is kept for the next message, in elements,
// maxRooms how many lists are.
const (
	maxRoom  = 512
	maxRooms = 16
)

// giveBack clears the list s, which lies in p, and keeps it for the next one.
func giveBack[T any](d *Decoder, p *[]T, s []T) {
	if cap(s) > maxRoom || len(d.lists) >= maxRooms {
		return
	}
	clear(s)
	*p = s[:0]
	d.lists = append(d.lists, p)
}

// List reads an array, appending to *list what elem reads.
func List[T any](d *Decoder, list *[]T, elem func(*Decoder, *T)) {
	if !d.begin('[') {
		return
	}
	p := roomFor[T](d)
	s := *p
	for more := false; d.element(more, ']'); more = true {
		var zero T
		s = append(s, zero)
		elem(d, &s[len(s)-1])
		if d.omit {
			d.omit = false
			s = s[:len(s)-1]
		}
	}
	*list = append(*list, s...)
	giveBack(d, p, s)
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

// mapEntry is an entry of a map that has been read.
type mapEntry[K comparable, V any] struct {
	key   K
	value V
	at    int  // where the key is
	omit  bool // left out: its value is a name that the enum does not have
}

// Map reads an object into a map. Keys are strings whatever their type.
func Map[K comparable, V any](d *Decoder, m *map[K]V, key func(*Decoder, *K),
	value func(*Decoder, *V)) {
	if !d.begin('{') {
		return
	}
	p := roomFor[mapEntry[K, V]](d)
	all := *p
	// entries that have been read to their end, and those of them that are not left out
	whole, kept := 0, 0
	for more := false; d.element(more, '}'); more = true {
		all = append(all, mapEntry[K, V]{at: d.off})
		x := &all[len(all)-1]
		key(d, &x.key)
		d.colon()
		value(d, &x.value)
		x.omit, d.omit = d.omit, false
		if d.code == 0 {
			if whole = len(all); !x.omit {
				kept++
			}
		}
	}
	if *m == nil && kept != 0 {
		*m = make(map[K]V, kept)
	}
	for i := range all[:whole] {
		x, n := &all[i], len(*m)
		if x.omit {
			if _, ok := (*m)[x.key]; !ok {
				continue
			}
		} else {
			(*m)[x.key] = x.value
		}
		if len(*m) == n {
			d.code = 0 // what is wrong behind this is not the first error
			d.fail(rt.Duplicate, x.at, "key set twice")
			break
		}
	}
	giveBack(d, p, all)
}

// BoolKey reads the key of a map.
func (d *Decoder) BoolKey(v *bool) {
	at := d.off
	switch s := d.content(); s {
	case "true", "false":
		*v = s == "true"
	default:
		d.fail(rt.BadValue, at, "neither true nor false")
	}
}
