package json

import "github.com/octopus-framework/octopus/gremlin"

// AppendView appends the message that a generated Reader has in its view as JSON to b. When it fails it returns b as it was.
func AppendView(b []byte, v *gremlin.View, slots []uint32, t *Table, o Options) ([]byte, error) {
	e := newEncoder(&o)
	b, err := e.finish(e.View(b, v, slots, t, o.depth()), len(b), t)
	e.free()
	return b, err
}

// GremlinJSON returns t: a *Table is its own Type.
func (t *Table) GremlinJSON() *Table { return t }

// noJSON is what is wrong with a message whose code was generated without JSON.
const noJSON = "type was generated without JSON"

// Opener is a generated Reader with JSON.
type Opener interface {
	Type
	// GremlinOpenJSON appends the message that is the n bytes at p as JSON. It is for generated code.
	GremlinOpenJSON(e *Encoder, b []byte, p gremlin.Ptr, n uint, depth int) []byte
}

// View appends the message in v, whose fields start at slots. It is for generated code.
func (e *Encoder) View(b []byte, v *gremlin.View, slots []uint32, t *Table, depth int) []byte {
	switch {
	case v.Bad():
		return e.fail(b, gremlin.Malformed, "")
	case depth <= 0:
		return e.fail(b, gremlin.TooDeep, "")
	case e.code != 0:
		return b // whatever happens now is of no interest
	case t.Special != 0:
		return e.special(b, v, slots, t, depth)
	}
	at := len(b)
	b = e.fields(b, v, slots, t, depth)
	if t.Extendable {
		b = e.extensions(b, v.Raw(), t, depth)
	}
	return e.End(b, at)
}

// fields appends the fields of v, each with a comma before it.
func (e *Encoder) fields(b []byte, v *gremlin.View, slots []uint32, t *Table, depth int) []byte {
	wire := t.Wire.Fields[:len(t.Fields)]
	for i := range t.Fields {
		f, w := &t.Fields[i], &wire[i]
		slot := slots[w.Slot]
		if slot == 0 && (!e.all || f.Flags&FlagPresence != 0) {
			continue
		}
		if f.Flags&FlagPresence != 0 || w.Flags&gremlin.FlagRepeated != 0 || w.Kind == gremlin.KindMap {
			if w.Flags&gremlin.FlagRepeated != 0 || w.Kind != gremlin.KindMessage {
				b = e.structured(b, v, slots, f, w, depth)
				continue
			}
			// Not in a function of its own: processors predict returns from some thirty calls, no deeper.
			p, n := v.Message(slot, slots[w.Slot+1], uint(w.Tag()))
			r, known := w.Sub.(Opener)
			if !known {
				return e.fail(b, gremlin.UnknownName, noJSON)
			}
			b = r.GremlinOpenJSON(e, e.Name(b, f), p, n, depth-1)
			continue
		}
		switch w.Kind {
		case gremlin.KindBool:
			b = e.BoolField(b, f, v.Varint(slot) != 0)
		case gremlin.KindInt32:
			b = e.Int32Field(b, f, int32(v.Varint(slot)))
		case gremlin.KindSint32:
			b = e.Int32Field(b, f, v.Sint32(slot))
		case gremlin.KindUint32:
			b = e.Uint32Field(b, f, uint32(v.Varint(slot)))
		case gremlin.KindInt64:
			b = e.Int64Field(b, f, int64(v.Varint(slot)))
		case gremlin.KindSint64:
			b = e.Int64Field(b, f, v.Sint64(slot))
		case gremlin.KindUint64:
			b = e.Uint64Field(b, f, v.Varint(slot))
		case gremlin.KindEnum:
			b = e.EnumField(b, f, int32(v.Varint(slot)), w.Enum)
		case gremlin.KindSfixed32:
			b = e.Int32Field(b, f, int32(v.Fixed32(slot)))
		case gremlin.KindFixed32:
			b = e.Uint32Field(b, f, v.Fixed32(slot))
		case gremlin.KindFloat:
			b = e.FloatField(b, f, v.Float(slot))
		case gremlin.KindSfixed64:
			b = e.Int64Field(b, f, int64(v.Fixed64(slot)))
		case gremlin.KindFixed64:
			b = e.Uint64Field(b, f, v.Fixed64(slot))
		case gremlin.KindDouble:
			b = e.DoubleField(b, f, v.Double(slot))
		case gremlin.KindString:
			b = e.StringField(b, f, v.String(slot, slots[w.Slot+1]))
		case gremlin.KindBytes:
			b = e.BytesField(b, f, v.Bytes(slot, slots[w.Slot+1]))
		}
	}
	return b
}

