package rules

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// defaultOfRepeated refuses defaults of repeated fields. Whether a default is a literal of its type
// is found where it is read.
func (c *checker) defaultOfRepeated(f *descriptorpb.FieldDescriptorProto) {
	if f.DefaultValue != nil && f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED {
		c.errorf(f, describe.Default, "repeated field %q cannot have a default", f.GetName())
	}
}

// defaultOfType refuses defaults of messages, and those of enums that are not names of values.
func (c *checker) defaultOfType(f *field) {
	switch {
	case f.DefaultValue == nil:
	case f.isMessage():
		c.errorf(f.FieldDescriptorProto, describe.Default,
			"field %q is a message, which cannot have a default", f.GetName())
	case f.enum == nil:
	case !isIdentifier(f.GetDefaultValue()):
		c.errorf(f.FieldDescriptorProto, describe.Default,
			"the default of an enum is the name of a value")
	case !c.hasValue(f.enum, f.GetDefaultValue()):
		d := c.errorf(f.FieldDescriptorProto, describe.Default, "enum %q has no value %q",
			trimPoint(f.GetTypeName()), f.GetDefaultValue())
		d.Hint = c.similarValue(f.enum, f.GetDefaultValue())
		d.Notes = append(d.Notes, noteIn(f.enumFile, f.enum, describe.Name, "the enum"))
	}
}

// maxHints is how many unknown values of a file get a hint: each looks at all values of an enum.
const maxHints = 100

// similarValue returns a hint for the name of a value that an enum does not have, or "".
func (c *checker) similarValue(e *descriptorpb.EnumDescriptorProto, name string) string {
	if c.hints++; c.hints > maxHints {
		return ""
	}
	var names []string
	for _, v := range e.Value {
		names = append(names, v.GetName())
	}
	if near := report.Nearest(name, names); len(near) > 0 {
		return fmt.Sprintf("did you mean %q?", near[0])
	}
	return ""
}

// manyValues is how many values an enum has whose names are looked up in a map.
const manyValues = 64

// hasValue tells whether an enum has a value with a name.
func (c *checker) hasValue(e *descriptorpb.EnumDescriptorProto, name string) bool {
	if len(e.Value) < manyValues {
		for _, v := range e.Value {
			if v.GetName() == name {
				return true
			}
		}
		return false
	}
	if c.values[e] == nil {
		if c.values == nil {
			c.values = map[*descriptorpb.EnumDescriptorProto]map[string]bool{}
		}
		c.values[e] = make(map[string]bool, len(e.Value))
		for _, v := range e.Value {
			c.values[e][v.GetName()] = true
		}
	}
	return c.values[e][name]
}
