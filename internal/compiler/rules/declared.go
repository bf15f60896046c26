package rules

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// declarations refuses declarations of extensions that no extension could be like. names are those
// that the message has declared before.
func (c *checker) declarations(m *descriptorpb.DescriptorProto,
	r *descriptorpb.DescriptorProto_ExtensionRange, names map[string]bool) {
	o, numbers := r.GetOptions(), map[int32]bool{}
	refuse := func(format string, args ...any) {
		c.errorAt(c.OptionSpan(r, "declaration"), fmt.Sprintf(format, args...))
	}
	if o.Verification != nil &&
		o.GetVerification() == descriptorpb.ExtensionRangeOptions_UNVERIFIED {
		c.errorAt(c.OptionSpan(r, "verification"), fmt.Sprintf(
			"extensions of %q are declared, though their range is UNVERIFIED", m.GetName())).
			Hint = `remove "verification"`
	}
	for _, e := range o.Declaration {
		n := e.GetNumber()
		if n < r.GetStart() || n >= r.GetEnd() {
			refuse("extension declaration %d is not in the range, which is of %d to %d", n,
				r.GetStart(), r.GetEnd()-1)
		} else if numbers[n] {
			refuse("extension number %d is declared twice", n)
		}
		numbers[n] = true
		switch {
		case (e.FullName != nil) != (e.Type != nil), e.FullName == nil && !e.GetReserved():
			refuse(`extension declaration %d must have both "full_name" and "type"`, n)
		case e.FullName == nil:
		case names[e.GetFullName()]:
			refuse("extension %q is declared twice", e.GetFullName())
		case !isAbsolute(e.GetFullName()):
			refuse("extension declaration %d has the name %q, "+
				"expected a full one that begins with a point", n, e.GetFullName())
		case !isScalar(e.GetType()) && !isAbsolute(e.GetType()):
			refuse("extension declaration %d has the type %q, "+
				"expected a scalar one or a full name that begins with a point", n, e.GetType())
		}
		if e.FullName != nil {
			names[e.GetFullName()] = true
		}
	}
}

// declared refuses an extension that is not among those that its range declares, or not like its
// declaration.
func (c *checker) declared(f *field, r *descriptorpb.DescriptorProto_ExtensionRange) {
	o, message := r.GetOptions(), trimPoint(f.GetExtendee())
	if len(o.GetDeclaration()) == 0 && (o == nil || o.Verification == nil ||
		o.GetVerification() != descriptorpb.ExtensionRangeOptions_DECLARATION) {
		return
	}
	refuse := func(part describe.Part, format string, args ...any) {
		d := c.errorf(f.FieldDescriptorProto, part, format, args...)
		d.Notes = append(d.Notes, f.inFile.Tree.Note(f.inFile.OptionSpan(r, "declaration"),
			"declarations are here"))
	}
	e := declarationOf(o, f.GetNumber())
	if e == nil {
		refuse(describe.Name,
			"extension %q is not declared by %q, which declares those with numbers around %d",
			c.fullName(f.GetName()), message, f.GetNumber())
		return
	}
	if e.GetReserved() {
		refuse(describe.Number,
			"extension %q has the number %d, which %q reserves in its declarations",
			c.fullName(f.GetName()), f.GetNumber(), message)
		return
	}
	actual, want := typeName(f.FieldDescriptorProto), e.GetType()
	if !isScalar(want) && !strings.HasPrefix(want, ".") {
		want = "." + want
	}
	if e.GetType() != "" && actual != want {
		refuse(describe.Type, "extension %q is of type %q, %q declares it as %q",
			c.fullName(f.GetName()), actual, message, want)
	}
	if name := e.GetFullName(); name != "" && trimPoint(name) != c.fullName(f.GetName()) {
		refuse(describe.Name, "extension %q is declared by %q with the name %q",
			c.fullName(f.GetName()), message, name)
	}
	if f.isRepeated() != e.GetRepeated() {
		refuse(describe.Label, "extension %q is repeated or not, unlike its declaration by %q",
			c.fullName(f.GetName()), message)
	}
}

func declarationOf(o *descriptorpb.ExtensionRangeOptions,
	number int32) *descriptorpb.ExtensionRangeOptions_Declaration {
	for _, e := range o.GetDeclaration() {
		if e.GetNumber() == number {
			return e
		}
	}
	return nil
}

// isAbsolute tells whether a text is a full name with a point in front of it.
func isAbsolute(name string) bool {
	if !strings.HasPrefix(name, ".") {
		return false
	}
	for part := range strings.SplitSeq(name[1:], ".") {
		if !isIdentifier("_"+part) || part == "" {
			return false
		}
	}
	return true
}

// isScalar tells whether protoc takes a text for a type that is not a message; "enum" is such a
// text, too.
func isScalar(name string) bool {
	switch name {
	case "double", "float", "int64", "uint64", "int32", "fixed32", "fixed64", "bool", "string",
		"bytes", "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64":
		return true
	}
	return false
}
