package check

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Message compares every field of m, a pointer to a generated Message of which reader is the
// Reader, and of at most reads Messages in it, with want.
func Message(m any, reader reflect.Type, want protoreflect.Message, reads int) error {
	c := messageCheck{depth: maxDepth, budget: reads}
	c.message(reflect.ValueOf(m), reader, want, string(want.Descriptor().FullName()))
	return c.diff.err()
}

type messageCheck struct {
	diff   differences
	depth  int
	budget int
}

func (c *messageCheck) message(m reflect.Value, reader reflect.Type, want protoreflect.Message,
	path string) {
	if c.depth == 0 || c.budget == 0 {
		return
	}
	c.depth--
	c.budget--
	s := shapeOf(reader, want.Descriptor())
	for i := range s.fields {
		f := &s.fields[i]
		c.field(m, reader, f, want, path+"."+f.name)
	}
	for _, o := range s.oneofs {
		set := !m.Elem().FieldByName(o.name).IsNil()
		if set != (want.WhichOneof(o.od) != nil) || call(m, "Get"+o.name).IsNil() == set {
			c.diff.add(path, "%s set: %v", o.name, set)
		}
	}
	c.depth++
}

func (c *messageCheck) field(m reflect.Value, reader reflect.Type, f *field,
	want protoreflect.Message, path string) {
	got := call(m, "Get"+f.name)
	v := want.Get(f.fd)
	var sub reflect.Type // the Reader of the messages in the field
	switch {
	case f.fd.IsMap() && f.fd.MapValue().Message() != nil:
		get, _ := reader.MethodByName("Get" + f.name)
		sub = reflect.PointerTo(get.Type.Out(0).Elem())
	case f.fd.IsList() && f.fd.Message() != nil:
		get, _ := reader.MethodByName("Get" + f.name)
		sub = reflect.PointerTo(get.Type.Out(0).Elem())
	case f.fd.Message() != nil && !f.fd.IsMap():
		get, _ := reader.MethodByName("Get" + f.name)
		sub = get.Type.Out(0)
	}
	switch {
	case f.fd.IsMap():
		c.mapField(got, sub, f, v.Map(), path)
	case f.fd.IsList() && sub != nil:
		if got.Len() != v.List().Len() {
			c.diff.add(path, "%d messages, want %d", got.Len(), v.List().Len())
			return
		}
		for i := range got.Len() {
			e := got.Index(i)
			if e.Kind() != reflect.Pointer {
				e = e.Addr()
			}
			c.message(e, sub, v.List().Get(i).Message(), fmt.Sprintf("%s[%d]", path, i))
		}
	case f.fd.IsList():
		if !sameList(got, v.List(), f.fd) {
			c.diff.add(path, "%v, want %v", got, listString(v.List()))
		}
	case sub != nil:
		if got.IsNil() == want.Has(f.fd) {
			c.diff.add(path, "nil is %v", got.IsNil())
		} else if want.Has(f.fd) {
			c.message(got, sub, v.Message(), path)
		}
	default:
		if !sameScalar(got, v, f.fd) {
			c.diff.add(path, "%v, want %v", got, v)
		}
		if f.fd.HasPresence() && realOneof(f.fd) == nil {
			if x := m.Elem().FieldByName(f.name); x.IsNil() == want.Has(f.fd) {
				c.diff.add(path, "nil is %v", x.IsNil())
			}
		}
	}
}

func (c *messageCheck) mapField(got reflect.Value, sub reflect.Type, f *field,
	want protoreflect.Map, path string) {
	if got.Len() != want.Len() {
		c.diff.add(path, "%d entries, want %d", got.Len(), want.Len())
	}
	for _, k := range got.MapKeys() {
		key, at := mapKey(k, f.fd), fmt.Sprintf("%s[%v]", path, k)
		switch {
		case !want.Has(key):
			c.diff.add(at, "must not be there")
		case sub != nil:
			c.message(pointerTo(got.MapIndex(k)), sub, want.Get(key).Message(), at)
		case !sameScalar(got.MapIndex(k), want.Get(key), f.fd.MapValue()):
			c.diff.add(at, "%v, want %v", got.MapIndex(k), want.Get(key))
		}
	}
}
