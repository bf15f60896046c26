package gremlincmp

import (
	stdcmp "cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/go-cmp/cmp"

	"github.com/octopus-framework/octopus/gremlin"
)

// inMessage calls match for steps to a field of a Message: with the name of its type, the name of
// the field, and the two values, of which one may be invalid.
func inMessage(match func(message, field string, x, y reflect.Value) bool) func(cmp.Path) bool {
	return func(p cmp.Path) bool {
		step, ok := p.Last().(cmp.MapIndex)
		if !ok || p.Index(-2).Type() != reflect.TypeFor[Message]() {
			return false
		}
		x, y := step.Values()
		return match(nameOf(p.Index(-2)), step.Key().String(), concrete(x), concrete(y))
	}
}

// nameOf returns the full name of the message at a step.
func nameOf(step cmp.PathStep) string {
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

func values(step cmp.PathStep) []reflect.Value {
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

// IgnoreUnknown leaves out unknown fields, extensions among them.
func IgnoreUnknown() cmp.Option {
	return cmp.FilterPath(inMessage(func(_, _ string, x, y reflect.Value) bool {
		return isUnknown(x) || isUnknown(y)
	}), cmp.Ignore())
}

func isUnknown(v reflect.Value) bool {
	return v.IsValid() && v.Type() == reflect.TypeFor[Unknown]()
}

// IgnoreDefaultScalars takes a scalar field with presence that is set to zero, or to nothing, for
// one that is not set. Defaults of proto2 other than zero are not known to it.
func IgnoreDefaultScalars() cmp.Option {
	return cmp.FilterPath(inMessage(func(_, _ string, x, y reflect.Value) bool {
		return !x.IsValid() && isZero(y) || !y.IsValid() && isZero(x)
	}), cmp.Ignore())
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

// IgnoreEmptyMessages takes messages without any fields for ones that are not there: fields,
// elements of lists and values of maps.
func IgnoreEmptyMessages() cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool {
		x, y := p.Last().Values()
		if isEmpty(x) && isEmpty(y) {
			return true
		}
		step, ok := fieldStep(p)
		if !ok {
			return false
		}
		x, y = step.Values()
		return allEmpty(x) && allEmpty(y)
	}, cmp.Ignore())
}

// isEmpty tells whether v is a message without fields, or missing.
func isEmpty(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	if !v.CanInterface() {
		return false // in a field that is not exported
	}
	m, ok := v.Interface().(Message)
	if !ok {
		return false
	}
	for key := range m {
		if key != typeKey && key != nilKey {
			return false
		}
	}
	return true
}

// allEmpty tells whether v, the value of a field, has nothing but messages without fields.
func allEmpty(v reflect.Value) bool {
	if !v.IsValid() {
		return true
	}
	switch v = concrete(v); {
	case isComposite(v, reflect.Slice):
		for i := range v.Len() {
			if !isEmpty(v.Index(i)) {
				return false
			}
		}
		return true
	case isComposite(v, reflect.Map) && v.Type() != reflect.TypeFor[Message]():
		for _, k := range v.MapKeys() {
			if !isEmpty(v.MapIndex(k)) {
				return false
			}
		}
		return true
	}
	return isEmpty(v)
}

// SortRepeated compares lists of T without regard to order: it sorts both by less, a func(x, y T)
// bool. T is the Go type of the elements, Enum or Message. It panics for anything else.
func SortRepeated(less any) cmp.Option {
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
func SortRepeatedFields(message gremlin.Type, names ...string) cmp.Option {
	fields := namesOfFields(message, names)
	return sorted("gremlincmp.SortRepeatedFields", inMessage(
		func(m, f string, x, y reflect.Value) bool {
			return fields[m+"."+f] && isList(x) && isList(y)
		}), func(x, y reflect.Value) int {
		if x.CanInt() {
			return stdcmp.Compare(x.Int(), y.Int())
		}
		// fmt prints maps in the order of their keys.
		return stdcmp.Compare(fmt.Sprint(x.Interface()), fmt.Sprint(y.Interface()))
	})
}

func isList(v reflect.Value) bool { return v.IsValid() && v.Kind() == reflect.Slice }

// sorted compares lists, of which filter tells, after sorting copies of them. A list that is sorted
// already is not transformed, so that there is an end to it.
func sorted(name string, filter func(cmp.Path) bool,
	compare func(x, y reflect.Value) int) cmp.Option {
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
	return cmp.FilterPath(filter, cmp.Transformer(name, transform))
}
