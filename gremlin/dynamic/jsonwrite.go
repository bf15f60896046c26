package dynamic

import (
	"slices"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// appendJSON appends what r reads.
func (r *Reader) appendJSON(e *jsonrt.Encoder, b []byte, depth int) []byte {
	if e.Rejects(&r.view, depth) {
		return e.Reject(b, &r.view)
	}
	table := r.typ.tables.json
	if table.Special != 0 {
		return r.appendSpecial(e, b, depth)
	}
	if len(r.typ.Fields) == 0 && !table.Extendable {
		return append(b, '{', '}')
	}
	start := len(b)
	for i, f := range r.typ.Fields {
		j, w := &table.Fields[i], &table.Wire.Fields[i]
		switch slots := r.slots[w.Slot:]; {
		case f.List():
			b = e.List(b, j, r.view.List(slots[0], w.Tag()), w, depth)
		case !f.Presence:
			b = r.appendImplicit(e, b, j, f)
		case r.Has(f):
			b = r.appendValue(e, e.Name(b, j), f, depth)
		}
	}
	if table.Extendable {
		b = e.Extensions(b, r.view.Raw(), table, depth)
	}
	return e.End(b, start)
}

// appendImplicit appends a field without presence, unless it is zero.
func (r *Reader) appendImplicit(e *jsonrt.Encoder, b []byte, j *jsonrt.Field, f *Field) []byte {
	w := &r.typ.tables.wire.Fields[f.Index]
	slots := r.slots[w.Slot:]
	switch f.Kind {
	case Bool:
		return e.BoolField(b, j, r.view.Varint(slots[0]) != 0)
	case Int32:
		return e.Int32Field(b, j, int32(r.view.Varint(slots[0])))
	case Sint32:
		return e.Int32Field(b, j, r.view.Sint32(slots[0]))
	case Uint32:
		return e.Uint32Field(b, j, uint32(r.view.Varint(slots[0])))
	case Int64:
		return e.Int64Field(b, j, int64(r.view.Varint(slots[0])))
	case Sint64:
		return e.Int64Field(b, j, r.view.Sint64(slots[0]))
	case Uint64:
		return e.Uint64Field(b, j, r.view.Varint(slots[0]))
	case EnumKind:
		return e.EnumField(b, j, int32(r.view.Varint(slots[0])), w.Enum)
	case Sfixed32:
		return e.Int32Field(b, j, int32(r.view.Fixed32(slots[0])))
	case Fixed32:
		return e.Uint32Field(b, j, r.view.Fixed32(slots[0]))
	case Float:
		return e.FloatField(b, j, r.view.Float(slots[0]))
	case Sfixed64:
		return e.Int64Field(b, j, int64(r.view.Fixed64(slots[0])))
	case Fixed64:
		return e.Uint64Field(b, j, r.view.Fixed64(slots[0]))
	case Double:
		return e.DoubleField(b, j, r.view.Double(slots[0]))
	case String:
		return e.StringField(b, j, r.view.String(slots[0], slots[1]))
	}
	if f.Hex {
		return e.HexField(b, j, r.view.Bytes(slots[0], slots[1]))
	}
	return e.BytesField(b, j, r.view.Bytes(slots[0], slots[1]))
}

// appendValue appends the value of a singular field alone.
func (r *Reader) appendValue(e *jsonrt.Encoder, b []byte, f *Field, depth int) []byte {
	w := &r.typ.tables.wire.Fields[f.Index]
	return e.Value(b, &r.view, r.slots[w.Slot:], w, depth)
}

// appendSpecial appends a message that has a form of its own.
func (r *Reader) appendSpecial(e *jsonrt.Encoder, b []byte, depth int) []byte {
	table := r.typ.tables.json
	fields := r.typ.Fields
	switch table.Special {
	case jsonrt.SpecialAny:
		return e.Any(b, r.Get(fields[0]).Text, []byte(r.Get(fields[1]).Text), depth)
	case jsonrt.SpecialTimestamp:
		return e.Timestamp(b, int64(r.Get(fields[0]).Bits), int32(r.Get(fields[1]).Bits))
	case jsonrt.SpecialDuration:
		return e.Duration(b, int64(r.Get(fields[0]).Bits), int32(r.Get(fields[1]).Bits))
	case jsonrt.SpecialFieldMask:
		return e.FieldMask(b, slices.Collect(rt.EachString(r.list(fields[0]))))
	case jsonrt.SpecialStruct, jsonrt.SpecialListValue:
		return e.Elements(b, r.list(fields[0]), &table.Wire.Fields[0], depth)
	case jsonrt.SpecialWrapper:
		return r.appendValue(e, b, fields[0], depth)
	case jsonrt.SpecialValue:
		for _, f := range fields {
			switch {
			case !r.Has(f):
			case f.Kind == Double:
				return e.Number(b, r.view.Double(r.slots[table.Wire.Fields[f.Index].Slot]))
			default:
				return r.appendValue(e, b, f, depth)
			}
		}
		return e.NoValue(b)
	}
	return append(b, '{', '}') // Empty
}

// GremlinJSON describes the message to the runtime.
func (t *Type) GremlinJSON() *jsonrt.Table { return t.tables.json }

// GremlinOpenJSON appends an encoded message as JSON. It is for the runtime.
func (t *Type) GremlinOpenJSON(e *jsonrt.Encoder, b []byte, p rt.Ptr, n uint, depth int) []byte {
	r := Reader{typ: t}
	_ = r.index(p, n) // Rejects tells
	return r.appendJSON(e, b, depth)
}
