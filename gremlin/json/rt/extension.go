package rt

import (
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// extensions is what is known of the extensions of a message.
type extensions struct {
	of    *Table
	known []extension // extensions in the order of their numbers
}

// extension is a field of its own: what else a message has is nothing to its table.
type extension struct {
	info  *rt.FieldInfo
	table *rt.Table
	named Field
}

// extensionsOf returns what the options know of the extensions of a message, made once for each
// text.
func (e *Encoder) extensionsOf(t *Table) []extension {
	for i := range e.extended {
		if e.extended[i].of == t {
			return e.extended[i].known
		}
	}
	var known []extension
	for _, x := range e.opts.Types.Extensions {
		if extended, f := x.GremlinExtension(); extended == t.Wire {
			alone := *f
			alone.Slot = 0
			table := &rt.Table{Name: t.Wire.Name, Fields: []rt.FieldInfo{alone}}
			known = append(known, extension{f, table,
				Field{Name: `,"[` + f.Name + `]":`, Flags: FlagPresence}})
		}
	}
	slices.SortFunc(known, func(x, y extension) int {
		return int(x.info.Number) - int(y.info.Number)
	})
	e.extended = append(e.extended, extensions{t, known})
	return known
}

// Extensions appends the known extensions of a message of type t that are in raw, encoded fields.
// Each has a comma before it. They come in the order of their numbers.
func (e *Encoder) Extensions(b, raw []byte, t *Table, depth int) []byte {
	if len(raw) == 0 || e.opts.Types == nil {
		return b
	}
	known := e.extensionsOf(t)
	for i := range known {
		b = e.extension(b, raw, &known[i], depth)
	}
	return b
}

func (e *Encoder) extension(b, raw []byte, x *extension, depth int) []byte {
	var v rt.View
	var slots [2]uint32
	off, _ := v.Start(rt.First(raw), uint(len(raw)))
	for off < uint(len(raw)) {
		off, _ = v.Advance(off, slots[:], x.table)
	}
	switch f := x.info; {
	case f.Flags&rt.FlagRepeated != 0:
		return e.List(b, &x.named, v.List(slots[0], f.Tag()), f, depth)
	case slots[0] == 0 || f.Kind == rt.KindEnum && !v.HasEnum(slots[0], f.Enum):
		return b
	}
	return e.Value(e.Name(b, &x.named), &v, slots[:], x.info, depth)
}

// Extension reads the extension that o is at and appends it, encoded, to unknown. It is for
// generated code: what goes by tables is part of an encoding of which lengths may still be missing.
func (d *Decoder) Extension(o *Object, unknown []byte) []byte {
	d.wire = rt.Encoder{}
	return d.wire.Finish(d.extension(o, unknown))
}

func (d *Decoder) extension(o *Object, b []byte) []byte {
	all := *o.extended
	return d.wireField(b, &Field{Flags: FlagPresence}, all[len(all)-1])
}

// extensionNamed returns the extension of a message of type t that an object calls [name], nil if
// it is not known.
func (d *Decoder) extensionNamed(t *Table, key string) *rt.FieldInfo {
	if !t.Extendable || !strings.HasPrefix(key, "[") || !strings.HasSuffix(key, "]") {
		return nil
	}
	return d.types.ExtensionNamed(t.Wire, key[1:len(key)-1])
}
