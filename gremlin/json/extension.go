package json

import (
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/gremlin"
)

// Extensions appends the known extensions of a message of type t that are in raw, encoded fields. Each has a comma before it.
// They come in the order of their numbers.
func (e *Encoder) Extensions(b, raw []byte, t *Table, depth int) []byte {
	if len(raw) == 0 || e.opts.Types == nil {
		return b
	}
	var known []*gremlin.FieldInfo
	for _, x := range e.opts.Types.Extensions {
		if extended, f := x.GremlinExtension(); extended == t.Wire {
			known = append(known, f)
		}
	}
	slices.SortFunc(known, func(f, g *gremlin.FieldInfo) int { return int(f.Number) - int(g.Number) })
	for _, f := range known {
		b = e.extension(b, raw, t, f, depth)
	}
	return b
}

func (e *Encoder) extension(b, raw []byte, t *Table, f *gremlin.FieldInfo, depth int) []byte {
	w := *f
	w.Slot = 0
	one := gremlin.Table{Name: t.Wire.Name, Fields: []gremlin.FieldInfo{w}}
	var v gremlin.View
	var slots [2]uint32
	off, _ := v.Start(gremlin.First(raw), uint(len(raw)))
	for off < uint(len(raw)) {
		off, _ = v.Advance(off, slots[:], &one)
	}
	named := Field{Name: `,"[` + f.Name + `]":`, Flags: FlagPresence}
	switch {
	case f.Flags&gremlin.FlagRepeated != 0:
		return e.List(b, &named, v.List(slots[0], f.Tag()), f, depth)
	case slots[0] == 0 || f.Kind == gremlin.KindEnum && !v.HasEnum(slots[0], f.Enum):
		return b
	}
	return e.value(e.Name(b, &named), &v, slots[:], f, depth)
}

// Extension reads the extension that o is at and appends it, encoded, to unknown. It is for generated code: what goes by tables
// is part of an encoding of which lengths may still be missing.
func (d *Decoder) Extension(o *Object, unknown []byte) []byte {
	d.wire = gremlin.Encoder{}
	return d.wire.Finish(d.extension(o, unknown))
}

func (d *Decoder) extension(o *Object, b []byte) []byte {
	all := *o.extended
	return d.wireField(b, &Field{Flags: FlagPresence}, all[len(all)-1])
}

// extensionNamed returns the extension of a message of type t that an object calls [name], nil if it is not known.
func (d *Decoder) extensionNamed(t *Table, key string) *gremlin.FieldInfo {
	if !t.Extendable || !strings.HasPrefix(key, "[") || !strings.HasSuffix(key, "]") {
		return nil
	}
	return d.types.ExtensionNamed(t.Wire, key[1:len(key)-1])
}
