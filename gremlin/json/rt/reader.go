package rt

import "github.com/octopus-framework/octopus/gremlin/rt"

// GremlinJSON returns t: a *Table is its own Type.
func (t *Table) GremlinJSON() *Table { return t }

// noJSON is what is wrong with a message whose code was generated without JSON.
const noJSON = "type was generated without JSON"

// Opener is a generated Reader with JSON.
type Opener interface {
	Type
	// GremlinOpenJSON appends the message that is the n bytes at p as JSON. It is for generated
	// code.
	GremlinOpenJSON(e *Encoder, b []byte, p rt.Ptr, n uint, depth int) []byte
}

// Rejects tells whether the message in v is not to be written, because it is malformed or too deep,
// or there has been an error before. It is for generated code, in which it is inlined, and which
// calls Reject then.
func (e *Encoder) Rejects(v *rt.View, depth int) bool {
	return v.Bad() || depth <= e.askBelow && e.overBudget(v, depth)
}

// Reject records why the message in v is not to be written behind b, which it returns.
//
//go:noinline
func (e *Encoder) Reject(b []byte, v *rt.View) []byte {
	if v.Bad() {
		return e.fail(b, rt.Malformed, "")
	}
	// unless there has been an error; FinishReader forgets it where the Reader gives up
	return e.fail(b, rt.TooDeep, "")
}

// Value appends the value of a singular field alone. Its slots are the first of slots.
func (e *Encoder) Value(b []byte, v *rt.View, slots []uint32, w *rt.FieldInfo, depth int) []byte {
	slot := slots[0]
	switch w.Kind {
	case rt.KindBool:
		return e.Bool(b, v.Varint(slot) != 0)
	case rt.KindInt32:
		return e.Int32(b, int32(v.Varint(slot)))
	case rt.KindSint32:
		return e.Int32(b, v.Sint32(slot))
	case rt.KindUint32:
		return e.Uint32(b, uint32(v.Varint(slot)))
	case rt.KindInt64:
		return e.Int64(b, int64(v.Varint(slot)))
	case rt.KindSint64:
		return e.Int64(b, v.Sint64(slot))
	case rt.KindUint64:
		return e.Uint64(b, v.Varint(slot))
	case rt.KindEnum:
		return e.Enum(b, int32(v.Varint(slot)), w.Enum)
	case rt.KindSfixed32:
		return e.Int32(b, int32(v.Fixed32(slot)))
	case rt.KindFixed32:
		return e.Uint32(b, v.Fixed32(slot))
	case rt.KindFloat:
		return e.Float(b, v.Float(slot))
	case rt.KindSfixed64:
		return e.Int64(b, int64(v.Fixed64(slot)))
	case rt.KindFixed64:
		return e.Uint64(b, v.Fixed64(slot))
	case rt.KindDouble:
		return e.Double(b, v.Double(slot))
	case rt.KindString:
		return e.String(b, v.String(slot, slots[1]))
	case rt.KindBytes:
		if w.Flags&rt.FlagHex != 0 {
			return e.Hex(b, v.Bytes(slot, slots[1]))
		}
		return e.Bytes(b, v.Bytes(slot, slots[1]))
	}
	p, n := v.Message(slot, slots[1], uint(w.Tag()))
	if r := jsonOf(w.Sub); r != nil {
		return r.GremlinOpenJSON(e, b, p, n, depth-1)
	}
	return e.fail(b, rt.UnknownName, noJSON)
}

