package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/lower"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// AppendStripped is like AppendFile, but leaves out the options whose retention is that of the
// source, and their source info. Generators get files in this form. The content of custom options
// is merged and sorted by number, as protoc does it on this way.
func (r *Result) AppendStripped(out []byte, i int, sourceInfo bool) ([]byte, error) {
	f := r.Descriptors.File[i]
	if !eachOptions(f, needsStrip) {
		return r.AppendFile(out, i, sourceInfo)
	}
	r.optionsOnce.Do(func() { r.optionTypes = newOptionTypes(r.Descriptors) })
	s := stripper{optionTypes: r.optionTypes}
	f = proto.CloneOf(f)
	eachOptions(f, s.strip)
	s.ranges(f)
	if !sourceInfo || !r.hasSourceInfo(i) {
		return appendFile(out, f, nil, false)
	}
	info, err := r.sourceInfo(i)
	if err == nil && len(s.stripped) > 0 {
		info, err = s.sourceInfo(info)
	}
	if err != nil {
		return nil, err
	}
	return appendFile(out, f, info, true)
}

// optionTypes is what is known of custom options.
type optionTypes struct {
	extensions map[string]map[int32]*schema.Field // fields by full name of the extended message
	source     map[string]bool                    // full names of fields that stay in the source
}

// newOptionTypes reads the files that extend messages of options, and what these import.
func newOptionTypes(fds *descriptorpb.FileDescriptorSet) *optionTypes {
	wanted := map[string]bool{}
	some := &descriptorpb.FileDescriptorSet{}
	for _, f := range slices.Backward(fds.File) { // each file stands behind its imports
		if !wanted[f.GetName()] && !extendsOptions(f) {
			continue
		}
		some.File = append(some.File, f)
		for _, i := range slices.Concat(f.Dependency, f.OptionDependency) {
			wanted[i] = true
		}
	}
	slices.Reverse(some.File)
	t := &optionTypes{extensions: map[string]map[int32]*schema.Field{},
		source: map[string]bool{}}
	s, _ := lower.Lower(some, nil)
	if s == nil {
		return t // not for descriptors that were compiled
	}
	for _, f := range s.Files {
		for e := range f.AllExtensions() {
			of := t.extensions[e.Extendee.FullName]
			if of == nil {
				of = map[int32]*schema.Field{}
				t.extensions[e.Extendee.FullName] = of
			}
			of[e.Number] = e
		}
	}
	for _, f := range some.File {
		t.noteSource(f.GetPackage(), f.MessageType, f.Extension)
	}
	return t
}

// noteSource notes which fields and extensions stay in the source.
func (t *optionTypes) noteSource(scope string, messages []*descriptorpb.DescriptorProto,
	fields []*descriptorpb.FieldDescriptorProto) {
	for _, f := range fields {
		if f.GetOptions().GetRetention() == descriptorpb.FieldOptions_RETENTION_SOURCE {
			t.source[inScope(scope, f.GetName())] = true
		}
	}
	for _, m := range messages {
		t.noteSource(inScope(scope, m.GetName()), m.NestedType,
			slices.Concat(m.Field, m.Extension))
	}
}

func inScope(scope, name string) string {
	if scope == "" {
		return name
	}
	return scope + "." + name
}

const descriptorPackage = ".google.protobuf."

// extendsOptions tells whether a file has an extension of a message of descriptor.proto.
func extendsOptions(f *descriptorpb.FileDescriptorProto) bool {
	is := func(e *descriptorpb.FieldDescriptorProto) bool {
		return strings.HasPrefix(e.GetExtendee(), descriptorPackage)
	}
	var inside func(*descriptorpb.DescriptorProto) bool
	inside = func(m *descriptorpb.DescriptorProto) bool {
		return slices.ContainsFunc(m.Extension, is) || slices.ContainsFunc(m.NestedType, inside)
	}
	return slices.ContainsFunc(f.Extension, is) || slices.ContainsFunc(f.MessageType, inside)
}

// needsStrip tells whether options may look otherwise without those of the source.
func needsStrip(m protoreflect.Message, _ []int32) (needs bool) {
	if len(m.GetUnknown()) > 0 {
		return true
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		needs = inSource(f) || f.Message() != nil && !f.IsList() && needsStrip(v.Message(), nil)
		return !needs
	})
	return needs
}

// inSource tells whether a field of descriptor.proto stays in the source.
func inSource(f protoreflect.FieldDescriptor) bool {
	o, ok := f.Options().(*descriptorpb.FieldOptions)
	return ok && o.GetRetention() == descriptorpb.FieldOptions_RETENTION_SOURCE
}

// stripper takes options out of one file.
type stripper struct {
	*optionTypes
	stripped [][]int32 // paths of what was taken out
	groups   int       // groups around the message at hand: protoc takes nothing out of them
}

// take notes that what is at path is taken out.
func (s *stripper) take(path []int32) { s.stripped = append(s.stripped, path) }

