package rules

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/link"
)

// visible refuses a type of another file that is local there.
func (c *checker) visible(f *field, is link.Symbol, part describe.Part) {
	if is.File == nil || is.File == c.linked || !c.types.isLocal(is.Element, is.File) {
		return
	}
	d := c.errorf(f.FieldDescriptorProto, part, "%v %q is local to %q", is.Kind, is.FullName(),
		is.File.Path)
	set := is.File.OptionSpan(is.File.Proto, "features.default_symbol_visibility")
	of, _ := is.Element.(interface {
		GetVisibility() descriptorpb.SymbolVisibility
	})
	switch {
	case of.GetVisibility() == descriptorpb.SymbolVisibility_VISIBILITY_LOCAL:
		d.Notes = append(d.Notes,
			noteIn(is.File, is.Element, describe.Name, "it is marked as local"))
	case set != is.File.Span(is.File.Proto, describe.Whole):
		d.Notes = append(d.Notes, is.File.Tree.Note(set, "this makes it local"))
	default:
		d.Notes = append(d.Notes, noteIn(is.File, is.Element, describe.Name,
			"types in messages are local in edition 2024"))
	}
	d.Hint = fmt.Sprintf(`mark it as "export" in %q`, is.File.Path)
}

// exportedMessage refuses messages in others that are exported where all that is in messages should
// be local.
func (c *checker) exportedMessage(m *descriptorpb.DescriptorProto, is features.Set) {
	if len(c.around) > 0 && isStrict(m.GetVisibility(), is) {
		d := c.errorf(m, describe.Name, "message %q is exported from %q, which cannot be",
			m.GetName(), c.messageName())
		d.Hint = "move it out of the message"
		c.noteStrict(d)
	}
}

// exportedEnum refuses enums in messages that are exported where all that is in messages should be
// local, unless the message has no other use. Where protoc overlooks that, it is a warning.
func (c *checker) exportedEnum(e *descriptorpb.EnumDescriptorProto, is features.Set) {
	if len(c.around) == 0 || !isStrict(e.GetVisibility(), is) {
		return
	}
	m := c.around[len(c.around)-1]
	var only *descriptorpb.DescriptorProto_ReservedRange // of a local message
	if len(c.around) == 1 && len(m.ReservedRange) == 1 &&
		m.GetVisibility() != descriptorpb.SymbolVisibility_VISIBILITY_EXPORT {
		only = m.ReservedRange[0]
	}
	if only.GetStart() == 1 && only.GetEnd() > maxNumber {
		return
	}
	d := c.errorf(e, describe.Name,
		"enum %q is exported from %q, which is not a local message that reserves 1 to max",
		c.fullName(e.GetName()), c.messageName())
	if only.GetStart() == 1 || only.GetEnd() == lastInternal { // protoc looks at one or the other
		d.Severity = report.Warning
	}
	d.Hint = `move it out of the message, or make that "local message" with "reserved 1 to max;"`
	c.noteStrict(d)
}

func isStrict(v descriptorpb.SymbolVisibility, is features.Set) bool {
	return v == descriptorpb.SymbolVisibility_VISIBILITY_EXPORT &&
		is.DefaultSymbolVisibility == descriptorpb.FeatureSet_VisibilityFeature_STRICT
}

func (c *checker) noteStrict(d *finding) {
	d.Notes = append(d.Notes, c.note(c.around[len(c.around)-1], describe.Name, "in this message"),
		c.Tree.Note(c.OptionSpan(c.Proto, "features.default_symbol_visibility"),
			"STRICT is set here"))
}
