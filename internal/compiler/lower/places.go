package lower

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Numbers of fields in descriptor.proto, which the paths of source info consist of.
const (
	filePackage, fileMessages, fileEnums, fileServices, fileExtensions = 2, 4, 5, 6, 7
	fileSyntax, fileEdition                                            = 12, 14
	messageFields, messageMessages, messageEnums                       = 2, 3, 4
	messageExtensions, messageOneofs                                   = 6, 8
	enumValues, serviceMethods                                         = 2, 2
)

// mistake is something that is wrong with a descriptor.
type mistake struct {
	element any // the descriptor
	message string
}

// errorf notes what is wrong with a descriptor of the file.
func (f *file) errorf(element any, format string, args ...any) {
	f.wrong = append(f.wrong, mistake{element, fmt.Sprintf(format, args...)})
}

// kindOf is what people call a descriptor.
func kindOf(element any) string {
	switch e := element.(type) {
	case *descriptorpb.FieldDescriptorProto:
		if e.Extendee != nil {
			return "extension"
		}
		return "field"
	case *descriptorpb.MethodDescriptorProto:
		return "method"
	default:
		return "declaration"
	}
}

// diagnostics says what is wrong with the file and where.
func (f *file) diagnostics() (found report.List) {
	if len(f.wrong) == 0 {
		return nil
	}
	wanted := map[any]schema.Pos{}
	for _, m := range f.wrong {
		wanted[m.element] = schema.Pos{}
	}
	places := map[string]schema.Pos{}
	for _, at := range f.fd.GetSourceCodeInfo().GetLocation() {
		if _, taken := places[pathKey(at.GetPath())]; !taken {
			places[pathKey(at.GetPath())] = position(at.GetSpan())
		}
	}
	if len(places) != 0 {
		(&finder{places, wanted}).file(f.fd)
	}
	for _, m := range f.wrong {
		at := wanted[m.element]
		found = append(found, report.Diagnostic{File: f.fd.GetName(), Line: at.Line,
			Column: at.Column, Message: m.message})
	}
	return found
}

