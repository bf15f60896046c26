package rules

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// mapField refuses maps whose keys cannot be keys, and entries of maps as types of other fields.
func (c *checker) mapField(f *field) {
	if !f.isMap() {
		return
	}
	if !c.isEntry(f) {
		d := c.errorf(f.FieldDescriptorProto, describe.Type,
			"%q is the entry of a map, expected a message", trimPoint(f.GetTypeName()))
		d.Hint = "write map<key type, value type>"
		return
	}
	switch key := f.message.Field[0]; key.GetType() {
	case descriptorpb.FieldDescriptorProto_TYPE_ENUM,
		descriptorpb.FieldDescriptorProto_TYPE_FLOAT,
		descriptorpb.FieldDescriptorProto_TYPE_DOUBLE,
		descriptorpb.FieldDescriptorProto_TYPE_MESSAGE,
		descriptorpb.FieldDescriptorProto_TYPE_GROUP,
		descriptorpb.FieldDescriptorProto_TYPE_BYTES:
		d := c.errorf(key, describe.Type, "keys of a map cannot be of type %q",
			trimPoint(typeName(key)))
		d.Hint = "use an integer, bool or string"
	}
	value := f.message.Field[1]
	if value.GetType() != descriptorpb.FieldDescriptorProto_TYPE_ENUM {
		return
	}
	d := c.types.find(value.GetTypeName())
	e, _ := d.Element.(*descriptorpb.EnumDescriptorProto)
	if e == nil || len(e.Value) == 0 || e.Value[0].GetNumber() == 0 {
		return
	}
	out := c.errorf(value, describe.Type,
		"values of a map have a default, so the first value of enum %q must be zero",
		trimPoint(value.GetTypeName()))
	out.Notes = append(out.Notes, noteIn(d.File, e.Value[0], describe.Number, "the first value"))
}

// isEntry tells whether the type of a field is the entry that was made of it.
func (c *checker) isEntry(f *field) bool {
	m := f.message
	if f.Extendee != nil || !f.isRepeated() || len(m.Field) != 2 ||
		len(m.Extension)+len(m.ExtensionRange)+len(m.NestedType)+len(m.EnumType) != 0 {
		return false
	}
	for i, name := range [...]string{"key", "value"} {
		of := m.Field[i]
		if of.GetName() != name || of.GetNumber() != int32(i+1) ||
			of.GetLabel() != descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL {
			return false
		}
	}
	return isEntryName(m.GetName(), f.GetName()) && c.isInside(f.GetTypeName(), m.GetName())
}

// isEntryName tells whether a name is that of the entry of a field.
func isEntryName(entry, field string) bool {
	j, capital := 0, true
	for i := range len(field) {
		if field[i] == '_' {
			capital = true
			continue
		}
		b := field[i]
		if capital {
			b = cased(b, true)
		}
		capital = false
		if j == len(entry) || entry[j] != b {
			return false
		}
		j++
	}
	return entry[j:] == "Entry"
}

// isInside tells whether a full name, with a point in front of it, is that of something with a name
// in the innermost message that is looked at.
func (c *checker) isInside(full, name string) bool {
	cut := func(part string) bool {
		rest, ok := strings.CutSuffix(full, part)
		if !ok || !strings.HasSuffix(rest, ".") {
			return false
		}
		full = rest[:len(rest)-1]
		return true
	}
	if !cut(name) {
		return false
	}
	for i := len(c.around) - 1; i >= 0; i-- {
		if !cut(c.around[i].GetName()) {
			return false
		}
	}
	return full == "" && c.Proto.GetPackage() == "" ||
		c.Proto.GetPackage() != "" && cut(c.Proto.GetPackage()) && full == ""
}
