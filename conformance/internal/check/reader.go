package check

import (
	"fmt"
	"reflect"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Reader calls every getter of r, a pointer to a generated Reader, and of at most reads Readers in
// it, and compares with want.
func Reader(r any, want protoreflect.Message, reads int) error {
	c := readerCheck{compare: true, depth: maxDepth, budget: reads}
	c.message(reflect.ValueOf(r), want, string(want.Descriptor().FullName()))
	return c.diff.err()
}

// Read calls every getter of r, which may have been opened on malformed bytes, and compares
// nothing. md is r's type.
func Read(r any, md protoreflect.MessageDescriptor) {
	c := readerCheck{depth: 20, budget: 2000}
	c.walk(reflect.ValueOf(r), md)
}

// maxDepth is how many levels are compared.
const maxDepth = 200

type readerCheck struct {
	diff    differences
	compare bool
	depth   int
	budget  int
}

// walk reads without comparing.
func (c *readerCheck) walk(r reflect.Value, md protoreflect.MessageDescriptor) {
	if c.depth == 0 || c.budget == 0 {
		return
	}
	c.depth--
	c.budget--
	s := shapeOf(r.Type(), md)
	for i := range s.fields {
		c.field(r, &s.fields[i], nil, "")
	}
	for _, o := range s.oneofs {
		call(r, o.which)
	}
	call(r, "String")
	call(r, "CheckEncoding")
	c.depth++
}

func (c *readerCheck) message(r reflect.Value, want protoreflect.Message, path string) {
	if c.depth == 0 || c.budget == 0 {
		return
	}
	c.depth--
	c.budget--
	if err := call(r, "Err"); !err.IsNil() {
		c.diff.add(path, "Err() = %v", err)
	}
	s := shapeOf(r.Type(), want.Descriptor())
	for i := range s.fields {
		c.field(r, &s.fields[i], want, path+"."+s.fields[i].name)
	}
	for _, o := range s.oneofs {
		number := protoreflect.FieldNumber(0)
		if fd := want.WhichOneof(o.od); fd != nil {
			number = fd.Number()
		}
		if got := call(r, o.which).Int(); got != int64(number) {
			c.diff.add(path, "%s() = %d, want %d", o.which, got, number)
		}
	}
	c.depth++
}

// field checks one field; want is nil when nothing is to be compared.
func (c *readerCheck) field(r reflect.Value, f *field, want protoreflect.Message, path string) {
	var v protoreflect.Value
	if want != nil {
		v = want.Get(f.fd)
	}
	switch {
	case f.fd.IsMap():
		c.mapField(r, f, v, path)
	case f.fd.IsList() && f.fd.Message() != nil:
		c.messages(r, f, v, path)
	case f.fd.IsList():
		c.list(r, f, v, path)
	case f.fd.Message() != nil:
		c.nested(r, f, v, path)
	default:
		got := call(r, "Get"+f.name)
		if c.compare && !sameScalar(got, v, f.fd) {
			c.diff.add(path, "Get = %v, want %v", got, v)
		}
	}
	if f.has != "" {
		if got := call(r, f.has).Bool(); c.compare && got != want.Has(f.fd) {
			c.diff.add(path, "%s() = %v", f.has, got)
		}
	}
}

func (c *readerCheck) nested(r reflect.Value, f *field, want protoreflect.Value, path string) {
	u := call(r, "Get"+f.name)
	into := reflect.New(u.Type().Elem())
	set := call(r, f.into, into).Bool()
	if !c.compare {
		if set {
			c.walk(u, f.fd.Message())
		}
		return
	}
	if set != want.Message().IsValid() {
		c.diff.add(path, "%s() = %v", f.into, set)
	}
	c.sameRaw(into, u, path+" ("+f.into+")")
	if want.Message().IsValid() {
		c.message(u, want.Message(), path)
	}
}

// sameRaw compares two Readers by their bytes.
func (c *readerCheck) sameRaw(x, y reflect.Value, path string) {
	if a, b := call(x, "Raw").Bytes(), call(y, "Raw").Bytes(); string(a) != string(b) {
		c.diff.add(path, "Raw is %x and %x", a, b)
	}
}

func (c *readerCheck) list(r reflect.Value, f *field, want protoreflect.Value, path string) {
	got := call(r, "Get"+f.name)
	count := call(r, f.count).Int()
	iterated := reflect.MakeSlice(got.Type(), 0, got.Len())
	for x := range call(r, f.values).Seq() {
		iterated = reflect.Append(iterated, x)
	}
	for x := range call(r, f.values).Seq() {
		_ = x
		break // a walk that ends early
	}
	prefix := reflect.MakeSlice(got.Type(), 1, 3)
	appended := call(r, f.appendTo, prefix)
	if !c.compare {
		return
	}
	l := want.List()
	if !sameList(got, l, f.fd) {
		c.diff.add(path, "Get = %v, want %v", got, listString(l))
	}
	if int(count) != l.Len() {
		c.diff.add(path, "%s() = %d, want %d", f.count, count, l.Len())
	}
	if !sameList(iterated, l, f.fd) {
		c.diff.add(path, "%s() yields %v, want %v", f.values, iterated, listString(l))
	}
	if appended.Len() == 0 || !sameList(appended.Slice(1, appended.Len()), l, f.fd) {
		c.diff.add(path, "%s() = %v, want %v", f.appendTo, appended, listString(l))
	}
}

func listString(l protoreflect.List) string {
	var s []any
	for i := range min(l.Len(), 50) {
		s = append(s, l.Get(i).Interface())
	}
	return fmt.Sprint(s)
}

func (c *readerCheck) messages(r reflect.Value, f *field, want protoreflect.Value, path string) {
	got := call(r, "Get"+f.name)
	count := int(call(r, f.count).Int())
	n := 0
	for u := range call(r, f.values).Seq() {
		if n < got.Len() {
			c.sameRaw(u, got.Index(n).Addr(), path+" ("+f.values+")")
		}
		n++
	}
	if c.compare && (count != want.List().Len() || got.Len() != count || n != count) {
		c.diff.add(path, "%s() = %d, Get has %d, %s() yields %d, want %d", f.count, count,
			got.Len(), f.values, n, want.List().Len())
		return
	}
	for i := range got.Len() {
		if c.compare {
			c.message(got.Index(i).Addr(), want.List().Get(i).Message(),
				fmt.Sprintf("%s[%d]", path, i))
		} else {
			c.walk(got.Index(i).Addr(), f.fd.Message())
		}
	}
}

func (c *readerCheck) mapField(r reflect.Value, f *field, want protoreflect.Value, path string) {
	got := call(r, "Get"+f.name)
	isMessage := f.fd.MapValue().Message() != nil
	last := reflect.MakeMap(got.Type())
	for k, v := range call(r, f.values).Seq2() {
		if isMessage {
			v = v.Elem()
		}
		last.SetMapIndex(k, v)
	}
	_, missing := lookup(r, f, reflect.Zero(got.Type().Key()))
	if !c.compare {
		if isMessage {
			for _, k := range got.MapKeys() {
				c.walk(pointerTo(got.MapIndex(k)), f.fd.MapValue().Message())
			}
		}
		return
	}
	m := want.Map()
	if got.Len() != m.Len() || last.Len() != m.Len() {
		c.diff.add(path, "Get has %d entries, %s() %d, want %d", got.Len(), f.values, last.Len(),
			m.Len())
	}
	if has := m.Has(mapKey(reflect.Zero(got.Type().Key()), f.fd)); has != missing {
		c.diff.add(path, "%s(zero) = %v", f.lookup, missing)
	}
	for _, k := range got.MapKeys() {
		key := mapKey(k, f.fd)
		if !m.Has(key) {
			c.diff.add(path, "there is a key %v", key)
			continue
		}
		looked, ok := lookup(r, f, k)
		if !ok {
			c.diff.add(path, "%s(%v) finds nothing", f.lookup, k)
			continue
		}
		v, at := got.MapIndex(k), fmt.Sprintf("%s[%v]", path, k)
		if !isMessage {
			for _, x := range []reflect.Value{v, looked, last.MapIndex(k)} {
				if !sameScalar(x, m.Get(key), f.fd.MapValue()) {
					c.diff.add(at, "value %v, want %v", x, m.Get(key))
				}
			}
			continue
		}
		u := pointerTo(v)
		c.sameRaw(pointerTo(looked), u, at+" ("+f.lookup+")")
		c.sameRaw(pointerTo(last.MapIndex(k)), u, at+" ("+f.values+")")
		c.message(u, m.Get(key).Message(), at)
	}
}

func lookup(r reflect.Value, f *field, key reflect.Value) (reflect.Value, bool) {
	out := method(r, f.lookup).Call([]reflect.Value{key})
	return out[0], out[1].Bool()
}

func pointerTo(v reflect.Value) reflect.Value {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p
}
