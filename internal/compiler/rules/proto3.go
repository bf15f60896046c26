package rules

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// proto3Message refuses what messages of proto3 do not have.
func (c *checker) proto3Message(m *descriptorpb.DescriptorProto) {
	if c.Edition != descriptorpb.Edition_EDITION_PROTO3 {
		return
	}
	if len(m.ExtensionRange) > 0 {
		c.errorf(m.ExtensionRange[0], describe.Whole, "messages of proto3 have no extensions")
	}
	if m.GetOptions().GetMessageSetWireFormat() {
		c.errorAt(c.OptionSpan(m, "message_set_wire_format"),
			"proto3 has no message sets")
	}
}

// proto3Field refuses what fields of proto3 cannot be.
func (c *checker) proto3Field(f *field) {
	if c.Edition != descriptorpb.Edition_EDITION_PROTO3 {
		return
	}
	if f.Extendee != nil && f.in != nil && !isProto3Extendee(f.GetExtendee()) {
		c.errorf(f.FieldDescriptorProto, describe.Extendee,
			"%q cannot be extended in proto3, where only options can", trimPoint(f.GetExtendee()))
	}
	if f.isRequired() {
		c.errorf(f.FieldDescriptorProto, describe.Label, "proto3 has no required fields").Hint =
			"remove the label"
	}
	if f.DefaultValue != nil {
		c.errorf(f.FieldDescriptorProto, describe.Default, "proto3 has no defaults").Hint =
			`remove the option "default"`
	}
	if f.enum != nil && c.types.isClosed(f.enum, f.enumFile) {
		c.closedEnum(f, "is of proto3, so its enum %q must be open")
	}
	if f.isGroup() {
		c.errorf(f.FieldDescriptorProto, describe.Whole, "proto3 has no groups").Hint =
			"declare a message, and a field of it"
	}
}

// isProto3Extendee tells whether proto3 may extend a message.
func isProto3Extendee(name string) bool {
	if rest, ok := strings.CutPrefix(name, ".proto2."); ok {
		name = ".google.protobuf." + rest
	}
	return isOptions(name)
}
