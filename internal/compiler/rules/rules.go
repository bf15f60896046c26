// Package rules checks descriptors as protoc's descriptor builder does: one function for each of
// its checks that neither the grammar nor the lookup of names nor the reading of options makes.
//
// [Declared] needs nothing but what a file declares. [Resolved] needs names and options that were
// resolved. Each finds all that it can, whatever is wrong already; what is wrong with a name or an
// option itself is not found here a second time.
//
// A rule that finds nothing allocates nothing for each element: duplicates are found by sorting
// numbers or hashes in memory that is used for the whole file.
package rules

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// checker checks one file. Its slices are memory that rules use one after the other.
type checker struct {
	*describe.File
	asked  bool       // the file is not merely imported
	linked *link.File // nil before it is
	types  *Types
	found  report.List
	// messages around what is looked at, from the outside
	around []*descriptorpb.DescriptorProto

	extensions []*descriptorpb.FieldDescriptorProto // those of the file

	numbers []numbered
	spans   []span
	sorted  *descriptorpb.DescriptorProto // the message with the ranges of extensions in spans
	hashes  []hashed
	filled  []bool // tells of each oneof of a message whether it has a field
	names   []int32
	hints   int // how often a hint was looked for, see maxHints
	// next is the last result of nextNumber, for the message of.
	next struct {
		of   *descriptorpb.DescriptorProto
		hint string
	}
	values map[*descriptorpb.EnumDescriptorProto]map[string]bool // names, of large enums
}

// Declared checks what a file declares, types and options apart. Some things protoc refuses only
// where a file is asked for, not where it is merely imported.
func Declared(f *describe.File, asked bool) report.List {
	c := &checker{File: f, asked: asked}
	c.packageName()
	for _, m := range f.Proto.MessageType {
		c.declaredMessage(m, len(f.Proto.GetPackage()))
	}
	for _, e := range f.Proto.EnumType {
		c.declaredEnum(e, len(f.Proto.GetPackage()))
	}
	c.declaredExtensions(f.Proto.Extension, len(f.Proto.GetPackage()))
	for _, s := range f.Proto.Service {
		c.nameLength(s, s.GetName(), len(f.Proto.GetPackage()))
		for _, m := range s.Method {
			c.nameLength(m, m.GetName(), joined(len(f.Proto.GetPackage()), s.GetName()))
		}
	}
	return c.found
}

// declaredMessage checks a message and what is in it. scope is the length of the full name of what
// is around it.
func (c *checker) declaredMessage(m *descriptorpb.DescriptorProto, scope int) {
	c.nameLength(m, m.GetName(), scope)
	if !c.enter(m) {
		c.errorf(m, describe.Name, "messages are in each other more than %d times", maxNesting)
		return
	}
	defer c.leave()
	scope = joined(scope, m.GetName())
	c.fieldCount(m)
	for _, f := range m.Field {
		c.fieldNameLength(f, scope)
		c.fieldNumber(m, f)
		c.defaultOfRepeated(f)
	}
	c.numbersTwice(m)
	c.messageRanges(m)
	c.reservedFieldNames(m)
	c.emptyOneofs(m)
	for _, o := range m.OneofDecl {
		c.nameLength(o, o.GetName(), scope)
	}
	c.declaredExtensions(m.Extension, scope)
	for _, e := range m.EnumType {
		c.declaredEnum(e, scope)
	}
	for _, n := range m.NestedType {
		c.declaredMessage(n, scope)
	}
}

func (c *checker) declaredExtensions(all []*descriptorpb.FieldDescriptorProto, scope int) {
	for _, x := range all {
		c.fieldNameLength(x, scope)
		c.fieldNumber(nil, x)
		c.defaultOfRepeated(x)
		c.requiredExtension(x)
	}
}

func (c *checker) declaredEnum(e *descriptorpb.EnumDescriptorProto, scope int) {
	c.nameLength(e, e.GetName(), scope)
	c.emptyEnum(e)
	c.enumRanges(e)
	c.reservedValueNames(e)
}

// maxNesting is how many messages can be in each other.
const maxNesting = 31

// enter begins to look at what is in a message, and tells whether that may be done.
func (c *checker) enter(m *descriptorpb.DescriptorProto) bool {
	if len(c.around) == maxNesting {
		return false
	}
	c.around = append(c.around, m)
	return true
}

func (c *checker) leave() { c.around = c.around[:len(c.around)-1] }

// fullName is the name of something in the innermost message that is looked at.
func (c *checker) fullName(name string) string {
	parts := make([]string, 0, len(c.around)+2)
	if p := c.Proto.GetPackage(); p != "" {
		parts = append(parts, p)
	}
	for _, m := range c.around {
		parts = append(parts, m.GetName())
	}
	return strings.Join(append(parts, name), ".")
}

// messageName is the full name of the innermost message that is looked at.
func (c *checker) messageName() string { return strings.TrimSuffix(c.fullName(""), ".") }

// finding is a diagnostic, but no error that somebody has to look at.
type finding report.Diagnostic

// errorf reports something at a part of what an element was made of. What it returns is for
// adding hint and notes, before the next one is reported.
func (c *checker) errorf(element any, part describe.Part, format string,
	args ...any) *finding {
	return c.errorAt(c.Span(element, part), fmt.Sprintf(format, args...))
}

func (c *checker) errorAt(at syntax.Span, message string) *finding {
	c.found = append(c.found, c.Tree.Diagnostic(at, message))
	return (*finding)(&c.found[len(c.found)-1])
}

// note is a remark at a part of what an element of the same file was made of.
func (c *checker) note(element any, part describe.Part, message string) report.Note {
	return c.Tree.Note(c.Span(element, part), message)
}

// noteIn is a remark at a part of what an element of another file was made of.
func noteIn(f *link.File, element any, part describe.Part, message string) report.Note {
	return f.Tree.Note(f.Span(element, part), message)
}
