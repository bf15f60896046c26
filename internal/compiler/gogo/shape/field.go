package shape

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// class says by what rules a value is written and read.
type class int

const (
	scalar  class = iota // a number, bool, string or bytes, under whatever name
	nested               // a message: its own methods do it
	custom               // a type with methods of its own in place of bytes or a message
	stdtype              // a type of the standard library in place of a message
)

// field is a field and what it is in Go. Keys and values of maps are fields too.
type field struct {
	*schema.Field
	facts   *options.Field
	desc    *descriptorpb.FieldDescriptorProto
	msg     *message
	proto3  bool // as far as pointers and zero are concerned
	goName  string
	getter  string
	oneof   *oneof
	wrapper string
	class   class
	std     string // what functions of package std are about, "Time", for a stdtype
	stdGo   string // and the Go type, "time.Time"
	star    bool   // the value is a pointer
	of      *field // the map, of its key and its value
	key     *field // key of a map
	value   *field
}

// wrappers are the messages that wktpointer stands for, with the name in package std and the Go
// type.
var wrappers = map[string][2]string{
	"DoubleValue": {"Double", "float64"}, "FloatValue": {"Float", "float32"},
	"Int64Value": {"Int64", "int64"}, "UInt64Value": {"Uint64", "uint64"},
	"Int32Value": {"Int32", "int32"}, "UInt32Value": {"Uint32", "uint32"},
	"BoolValue": {"Bool", "bool"}, "StringValue": {"String", "string"},
	"BytesValue": {"Bytes", "[]byte"},
}

func (n *names) newField(m *message, sf *schema.Field) *field {
	f := &field{
		Field: sf, facts: n.facts.Fields[sf.FullName], desc: n.descriptors[sf.FullName], msg: m,
		proto3: m.file.facts.Proto3,
	}
	if sf.IsMap() {
		f.key = n.newEntryField(f, sf.MapKey,
			&options.Field{Nullable: true, CastType: f.facts.CastKey})
		f.value = n.newEntryField(f, sf.MapValue, &options.Field{
			Nullable: f.facts.Nullable, CastType: f.facts.CastValue, CustomType: f.facts.CustomType,
			StdTime: f.facts.StdTime, StdDuration: f.facts.StdDuration,
			WktPointer: f.facts.WktPointer, CustomMethods: hasMethods(f, sf),
		})
		return f
	}
	f.classify()
	f.star = f.isPointer()
	return f
}

func (n *names) newEntryField(of *field, sf *schema.Field, facts *options.Field) *field {
	f := &field{Field: sf, facts: facts, desc: n.descriptors[sf.FullName], msg: of.msg, of: of,
		proto3: of.proto3}
	f.classify()
	f.star = facts.Nullable && (sf.Kind == schema.MessageKind || f.class == custom)
	return f
}

// hasMethods tells whether the custom type of a map's values has methods that are called.
func hasMethods(of *field, value *schema.Field) bool {
	return of.facts.CustomType != "" && (value.Kind == schema.MessageKind ||
		value.Kind == schema.Bytes ||
		value.Kind == schema.String && of.msg.file.facts.CustomStrings)
}

func (f *field) classify() {
	isMessage := f.Kind == schema.MessageKind
	wkt := ""
	if isMessage {
		wkt, _ = strings.CutPrefix(f.Message.FullName, "google.protobuf.")
	}
	switch {
	case f.facts.CustomMethods:
		f.class = custom
	case f.facts.StdTime:
		f.class, f.std, f.stdGo = stdtype, "Time", "time.Time"
	case f.facts.StdDuration:
		f.class, f.std, f.stdGo = stdtype, "Duration", "time.Duration"
	case f.facts.WktPointer && wrappers[wkt][0] != "":
		f.class, f.std, f.stdGo = stdtype, wrappers[wkt][0], wrappers[wkt][1]
	case isMessage:
		f.class = nested
	}
}

// place returns the expression for the field in methods whose receiver is m.
func (f *field) place() string {
	if f.facts.Inline {
		return "m"
	}
	return "m." + f.goName
}