// structured appends a map, a list, or a field with presence that is there.
func (e *Encoder) structured(b []byte, v *gremlin.View, slots []uint32, f *Field, w *gremlin.FieldInfo, depth int) []byte {
	slot := slots[w.Slot]
	switch {
	case w.Kind == gremlin.KindMap:
		return e.mapOf(b, f, v.List(slot, w.Tag()), w, depth)
	case w.Flags&gremlin.FlagRepeated != 0:
		return e.list(b, f, v.List(slot, w.Tag()), w, depth)
	case w.Kind == gremlin.KindEnum && !v.HasEnum(slot, w.Enum):
		return b
	}
	return e.value(append(b, e.name(f)...), v, slots[w.Slot:], w, depth)
}

// value appends a value alone. Its slots are the first of slots.
func (e *Encoder) value(b []byte, v *gremlin.View, slots []uint32, w *gremlin.FieldInfo, depth int) []byte {
	slot := slots[0]
	switch w.Kind {
	case gremlin.KindBool:
		return e.Bool(b, v.Varint(slot) != 0)
	case gremlin.KindInt32:
		return e.Int32(b, int32(v.Varint(slot)))
	case gremlin.KindSint32:
		return e.Int32(b, v.Sint32(slot))
	case gremlin.KindUint32:
		return e.Uint32(b, uint32(v.Varint(slot)))
	case gremlin.KindInt64:
		return e.Int64(b, int64(v.Varint(slot)))
	case gremlin.KindSint64:
		return e.Int64(b, v.Sint64(slot))
	case gremlin.KindUint64:
		return e.Uint64(b, v.Varint(slot))
	case gremlin.KindEnum:
		return e.Enum(b, int32(v.Varint(slot)), w.Enum)
	case gremlin.KindSfixed32:
		return e.Int32(b, int32(v.Fixed32(slot)))
	case gremlin.KindFixed32:
		return e.Uint32(b, v.Fixed32(slot))
	case gremlin.KindFloat:
		return e.Float(b, v.Float(slot))
	case gremlin.KindSfixed64:
		return e.Int64(b, int64(v.Fixed64(slot)))
	case gremlin.KindFixed64:
		return e.Uint64(b, v.Fixed64(slot))
	case gremlin.KindDouble:
		return e.Double(b, v.Double(slot))
	case gremlin.KindString:
		return e.String(b, v.String(slot, slots[1]))
	case gremlin.KindBytes:
		return e.Bytes(b, v.Bytes(slot, slots[1]))
	}
	p, n := v.Message(slot, slots[1], uint(w.Tag()))
	if r, ok := w.Sub.(Opener); ok {
		return r.GremlinOpenJSON(e, b, p, n, depth-1)
	}
	return e.fail(b, gremlin.UnknownName, noJSON)
}

// list appends a list; one without elements is left out.
func (e *Encoder) list(b []byte, f *Field, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	start := len(b)
	b = append(b, e.name(f)...)
	at := len(b)
	if b = e.elements(b, l, w, depth); len(b) == at+2 && (!e.all || f.Flags&FlagPresence != 0) {
		return b[:start]
	}
	return b
}