// strip takes out of a message of options what stays in the source.
func (s *stripper) strip(m protoreflect.Message, path []int32) bool {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		inner := append(slices.Clip(path), int32(f.Number()))
		switch {
		case inSource(f):
			m.Clear(f)
			s.take(inner)
		case f.Message() != nil && !f.IsList():
			s.strip(v.Message(), inner)
		}
		return true
	})
	if unknown := m.GetUnknown(); len(unknown) > 0 {
		m.SetUnknown(s.content(string(m.Descriptor().FullName()), nil, unknown, path))
	}
	return false
}

// ranges takes away the options of ranges of extensions that have become empty, as protoc does.
func (s *stripper) ranges(f *descriptorpb.FileDescriptorProto) {
	var w walker
	w.ranges(f.MessageType, 4, func(r *descriptorpb.DescriptorProto_ExtensionRange) {
		path := append(slices.Clip(w.path), 3)
		if r.Options != nil && proto.Size(r.Options) == 0 && slices.ContainsFunc(s.stripped,
			func(p []int32) bool { return startsWith(p, path) }) {
			r.Options = nil
			s.take(path)
		}
	})
}

// startsWith tells whether a path is another one or inside of it.
func startsWith(path, outer []int32) bool {
	return len(outer) <= len(path) && slices.Equal(outer, path[:len(outer)])
}

// values is what an encoding has of a field.
type values struct {
	field *schema.Field
	at    int // place of the last one, of all values of the message
	list  [][]byte
}

// content strips the content of a message and puts its fields in order. Of a message of
// descriptor.proto only extensions are there, and m is nil.
func (s *stripper) content(name string, m *schema.Message, encoded []byte,
	path []int32) []byte {
	if m != nil && m.MessageSet {
		return encoded
	}
	fields := map[int32]*values{}
	var order []*values
	var unknown []byte
	for at, rest := 0, encoded; len(rest) > 0; at++ {
		number, typ, tag := protowire.ConsumeTag(rest)
		size := protowire.ConsumeFieldValue(number, typ, rest[max(tag, 0):])
		if tag < 0 || size < 0 {
			return encoded // not written by the compiler
		}
		value := rest[tag : tag+size]
		field := s.field(name, m, int32(number))
		if field == nil {
			unknown = append(unknown, rest[:tag+size]...)
		} else {
			v := fields[field.Number]
			if v == nil {
				v = &values{field: field}
				fields[field.Number], order = v, append(order, v)
			}
			v.at = at
			v.list = appendValues(v.list, field, number, typ, value)
		}
		rest = rest[tag+size:]
	}
	slices.SortFunc(order, func(a, b *values) int {
		return cmp.Compare(a.field.Number, b.field.Number)
	})
	var out []byte
	for _, v := range order {
		inner := append(slices.Clip(path), v.field.Number)
		switch {
		case s.groups == 0 && s.source[v.field.FullName]:
			s.take(inner)
		case v.field.Oneof != nil && slices.ContainsFunc(order, func(o *values) bool {
			return o.field.Oneof == v.field.Oneof && o.at > v.at
		}): // another member was set later
		default:
			out = s.appendField(out, v, inner)
		}
	}
	return append(out, unknown...)
}

// field finds a field or an extension of a message.
func (s *stripper) field(name string, m *schema.Message, number int32) *schema.Field {
	if m != nil {
		for _, f := range m.Fields {
			if f.Number == number {
				return f
			}
		}
	}
	return s.extensions[name][number]
}

// appendValues adds what one record has: several values if it is packed. Values are without their
// lengths.
func appendValues(list [][]byte, f *schema.Field, number protowire.Number, typ protowire.Type,
	value []byte) [][]byte {
	switch typ {
	case protowire.StartGroupType:
		content, _ := protowire.ConsumeGroup(number, value)
		return append(list, content)
	case protowire.BytesType:
		content, _ := protowire.ConsumeBytes(value)
		if !f.Repeated || wireType(f) == protowire.BytesType {
			return append(list, content)
		}
		for len(content) > 0 {
			n := protowire.ConsumeFieldValue(number, wireType(f), content)
			if n < 0 {
				break // not written by the compiler
			}
			list = append(list, content[:n])
			content = content[n:]
		}
		return list
	}
	return append(list, value)
}

// wireType is how a value of a field is encoded on its own.
func wireType(f *schema.Field) protowire.Type {
	switch f.Kind {
	case schema.String, schema.Bytes:
		return protowire.BytesType
	case schema.MessageKind:
		if f.Delimited {
			return protowire.StartGroupType
		}
		return protowire.BytesType
	case schema.Float, schema.Fixed32, schema.Sfixed32:
		return protowire.Fixed32Type
	case schema.Double, schema.Fixed64, schema.Sfixed64:
		return protowire.Fixed64Type
	}
	if f.IsMap() {
		return protowire.BytesType
	}
	return protowire.VarintType
}