// List appends a field that is an encoded list or map. One without elements is left out.
func (e *Encoder) List(b []byte, f *Field, l rt.List, w *rt.FieldInfo, depth int) []byte {
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
func (e *Encoder) Elements(b []byte, l rt.List, w *rt.FieldInfo, depth int) []byte {
	at := len(b)
	switch w.Kind {
	case rt.KindBool:
		for x := range rt.EachBool(l) {
			b = e.Bool(append(b, ','), x)
		}
	case rt.KindInt32:
		b = varints[int32](b, l, 0)
	case rt.KindSint32:
		e.int32s = rt.CollectSints(e.int32s[:0], l)
		return e.Int32s(b, e.int32s)
	case rt.KindSfixed32:
		e.int32s = rt.CollectFixed(e.int32s[:0], l)
		return e.Int32s(b, e.int32s)
	case rt.KindUint32:
		b = varints[uint32](b, l, 0)
	case rt.KindFixed32:
		e.uint32s = rt.CollectFixed(e.uint32s[:0], l)
		return e.Uint32s(b, e.uint32s)
	case rt.KindInt64:
		b = varints[int64](b, l, e.quote)
	case rt.KindSint64:
		e.int64s = rt.CollectSints(e.int64s[:0], l)
		return e.Int64s(b, e.int64s)
	case rt.KindSfixed64:
		e.int64s = rt.CollectFixed(e.int64s[:0], l)
		return e.Int64s(b, e.int64s)
	case rt.KindUint64:
		b = varints[uint64](b, l, e.quote)
	case rt.KindFixed64:
		e.uint64s = rt.CollectFixed(e.uint64s[:0], l)
		return e.Uint64s(b, e.uint64s)
	case rt.KindEnum:
		for x := range rt.EachClosedEnum[int32](l, w.Enum) {
			b = e.Enum(append(b, ','), x, w.Enum)
		}
	case rt.KindFloat:
		for x := range rt.EachFixed[float32](l) {
			b = e.Float(append(b, ','), x)
		}
	case rt.KindDouble:
		e.doubles = rt.CollectFixed(e.doubles[:0], l)
		return e.Doubles(b, e.doubles)
	case rt.KindString:
		for x := range rt.EachString(l) {
			b = e.String(append(b, ','), x)
		}
	case rt.KindBytes:
		write := e.Bytes
		if w.Flags&rt.FlagHex != 0 {
			write = e.Hex
		}
		for x := range rt.EachBytes(l) {
			b = write(append(b, ','), x)
		}
	case rt.KindMessage, rt.KindGroup:
		r := jsonOf(w.Sub)
		for p, n, ok := l.Next(); ok; p, n, ok = l.Next() {
			if r == nil {
				return e.fail(b, rt.UnknownName, noJSON)
			}
			b = r.GremlinOpenJSON(e, append(b, ','), p, n, depth-1)
		}
	case rt.KindMap:
		return e.entriesOf(b, l, w, depth)
	}
	return e.EndList(b, at)
}

// entriesOf appends the object of a map.
func (e *Encoder) entriesOf(b []byte, l rt.List, w *rt.FieldInfo, depth int) []byte {
	at, mark := len(b), e.BeginMap()
	table := w.Sub.GremlinTable()
	key, value := table.Fields[0].Kind, &table.Fields[1]
	wrong := e.code != 0
	var last map[entryKey]int // made when something is wrong
	var x rt.Entry
	for i := 0; x.Next(&l, table); i++ {
		if value.Kind == rt.KindEnum && !x.Listed(value.Enum) {
			continue
		}
		began := len(b)
		b = e.entryKey(b, &x, key)
		start, end := x.Span(rt.Value)
		b = e.Value(b, &x.View, []uint32{start, end}, value, depth)
		if e.code == 0 || wrong {
			continue
		}
		if last == nil {
			last = e.lastEntries(b, l, table, i)
		}
		n := len(e.entries) - 1
		if wrong = last[e.entries[n].entryKey] <= i || x.CheckEncoding(table) != nil; !wrong {
			// nobody will see the entry
			b, e.entries, e.code, e.askBelow = b[:began], e.entries[:n], 0, e.countBelow
		}
	}
	return e.EndMap(b, at, mark)
}

// entryKey appends the key of an entry.
func (e *Encoder) entryKey(b []byte, x *rt.Entry, kind rt.Kind) []byte {
	slot := x.Slot(rt.Key)
	switch kind {
	case rt.KindString:
		return e.StringKey(b, x.String(x.Span(rt.Key)))
	case rt.KindBool:
		return e.BoolKey(b, x.Varint(slot) != 0)
	case rt.KindInt32:
		return e.IntKey(b, int64(int32(x.Varint(slot))))
	case rt.KindInt64:
		return e.IntKey(b, int64(x.Varint(slot)))
	case rt.KindSint32:
		return e.IntKey(b, int64(x.Sint32(slot)))
	case rt.KindSint64:
		return e.IntKey(b, x.Sint64(slot))
	case rt.KindUint32:
		return e.UintKey(b, uint64(uint32(x.Varint(slot))))
	case rt.KindUint64:
		return e.UintKey(b, x.Varint(slot))
	case rt.KindSfixed32:
		return e.IntKey(b, int64(int32(x.Fixed32(slot))))
	case rt.KindSfixed64:
		return e.IntKey(b, int64(x.Fixed64(slot)))
	case rt.KindFixed32:
		return e.UintKey(b, uint64(x.Fixed32(slot)))
	}
	return e.UintKey(b, x.Fixed64(slot))
}

// lastEntries finds where among the rest of a map, behind entry i, each key comes for the last
// time. One walk answers it for all entries that JSON cannot say but that another one with the same
// key replaces.
func (e *Encoder) lastEntries(b []byte, rest rt.List, table *rt.Table, i int) map[entryKey]int {
	last := map[entryKey]int{}
	value := &table.Fields[1]
	var x rt.Entry
	for i++; x.Next(&rest, table); i++ {
		if value.Kind != rt.KindEnum || x.Listed(value.Enum) {
			e.entryKey(b, &x, table.Fields[0].Kind)
			n := len(e.entries) - 1
			last[e.entries[n].entryKey] = i
			e.entries = e.entries[:n]
		}
	}
	return last
}
