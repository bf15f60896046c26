package dynamic

import (
	"slices"

	"github.com/octopus-framework/octopus/compiler/schema"
	"github.com/octopus-framework/octopus/gremlin"
)

// tables are made of a schema as the Go backend makes them of it, for code that is not generated.
type tables struct {
	messages map[*schema.Message]*gremlin.Table
	enums    map[*schema.Enum]*gremlin.EnumInfo
	types    gremlin.Types // all messages and extensions
}

func tablesOf(s *schema.Schema) *tables {
	t := &tables{messages: map[*schema.Message]*gremlin.Table{}, enums: map[*schema.Enum]*gremlin.EnumInfo{}}
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
	extended *gremlin.Table
	field    gremlin.FieldInfo
}

// GremlinExtension implements gremlin.ExtensionType.
func (e *extension) GremlinExtension() (*gremlin.Table, *gremlin.FieldInfo) {
	return e.extended, &e.field
}

func (t *tables) message(m *schema.Message) *gremlin.Table {
	table := t.messages[m]
	if table != nil {
		return table
	}
	table = &gremlin.Table{Name: m.FullName, Reserved: m.ReservedNames}
	t.messages[m] = table // before its fields, which may be of the same type
	for _, f := range m.Fields {
		info := t.field(f)
		if f.Oneof != nil {
			info.Oneof = uint16(slices.Index(m.Oneofs, f.Oneof) + 1)
		}
		table.Fields = append(table.Fields, info)
	}
	slices.SortFunc(table.Fields, func(a, b gremlin.FieldInfo) int { return int(a.Number) - int(b.Number) })
	return table
}

var kinds = map[schema.Kind]gremlin.Kind{
	schema.Bool: gremlin.KindBool, schema.Int32: gremlin.KindInt32, schema.Sint32: gremlin.KindSint32,
	schema.Uint32: gremlin.KindUint32, schema.Int64: gremlin.KindInt64, schema.Sint64: gremlin.KindSint64,
	schema.Uint64: gremlin.KindUint64, schema.Sfixed32: gremlin.KindSfixed32, schema.Fixed32: gremlin.KindFixed32,
	schema.Float: gremlin.KindFloat, schema.Sfixed64: gremlin.KindSfixed64, schema.Fixed64: gremlin.KindFixed64,
	schema.Double: gremlin.KindDouble, schema.String: gremlin.KindString, schema.Bytes: gremlin.KindBytes,
	schema.EnumKind: gremlin.KindEnum, schema.MessageKind: gremlin.KindMessage,
}

func (t *tables) field(f *schema.Field) gremlin.FieldInfo {
	info := gremlin.FieldInfo{Name: f.Name, Number: uint32(f.Number), Kind: kinds[f.Kind]}
	switch {
	case f.IsMap():
		info.Kind = gremlin.KindMap
	case f.Delimited:
		info.Kind = gremlin.KindGroup
	}
	if f.Kind == schema.MessageKind {
		info.Sub = t.message(f.Message)
	}
	if f.Kind == schema.EnumKind {
		info.Enum = t.enum(f.Enum)
	}
	if f.Repeated {
		info.Flags |= gremlin.FlagRepeated
	}
	if f.Packed {
		info.Flags |= gremlin.FlagPacked
	}
	if f.Kind == schema.String && f.CheckUTF8 {
		info.Flags |= gremlin.FlagUTF8
	}
	if f.Parent != nil && f.Parent.MapEntry && f.Number == 2 {
		info.Flags |= gremlin.FlagEntry
	}
	return info
}

func (t *tables) enum(e *schema.Enum) *gremlin.EnumInfo {
	info := t.enums[e]
	if info != nil {
		return info
	}
	// As an open enum, because dynamicpb treats all as such: what it has must have a text.
	info = &gremlin.EnumInfo{Name: e.FullName}
	seen := map[int32]bool{}
	for _, v := range e.Values {
		value := gremlin.EnumValueInfo{Number: v.Number, Name: v.Name}
		if seen[v.Number] {
			info.Aliases = append(info.Aliases, value)
		} else {
			info.Values = append(info.Values, value)
		}
		seen[v.Number] = true
	}
	slices.SortFunc(info.Values, func(a, b gremlin.EnumValueInfo) int { return int(int64(a.Number) - int64(b.Number)) })
	t.enums[e] = info
	return info
}
