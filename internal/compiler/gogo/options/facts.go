package options

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
)

// File is what holds for a file as a whole.
type File struct {
	Descriptor *descriptorpb.FileDescriptorProto // as it was read; not to be changed
	Proto3     bool
	// GolangProto tells that the runtime library is golang/protobuf and not gogo/protobuf;
	// RegisterBoth, that types are registered with golang/protobuf as well.
	GolangProto, RegisterBoth bool
	// CustomStrings tells that the methods of custom types are called on strings too.
	CustomStrings bool
	// MethodsOnly tells that types, registration and what only the registry needs are left out
	// (preset k8s).
	MethodsOnly bool
	// Marked tells that messages have a method ProtoMessage.
	Marked bool
}

// Message is what the options say of a message.
type Message struct {
	Marshaler, StableMarshaler, Sizer, ProtoSizer, Unmarshaler bool
	Getters, TypeDecl, MessageName                             bool
	GoprotoStringer, Stringer, GoString                        bool
	Equal, VerboseEqual, Compare                               bool
	Unrecognized, Unkeyed, Sizecache, ExtensionsMap            bool
	Populate, Face, OnlyOne, Description                       bool
}

// Field is what the options say of a field or extension.
type Field struct {
	Nullable   bool
	Embed      bool
	CustomName string
	// "import/path.Type" or "Type"; empty when not given
	CustomType, CastType, CastKey, CastValue string
	CastRepeated                             string // the type of the whole list; Cosmos' fork
	// CustomMethods tells that what stands for the field is read and written by the methods of
	// CustomType, and not only converted: bytes, messages, and in Cosmos' fork strings.
	CustomMethods                    bool
	StdTime, StdDuration, WktPointer bool
	// Inline tells that the Go type of the message is this list itself, as Kubernetes has
	// "type ExtraValue []string". It has no option in gogoproto.
	Inline bool
	// nil when not given: "" and "-" mean something
	JSONTag  *string
	MoreTags string
}

// Enum is what the options say of an enum.
type Enum struct {
	Prefix, GoprotoStringer, Stringer, Decl bool
	CustomName                              string
}

// Facts holds the facts of a set of files, by import path and by full name. It is not changed once
// it is made.
type Facts struct {
	Files      map[string]*File
	Messages   map[string]*Message // map entries included
	Fields     map[string]*Field   // extensions included
	Enums      map[string]*Enum
	ValueNames map[string]string // enumvalue_customname by full name of the value
}

// Source says where facts come from besides the files.
type Source struct {
	// Preset names a preset for a file; "" says that the file is none of gogo's business.
	Preset func(importPath string) string
	// Field returns options of a field, or extension, that are given elsewhere, by their names:
	// bool or string. They count more than the file's. Nil when there are none.
	Field func(fullName string) map[string]any
}

// Read reads the facts of the files that presetOf names a preset for, with nothing else.
func Read(fds []*descriptorpb.FileDescriptorProto,
	presetOf func(importPath string) string) (*Facts, report.List) {
	return Source{Preset: presetOf}.Read(fds)
}

// Read reads the facts. What is wrong is told with the import path of the file.
func (s Source) Read(fds []*descriptorpb.FileDescriptorProto) (*Facts, report.List) {
	files := map[string]*descriptorpb.FileDescriptorProto{}
	for _, fd := range fds {
		files[fd.GetName()] = fd
	}
	r := &reading{source: s, facts: &Facts{
		Files: map[string]*File{}, Messages: map[string]*Message{}, Fields: map[string]*Field{},
		Enums: map[string]*Enum{}, ValueNames: map[string]string{},
	}}
	for _, fd := range fds {
		if name := s.Preset(fd.GetName()); name != "" {
			p := presets[name]
			if !p.appliesTo(fd) {
				p = preset{}
			}
			r.file(fd, visible(files, fd.GetName()), p)
		}
	}
	return r.facts, r.found
}

// reading is the state of one Read.
type reading struct {
	source Source
	facts  *Facts
	found  report.List
	fd     *descriptorpb.FileDescriptorProto
	types  optionTypes
	preset preset
	all    values // options of the file, the preset's included
}

func (r *reading) fail(path []int32, severity report.Severity, hint, format string, args ...any) {
	d := report.Diagnostic{File: r.fd.GetName(), Severity: severity,
		Message: fmt.Sprintf(format, args...), Hint: hint}
	d.Line, d.Column = locate(r.fd, path)
	r.found = append(r.found, d)
}

// locate returns where the declaration at a path of descriptors starts; the first line where that
// is not known.
func locate(fd *descriptorpb.FileDescriptorProto, path []int32) (line, column int) {
	for _, loc := range fd.GetSourceCodeInfo().GetLocation() {
		if samePath(loc.Path, path) && len(loc.Span) >= 2 {
			return int(loc.Span[0]) + 1, int(loc.Span[1]) + 1
		}
	}
	return 1, 1
}

func samePath(a, b []int32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
