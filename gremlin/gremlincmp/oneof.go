package gremlincmp

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strings"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// membersOf returns the names of the fields of a oneof. Tables know which fields exclude each other
// and not what that is called, so messages with one field each are asked which of their oneofs is
// set. It panics if there is none of that name.
func membersOf(message gremlin.Type, oneof string) (fields []string) {
	t := message.GremlinTable()
	typ := structOf(message)
	at := -1
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Type.Kind() == reflect.Interface && plain(f.Name) == plain(oneof) {
			at = i
		}
	}
	if at < 0 {
		panic(fmt.Sprintf("gremlincmp: %s has no oneof %q%s", t.Name, oneof, likeField(t, oneof)))
	}
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Oneof != 0 && isSetBy(typ, at, f) {
			fields = append(fields, f.Name)
		}
	}
	return fields
}

// plain is a name without what differs between Go, JSON and the .proto file.
func plain(name string) string {
	return strings.ToLower(strings.ReplaceAll(name, "_", ""))
}

// structOf returns the struct of a Message, also for a Reader.
func structOf(message gremlin.Type) reflect.Type {
	v := reflect.ValueOf(message)
	if _, ok := message.(gremlin.Reader); ok {
		v = reflect.New(v.Type().Elem()).MethodByName("ToMessage").Call(nil)[0]
	}
	return v.Type().Elem()
}

// isSetBy tells whether a message with nothing but f has something in its struct's field at.
func isSetBy(typ reflect.Type, at int, f *rt.FieldInfo) bool {
	m := reflect.New(typ)
	// That required fields are missing does not matter.
	_ = m.Interface().(interface{ Unmarshal([]byte) error }).Unmarshal(least(f))
	return !m.Elem().Field(at).IsNil()
}

// least returns the encoding of a message with a value for f, of the fewest bytes.
func least(f *rt.FieldInfo) []byte {
	tag := func(wire uint64) []byte {
		return binary.AppendUvarint(nil, uint64(f.Number)<<3|wire)
	}
	switch f.Kind {
	case rt.KindFixed32, rt.KindSfixed32, rt.KindFloat:
		return append(tag(5), 0, 0, 0, 0)
	case rt.KindFixed64, rt.KindSfixed64, rt.KindDouble:
		return append(tag(1), 0, 0, 0, 0, 0, 0, 0, 0)
	case rt.KindString, rt.KindBytes, rt.KindMessage:
		return append(tag(2), 0)
	case rt.KindGroup:
		return append(tag(3), tag(4)...)
	case rt.KindEnum: // a closed enum may have no zero
		return binary.AppendUvarint(tag(0), uint64(int64(f.Enum.Values[0].Number)))
	}
	return append(tag(0), 0)
}
