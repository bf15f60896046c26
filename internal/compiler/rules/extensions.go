package rules

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/features"
)

// requiredExtension refuses required extensions.
func (c *checker) requiredExtension(x *descriptorpb.FieldDescriptorProto) {
	if x.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED {
		c.errorf(x, describe.Label, "extension %q cannot be required", x.GetName())
	}
}

// extensionRanges refuses numbers of extensions that are too high, and declarations of extensions
// that no extension could be like.
func (c *checker) extensionRanges(m *descriptorpb.DescriptorProto, is features.Set) {
	if len(m.ExtensionRange) == 0 {
		return
	}
	highest := int64(maxNumber)
	if m.GetOptions().GetMessageSetWireFormat() {
		highest = math.MaxInt32
	}
	var names map[string]bool
	for _, r := range m.ExtensionRange {
		if int64(r.GetEnd()) > highest+1 {
			c.errorf(r, describe.Whole, "range ends at %d, extensions have numbers up to %d",
				r.GetEnd()-1, highest)
		}
		o := r.GetOptions()
		if o == nil {
			continue
		}
		of := is
		c.setFeatures(r, o.GetFeatures(), &of)
		if len(o.Declaration) == 0 {
			continue
		}
		if names == nil {
			names = map[string]bool{}
		}
		c.declarations(m, r, names)
	}
}

// extension checks an extension against what its message allows.
func (c *checker) extension(f *field) {
	if f.in == nil {
		return
	}
	if f.GetNumber() <= 0 {
		return // which is found without the message
	}
	r := c.rangeOfExtension(f)
	if r == nil {
		d := c.errorf(f.FieldDescriptorProto, describe.Number,
			"number %d is not for extensions of %q", f.GetNumber(), trimPoint(f.GetExtendee()))
		d.Notes = append(d.Notes, noteIn(f.inFile, f.in, describe.Name, "the message"))
		if f.inFile == c.linked && f.GetNumber() <= maxNumber && !f.inEntry() {
			d.Hint = fmt.Sprintf(`add "extensions %d;" to the message`, f.GetNumber())
		}
		return
	}
	if isLite(c.Proto) && !isLite(f.inFile.Proto) {
		c.errorf(f.FieldDescriptorProto, describe.Extendee,
			"an extension of %q, which is not lite, is declared in a file that is",
			trimPoint(f.GetExtendee()))
	}
	if f.inFile.Path != descriptorPath && !isOptions(f.GetExtendee()) {
		c.declared(f, r)
	}
}

// rangeOfExtension returns the range that has the number of an extension, or nil. Extensions of one
// message stand together: its ranges are sorted once for them.
func (c *checker) rangeOfExtension(f *field) *descriptorpb.DescriptorProto_ExtensionRange {
	if len(f.in.ExtensionRange) < 8 {
		for _, r := range f.in.ExtensionRange {
			if r.GetStart() <= f.GetNumber() && f.GetNumber() < r.GetEnd() {
				return r
			}
		}
		return nil
	}
	if c.sorted != f.in {
		c.sorted, c.spans = f.in, c.spans[:0]
		for _, r := range f.in.ExtensionRange {
			c.spans = append(c.spans, span{int64(r.GetStart()), int64(r.GetEnd()), r})
		}
		slices.SortFunc(c.spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	}
	if s := c.rangeOf(int64(f.GetNumber())); s != nil {
		return s.of.(*descriptorpb.DescriptorProto_ExtensionRange)
	}
	return nil
}

const descriptorPath = "google/protobuf/descriptor.proto"

// isOptions tells whether a message is one of options, which other files extend without
// declaration, and proto3 may extend.
func isOptions(name string) bool {
	rest, ok := strings.CutPrefix(name, ".google.protobuf.")
	if !ok {
		return false
	}
	switch rest {
	case "EnumOptions", "EnumValueOptions", "ExtensionRangeOptions", "FieldOptions", "FileOptions",
		"MessageOptions", "MethodOptions", "OneofOptions", "ServiceOptions":
		return true
	}
	return false
}

// setMember refuses fields of message sets that are not extensions, or not messages.
func (c *checker) setMember(f *field) {
	if !f.in.GetOptions().GetMessageSetWireFormat() {
		return
	}
	switch {
	case f.Extendee == nil:
		c.errorf(f.FieldDescriptorProto, describe.Name,
			"field %q is in a message set, which has extensions only", f.GetName())
	case f.isRepeated() || f.isRequired():
		c.errorf(f.FieldDescriptorProto, describe.Label,
			"extension %q of a message set must be optional", f.GetName())
	case f.isGroup():
		c.errorf(f.FieldDescriptorProto, describe.Type,
			"extension %q of a message set is a group, expected a message", f.GetName())
	case !f.isMessage():
		c.errorf(f.FieldDescriptorProto, describe.Type,
			"extension %q of a message set is of type %q, expected a message", f.GetName(),
			trimPoint(typeName(f.FieldDescriptorProto)))
	}
}
