package gremlincel

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
)

// provider tells cel-go of the messages and enums of a set.
type provider struct {
	celtypes.Registry
	set *dynamic.Schema
}

func newProvider(set *dynamic.Schema) *provider {
	return &provider{Registry: celtypes.NewRegistry(), set: set}
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
	return celtypes.StructType(name), true
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
	return celtypes.Field[*object](f), true
}

// anyFieldType is celtypes.FieldType with lists and maps of anything: what standard rules are
// compiled for, so that one program is enough for all fields.
func anyFieldType(f *dynamic.Field) *cel.Type {
	switch {
	case f.Kind == dynamic.Map:
		return cel.MapType(cel.DynType, cel.DynType)
	case f.Repeated:
		return cel.ListType(cel.DynType)
	}
	return celtypes.ElementType(f)
}
