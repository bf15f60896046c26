package json

import "github.com/octopus-framework/octopus/gremlin"

// AppendView appends the message that a generated Reader has in its view as JSON to b. When it fails it returns b as it was.
func AppendView(b []byte, v *gremlin.View, slots []uint32, t *Table, o Options) ([]byte, error) {
	e := newEncoder(&o)
	defer e.free()
	return e.finish(e.message(b, v, slots, t, o.depth()), len(b), t)
}

// GremlinJSON returns t: a *Table is its own Type.
func (t *Table) GremlinJSON() *Table { return t }

// open indexes the n bytes at p and appends them as a message of type t.
func (e *Encoder) open(b []byte, p gremlin.Ptr, n uint, t *Table, depth int) []byte {
	if t == nil {
		return e.fail(b, gremlin.UnknownName, "type was generated without JSON")
	}
	var v gremlin.View
	off, _ := v.Start(p, n)
	mark := len(e.slots)
	for range t.Fields {
		e.slots = append(e.slots, 0)
	}
	slots := e.slots[mark:]
	for off < n {
		off, _ = v.Advance(off, slots, t.Wire)
	}
	b = e.message(b, &v, slots, t, depth)
	e.slots = e.slots[:mark]
	return b
}

// message appends the message in v, whose fields start at slots.
func (e *Encoder) message(b []byte, v *gremlin.View, slots []uint32, t *Table, depth int) []byte {
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
	for i := range t.Fields {
		slot, f := slots[i], &t.Fields[i]
		if slot == 0 && (!e.all || f.Flags&FlagPresence != 0) {
			continue
		}
		w := &t.Wire.Fields[i]
		switch {
		case w.Kind == gremlin.KindMap:
			b = e.mapOf(b, f, v.List(slot, w.Tag()), w, depth)
		case w.Flags&gremlin.FlagRepeated != 0:
			b = e.list(b, f, v.List(slot, w.Tag()), w, depth)
		case f.Flags&FlagPresence != 0:
			if w.Kind == gremlin.KindEnum && !v.HasEnum(slot, w.Enum) {
				continue
			}
			b = e.value(append(b, e.name(f)...), v, slot, w, depth)
		default:
			b = e.field(b, f, v, slot, w)
		}
	}
	return b
}

// field appends a field without presence.
func (e *Encoder) field(b []byte, f *Field, v *gremlin.View, slot uint32, w *gremlin.FieldInfo) []byte {
	switch w.Kind {
	case gremlin.KindBool:
		return e.BoolField(b, f, v.Varint(slot) != 0)
	case gremlin.KindInt32:
		return e.Int32Field(b, f, int32(v.Varint(slot)))
	case gremlin.KindSint32:
		return e.Int32Field(b, f, v.Sint32(slot))
	case gremlin.KindUint32:
		return e.Uint32Field(b, f, uint32(v.Varint(slot)))
	case gremlin.KindInt64:
		return e.Int64Field(b, f, int64(v.Varint(slot)))
	case gremlin.KindSint64:
		return e.Int64Field(b, f, v.Sint64(slot))
	case gremlin.KindUint64:
		return e.Uint64Field(b, f, v.Varint(slot))
	case gremlin.KindEnum:
		return e.EnumField(b, f, int32(v.Varint(slot)), w.Enum)
	case gremlin.KindSfixed32:
		return e.Int32Field(b, f, int32(v.Fixed32(slot)))
	case gremlin.KindFixed32:
		return e.Uint32Field(b, f, v.Fixed32(slot))
	case gremlin.KindFloat:
		return e.FloatField(b, f, v.Float(slot))
	case gremlin.KindSfixed64:
		return e.Int64Field(b, f, int64(v.Fixed64(slot)))
	case gremlin.KindFixed64:
		return e.Uint64Field(b, f, v.Fixed64(slot))
	case gremlin.KindDouble:
		return e.DoubleField(b, f, v.Double(slot))
	case gremlin.KindString:
		return e.StringField(b, f, v.String(slot))
	case gremlin.KindBytes:
		return e.BytesField(b, f, v.Bytes(slot))
	}
	return b
}

