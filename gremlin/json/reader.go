package json

import "github.com/octopus-framework/octopus/gremlin"

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

// Rejects tells whether the message in v is not to be written, because it is malformed or too deep, or there has been an error
// before. It is for generated code, in which it is inlined, and which calls Reject then.
func (e *Encoder) Rejects(v *gremlin.View, depth int) bool {
	return v.Bad() || depth <= e.asking && e.sinks(v, depth)
}

// Reject records why the message in v is not to be written behind b, which it returns.
//
//go:noinline
func (e *Encoder) Reject(b []byte, v *gremlin.View) []byte {
	if v.Bad() {
		return e.fail(b, gremlin.Malformed, "")
	}
	return e.fail(b, gremlin.TooDeep, "") // unless there has been an error; FinishReader forgets it where the Reader gives up
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

// List appends a field that is an encoded list or map. One without elements is left out.
func (e *Encoder) List(b []byte, f *Field, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	all := e.all && f.Flags&FlagPresence == 0
	if !l.More() && !all {
		return b
	}
	start := len(b)
	b = e.Name(b, f)
	at := len(b)
	if b = e.Elements(b, l, w, depth); len(b) == at+2 && !all && e.code == 0 {
		return b[:start]
	}
	return b // after an error too: it is what the path is read from
}

// Elements appends an encoded list or map, in brackets or braces.
func (e *Encoder) Elements(b []byte, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
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
	case gremlin.KindMap:
		return e.entriesOf(b, l, w, depth)
	}
	return e.EndList(b, at)
}

// entriesOf appends the object of a map.
func (e *Encoder) entriesOf(b []byte, l gremlin.List, w *gremlin.FieldInfo, depth int) []byte {
	at, mark := len(b), e.BeginMap()
	table := w.Sub.GremlinTable()
	key, value := table.Fields[0].Kind, &table.Fields[1]
	wrong := e.code != 0
	var last map[entryKey]int // made when something is wrong
	var x gremlin.Entry
	for i := 0; x.Next(&l, table); i++ {
		if value.Kind == gremlin.KindEnum && !x.Listed(value.Enum) {
			continue
		}
		began := len(b)
		b = e.entryKey(b, &x, key)
		start, end := x.Span(gremlin.Value)
		b = e.value(b, &x.View, []uint32{start, end}, value, depth)
		if e.code == 0 || wrong {
			continue
		}
		if last == nil {
			last = e.lastEntries(b, l, table, i)
		}
		n := len(e.entries) - 1
		if wrong = last[e.entries[n].entryKey] <= i || x.Validate(table) != nil; !wrong {
			b, e.entries, e.code, e.asking = b[:began], e.entries[:n], 0, e.surface // nobody will see the entry
		}
	}
	return e.EndMap(b, at, mark)
}

// entryKey appends the key of an entry.
func (e *Encoder) entryKey(b []byte, x *gremlin.Entry, kind gremlin.Kind) []byte {
	slot := x.Slot(gremlin.Key)
	switch kind {
	case gremlin.KindString:
		return e.StringKey(b, x.String(x.Span(gremlin.Key)))
	case gremlin.KindBool:
		return e.BoolKey(b, x.Varint(slot) != 0)
	case gremlin.KindInt32:
		return e.IntKey(b, int64(int32(x.Varint(slot))))
	case gremlin.KindInt64:
		return e.IntKey(b, int64(x.Varint(slot)))
	case gremlin.KindSint32:
		return e.IntKey(b, int64(x.Sint32(slot)))
	case gremlin.KindSint64:
		return e.IntKey(b, x.Sint64(slot))
	case gremlin.KindUint32:
		return e.UintKey(b, uint64(uint32(x.Varint(slot))))
	case gremlin.KindUint64:
		return e.UintKey(b, x.Varint(slot))
	case gremlin.KindSfixed32:
		return e.IntKey(b, int64(int32(x.Fixed32(slot))))
	case gremlin.KindSfixed64:
		return e.IntKey(b, int64(x.Fixed64(slot)))
	case gremlin.KindFixed32:
		return e.UintKey(b, uint64(x.Fixed32(slot)))
	}
	return e.UintKey(b, x.Fixed64(slot))
}

// lastEntries finds where among the rest of a map, behind entry i, each key comes for the last time. One walk answers it for all
// entries that JSON cannot say but that another one with the same key replaces.
func (e *Encoder) lastEntries(b []byte, rest gremlin.List, table *gremlin.Table, i int) map[entryKey]int {
	last := map[entryKey]int{}
	value := &table.Fields[1]
	var x gremlin.Entry
	for i++; x.Next(&rest, table); i++ {
		if value.Kind != gremlin.KindEnum || x.Listed(value.Enum) {
			e.entryKey(b, &x, table.Fields[0].Kind)
			n := len(e.entries) - 1
			last[e.entries[n].entryKey] = i
			e.entries = e.entries[:n]
		}
	}
	return last
}
