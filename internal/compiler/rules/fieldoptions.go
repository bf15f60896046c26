package rules

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// fieldOptions refuses options that a field of its type cannot have.
func (c *checker) fieldOptions(f *field) {
	o := f.Options
	if o == nil {
		return
	}
	if o.Ctype != nil && c.Edition >= descriptorpb.Edition_EDITION_2024 {
		d := c.optionError(f, "ctype", `option "ctype" is not of edition 2024`)
		d.Hint = fmt.Sprintf(`use "features.(pb.cpp).string_type = %v"`, o.GetCtype())
		d.Notes = append(d.Notes, c.note(c.Proto, describe.Edition, "edition set here"))
	}
	if o.GetLazy() || o.GetUnverifiedLazy() {
		if f.GetType() != descriptorpb.FieldDescriptorProto_TYPE_MESSAGE || f.isGroup() {
			name := "lazy"
			if !o.GetLazy() {
				name = "unverified_lazy"
			}
			c.optionError(f, name, fmt.Sprintf("option %q is for fields of messages", name))
		}
	}
	if o.GetPacked() && !f.isPackable() {
		c.optionError(f, "packed", `option "packed" is for repeated fields of numbers`)
	}
	if o.GetJstype() != descriptorpb.FieldOptions_JS_NORMAL && !isWide(f.GetType()) {
		c.optionError(f, "jstype", `option "jstype" is for fields of integers of 64 bits`)
	}
}

// isWide tells whether a type is that of integers of 64 bits.
func isWide(t descriptorpb.FieldDescriptorProto_Type) bool {
	switch t {
	case descriptorpb.FieldDescriptorProto_TYPE_INT64,
		descriptorpb.FieldDescriptorProto_TYPE_UINT64,
		descriptorpb.FieldDescriptorProto_TYPE_SINT64,
		descriptorpb.FieldDescriptorProto_TYPE_FIXED64,
		descriptorpb.FieldDescriptorProto_TYPE_SFIXED64:
		return true
	}
	return false
}

// typeName is how a type is written in a file, names with a point in front.
func typeName(f *descriptorpb.FieldDescriptorProto) string {
	if f.TypeName != nil {
		return f.GetTypeName()
	}
	return strings.ToLower(strings.TrimPrefix(f.GetType().String(), "TYPE_"))
}
