package dynamic

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Schema is what a FileDescriptorSet declares: types of messages, enums and extensions. It does not
// change: any number of goroutines may use it, and all that it leads to.
type Schema struct {
	messages   map[string]*Type
	enums      map[string]*Enum
	extensions map[string]*Field
	order      []*Type  // as declared, file by file, without entries of maps
	declared   []*Field // extensions, the same
	known      rt.Types
}

// Message returns the message type with this full name, or nil.
func (s *Schema) Message(name string) *Type { return s.messages[name] }

// Enum returns the enum type with this full name, or nil.
func (s *Schema) Enum(name string) *Enum { return s.enums[name] }

// Extension returns the extension with this full name, or nil.
func (s *Schema) Extension(name string) *Field { return s.extensions[name] }

// Messages yields all message types, entries of maps left out, in the order of their declaration.
func (s *Schema) Messages() iter.Seq[*Type] { return slices.Values(s.order) }

// Extensions yields all extensions in the order of their declaration.
func (s *Schema) Extensions() iter.Seq[*Field] { return slices.Values(s.declared) }

// Type is a message type, a group's type, or that of the entries of a map. It must not be changed.
type Type struct {
	Name   string   // full name: "shop.v1.Deposit"
	File   string   // path of the file that declares it: "shop/v1/deposit.proto"
	Fields []*Field // fields in the order of their numbers
	Oneofs []*Oneof // oneofs in the order of their declaration, without those of proto3 optional

	MapEntry   bool // entries of a map: the fields 1, key, and 2, value
	MessageSet bool // encoded in the MessageSet wire format
	Extendable bool // has extension ranges, or is a message set

	Options []byte // encoded MessageOptions, custom ones among them; nil when there are none

	reserved   []string
	dense      []*Field // fields by number, as far as numbers are below maxDense
	byName     map[string]*Field
	extensions []*Field // extensions in the order of their numbers
	schema     *Schema
	needsInit  bool   // a required field may be missing, here or in a message in it
	memory     uint32 // bytes of the Message's struct in generated code
	tables     tables
}

// maxDense is below which numbers fields are found by an index. Others are searched for.
const maxDense = 512

// Schema returns what t was loaded with.
func (t *Type) Schema() *Schema { return t.schema }

// Field returns the field with this number, or nil. Extensions are not among them.
func (t *Type) Field(number uint32) *Field {
	if number < uint32(len(t.dense)) {
		return t.dense[number]
	}
	return numbered(t.Fields, number)
}

func numbered(fields []*Field, number uint32) *Field {
	i, ok := slices.BinarySearchFunc(fields, number, func(f *Field, n uint32) int {
		return cmp.Compare(f.Number, n)
	})
	if !ok {
		return nil
	}
	return fields[i]
}

// Extension returns the extension of t with this number, or nil.
func (t *Type) Extension(number uint32) *Field { return numbered(t.extensions, number) }

// FieldNamed returns the field that the .proto file or JSON calls name, or nil; a name that is both
// is that of the .proto file. "[shop.v1.region]" is the extension with that full name.
func (t *Type) FieldNamed(name string) *Field {
	if f := t.byName[name]; f != nil {
		return f
	}
	if inner, ok := strings.CutPrefix(name, "["); ok && strings.HasSuffix(inner, "]") {
		if x := t.schema.extensions[inner[:len(inner)-1]]; x != nil && x.Parent == t {
			return x
		}
	}
	return nil
}

// Resolve returns the fields that a path of names, "user.geo.country", goes through; the names are
// those of FieldNamed. Each but the last is a message, singular or repeated. Into a map a path goes
// through the fields of its entries, "labels.value". The error is a *PathError.
func (t *Type) Resolve(path string) ([]*Field, error) {
	var fields []*Field
	for at := 0; ; {
		name := path[at:]
		if end := nameEnd(name); end >= 0 {
			name = name[:end]
		}
		if t == nil {
			return nil, &PathError{Path: path, Offset: at, Name: name, Field: fields[len(fields)-1]}
		}
		f := t.FieldNamed(name)
		if f == nil {
			return nil, &PathError{Path: path, Offset: at, Name: name, Type: t}
		}
		fields = append(fields, f)
		if at += len(name) + 1; at > len(path) {
			return fields, nil
		}
		t = f.Message
	}
}

// nameEnd returns where the first name of a path ends, -1 where it is all of it. In an extension's
// name, in brackets, points do not count.
func nameEnd(path string) int {
	if strings.HasPrefix(path, "[") {
		if end := strings.IndexByte(path, ']'); end >= 0 {
			if i := strings.IndexByte(path[end:], '.'); i >= 0 {
				return end + i
			}
			return -1
		}
	}
	return strings.IndexByte(path, '.')
}

// PathError says that a path leads nowhere.
type PathError struct {
	Path   string
	Offset int    // where Name begins in Path
	Name   string // what there is not
	Type   *Type  // the message without a field Name; nil if no message could have it
	Field  *Field // if Type is nil, the field before Name, which is no message
}

// Error returns `user.nmae: shop.v1.User has no field "nmae"`.
func (e *PathError) Error() string {
	if e.Type == nil {
		return e.Path + ": field " + e.Field.FullName + " is no message, so it has no " +
			quote(e.Name)
	}
	return e.Path + ": " + e.Type.Name + " has no field " + quote(e.Name)
}

// Oneof is a declared oneof.
type Oneof struct {
	Name   string
	Fields []*Field // fields in the order of their declaration
	Parent *Type

	Options []byte // encoded OneofOptions; nil when there are none
}
