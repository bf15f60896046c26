package dynamic

import (
	"slices"

	"github.com/octopus-framework/octopus/compiler/schema"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// tables are made of a schema as the Go backend makes them of it, for code that is not generated.
type tables struct {
	messages map[*schema.Message]*rt.Table
	enums    map[*schema.Enum]*rt.EnumInfo
	types    gremlin.Types // all messages and extensions
}

func tablesOf(s *schema.Schema) *tables {
	t := &tables{messages: map[*schema.Message]*rt.Table{}, enums: map[*schema.Enum]*rt.EnumInfo{}}
	for _, f := range s.Files {
		for m := range f.AllMessages() {
			t.types.Messages = append(t.types.Messages, t.message(m))
		}
		for x := range f.AllExtensions() {
			e := &extension{t.message(x.Extendee), t.field(x)}
			e.field.Name = x.FullName
			t.types.Extensions = append(t.types.Extensions, e)
		}
	}
	return t
}

type extension struct {
	extended *rt.Table
	field    rt.FieldInfo
}

// GremlinExtension implements gremlin.ExtensionType.
func (e *extension) GremlinExtension() (*rt.Table, *rt.FieldInfo) {
	return e.extended, &e.field
}

func (t *tables) message(m *schema.Message) *rt.Table {
	table := t.messages[m]
	if table != nil {
		return table
	}
	table = &rt.Table{Name: m.FullName, Reserved: m.ReservedNames}
	t.messages[m] = table // before its fields, which may be of the same type
	for _, f := range m.Fields {
		info := t.field(f)
		if f.Oneof != nil {
			info.Oneof = uint16(slices.Index(m.Oneofs, f.Oneof) + 1)
		}
		table.Fields = append(table.Fields, info)
	}
	slices.SortFunc(table.Fields, func(a, b rt.FieldInfo) int {
		return int(a.Number) - int(b.Number)
	})
	return table
}

var kinds = map[schema.Kind]rt.Kind{
	schema.Bool: rt.KindBool, schema.Int32: rt.KindInt32, schema.Sint32: rt.KindSint32,
	schema.Uint32: rt.KindUint32, schema.Int64: rt.KindInt64, schema.Sint64: rt.KindSint64,
	schema.Uint64: rt.KindUint64, schema.Sfixed32: rt.KindSfixed32, schema.Fixed32: rt.KindFixed32,
	schema.Float: rt.KindFloat, schema.Sfixed64: rt.KindSfixed64, schema.Fixed64: rt.KindFixed64,
	schema.Double: rt.KindDouble, schema.String: rt.KindString, schema.Bytes: rt.KindBytes,
	schema.EnumKind: rt.KindEnum, schema.MessageKind: rt.KindMessage,
}

func (t *tables) field(f *schema.Field) rt.FieldInfo {
	info := rt.FieldInfo{Name: f.Name, Number: uint32(f.Number), Kind: kinds[f.Kind]}
	switch {
	case f.IsMap():
		info.Kind = rt.KindMap
	case f.Delimited:
		info.Kind = rt.KindGroup
	}
	if f.Kind == schema.MessageKind {
		info.Sub = t.message(f.Message)
	}
	if f.Kind == schema.EnumKind {
		info.Enum = t.enum(f.Enum)
	}
	if f.Repeated {
		info.Flags |= rt.FlagRepeated
	}
	if f.Packed {
		info.Flags |= rt.FlagPacked
	}
	if f.Kind == schema.String && f.CheckUTF8 {
		info.Flags |= rt.FlagUTF8
	}
	if f.Parent != nil && f.Parent.MapEntry && f.Number == 2 {
		info.Flags |= rt.FlagEntry
	}
	return info
}

func (t *tables) enum(e *schema.Enum) *rt.EnumInfo {
	info := t.enums[e]
	if info != nil {
		return info
	}
	// As an open enum, because dynamicpb treats all as such: what it has must have a text.
	info = &rt.EnumInfo{Name: e.FullName}
	seen := map[int32]bool{}
	for _, v := range e.Values {
		value := rt.EnumValueInfo{Number: v.Number, Name: v.Name}
		if seen[v.Number] {
			info.Aliases = append(info.Aliases, value)
		} else {
			info.Values = append(info.Values, value)
		}
		seen[v.Number] = true
	}
	slices.SortFunc(info.Values, func(a, b rt.EnumValueInfo) int {
		return int(int64(a.Number) - int64(b.Number))
	})
	t.enums[e] = info
	return info
}
