package compiler

import (
	"regexp"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
)

// checkDeclared finds extensions that are not what the declarations of the messages say which they
// extend.
func checkDeclared(files []*descriptorpb.FileDescriptorProto,
	declared [][]described) (found report.List) {
	// messages that declare some of their extensions, by full name
	strict := map[string]*descriptorpb.DescriptorProto{}
	for i, fdp := range files {
		if fdp.GetName() == descriptorPath {
			continue // protoc does not look at extensions of options
		}
		for _, d := range declared[i] {
			if m, ok := d.of.(*descriptorpb.DescriptorProto); ok &&
				slices.ContainsFunc(m.ExtensionRange, isStrict) {
				strict["."+d.name] = m
			}
		}
	}
	if len(strict) == 0 {
		return nil
	}
	for i, fdp := range files {
		c := &conventions{fdp: fdp}
		for _, d := range declared[i] {
			x, ok := d.of.(*descriptorpb.FieldDescriptorProto)
			if !ok || x.Extendee == nil || strict[x.GetExtendee()] == nil {
				continue
			}
			for _, r := range strict[x.GetExtendee()].ExtensionRange {
				if r.GetStart() <= x.GetNumber() && x.GetNumber() < r.GetEnd() && isStrict(r) {
					c.declared(x, d, r.GetOptions().GetDeclaration())
				}
			}
		}
		found = append(found, c.found...)
	}
	return found
}

// isStrict tells whether all extensions in a range must be declared.
func isStrict(r *descriptorpb.DescriptorProto_ExtensionRange) bool {
	o := r.GetOptions()
	return len(o.GetDeclaration()) > 0 || o != nil && o.Verification != nil &&
		o.GetVerification() == descriptorpb.ExtensionRangeOptions_DECLARATION
}

// declared compares an extension with its declaration, which must be among those of its range.
func (c *conventions) declared(x *descriptorpb.FieldDescriptorProto, d described,
	all []*descriptorpb.ExtensionRangeOptions_Declaration) {
	i := slices.IndexFunc(all, func(e *descriptorpb.ExtensionRangeOptions_Declaration) bool {
		return e.GetNumber() == x.GetNumber()
	})
	if i < 0 {
		c.errorf(d.path,
			"extension %q is not declared by %q, which declares those with numbers around %d",
			d.name, x.GetExtendee()[1:], x.GetNumber())
		return
	}
	e := all[i]
	if e.GetReserved() {
		c.errorf(d.path, "extension %q has the number %d, which %q reserves in its declarations",
			d.name, x.GetNumber(), x.GetExtendee()[1:])
		return
	}
	actual, want := x.GetTypeName(), e.GetType()
	if actual == "" {
		actual = strings.ToLower(strings.TrimPrefix(x.GetType().String(), "TYPE_"))
	}
	if !scalarTypes.MatchString(want) && !strings.HasPrefix(want, ".") {
		want = "." + want
	}
	if e.GetType() != "" && actual != want {
		c.errorf(d.path, "extension %q is of type %q, %q declares it as %q", d.name, actual,
			x.GetExtendee()[1:], want)
	}
	if name := e.GetFullName(); name != "" && name != "."+d.name {
		c.errorf(d.path, "extension %q is declared by %q with the name %q", d.name,
			x.GetExtendee()[1:], name)
	}
	repeated := x.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	if repeated != e.GetRepeated() {
		c.errorf(d.path, "extension %q is repeated or not, unlike its declaration by %q", d.name,
			x.GetExtendee()[1:])
	}
}

// declarations refuses declarations that no extension could be like.
func (c *conventions) declarations(m *descriptorpb.DescriptorProto, path []int32) {
	names := map[string]bool{}
	for _, r := range m.ExtensionRange {
		o, numbers := r.GetOptions(), map[int32]bool{}
		if len(o.GetDeclaration()) > 0 && o.Verification != nil &&
			o.GetVerification() == descriptorpb.ExtensionRangeOptions_UNVERIFIED {
			c.errorf(path, "extensions of %q are declared, though their range is UNVERIFIED",
				m.GetName())
		}
		for _, e := range o.GetDeclaration() {
			switch n := e.GetNumber(); {
			case n < r.GetStart(), n >= r.GetEnd():
				c.errorf(path, "extension declaration %d is not in the range, which is of %d to %d",
					n, r.GetStart(), r.GetEnd()-1)
			case numbers[n]:
				c.errorf(path, "extension number %d is declared twice", n)
			case (e.FullName != nil) != (e.Type != nil), e.FullName == nil && !e.GetReserved():
				c.errorf(path, `extension declaration %d must have both "full_name" and "type"`, n)
			case e.FullName == nil:
			case names[e.GetFullName()]:
				c.errorf(path, "extension %q is declared twice", e.GetFullName())
			case !absolute.MatchString(e.GetFullName()):
				c.errorf(path,
					"extension declaration %d has the name %q, expected a full one that begins with a point", n, e.GetFullName())
			case !scalarTypes.MatchString(e.GetType()) && !absolute.MatchString(e.GetType()):
				c.errorf(path,
					"extension declaration %d has the type %q, expected a scalar one or a full name that begins with a point", n, e.GetType())
			}
			numbers[e.GetNumber()] = true
			if e.FullName != nil {
				names[e.GetFullName()] = true
			}
		}
	}
}

var (
	absolute    = regexp.MustCompile(`^(?:\.[a-zA-Z_0-9]+)+$`)
	scalarTypes = regexp.MustCompile(
		`^(?:double|float|u?int(?:32|64)|s?fixed(?:32|64)|sint(?:32|64)|bool|string|bytes|enum)$`)
)