// pathKey is a path as the key of a map.
func pathKey(path []int32) string {
	key := make([]byte, 0, 4*len(path))
	for _, n := range path {
		key = append(key, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
	}
	return string(key)
}

// finder walks over the descriptors of a file to find where some of them are in the source.
type finder struct {
	places map[string]schema.Pos // places by the key of the path
	wanted map[any]schema.Pos    // places that are wanted, by descriptor
}

// at notes where a descriptor is, given its path and where the declaration around it is.
func (f *finder) at(element any, around schema.Pos, path []int32) schema.Pos {
	pos, ok := f.places[pathKey(path)]
	if !ok {
		pos = around
	}
	if _, ok := f.wanted[element]; ok {
		f.wanted[element] = pos
	}
	return pos
}

func (f *finder) file(fd *descriptorpb.FileDescriptorProto) {
	for i, m := range fd.GetMessageType() {
		f.message(m, schema.Pos{}, []int32{fileMessages, int32(i)})
	}
	f.enums(fd.GetEnumType(), schema.Pos{}, nil, fileEnums)
	for i, x := range fd.GetExtension() {
		f.at(x, schema.Pos{}, []int32{fileExtensions, int32(i)})
	}
	for i, s := range fd.GetService() {
		path := []int32{fileServices, int32(i)}
		pos := f.at(s, schema.Pos{}, path)
		for j, m := range s.GetMethod() {
			f.at(m, pos, append(path, serviceMethods, int32(j)))
		}
	}
}

func (f *finder) message(m *descriptorpb.DescriptorProto, around schema.Pos, path []int32) {
	pos := f.at(m, around, path)
	fields := map[string]int32{} // by the last part of their type
	for i, field := range m.GetField() {
		f.at(field, pos, append(path, messageFields, int32(i)))
		fields[field.GetTypeName()[1+strings.LastIndexByte(field.GetTypeName(), '.'):]] = int32(i)
	}
	for i, x := range m.GetExtension() {
		f.at(x, pos, append(path, messageExtensions, int32(i)))
	}
	for i, o := range m.GetOneofDecl() {
		f.at(o, pos, append(path, messageOneofs, int32(i)))
	}
	f.enums(m.GetEnumType(), pos, path, messageEnums)
	for i, n := range m.GetNestedType() {
		at := append(path, messageMessages, int32(i))
		if field, ok := fields[n.GetName()]; ok && n.GetOptions().GetMapEntry() {
			at = append(path, messageFields, field) // all of the entry that is in the source
		}
		if len(at) <= 2*maxName { // deeper ones were skipped
			f.message(n, pos, at)
		}
	}
}

func (f *finder) enums(es []*descriptorpb.EnumDescriptorProto, around schema.Pos, path []int32,
	field int32) {
	for i, e := range es {
		path := append(path, field, int32(i))
		pos := f.at(e, around, path)
		for j, v := range e.GetValue() {
			f.at(v, pos, append(path, enumValues, int32(j)))
		}
	}
}

// describe gives the declarations of the file what its source info says about them.
func (f *file) describe() {
	var header [3]schema.Comment // of syntax, edition and package: the file has none of its own
	seen := map[int32]bool{}
	for _, at := range f.fd.GetSourceCodeInfo().GetLocation() {
		path := at.GetPath()
		if len(path) == 1 && !seen[path[0]] {
			i := slices.Index([]int32{fileSyntax, fileEdition, filePackage}, path[0])
			if i >= 0 {
				seen[path[0]], header[i] = true, comment(at)
			}
			continue
		}
		if pos, c := f.declaration(path); pos != nil && *pos == (schema.Pos{}) {
			*pos, *c = position(at.GetSpan()), comment(at)
		}
	}
	for _, c := range header {
		if c.Leading != "" || len(c.Detached) > 0 {
			f.out.Comment = c
			break
		}
	}
}

// declaration returns where position and comment of the declaration with the given path go; nil for
// a path of anything else.
func (f *file) declaration(path []int32) (*schema.Pos, *schema.Comment) {
	if len(path) < 2 || len(path)%2 != 0 {
		return nil, nil
	}
	var of *schema.Message
	in, number, i := path[:len(path)-2], path[len(path)-2], path[len(path)-1]
	switch first, rest := path[0], path[2:]; {
	case len(in) == 0: // not in another declaration
	case first == fileServices:
		s := at(f.out.Services, path[1])
		if s == nil || len(rest) != 2 || number != serviceMethods {
			return nil, nil
		}
		if m := at(s.Methods, i); m != nil {
			return &m.Pos, &m.Comment
		}
		return nil, nil
	case first == fileEnums:
		return enumValue(at(f.out.Enums, path[1]), rest)
	case first != fileMessages:
		return nil, nil
	default:
		of = at(f.out.Messages, path[1])
		for ; len(rest) > 2; rest = rest[2:] {
			switch {
			case of == nil:
				return nil, nil
			case rest[0] == messageEnums:
				return enumValue(at(of.Enums, rest[1]), rest[2:])
			case rest[0] != messageMessages:
				return nil, nil
			}
			of = at(of.Messages, rest[1])
		}
		if of == nil {
			return nil, nil
		}
	}
	if of == nil {
		return f.outermost(number, i)
	}
	return member(of, number, i)
}

// outermost is declaration for what is not in another one.
func (f *file) outermost(number, i int32) (*schema.Pos, *schema.Comment) {
	switch number {
	case fileMessages:
		if m := at(f.out.Messages, i); m != nil {
			return &m.Pos, &m.Comment
		}
	case fileEnums:
		if e := at(f.out.Enums, i); e != nil {
			return &e.Pos, &e.Comment
		}
	case fileExtensions:
		if x := at(f.out.Extensions, i); x != nil {
			return &x.Pos, &x.Comment
		}
	case fileServices:
		if s := at(f.out.Services, i); s != nil {
			return &s.Pos, &s.Comment
		}
	}
	return nil, nil
}

// member is declaration for what is in a message.
func member(of *schema.Message, number, i int32) (*schema.Pos, *schema.Comment) {
	switch number {
	case messageFields:
		if f := at(of.Fields, i); f != nil {
			return &f.Pos, &f.Comment
		}
	case messageMessages:
		if m := at(of.Messages, i); m != nil {
			return &m.Pos, &m.Comment
		}
	case messageEnums:
		if e := at(of.Enums, i); e != nil {
			return &e.Pos, &e.Comment
		}
	case messageExtensions:
		if x := at(of.Extensions, i); x != nil {
			return &x.Pos, &x.Comment
		}
	case messageOneofs: // those that the schema leaves out are the last
		if o := at(of.Oneofs, i); o != nil {
			return &o.Pos, &o.Comment
		}
	}
	return nil, nil
}

// enumValue is declaration for what is in an enum.
func enumValue(e *schema.Enum, path []int32) (*schema.Pos, *schema.Comment) {
	if e == nil || len(path) != 2 || path[0] != enumValues {
		return nil, nil
	}
	if v := at(e.Values, path[1]); v != nil {
		return &v.Pos, &v.Comment
	}
	return nil, nil
}

// at returns element i, or nil.
func at[T any](list []*T, i int32) *T {
	if i < 0 || int(i) >= len(list) {
		return nil
	}
	return list[i]
}

// position is where a span starts.
func position(span []int32) schema.Pos {
	if len(span) < 2 || span[0] < 0 || span[1] < 0 {
		return schema.Pos{}
	}
	return schema.Pos{Line: int(span[0]) + 1, Column: int(span[1]) + 1}
}

func comment(at *descriptorpb.SourceCodeInfo_Location) schema.Comment {
	c := schema.Comment{Leading: commentText(at.GetLeadingComments()),
		Trailing: commentText(at.GetTrailingComments())}
	for _, d := range at.GetLeadingDetachedComments() {
		c.Detached = append(c.Detached, commentText(d))
	}
	return c
}

// commentText keeps the space that people put behind the comment marker: printed behind another
// marker, the text looks as it did in the source. It becomes part of other sources, which are
// UTF-8.
func commentText(s string) string {
	return strings.ToValidUTF8(strings.TrimRight(s, "\n"), "\ufffd")
}
