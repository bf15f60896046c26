package gremlincmp

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// inMessage calls match for steps to a field of a Message: with the name of its type, the name of
// the field, and the two values, of which one may be invalid.
func inMessage(match func(message, field string, x, y reflect.Value) bool) func(gocmp.Path) bool {
	return func(p gocmp.Path) bool {
		step, ok := p.Last().(gocmp.MapIndex)
		if !ok || p.Index(-2).Type() != reflect.TypeFor[Message]() {
			return false
		}
		x, y := step.Values()
		return match(nameOf(p.Index(-2)), step.Key().String(), concrete(x), concrete(y))
	}
}

// nameOf returns the full name of the message at a step.
func nameOf(step gocmp.PathStep) string {
	for _, v := range values(step) {
		if v.IsValid() {
			m, _ := v.Interface().(Message)
			if name, ok := m[typeKey].(string); ok {
				return name
			}
		}
	}
	return ""
}

func values(step gocmp.PathStep) []reflect.Value {
	x, y := step.Values()
	return []reflect.Value{x, y}
}

// concrete returns what is in an interface.
func concrete(v reflect.Value) reflect.Value {
	if v.IsValid() && v.Kind() == reflect.Interface {
		return v.Elem()
	}
	return v
}

// check panics unless a message has fields of these names: a misspelt name would do nothing.
func check(message gremlin.Type, names []string) {
	for _, name := range names {
		if !slices.ContainsFunc(message.GremlinTable().Fields, isField(name)) {
			panic(fmt.Sprintf("gremlincmp: %s has no field %q", gremlin.NameOf(message), name))
		}
	}
}

// FilterField applies opt to the field of that name, as the .proto file has it, in messages of the
// type of message alone. It panics if there is no such field.
func FilterField(message gremlin.Type, name string, opt gocmp.Option) gocmp.Option {
	check(message, []string{name})
	of := gremlin.NameOf(message)
	return gocmp.FilterPath(inMessage(func(m, f string, _, _ reflect.Value) bool {
		return m == of && f == name
	}), opt)
}

// FilterMessage applies opt to messages of the type of message alone.
func FilterMessage(message gremlin.Type, opt gocmp.Option) gocmp.Option {
	of := gremlin.NameOf(message)
	return gocmp.FilterPath(func(p gocmp.Path) bool {
		return p.Last().Type() == reflect.TypeFor[Message]() && nameOf(p.Last()) == of
	}, opt)
}

// IgnoreFields leaves out fields of messages of the type of message, by their names in the .proto
// file. It panics if there is no such field.
func IgnoreFields(message gremlin.Type, names ...string) gocmp.Option {
	check(message, names)
	of := gremlin.NameOf(message)
	return gocmp.FilterPath(inMessage(func(m, f string, _, _ reflect.Value) bool {
		return m == of && slices.Contains(names, f)
	}), gocmp.Ignore())
}

// IgnoreMessages leaves out messages of the types of these, where they are fields, elements of
// lists or values of maps.
func IgnoreMessages(messages ...gremlin.Type) gocmp.Option {
	var options gocmp.Options
	for _, m := range messages {
		options = append(options, FilterMessage(m, gocmp.Ignore()))
		of := gremlin.NameOf(m)
		options = append(options, gocmp.FilterPath(inMessage(
			func(_, _ string, x, y reflect.Value) bool {
				return isMessage(x, of) || isMessage(y, of)
			}), gocmp.Ignore()))
	}
	return options
}

func isMessage(v reflect.Value, name string) bool {
	if !v.IsValid() {
		return false
	}
	m, ok := v.Interface().(Message)
	return ok && m[typeKey] == name
}

// IgnoreUnknown leaves out unknown fields, extensions among them.
func IgnoreUnknown() gocmp.Option {
	return gocmp.FilterPath(inMessage(func(_, _ string, x, y reflect.Value) bool {
		return isUnknown(x) || isUnknown(y)
	}), gocmp.Ignore())
}

func isUnknown(v reflect.Value) bool {
	return v.IsValid() && v.Type() == reflect.TypeFor[Unknown]()
}