// elements appends a list, in brackets.
func (e *Encoder) elements(b []byte, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	at := len(b)
	switch w.Kind {
	case gremlin.KindBool:
		for x := range gremlin.EachBool(l) {
			b = e.Bool(append(b, ','), x)
		}
	case gremlin.KindInt32:
		b = varints[int32](b, l, 0)
	case gremlin.KindSint32:
		e.int32s = gremlin.AppendSints(e.int32s[:0], l)
		return e.Int32s(b, e.int32s)
	case gremlin.KindSfixed32:
		e.int32s = gremlin.AppendFixed(e.int32s[:0], l)
		return e.Int32s(b, e.int32s)
	case gremlin.KindUint32:
		b = varints[uint32](b, l, 0)
	case gremlin.KindFixed32:
		e.uint32s = gremlin.AppendFixed(e.uint32s[:0], l)
		return e.Uint32s(b, e.uint32s)
	case gremlin.KindInt64:
		b = varints[int64](b, l, e.quote)
	case gremlin.KindSint64:
		e.int64s = gremlin.AppendSints(e.int64s[:0], l)
		return e.Int64s(b, e.int64s)
	case gremlin.KindSfixed64:
		e.int64s = gremlin.AppendFixed(e.int64s[:0], l)
		return e.Int64s(b, e.int64s)
	case gremlin.KindUint64:
		b = varints[uint64](b, l, e.quote)
	case gremlin.KindFixed64:
		e.uint64s = gremlin.AppendFixed(e.uint64s[:0], l)
		return e.Uint64s(b, e.uint64s)
	case gremlin.KindEnum:
		for x := range gremlin.EachClosedEnum[int32](l, w.Enum) {
			b = e.Enum(append(b, ','), x, w.Enum)
		}
	case gremlin.KindFloat:
		for x := range gremlin.EachFixed[float32](l) {
			b = e.Float(append(b, ','), x)
		}
	case gremlin.KindDouble:
		e.doubles = gremlin.AppendFixed(e.doubles[:0], l)
		return e.Doubles(b, e.doubles)
	case gremlin.KindString:
		for x := range gremlin.EachString(l) {
			b = e.String(append(b, ','), x)
		}
	case gremlin.KindBytes:
		for x := range gremlin.EachBytes(l) {
			b = e.Bytes(append(b, ','), x)
		}
	case gremlin.KindMessage, gremlin.KindGroup:
		r, known := w.Sub.(Opener)
		for p, n, ok := l.Next(); ok; p, n, ok = l.Next() {
			if !known {
				return e.fail(b, gremlin.UnknownName, noJSON)
			}
			b = r.GremlinOpenJSON(e, append(b, ','), p, n, depth-1)
		}
	}
	return e.EndList(b, at)
}

// mapOf appends a map; one without entries is left out.
func (e *Encoder) mapOf(b []byte, f *Field, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	start := len(b)
	b = append(b, e.name(f)...)
	at := len(b)
	if b = e.mapEntries(b, l, w, depth); len(b) == at+2 && !e.all {
		return b[:start]
	}
	return b
}

// mapEntries appends the object of a map.
func (e *Encoder) mapEntries(b []byte, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	at, mark := len(b), e.BeginMap()
	table := w.Sub.GremlinTable()
	key, value := &table.Fields[0], &table.Fields[1]
	var x gremlin.Entry
	for x.Next(&l, table) {
		if value.Kind == gremlin.KindEnum && !x.Listed(value.Enum) {
			continue
		}
		slot := x.Slot(gremlin.Key)
		switch key.Kind {
		case gremlin.KindString:
			b = e.StringKey(b, x.String(x.Span(gremlin.Key)))
		case gremlin.KindBool:
			b = e.BoolKey(b, x.Varint(slot) != 0)
		case gremlin.KindInt32:
			b = e.IntKey(b, int64(int32(x.Varint(slot))))
		case gremlin.KindInt64:
			b = e.IntKey(b, int64(x.Varint(slot)))
		case gremlin.KindSint32:
			b = e.IntKey(b, int64(x.Sint32(slot)))
		case gremlin.KindSint64:
			b = e.IntKey(b, x.Sint64(slot))
		case gremlin.KindUint32:
			b = e.UintKey(b, uint64(uint32(x.Varint(slot))))
		case gremlin.KindUint64:
			b = e.UintKey(b, x.Varint(slot))
		case gremlin.KindSfixed32:
			b = e.IntKey(b, int64(int32(x.Fixed32(slot))))
		case gremlin.KindSfixed64:
			b = e.IntKey(b, int64(x.Fixed64(slot)))
		case gremlin.KindFixed32:
			b = e.UintKey(b, uint64(x.Fixed32(slot)))
		case gremlin.KindFixed64:
			b = e.UintKey(b, x.Fixed64(slot))
		}
		start, end := x.Span(gremlin.Value)
		b = e.value(b, &x.View, []uint32{start, end}, value, depth)
	}
	return e.EndMap(b, at, mark)
}
