package rules

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/features"
)

// setFeatures checks the features that an element sets, and makes of those around it its own.
func (c *checker) setFeatures(element any, fs *descriptorpb.FeatureSet, is *features.Set) {
	if fs == nil {
		return
	}
	if c.Edition < descriptorpb.Edition_EDITION_2023 {
		d := c.errorAt(c.OptionSpan(element, "features"),
			"features are of editions, this file is of "+editionName(c.Edition))
		d.Notes = append(d.Notes, c.note(c.Proto, describe.Edition, "syntax set here"))
		return
	}
	*is = is.With(fs)
	if name := is.Unknown(); name != "" {
		c.errorAt(c.OptionSpan(element, "features."+name),
			fmt.Sprintf("feature %q must be known, %q is not", name, unknownValue(name)))
	}
	c.lifetimes(element, fs)
}

// unknownValue is the value of a feature that is none.
func unknownValue(name string) string {
	fd := (*descriptorpb.FeatureSet)(nil).ProtoReflect().Descriptor().Fields().ByName(
		protoreflect.Name(name))
	return string(fd.Enum().Values().ByNumber(0).Name())
}

// editionName is how a file says of which edition it is.
func editionName(e descriptorpb.Edition) string {
	return strings.ToLower(strings.TrimPrefix(e.String(), "EDITION_"))
}

// fileOptions refuses what a file cannot set for all that is in it.
func (c *checker) fileOptions(is features.Set) {
	o := c.Proto.GetOptions()
	if c.Edition < descriptorpb.Edition_EDITION_2023 || o == nil {
		return
	}
	if is.FieldPresence == descriptorpb.FeatureSet_LEGACY_REQUIRED {
		c.errorAt(c.OptionSpan(c.Proto, "features.field_presence"),
			"a file cannot make all its fields required").Hint =
			"set the feature for each field that is"
	}
	if o.GetJavaStringCheckUtf8() {
		c.errorAt(c.OptionSpan(c.Proto, "java_string_check_utf8"),
			`option "java_string_check_utf8" is not of editions`).Hint =
			`use "features.(pb.java).utf8_validation"`
	}
	if c.Edition >= descriptorpb.Edition_EDITION_2024 && o.JavaMultipleFiles != nil {
		c.errorAt(c.OptionSpan(c.Proto, "java_multiple_files"),
			`option "java_multiple_files" is not of edition 2024, where files are many anyway`).
			Hint = `remove it; for one file use "features.(pb.java).nest_in_file_class = YES"`
	}
}

// fieldFeatures refuses features that a field of its kind cannot have.
func (c *checker) fieldFeatures(f *field) {
	if c.Edition < descriptorpb.Edition_EDITION_2023 {
		return
	}
	if o := f.Options; o != nil && o.Packed != nil {
		c.optionError(f, "packed", `option "packed" is not of editions`).Hint =
			`use "features.repeated_field_encoding"`
	}
	if !f.isRepeated() && !f.hasPresence() {
		if f.DefaultValue != nil {
			c.errorf(f.FieldDescriptorProto, describe.Default,
				"field %q has implicit presence, so it cannot have a default", f.GetName())
		}
		if f.enum != nil && c.types.isClosed(f.enum, f.enumFile) {
			c.closedEnum(f, "has implicit presence, so its enum %q must be open")
		}
	}
	if f.Extendee != nil && f.isRequired() {
		c.optionError(f, "features.field_presence", "an extension cannot be required")
	}
	if fs := f.GetOptions().GetFeatures(); fs != nil && !f.inEntry() {
		c.ownFeatures(f, fs)
	}
}

// ownFeatures checks features that a field sets itself.
func (c *checker) ownFeatures(f *field, fs *descriptorpb.FeatureSet) {
	if fs.FieldPresence != nil {
		what := ""
		switch {
		case f.OneofIndex != nil:
			what = "fields of oneofs always have presence"
		case f.isRepeated():
			what = "repeated fields have no presence"
		case f.Extendee != nil && fs.GetFieldPresence() != descriptorpb.FeatureSet_LEGACY_REQUIRED:
			what = "extensions always have presence"
		case f.isMessage() && fs.GetFieldPresence() == descriptorpb.FeatureSet_IMPLICIT:
			what = "messages always have presence"
		}
		if what != "" {
			c.optionError(f, "features.field_presence", what).Hint = "remove the feature"
		}
	}
	if fs.RepeatedFieldEncoding != nil && !f.isRepeated() {
		c.optionError(f, "features.repeated_field_encoding",
			`feature "repeated_field_encoding" is for repeated fields`)
	} else if fs.GetRepeatedFieldEncoding() == descriptorpb.FeatureSet_PACKED && !f.isPackable() {
		c.optionError(f, "features.repeated_field_encoding", "only numbers can be packed")
	}
	if fs.Utf8Validation != nil && f.GetType() != descriptorpb.FieldDescriptorProto_TYPE_STRING &&
		!f.isStringMap() {
		c.optionError(f, "features.utf8_validation",
			`feature "utf8_validation" is for fields of strings`)
	}
	if fs.MessageEncoding != nil && (!f.isMessage() || f.isMap()) {
		c.optionError(f, "features.message_encoding",
			`feature "message_encoding" is for fields of messages`)
	}
}

// isStringMap tells whether it is a map with a string as key or value.
func (f *field) isStringMap() bool {
	return f.isMap() && slices.ContainsFunc(f.message.Field,
		func(of *descriptorpb.FieldDescriptorProto) bool {
			return of.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING
		})
}

// closedEnum refuses the type of a field.
func (c *checker) closedEnum(f *field, why string) {
	d := c.errorf(f.FieldDescriptorProto, describe.Type, "field %q "+why, f.GetName(),
		trimPoint(f.GetTypeName()))
	d.Notes = append(d.Notes, noteIn(f.enumFile, f.enum, describe.Name, "the enum is closed"))
}

func (c *checker) optionError(f *field, option, message string) *finding {
	return c.errorAt(c.OptionSpan(f.FieldDescriptorProto, option), message)
}
