package gremlincel

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// provider tells cel-go of the messages and enums of a set.
type provider struct {
	*types.Registry
	set *dynamic.Schema
}

func newProvider(set *dynamic.Schema) (*provider, error) {
	p := &provider{Registry: types.NewEmptyRegistry(), set: set}
	return p, p.RegisterType(types.BoolType, types.BytesType, types.DoubleType,
		types.DurationType, types.IntType, types.ListType, types.MapType, types.NullType,
		types.StringType, types.TimestampType, types.TypeType, types.UintType)
}

// EnumValue implements types.Provider.
func (p *provider) EnumValue(name string) ref.Val {
	if n, ok := p.enumValue(name); ok {
		return n
	}
	return types.NewErr("unknown enum value '%s'", name)
}

// enumValue is the value that an expression calls shop.v1.Color.RED.
func (p *provider) enumValue(name string) (types.Int, bool) {
	i := strings.LastIndexByte(name, '.')
	if i < 0 {
		return 0, false
	}
	e := p.set.Enum(name[:i])
	if e == nil {
		return 0, false
	}
	n, ok := e.NumberOf(name[i+1:])
	return types.Int(n), ok
}

// FindIdent implements types.Provider.
func (p *provider) FindIdent(name string) (ref.Val, bool) {
	if n, ok := p.enumValue(name); ok {
		return n, true
	}
	if p.set.Message(name) != nil {
		return types.NewObjectType(name), true
	}
	return p.Registry.FindIdent(name)
}

// FindStructType implements types.Provider.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if p.set.Message(name) == nil {
		return nil, false
	}
	return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
}

// FindStructFieldNames implements types.Provider.
func (p *provider) FindStructFieldNames(name string) (names []string, ok bool) {
	t := p.set.Message(name)
	if t == nil {
		return nil, false
	}
	for _, f := range t.Fields {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	return names, true
}

// FindStructFieldType implements types.Provider.
func (p *provider) FindStructFieldType(typeName, name string) (*types.FieldType, bool) {
	t := p.set.Message(typeName)
	if t == nil {
		return nil, false
	}
	f := fieldNamed(t, name)
	if f == nil {
		return nil, false
	}
	return &types.FieldType{Type: fieldType(f),
		IsSet:   func(target any) bool { return has(target.(*object).r, f) },
		GetFrom: func(target any) (any, error) { return target.(*object).field(f), nil },
	}, true
}

// NativeToValue implements types.Adapter.
func (p *provider) NativeToValue(v any) ref.Val {
	if r, ok := v.(ref.Val); ok {
		return r
	}
	return types.DefaultTypeAdapter.NativeToValue(v)
}

// fieldType is the type of a field's value.
func fieldType(f *dynamic.Field) *cel.Type {
	switch {
	case f.Kind == dynamic.Map:
		return cel.MapType(elementType(f.Key()), elementType(f.Value()))
	case f.Repeated:
		return cel.ListType(elementType(f))
	}
	return elementType(f)
}

// anyFieldType is fieldType with lists and maps of anything: what standard rules are compiled for,
// so that one program is enough for all fields.
func anyFieldType(f *dynamic.Field) *cel.Type {
	switch {
	case f.Kind == dynamic.Map:
		return cel.MapType(cel.DynType, cel.DynType)
	case f.Repeated:
		return cel.ListType(cel.DynType)
	}
	return elementType(f)
}

// elementType is the type of an element of a list, of a key, or of a singular field.
func elementType(f *dynamic.Field) *cel.Type {
	switch f.Kind {
	case dynamic.Bool:
		return cel.BoolType
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		return cel.UintType
	case dynamic.Float, dynamic.Double:
		return cel.DoubleType
	case dynamic.String:
		return cel.StringType
	case dynamic.Bytes:
		return cel.BytesType
	case dynamic.MessageKind, dynamic.Group:
		return cel.ObjectType(f.Message.Name) // the types of well-known ones are found by name
	}
	return cel.IntType
}
