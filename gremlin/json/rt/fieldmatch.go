package rt

import (
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Object is where a Decoder is in a message.
type Object struct {
	t        *Table
	extended *[]*rt.FieldInfo // extensions that have been seen, the current one last
	seen     uint64           // fields that have been seen
	oneofs   uint64           // oneofs of which a member has been seen
	wide     int              // where those above 63 are in Decoder.wide
	next     int32            // the field that is expected
	more     bool             // there was a field before
	inAny    bool             // "@type" is no field but belongs to the Any around
}

// What Field returns besides the index of a field.
const (
	Done      = -1 // the object has ended
	Extension = -2 // an extension, for Decoder.Extension
	passed    = -3
)

// Object goes into an object that is a message of type t. It fills in o: returning it by value
// would stall on store-to-load forwarding.
func (d *Decoder) Object(o *Object, t *Table) {
	o.t = t
	if d.off < len(d.s) && d.s[d.off] == '{' && d.depth > 0 {
		d.off++
		d.depth--
	} else {
		d.begin('{')
	}
	if n := len(t.Fields); n > 64 {
		o.wide = len(d.wide)
		for ; n > 64; n -= 64 {
			d.wide = append(d.wide, 0, 0) // there are no more oneofs than fields
		}
	}
}

// Field goes to the value of the next field and returns the index of the field in the table. Fields
// whose value is null are passed over, unless it means something.
func (d *Decoder) Field(o *Object) int {
	// The field that is expected or the end behind the last, and no space anywhere.
	s, i, next := d.s, d.off, int(o.next)
	if next < len(o.t.Fields) && i < len(s) {
		f := &o.t.Fields[next]
		if o.more && s[i] == ',' {
			i++
		} else if o.more {
			i = len(s)
		}
		if l := len(f.Name) - 1; len(s)-i > l && sameName(s, i, f.Name) {
			if i += l; s[i] > ' ' && s[i] != 'n' && f.Oneof == 0 && next < 64 &&
				o.seen>>next&1 == 0 {
				o.seen |= 1 << next
				d.off = i
				o.more = true
				o.next++
				return next
			}
		}
	} else if next <= 64 && i < len(s) && s[i] == '}' {
		d.off++
		d.depth++
		return Done
	}
	return d.field(o)
}

// sameName tells whether name, without its comma, stands at s[i]. It fits there.
func sameName(s string, i int, name string) bool {
	l := len(name)
	switch {
	case l < 5:
		return false // without characters: field takes that
	case l <= 8:
		return half(s, i) == half(name, 1) && half(s, i+l-5) == half(name, l-4)
	}
	last := l - 8
	for k := 1; k < last; k += 8 {
		if word(s, i+k-1) != word(name, k) {
			return false
		}
	}
	return word(s, i+last-1) == word(name, last)
}

func (d *Decoder) field(o *Object) int {
	for d.element(o.more, '}') {
		o.more = true
		at := d.off
		i := int(o.next)
		if i < len(o.t.Fields) && o.t.Fields[i].is(d.s[at:]) {
			d.off += len(o.t.Fields[i].Name) - 2
		} else if i = d.lookup(o); i == passed {
			continue
		} else if i == Done {
			return Done
		}
		d.colon()
		null := d.next() == 'n'
		if i == Extension {
			if all := *o.extended; slices.Contains(all[:len(all)-1], all[len(all)-1]) {
				d.fail(rt.Duplicate, at, "extension set twice")
			}
			if null {
				d.literal("null")
				continue
			}
			return Extension
		}
		o.next = int32(i + 1)
		if !d.first(o, &o.seen, 1, i) {
			d.fail(rt.Duplicate, at, "")
		}
		f := &o.t.Fields[i]
		if null && f.Flags&FlagNull == 0 {
			d.literal("null")
			continue
		}
		if f.Oneof != 0 && !d.first(o, &o.oneofs, 0, int(f.Oneof)-1) {
			d.fail(rt.Duplicate, at, "second member of a oneof")
		}
		return i
	}
	if len(o.t.Fields) > 64 {
		d.wide = d.wide[:o.wide]
	}
	return Done
}

// first tells whether field or oneof i has not been seen, and notes that it has been now. Those
// above 63 are in Decoder.wide, words of oneofs and fields in turn; base is 0 or 1.
func (d *Decoder) first(o *Object, word *uint64, base, i int) bool {
	if i > 63 {
		word = &d.wide[o.wide+(i/64-1)*2+base]
	}
	bit := uint64(1) << (i & 63)
	old := *word
	*word |= bit
	return old&bit == 0
}

// is tells whether s starts with the name of f, in quotes.
func (f *Field) is(s string) bool { return strings.HasPrefix(s, f.Name[1:len(f.Name)-1]) }

// lookup finds the field of the name that d is at and goes behind the name. The values of what is
// passed over are, too.
func (d *Decoder) lookup(o *Object) int {
	at := d.off
	name, escaped := d.raw()
	if d.code != 0 {
		return Done
	}
	if escaped {
		// In the form in which the table has it.
		quoted, _ := appendQuoted(nil, d.unescape(name))
		name = string(quoted[1 : len(quoted)-1])
	}
	if o.inAny && name == "@type" {
		d.colon()
		d.Skip()
		return passed
	}
	if i := o.t.find(name, int(o.next)); i >= 0 {
		return i
	}
	if x := d.extensionNamed(o.t, name); x != nil {
		if o.extended == nil {
			o.extended = new([]*rt.FieldInfo)
		}
		*o.extended = append(*o.extended, x)
		return Extension
	}
	if !d.discard {
		d.fail(rt.UnknownName, at, "unknown field "+strconv.Quote(name[:min(len(name), 100)]))
		return Done
	}
	d.colon()
	d.Skip()
	return passed
}

// find returns the index of the field with this name, -1 if there is none. It looks from next on,
// because fields mostly come in their order.
func (t *Table) find(name string, next int) int {
	if len(t.Index) != 0 {
		i, ok := slices.BinarySearchFunc(t.Index, name, func(x uint16, name string) int {
			text := t.Fields[x/2].Name
			if x&1 != 0 {
				text = t.Fields[x/2].Proto
			}
			return strings.Compare(text[2:len(text)-2], name)
		})
		if !ok {
			return -1
		}
		return int(t.Index[i] / 2)
	}
	for i := range t.Fields {
		if i += next; i >= len(t.Fields) {
			i -= len(t.Fields)
		}
		f := &t.Fields[i]
		if f.Name[2:len(f.Name)-2] == name || f.Proto != "" && f.Proto[2:len(f.Proto)-2] == name {
			return i
		}
	}
	return -1
}