// target is place in Unmarshal, which has a pointer to the message.
func (f *field) target() string {
	if f.facts.Inline {
		return "(*m)"
	}
	return "m." + f.goName
}

// inline tells whether the Go type of the message is its only field, a list.
func (m *message) inline() bool { return len(m.fields) == 1 && m.fields[0].facts.Inline }

// receiver returns the type of the receiver of methods that do not change the message.
func (m *message) receiver() string {
	if m.inline() {
		return m.goName.name
	}
	return "*" + m.goName.name
}

// isPointer tells whether a value of the field, an element where it is a list, is a pointer.
func (f *field) isPointer() bool {
	isMessage := f.Kind == schema.MessageKind
	isCustom := f.facts.CustomType != ""
	switch {
	case f.Repeated && (!isMessage || isCustom):
		return false
	case f.Kind == schema.Bytes && !isCustom:
		return false
	case !f.facts.Nullable:
		return false
	case f.isSynthetic():
		return true // optional of proto3, which gogo refuses
	case f.inOneof() && !isMessage:
		return false
	case f.proto3 && !isMessage && !isCustom:
		return false
	}
	return true
}

func (f *field) inOneof() bool { return f.Field.Oneof != nil }

// isSynthetic tells whether f is an optional field of proto3.
func (f *field) isSynthetic() bool { return f.desc.GetProto3Optional() }

// isCustom tells whether the option customtype is given, whatever the kind.
func (f *field) isCustom() bool { return f.facts.CustomType != "" }

// typ returns the Go type of one value, without pointer or list.
func (p *printer) typ(f *field) string {
	switch {
	case f.facts.CustomType != "":
		return p.named(f.facts.CustomType)
	case f.facts.CastType != "" && !f.IsMap():
		return p.named(f.facts.CastType)
	case f.class == stdtype:
		if strings.HasPrefix(f.stdGo, "time.") {
			return p.use("time") + f.stdGo[len("time"):]
		}
		return f.stdGo
	}
	return p.plainType(f.Field)
}

var scalarTypes = map[schema.Kind]string{
	schema.Bool: "bool", schema.Int32: "int32", schema.Sint32: "int32", schema.Sfixed32: "int32",
	schema.Uint32:  "uint32",
	schema.Fixed32: "uint32", schema.Int64: "int64", schema.Sint64: "int64",
	schema.Sfixed64: "int64",
	schema.Uint64:   "uint64", schema.Fixed64: "uint64", schema.Float: "float32",
	schema.Double: "float64",
	schema.String: "string", schema.Bytes: "[]byte",
}

// plainType returns the Go type that a value would have without options.
func (p *printer) plainType(f *schema.Field) string {
	switch f.Kind {
	case schema.EnumKind:
		return p.qualify(p.names.enums[f.Enum].goName)
	case schema.MessageKind:
		return p.qualify(p.names.messages[f.Message].goName)
	}
	return scalarTypes[f.Kind]
}

// fieldType returns the type of the field in the struct.
func (p *printer) fieldType(f *field) string {
	if f.IsMap() {
		return p.mapType(f)
	}
	t := p.typ(f)
	if f.star {
		t = "*" + t
	}
	if f.Repeated {
		if f.facts.CastRepeated != "" {
			return p.named(f.facts.CastRepeated)
		}
		t = "[]" + t
	}
	return t
}

func (p *printer) mapType(f *field) string {
	if f.facts.CastType != "" {
		return p.named(f.facts.CastType)
	}
	star := ""
	if f.value.star {
		star = "*"
	}
	return "map[" + p.typ(f.key) + "]" + star + p.typ(f.value)
}

// embeddedName returns the name of an embedded field: that of its type.
func (f *field) embeddedName(n *names) string {
	name := f.facts.CustomType
	if name == "" {
		name = f.facts.CastType
	}
	if name == "" {
		return n.messages[f.Message].goName.name
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// nilCheck tells whether the field is written only when it is not nil.
func (f *field) nilCheck() bool {
	if f.Kind == schema.MessageKind || f.isCustom() {
		return f.facts.Nullable
	}
	if f.proto3 && !f.isSynthetic() {
		return false
	}
	return f.star || f.Kind == schema.Bytes
}