// IgnoreDefaultScalars takes a scalar field with presence that is set to zero, or to nothing, for
// one that is not set. Defaults of proto2 other than zero are not known to it.
func IgnoreDefaultScalars() gocmp.Option {
	return gocmp.FilterPath(inMessage(func(_, _ string, x, y reflect.Value) bool {
		return !x.IsValid() && isZero(y) || !y.IsValid() && isZero(x)
	}), gocmp.Ignore())
}

func isZero(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	switch x := v.Interface().(type) {
	case Enum:
		return x.number == 0
	case []byte:
		return len(x) == 0
	}
	return v.Kind() != reflect.Map && v.Kind() != reflect.Slice && v.IsZero()
}

// IgnoreEmptyMessages takes a message field without any fields for one that is not set.
func IgnoreEmptyMessages() gocmp.Option {
	empty := func(v reflect.Value) bool {
		if !v.IsValid() {
			return false
		}
		m, ok := v.Interface().(Message)
		return ok && len(m) == 1
	}
	return gocmp.FilterPath(inMessage(func(_, _ string, x, y reflect.Value) bool {
		return !x.IsValid() && empty(y) || !y.IsValid() && empty(x)
	}), gocmp.Ignore())
}

// SortRepeated compares lists of T without regard to order: it sorts both by less, a func(x, y T)
// bool. T is the Go type of the elements, Enum or Message. It panics for anything else.
func SortRepeated(less any) gocmp.Option {
	f := reflect.ValueOf(less)
	if f.Kind() != reflect.Func || f.IsNil() || f.Type().NumIn() != 2 || f.Type().NumOut() != 1 ||
		f.Type().In(0) != f.Type().In(1) || f.Type().Out(0).Kind() != reflect.Bool {
		panic(fmt.Sprintf("gremlincmp: SortRepeated takes a func(x, y T) bool, not a %T", less))
	}
	list := reflect.SliceOf(f.Type().In(0))
	return sorted("gremlincmp.SortRepeated", inMessage(func(_, _ string, x, y reflect.Value) bool {
		return x.IsValid() && y.IsValid() && x.Type() == list && y.Type() == list
	}), func(x, y reflect.Value) int {
		switch {
		case f.Call([]reflect.Value{x, y})[0].Bool():
			return -1
		case f.Call([]reflect.Value{y, x})[0].Bool():
			return 1
		}
		return 0
	})
}

// SortRepeatedFields compares these lists of messages of the type of message without regard to
// order. It panics if there is no such field.
func SortRepeatedFields(message gremlin.Type, names ...string) gocmp.Option {
	check(message, names)
	of := gremlin.NameOf(message)
	return sorted("gremlincmp.SortRepeatedFields", inMessage(
		func(m, f string, x, y reflect.Value) bool {
			return m == of && slices.Contains(names, f) && isList(x) && isList(y)
		}), func(x, y reflect.Value) int {
		if x.CanInt() {
			return cmp.Compare(x.Int(), y.Int())
		}
		// fmt prints maps in the order of their keys.
		return cmp.Compare(fmt.Sprint(x.Interface()), fmt.Sprint(y.Interface()))
	})
}

func isList(v reflect.Value) bool { return v.IsValid() && v.Kind() == reflect.Slice }

// sorted compares lists, of which filter tells, after sorting copies of them. A list that is sorted
// already is not transformed, so that there is an end to it.
func sorted(name string, filter func(gocmp.Path) bool,
	compare func(x, y reflect.Value) int) gocmp.Option {
	transform := func(x any) any {
		v := reflect.ValueOf(x)
		all := make([]reflect.Value, v.Len())
		for i := range all {
			all[i] = v.Index(i)
		}
		slices.SortStableFunc(all, compare)
		out := reflect.MakeSlice(v.Type(), 0, len(all))
		return reflect.Append(out, all...).Interface()
	}
	return gocmp.FilterPath(filter, gocmp.Transformer(name, transform))
}

func isField(name string) func(rt.FieldInfo) bool {
	return func(f rt.FieldInfo) bool { return f.Name == name }
}
