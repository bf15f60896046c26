package rules

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// lifetimes refuses features, and values of them, that the edition of the file does not have.
func (c *checker) lifetimes(element any, fs *descriptorpb.FeatureSet) {
	if c.Edition < descriptorpb.Edition_EDITION_2024 {
		if fs.EnforceNamingStyle != nil {
			c.notInEdition(element, "enforce_naming_style", "", added2024)
		}
		if fs.DefaultSymbolVisibility != nil {
			c.notInEdition(element, "default_symbol_visibility", "", added2024)
		}
	}
	c.ownLifetimes(element, fs)
}

var added2024 = &descriptorpb.FieldOptions_FeatureSupport{
	EditionIntroduced: descriptorpb.Edition_EDITION_2024.Enum()}

// notInEdition refuses a feature, or a value of it, unless the edition of the file has it.
func (c *checker) notInEdition(element any, feature, value string,
	support *descriptorpb.FieldOptions_FeatureSupport) {
	var text string
	switch {
	case support == nil:
		return
	case c.Edition < support.GetEditionIntroduced():
		text = "is there since edition " + editionName(support.GetEditionIntroduced())
	case support.EditionRemoved != nil && c.Edition >= support.GetEditionRemoved():
		text = "is gone since edition " + editionName(support.GetEditionRemoved())
	default:
		return
	}
	what := fmt.Sprintf("feature %q", feature)
	if value != "" {
		what = fmt.Sprintf("value %q of feature %q", value, feature)
	}
	d := c.errorAt(c.OptionSpan(element, "features."+feature), fmt.Sprintf(
		"%s %s, this file is of %s", what, text, editionName(c.Edition)))
	d.Notes = append(d.Notes, c.note(c.Proto, describe.Edition, "edition set here"))
}

// ownLifetimes does that for features that are extensions: what they are for is said in options of
// their fields.
func (c *checker) ownLifetimes(element any, fs *descriptorpb.FeatureSet) {
	encoded, err := proto.MarshalOptions{AllowPartial: true}.Marshal(fs)
	if err != nil {
		return
	}
	for number, content := range submessages(encoded) {
		x := c.types.ownFeature(int32(number))
		of, ok := x.Element.(*descriptorpb.FieldDescriptorProto)
		if !ok {
			continue
		}
		m, ok := c.types.find(of.GetTypeName()).Element.(*descriptorpb.DescriptorProto)
		if !ok {
			continue
		}
		for len(content) > 0 {
			number, kind, n := protowire.ConsumeTag(content)
			if n < 0 {
				break
			}
			content = content[n:]
			value := int32(-1)
			if kind == protowire.VarintType {
				v, _ := protowire.ConsumeVarint(content)
				value = int32(v)
			}
			if n = protowire.ConsumeFieldValue(number, kind, content); n < 0 {
				break
			}
			content = content[n:]
			c.ownLifetime(element, "("+of.GetName()+")", m, int32(number), value)
		}
	}
}

// ownLifetime does it for one field of such an extension, and for its value if that is of an enum.
func (c *checker) ownLifetime(element any, name string, m *descriptorpb.DescriptorProto,
	number, value int32) {
	for _, f := range m.Field {
		if f.GetNumber() != number {
			continue
		}
		name += "." + f.GetName()
		c.notInEdition(element, name, "", f.GetOptions().GetFeatureSupport())
		e, ok := c.types.find(f.GetTypeName()).Element.(*descriptorpb.EnumDescriptorProto)
		if !ok {
			return
		}
		for _, v := range e.Value {
			if v.GetNumber() == value {
				c.notInEdition(element, name, v.GetName(), v.GetOptions().GetFeatureSupport())
				return
			}
		}
	}
}

// submessages yields the numbers and contents of fields that are messages.
func submessages(encoded []byte) func(yield func(protowire.Number, []byte) bool) {
	return func(yield func(protowire.Number, []byte) bool) {
		for len(encoded) > 0 {
			number, kind, n := protowire.ConsumeTag(encoded)
			if n < 0 {
				return
			}
			encoded = encoded[n:]
			if n = protowire.ConsumeFieldValue(number, kind, encoded); n < 0 {
				return
			}
			if kind == protowire.BytesType {
				content, _ := protowire.ConsumeBytes(encoded)
				if !yield(number, content) {
					return
				}
			}
			encoded = encoded[n:]
		}
	}
}
