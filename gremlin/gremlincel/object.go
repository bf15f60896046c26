package gremlincel

import (
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
)

// object is a message as a value of CEL. A field is read when an expression asks for it, and kept,
// so that a list or map is converted once for each message. It is for one goroutine.
type object struct {
	r      *dynamic.Reader
	in     place
	fields []ref.Val // values by index of the field; nil: nobody has asked yet
}

// objectValue is an object as cel-go has it.
type objectValue = celtypes.Object[*object]

// Type implements celtypes.Message.
func (o *object) Type() *dynamic.Type { return o.r.Type() }

// Field implements celtypes.Message.
func (o *object) Field(name string) *dynamic.Field { return fieldNamed(o.r.Type(), name) }

// Has implements celtypes.Message.
func (o *object) Has(f *dynamic.Field) bool { return has(o.r, f) }

// Value implements celtypes.Message.
func (o *object) Value(f *dynamic.Field) ref.Val {
	if o.fields == nil {
		o.fields = make([]ref.Val, len(o.r.Type().Fields))
	}
	if o.fields[f.Index] == nil {
		o.fields[f.Index] = fieldValue(o.r, f, o.in)
	}
	return o.fields[f.Index]
}

// Int implements celtypes.Message.
func (o *object) Int(f *dynamic.Field) int64 { return int64(o.r.Get(f).Bits) }

// Any implements celtypes.Message.
func (o *object) Any() ref.Val {
	url := o.r.Get(o.r.Type().Field(1)).Text
	t := celtypes.AnyType(o.r.Type(), url)
	if t == nil {
		return types.NewErr("a google.protobuf.Any has a message of an unknown type: %q", url)
	}
	inner, err := o.in.enterAny()
	if err != nil {
		return types.WrapErr(err)
	}
	m, err := open(t, bytesOf(o.r.Get(o.r.Type().Field(2)).Text))
	if err != nil {
		return types.WrapErr(err)
	}
	return messageValue(m, true, inner)
}

// Empty implements celtypes.Message.
func (o *object) Empty() bool { return isEmpty(o.r) }

// Unequal implements celtypes.Message.
func (o *object) Unequal(found ref.Val) ref.Val { return found }

// has tells whether f of r is set, as has(r.f) does: a field without presence to another value than
// zero, a list or map to one that is not empty.
func has(r *dynamic.Reader, f *dynamic.Field) bool {
	switch {
	case !r.Has(f):
		return false
	case f.Presence:
		return true
	case f.Kind == dynamic.Map || f.Message != nil:
		for range r.Messages(f) {
			return true
		}
		return false
	case f.Repeated:
		for range r.Each(f) {
			return true
		}
		return false
	}
	return !isZero(r.Get(f))
}

func isZero(s dynamic.Scalar) bool { return s.Bits == 0 && s.Text == "" }

// fieldValue is the value of a field, its default where it is not set.
func fieldValue(r *dynamic.Reader, f *dynamic.Field, in place) ref.Val {
	switch {
	case f.Kind == dynamic.Map:
		return mapValue(entries(r, f), in)
	case f.Repeated:
		return types.NewRefValList(types.DefaultTypeAdapter, elements(r, f, in))
	case f.Message != nil:
		return nestedValue(r, f, r.Message(f), r.Has(f), in)
	}
	return celtypes.Scalar(f, r.Get(f))
}

// elements are the values of a list.
func elements(r *dynamic.Reader, f *dynamic.Field, in place) (list []ref.Val) {
	if f.Message != nil {
		for m := range r.Messages(f) {
			list = append(list, nestedValue(r, f, m, true, in))
		}
		return list
	}
	for s := range r.Each(f) {
		list = append(list, celtypes.Scalar(f, s))
	}
	return list
}

// entries are those of a map, each key once. The order is that of the encoding.
func entries(r *dynamic.Reader, f *dynamic.Field) (list []*dynamic.Reader) {
	at := map[dynamic.Scalar]int{}
	for e := range r.Messages(f) {
		key := e.Get(f.Key())
		if i, twice := at[key]; twice {
			list[i] = e // the last one counts
			continue
		}
		at[key] = len(list)
		list = append(list, e)
	}
	return list
}

func mapValue(list []*dynamic.Reader, in place) ref.Val {
	m := make(map[ref.Val]ref.Val, len(list))
	for _, e := range list {
		fields := e.Type().Fields
		m[fieldValue(e, fields[0], in)] = entryValue(e, in)
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, m)
}

// entryValue is the value of an entry, which may have been left out: an empty message is there.
func entryValue(e *dynamic.Reader, in place) ref.Val {
	f := e.Type().Fields[1]
	if f.Message != nil {
		return nestedValue(e, f, e.Message(f), true, in)
	}
	return fieldValue(e, f, in)
}

// nestedValue is a message m in a field of r, which lies in a place.
func nestedValue(r *dynamic.Reader, f *dynamic.Field, m *dynamic.Reader, set bool,
	in place) ref.Val {
	inner, err := in.enter(r, f, m)
	if err != nil {
		return types.WrapErr(err)
	}
	return messageValue(m, set, inner)
}

// messageValue is a message, or what a well-known type stands for.
func messageValue(r *dynamic.Reader, set bool, in place) ref.Val {
	return celtypes.Value(&object{r: r, in: in}, set)
}

// open returns a Reader of an encoding that is right, also that of messages in it.
func open(t *dynamic.Type, b []byte) (*dynamic.Reader, error) {
	r := dynamic.NewReader(t)
	if err := r.Unmarshal(b); err != nil {
		return nil, err
	}
	return r, r.CheckEncoding()
}

// fieldNamed returns the field that the .proto file calls name, or nil.
func fieldNamed(t *dynamic.Type, name string) *dynamic.Field {
	if f := t.FieldNamed(name); f != nil && f.Name == name {
		return f
	}
	return nil
}

// isEmpty tells whether a message is the zero value of its type: nothing is set in it.
func isEmpty(r *dynamic.Reader) bool {
	return len(r.Raw()) == 0 || len(r.ToMessage().Marshal()) == 0
}