// value appends a value alone.
func (e *Encoder) value(b []byte, v *gremlin.View, slot uint32, w *gremlin.FieldInfo, depth int) []byte {
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
		return e.String(b, v.String(slot))
	case gremlin.KindBytes:
		return e.Bytes(b, v.Bytes(slot))
	}
	var u gremlin.View
	p, n := v.Message(&u, slot, uint(w.Tag()))
	if u.Bad() {
		return e.fail(b, gremlin.Malformed, "")
	}
	return e.open(b, p, n, tableOf(w.Sub), depth-1)
}

// list appends a list; one without elements is left out.
func (e *Encoder) list(b []byte, f *Field, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	start := len(b)
	b = append(b, e.name(f)...)
	at := len(b)
	b = e.elements(b, l, w, depth)
	if len(b) == at && !e.all {
		return b[:start]
	}
	return e.EndList(b, at)
}

// elements appends the elements of a list, each with a comma before it.
func (e *Encoder) elements(b []byte, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	switch w.Kind {
	case gremlin.KindBool:
		for x := range l.Bools() {
			b = e.Bool(append(b, ','), x)
		}
	case gremlin.KindInt32:
		for x := range gremlin.Varints[int32](l) {
			b = e.Int32(append(b, ','), x)
		}
	case gremlin.KindSint32:
		for x := range gremlin.Sints[int32](l) {
			b = e.Int32(append(b, ','), x)
		}
	case gremlin.KindUint32:
		for x := range gremlin.Varints[uint32](l) {
			b = e.Uint32(append(b, ','), x)
		}
	case gremlin.KindInt64:
		for x := range gremlin.Varints[int64](l) {
			b = e.Int64(append(b, ','), x)
		}
	case gremlin.KindSint64:
		for x := range gremlin.Sints[int64](l) {
			b = e.Int64(append(b, ','), x)
		}
	case gremlin.KindUint64:
		for x := range gremlin.Varints[uint64](l) {
			b = e.Uint64(append(b, ','), x)
		}
	case gremlin.KindEnum:
		for x := range gremlin.Varints[int32](l) {
			if w.Enum.Valid(x) {
				b = e.Enum(append(b, ','), x, w.Enum)
			}
		}
	case gremlin.KindSfixed32:
		for x := range gremlin.Fixed[int32](l) {
			b = e.Int32(append(b, ','), x)
		}
	case gremlin.KindFixed32:
		for x := range gremlin.Fixed[uint32](l) {
			b = e.Uint32(append(b, ','), x)
		}
	case gremlin.KindFloat:
		for x := range gremlin.Fixed[float32](l) {
			b = e.Float(append(b, ','), x)
		}
	case gremlin.KindSfixed64:
		for x := range gremlin.Fixed[int64](l) {
			b = e.Int64(append(b, ','), x)
		}
	case gremlin.KindFixed64:
		for x := range gremlin.Fixed[uint64](l) {
			b = e.Uint64(append(b, ','), x)
		}
	case gremlin.KindDouble:
		for x := range gremlin.Fixed[float64](l) {
			b = e.Double(append(b, ','), x)
		}
	case gremlin.KindString:
		for x := range l.Strings() {
			b = e.String(append(b, ','), x)
		}
	case gremlin.KindBytes:
		for x := range l.ByteSlices() {
			b = e.Bytes(append(b, ','), x)
		}
	case gremlin.KindMessage, gremlin.KindGroup:
		t := tableOf(w.Sub)
		for p, n, ok := l.Next(); ok; p, n, ok = l.Next() {
			b = e.open(append(b, ','), p, n, t, depth-1)
		}
	}
	return b
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
	key, value := &table.Fields[gremlin.Key], &table.Fields[gremlin.Value]
	var x gremlin.Entry
	for x.Next(&l, table) {
		if value.Kind == gremlin.KindEnum && !x.Listed(value.Enum) {
			continue
		}
		slot := x.Slot(gremlin.Key)
		switch key.Kind {
		case gremlin.KindString:
			b = e.StringKey(b, x.String(slot))
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
		b = e.value(b, &x.View, x.Slot(gremlin.Value), value, depth)
	}
	return e.EndMap(b, at, mark)
}
