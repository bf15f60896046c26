// Package check compares what gremlin's generated types make of some bytes with what
// google.golang.org/protobuf makes of them. It finds the methods of generated types by reflection,
// so that it works for every message, and it calls every getter there is.
package check

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// shape is how a message's fields are called in Go.
type shape struct {
	fields []field
	oneofs []oneof
}

// field holds the names of one field: of the struct field and getter, and of the methods that only
// a Reader has.
type field struct {
	fd                                         protoreflect.FieldDescriptor
	name                                       string
	has, into, count, values, appendTo, lookup string
}

type oneof struct {
	od          protoreflect.OneofDescriptor
	name, which string
}

// readerMethods are the methods of every Reader.
var readerMethods = []string{"Unmarshal", "Detach", "Err", "CheckEncoding", "Raw", "ToMessage",
	"String", "GremlinTable",
	"GremlinOpen", "GremlinNext"}

var shapes sync.Map // shapeKey -> *shape

// shapeKey is a Reader and a descriptor of its message: files that are compiled apart have
// descriptors of their own of what they import.
type shapeKey struct {
	reader reflect.Type
	md     protoreflect.MessageDescriptor
}

// shapeOf finds the names for Reader type r, a pointer. A name that was taken has underscores
// behind it.
func shapeOf(r reflect.Type, md protoreflect.MessageDescriptor) *shape {
	key := shapeKey{r, md}
	if s, ok := shapes.Load(key); ok {
		return s.(*shape)
	}
	s := newShape(r, md)
	shapes.Store(key, s)
	return s
}

func newShape(r reflect.Type, md protoreflect.MessageDescriptor) *shape {
	toMessage, _ := r.MethodByName("ToMessage")
	m := toMessage.Type.Out(0)
	used := map[string]bool{}
	find := func(t reflect.Type, prefix, name string) string {
		for full := name; len(full) < len(name)+4; full += "_" {
			if _, ok := t.MethodByName(prefix + full); ok && !used[prefix+full] {
				used[prefix+full] = true
				return full
			}
		}
		panic(fmt.Sprintf("%v has no method %s%s for %s", t, prefix, name, md.FullName()))
	}
	s := &shape{}
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		s.fields = append(s.fields, field{fd: fd,
			name: find(m, "Get", camelCase(string(fd.Name())))})
		if od := realOneof(fd); od != nil && od.Fields().Get(0) == fd {
			s.oneofs = append(s.oneofs, oneof{od: od,
				name: find(m, "Get", camelCase(string(od.Name())))})
		}
	}
	for _, name := range readerMethods {
		used[name] = true
	}
	for i := range s.oneofs {
		s.oneofs[i].which = find(r, "", "Which"+s.oneofs[i].name)
	}
	for i := range s.fields {
		f := &s.fields[i]
		switch fd := f.fd; {
		case fd.IsMap():
			f.values, f.lookup = find(r, "", f.name), find(r, "", "Lookup"+f.name)
		case fd.IsList():
			f.values, f.count = find(r, "", f.name), find(r, "", "Len"+f.name)
			if fd.Message() == nil {
				f.appendTo = find(r, "", "Append"+f.name)
			}
		default:
			if fd.HasPresence() {
				f.has = find(r, "", "Has"+f.name)
			}
			if fd.Message() != nil {
				f.into = find(r, "", f.name+"Into")
			}
		}
	}
	return s
}

// realOneof returns the oneof that fd is a member of, unless it is one that stands for an optional
// field.
func realOneof(fd protoreflect.FieldDescriptor) protoreflect.OneofDescriptor {
	if od := fd.ContainingOneof(); od != nil && !od.IsSynthetic() {
		return od
	}
	return nil
}

// camelCase is the rule of protoc-gen-go for field names.
func camelCase(s string) string {
	var b strings.Builder
	raise := true
	for i, c := range s {
		lower := 'a' <= c && c <= 'z'
		switch {
		case c == '_' && i == 0:
			b.WriteByte('X')
		case c == '_' && i+1 < len(s) && 'a' <= s[i+1] && s[i+1] <= 'z':
			raise = true
			continue
		case lower && raise:
			b.WriteRune(c - 'a' + 'A')
		default:
			b.WriteRune(c)
		}
		// after a digit or an underscore that stays, the next letter is raised
		raise = !lower && !('A' <= c && c <= 'Z')
	}
	return b.String()
}