// appendField writes a field as protoc does.
func (s *stripper) appendField(out []byte, v *values, path []int32) []byte {
	f, list := v.field, v.list
	number, typ := protowire.Number(f.Number), wireType(f)
	switch {
	case f.Message != nil:
		if f.Delimited {
			s.groups++
			defer func() { s.groups-- }()
		}
		if !f.Repeated && !f.IsMap() {
			list = [][]byte{s.content(f.Message.FullName, f.Message, slices.Concat(list...),
				path)}
			break
		}
		for i := range list {
			list[i] = s.content(f.Message.FullName, f.Message, list[i],
				append(slices.Clip(path), int32(i)))
		}
	case !f.Repeated:
		list = list[len(list)-1:]
		if !f.Presence && isZero(list[0]) {
			return out
		}
	}
	if f.Repeated && f.Packed {
		out = protowire.AppendTag(out, number, protowire.BytesType)
		return protowire.AppendBytes(out, slices.Concat(list...))
	}
	for _, value := range list {
		out = protowire.AppendTag(out, number, typ)
		switch typ {
		case protowire.BytesType:
			out = protowire.AppendBytes(out, value)
		case protowire.StartGroupType:
			out = protowire.AppendTag(append(out, value...), number, protowire.EndGroupType)
		default:
			out = append(out, value...)
		}
	}
	return out
}

func isZero(value []byte) bool {
	return !slices.ContainsFunc(value, func(b byte) bool { return b != 0 })
}

// sourceInfo takes the places of what was stripped out of encoded source info.
func (s *stripper) sourceInfo(encoded []byte) ([]byte, error) {
	info := &descriptorpb.SourceCodeInfo{}
	if err := proto.Unmarshal(encoded, info); err != nil {
		return nil, err
	}
	gone := make(map[string]bool, len(s.stripped))
	for _, path := range s.stripped {
		gone[fmt.Sprint(path)] = true
	}
	info.Location = slices.DeleteFunc(info.Location,
		func(l *descriptorpb.SourceCodeInfo_Location) bool {
			for i := range l.Path {
				if gone[fmt.Sprint(l.Path[:i+1])] {
					return true
				}
			}
			return false
		})
	return proto.MarshalOptions{Deterministic: true}.Marshal(info)
}

// eachOptions calls f for the options of every declaration of a file that has some, with their
// path, until it returns true; then it does so, too.
func eachOptions(file *descriptorpb.FileDescriptorProto,
	f func(protoreflect.Message, []int32) bool) bool {
	w := walker{visit: f}
	return w.options(file.Options, 8) ||
		w.messages(file.MessageType, 4) || w.enums(file.EnumType, 5) ||
		w.fields(file.Extension, 7) ||
		each(&w, file.Service, 6, func(s *descriptorpb.ServiceDescriptorProto) bool {
			return w.options(s.Options, 3) ||
				each(&w, s.Method, 2, func(m *descriptorpb.MethodDescriptorProto) bool {
					return w.options(m.Options, 4)
				})
		})
}

// walker is the state of eachOptions.
type walker struct {
	visit func(protoreflect.Message, []int32) bool
	path  []int32
}

// each calls f for the elements of a list with the number of its field, until it returns true.
func each[T any](w *walker, list []T, number int32, f func(T) bool) bool {
	n := len(w.path)
	defer func() { w.path = w.path[:n] }()
	for i, e := range list {
		w.path = append(w.path[:n], number, int32(i))
		if f(e) {
			return true
		}
	}
	return false
}

func (w *walker) options(m proto.Message, number int32) bool {
	r := m.ProtoReflect()
	return r.IsValid() && w.visit(r, append(slices.Clip(w.path), number))
}

func (w *walker) messages(list []*descriptorpb.DescriptorProto, number int32) bool {
	return each(w, list, number, func(m *descriptorpb.DescriptorProto) bool {
		return w.options(m.Options, 7) || w.fields(m.Field, 2) || w.fields(m.Extension, 6) ||
			w.messages(m.NestedType, 3) || w.enums(m.EnumType, 4) ||
			each(w, m.ExtensionRange, 5, func(r *descriptorpb.DescriptorProto_ExtensionRange) bool {
				return w.options(r.Options, 3)
			}) ||
			each(w, m.OneofDecl, 8, func(o *descriptorpb.OneofDescriptorProto) bool {
				return w.options(o.Options, 2)
			})
	})
}

func (w *walker) fields(list []*descriptorpb.FieldDescriptorProto, number int32) bool {
	return each(w, list, number, func(f *descriptorpb.FieldDescriptorProto) bool {
		return w.options(f.Options, 8)
	})
}

func (w *walker) enums(list []*descriptorpb.EnumDescriptorProto, number int32) bool {
	return each(w, list, number, func(e *descriptorpb.EnumDescriptorProto) bool {
		return w.options(e.Options, 3) ||
			each(w, e.Value, 2, func(v *descriptorpb.EnumValueDescriptorProto) bool {
				return w.options(v.Options, 3)
			})
	})
}

// ranges calls f for all ranges of extensions.
func (w *walker) ranges(list []*descriptorpb.DescriptorProto, number int32,
	f func(*descriptorpb.DescriptorProto_ExtensionRange)) {
	each(w, list, number, func(m *descriptorpb.DescriptorProto) bool {
		each(w, m.ExtensionRange, 5, func(r *descriptorpb.DescriptorProto_ExtensionRange) bool {
			f(r)
			return false
		})
		w.ranges(m.NestedType, 3, f)
		return false
	})
}
