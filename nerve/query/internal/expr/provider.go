package expr

import (
	"regexp"
	"slices"
	"strings"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
)

// provider tells cel-go of the messages and enums that the root type leads to.
type provider struct {
	celtypes.Registry
	types  map[string]*dynamic.Type
	fields map[string]map[string]*types.FieldType
	enums  []*dynamic.Enum
	values map[string]enumValue // names of enum values, short and full
}

type enumValue struct {
	number    int32
	ambiguous bool
}

func newProvider(root *dynamic.Type) *provider {
	p := &provider{Registry: celtypes.NewRegistry(), types: map[string]*dynamic.Type{},
		values: map[string]enumValue{}, fields: map[string]map[string]*types.FieldType{}}
	if root != nil {
		p.add(root)
	}
	p.fields[recordType] = map[string]*types.FieldType{
		"id":   recordField(types.IntType, func(r *row) ref.Val { return types.Int(r.id) }),
		"size": recordField(types.IntType, func(r *row) ref.Val { return types.Int(r.size) }),
		"time": recordField(types.TimestampType, func(r *row) ref.Val {
			return types.Timestamp{Time: r.time()}
		}),
	}
	return p
}

func recordField(t *types.Type, get func(*row) ref.Val) *types.FieldType {
	return &types.FieldType{Type: t,
		IsSet:   func(any) bool { return true },
		GetFrom: func(target any) (any, error) { return get(target.(*row)), nil },
	}
}

// add makes t known, and all that it leads to.
func (p *provider) add(t *dynamic.Type) {
	if p.types[t.Name] != nil {
		return
	}
	p.types[t.Name] = t
	fields := map[string]*types.FieldType{}
	p.fields[t.Name] = fields
	for _, f := range t.Fields {
		p.addEnum(f.Enum)
		if f.Message != nil {
			p.add(f.Message)
		}
	}
	for _, name := range fieldNames(t) {
		fields[name] = celtypes.Field[*message](t.FieldNamed(name))
	}
}

// addEnum makes the values of an enum known, by all names that they go by.
func (p *provider) addEnum(e *dynamic.Enum) {
	if e == nil || slices.Contains(p.enums, e) {
		return
	}
	p.enums = append(p.enums, e)
	scope := e.Name[:strings.LastIndexByte(e.Name, '.')+1]
	for _, v := range e.Values {
		for _, name := range enumValueNames(e, v.Name) {
			p.name(name, v.Number)
		}
		p.name(scope+v.Name, v.Number)
		p.name(e.Name+"."+v.Name, v.Number)
	}
}

func (p *provider) name(name string, number int32) {
	old, ok := p.values[name]
	p.values[name] = enumValue{number: number,
		ambiguous: ok && (old.ambiguous || old.number != number)}
}

var wordEnd = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// enumValueNames returns the names of a value: in full, and without the name of the enum before it.
func enumValueNames(e *dynamic.Enum, name string) []string {
	plain := e.Name[strings.LastIndexByte(e.Name, '.')+1:]
	prefix := strings.ToUpper(wordEnd.ReplaceAllString(plain, "${1}_${2}")) + "_"
	short, ok := strings.CutPrefix(strings.ToUpper(name), prefix)
	if !ok || short == "" || short[0] >= '0' && short[0] <= '9' {
		return []string{name}
	}
	return []string{name, name[len(name)-len(short):]}
}

// ShortName returns the name of a number of an enum without the enum's name before it.
func ShortName(e *dynamic.Enum, number int32) (string, bool) {
	name, ok := e.NameOf(number)
	if !ok {
		return "", false
	}
	names := enumValueNames(e, name)
	return names[len(names)-1], true
}

// numberOf returns the number of a value that an expression calls name.
func numberOf(e *dynamic.Enum, name string) (int32, bool) {
	if n, ok := e.NumberOf(name); ok {
		return n, true
	}
	for _, v := range e.Values {
		if slices.Contains(enumValueNames(e, v.Name), name) {
			return v.Number, true
		}
	}
	return 0, false
}

func (p *provider) enumNames() (names []string) {
	for name := range p.values {
		if !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (p *provider) allFields() (names []string) {
	for _, fields := range p.fields {
		for name := range fields {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// EnumValue implements types.Provider.
func (p *provider) EnumValue(name string) ref.Val {
	if v, ok := p.values[name]; ok && !v.ambiguous {
		return types.Int(v.number)
	}
	return types.NewErr("unknown enum value %s", name)
}

// FindIdent implements types.Provider.
func (p *provider) FindIdent(name string) (ref.Val, bool) {
	if v, ok := p.values[name]; ok && !v.ambiguous {
		return types.Int(v.number), true
	}
	return p.Registry.FindIdent(name)
}

// FindStructType implements types.Provider.
func (p *provider) FindStructType(name string) (*types.Type, bool) {
	if p.fields[name] == nil {
		return nil, false
	}
	return celtypes.StructType(name), true
}

// FindStructFieldNames implements types.Provider.
func (p *provider) FindStructFieldNames(name string) ([]string, bool) {
	fields, ok := p.fields[name]
	var names []string
	for f := range fields {
		names = append(names, f)
	}
	slices.Sort(names)
	return names, ok
}

// FindStructFieldType implements types.Provider.
func (p *provider) FindStructFieldType(typeName, field string) (*types.FieldType, bool) {
	f, ok := p.fields[typeName][field]
	return f, ok
}

// NewValue implements types.Provider. Expressions make no messages.
func (p *provider) NewValue(name string, _ map[string]ref.Val) ref.Val {
	return types.NewErr("a message cannot be made here: %s", name)
}
