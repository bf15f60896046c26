package check

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// maxErrors is how many differences are kept.
const maxErrors = 8

// differences collects what differs.
type differences struct {
	errs []string
}

func (d *differences) add(path, format string, args ...any) {
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, path+": "+fmt.Sprintf(format, args...))
	}
}

func (d *differences) err() error {
	if len(d.errs) == 0 {
		return nil
	}
	return differencesError(d.errs)
}

type differencesError []string

func (e differencesError) Error() string {
	s := ""
	for i, x := range e {
		if i > 0 {
			s += "\n"
		}
		s += x
	}
	return s
}

// sameScalar compares a Go value with a scalar of fd. Floats are compared by their bits; a NaN of
// 32 bits is any NaN, because protoreflect keeps it as 64 bits.
func sameScalar(got reflect.Value, want protoreflect.Value, fd protoreflect.FieldDescriptor) bool {
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return got.Bool() == want.Bool()
	case protoreflect.EnumKind:
		return got.Int() == int64(want.Enum())
	case protoreflect.StringKind:
		return got.String() == want.String()
	case protoreflect.BytesKind:
		return bytes.Equal(got.Bytes(), want.Bytes())
	case protoreflect.FloatKind:
		x, y := float32(got.Float()), float32(want.Float())
		return math.Float32bits(x) == math.Float32bits(y) || x != x && y != y
	case protoreflect.DoubleKind:
		return math.Float64bits(got.Float()) == math.Float64bits(want.Float())
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind, protoreflect.Uint64Kind,
		protoreflect.Fixed64Kind:
		return got.Uint() == want.Uint()
	default:
		return got.Int() == want.Int()
	}
}

// sameList compares a Go slice of scalars with a list.
func sameList(got reflect.Value, want protoreflect.List, fd protoreflect.FieldDescriptor) bool {
	if got.Len() != want.Len() {
		return false
	}
	for i := range got.Len() {
		if !sameScalar(got.Index(i), want.Get(i), fd) {
			return false
		}
	}
	return true
}

// mapKey turns a Go value into a key of fd's map.
func mapKey(v reflect.Value, fd protoreflect.FieldDescriptor) protoreflect.MapKey {
	switch fd.MapKey().Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(v.Bool()).MapKey()
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(v.String()).MapKey()
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(v.Uint())).MapKey()
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(v.Uint()).MapKey()
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(v.Int()).MapKey()
	default:
		return protoreflect.ValueOfInt32(int32(v.Int())).MapKey()
	}
}

// call calls a method and returns its only or first result.
func call(v reflect.Value, name string, args ...reflect.Value) reflect.Value {
	return method(v, name).Call(args)[0]
}

type methodKey struct {
	t    reflect.Type
	name string
}

var methodIndex sync.Map // methodKey -> int: Type.MethodByName builds a function type at each call

func method(v reflect.Value, name string) reflect.Value {
	key := methodKey{v.Type(), name}
	i, ok := methodIndex.Load(key)
	if !ok {
		m, found := v.Type().MethodByName(name)
		if !found {
			panic(fmt.Sprintf("%v has no method %s", v.Type(), name))
		}
		i = m.Index
		methodIndex.Store(key, i)
	}
	return v.Method(i.(int))
}
