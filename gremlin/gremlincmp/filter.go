package gremlincmp

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// names is a set of full names of messages, enums and fields, with what Filter options go by.
type names map[string]bool

// matches tells whether a step is a value of one of the types, or one of the fields. What is
// missing on one side goes by the other.
func (n names) matches(p cmp.Path) bool {
	x, y := p.Last().Values()
	return n.isType(x) && n.isType(y) || n.matchesField(p)
}

// matchesField tells whether a step is a field of a Message, of that name, or with values of one of
// the types.
func (n names) matchesField(p cmp.Path) bool {
	if _, ok := p.Last().(cmp.TypeAssertion); ok {
		p = p[:len(p)-1]
	}
	step, ok := fieldStep(p)
	if !ok {
		return false
	}
	x, y := p.Index(-2).Values()
	if key := step.Key().String(); n.isField(x, key) && n.isField(y, key) {
		return true
	}
	x, y = step.Values()
	return n.holdsType(x) && n.holdsType(y)
}

// fieldStep returns the last step of a path that is one to a field of a Message.
func fieldStep(p cmp.Path) (cmp.MapIndex, bool) {
	step, ok := p.Last().(cmp.MapIndex)
	return step, ok && p.Index(-2).Type() == reflect.TypeFor[Message]()
}

// isField tells whether key is one of the fields of the Message in v, or missing there.
func (n names) isField(v reflect.Value, key string) bool {
	m, ok := v.Interface().(Message)
	if _, populated := m[key]; !ok || !populated {
		return ok
	}
	name, _ := m[typeKey].(string)
	return n[name+"."+key]
}

// isType tells whether v is of one of the types, or missing.
func (n names) isType(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	if !v.CanInterface() {
		return false // in a field that is not exported
	}
	switch x := v.Interface().(type) {
	case Enum:
		return x.info != nil && n[x.info.Name]
	case Message:
		name, _ := x[typeKey].(string)
		return n[name]
	}
	return false
}

// holdsType is isType for the value of a field, which may be a list or map.
func (n names) holdsType(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	switch v = concrete(v); {
	case isComposite(v, reflect.Slice):
		return n.isType(v.Index(0))
	case isComposite(v, reflect.Map) && v.Type() != reflect.TypeFor[Message]():
		return n.isType(v.MapIndex(v.MapKeys()[0]))
	}
	return n.isType(v)
}

// isComposite tells whether v is a list or map of messages or enums, which is never empty.
func isComposite(v reflect.Value, kind reflect.Kind) bool {
	if v.Kind() != kind || v.Len() == 0 {
		return false
	}
	elem := v.Type().Elem()
	return elem == reflect.TypeFor[Message]() || elem == reflect.TypeFor[Enum]()
}

func (n names) filter(opt cmp.Option) cmp.Option { return cmp.FilterPath(n.matches, opt) }

// namesOfFields returns the full names of fields of a message. It panics unless there are such
// fields: a misspelt name would do nothing.
func namesOfFields(message gremlin.Type, fields []string) names {
	t := message.GremlinTable()
	n := names{}
	for _, name := range fields {
		if !slices.ContainsFunc(t.Fields, isNamed(name)) {
			panic(fmt.Sprintf("gremlincmp: %s has no field %q%s", t.Name, name, likeField(t, name)))
		}
		n[t.Name+"."+name] = true
	}
	return n
}

func isNamed(name string) func(rt.FieldInfo) bool {
	return func(f rt.FieldInfo) bool { return f.Name == name }
}

// likeField says which field is meant by the name that it has in Go or in JSON.
func likeField(t *rt.Table, name string) string {
	for _, f := range t.Fields {
		if plain(f.Name) == plain(name) {
			return fmt.Sprintf("; did you mean %q?", f.Name)
		}
	}
	return ""
}

// FilterField applies opt to the field of that name, as the .proto file has it, in messages of the
// type of message alone. It panics if there is no such field.
func FilterField(message gremlin.Type, name string, opt cmp.Option) cmp.Option {
	return namesOfFields(message, []string{name}).filter(opt)
}

// FilterOneof applies opt to the members of the oneof of that name, as the .proto file has it, in
// messages of the type of message alone. It panics if there is no such oneof.
func FilterOneof(message gremlin.Type, name string, opt cmp.Option) cmp.Option {
	return namesOfFields(message, membersOf(message, name)).filter(opt)
}

// FilterMessage applies opt to messages of the type of message alone: where they stand for
// themselves, are fields, elements of lists or values of maps, and to such lists and maps.
func FilterMessage(message gremlin.Type, opt cmp.Option) cmp.Option {
	return names{gremlin.NameOf(message): true}.filter(opt)
}

// FilterEnum applies opt to values of an enum alone, as FilterMessage does to messages. The enum is
// given by its variable in generated code: &shopv1.Status_info.
func FilterEnum(enum *gremlin.EnumType, opt cmp.Option) cmp.Option {
	return names{enum.Name: true}.filter(opt)
}

// IgnoreFields leaves out fields of messages of the type of message, by their names in the .proto
// file. It panics if there is no such field.
func IgnoreFields(message gremlin.Type, fields ...string) cmp.Option {
	return namesOfFields(message, fields).filter(cmp.Ignore())
}

// IgnoreOneofs leaves out the members of oneofs of messages of the type of message, by the names of
// the oneofs in the .proto file. It panics if there is no such oneof.
func IgnoreOneofs(message gremlin.Type, oneofs ...string) cmp.Option {
	var fields []string
	for _, name := range oneofs {
		fields = append(fields, membersOf(message, name)...)
	}
	return namesOfFields(message, fields).filter(cmp.Ignore())
}

// IgnoreMessages leaves out messages of the types of these: where they stand for themselves, are
// fields, elements of lists or values of maps.
func IgnoreMessages(messages ...gremlin.Type) cmp.Option {
	n := names{}
	for _, m := range messages {
		n[gremlin.NameOf(m)] = true
	}
	return n.filter(cmp.Ignore())
}

// IgnoreEnums leaves out values of these enums, which are given by their variables in generated
// code: &shopv1.Status_info.
func IgnoreEnums(enums ...*gremlin.EnumType) cmp.Option {
	n := names{}
	for _, e := range enums {
		n[e.Name] = true
	}
	return n.filter(cmp.Ignore())
}
