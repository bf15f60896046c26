package compiler

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// Lower turns descriptors into the schema. fds has every file after its imports; generate names the files to generate
// code for. Comments and positions come from the descriptors' source info, if any. Diagnostics name files by their import
// path. The schema is nil when there is an error.
//
// fds is not changed and not kept.
func Lower(fds *descriptorpb.FileDescriptorSet, generate []string) (s *schema.Schema, found report.List) {
	l := &lowering{
		schema:   &schema.Schema{},
		files:    map[string]*schema.File{},
		messages: map[protoreflect.FullName]*schema.Message{},
		enums:    map[protoreflect.FullName]*schema.Enum{},
		sets:     map[protoreflect.FullName]bool{},
	}
	wanted := map[string]bool{}
	for _, g := range generate {
		wanted[g] = true
	}
	registry := &protoregistry.Files{}
	for _, fd := range fds.File {
		if err := l.file(registry, fd, wanted[fd.GetName()]); err != nil {
			// What imports a file that failed cannot be resolved either: the first error is the one to show.
			d := report.Diagnostic{File: fd.GetName(), Message: err.Error()}
			d.Line, d.Column = locate(fd, d.Message)
			return nil, report.List{d}
		}
	}
	return l.schema, nil
}

// locate finds the declaration of fd that a message of protodesc names in double quotes, and returns where it starts, or
// zeros. Only messages, fields and enums are looked for: what is wrong with the rest is found before.
func locate(fd *descriptorpb.FileDescriptorProto, message string) (line, column int) {
	paths := map[string]string{} // source path as text, by full name
	const messages, enums, fields, nested, nestedEnums = 4, 5, 2, 3, 4
	var walk func(scope string, path []int32, ms []*descriptorpb.DescriptorProto)
	walk = func(scope string, path []int32, ms []*descriptorpb.DescriptorProto) {
		for i, m := range ms {
			name, at := scope+m.GetName(), append(slices.Clip(path), int32(i))
			paths[name] = fmt.Sprint(at)
			for j, f := range m.Field {
				paths[name+"."+f.GetName()] = fmt.Sprint(append(slices.Clip(at), fields, int32(j)))
			}
			for j, e := range m.EnumType {
				paths[name+"."+e.GetName()] = fmt.Sprint(append(slices.Clip(at), nestedEnums, int32(j)))
			}
			walk(name+".", append(slices.Clip(at), nested), m.NestedType)
		}
	}
	scope := ""
	if fd.GetPackage() != "" {
		scope = fd.GetPackage() + "."
	}
	walk(scope, []int32{messages}, fd.MessageType)
	for i, e := range fd.EnumType {
		paths[scope+e.GetName()] = fmt.Sprint([]int32{enums, int32(i)})
	}
	_, rest, _ := strings.Cut(message, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	for _, l := range fd.GetSourceCodeInfo().GetLocation() {
		if at, ok := paths[name]; ok && at == fmt.Sprint(l.Path) && len(l.Span) >= 2 {
			return int(l.Span[0]) + 1, int(l.Span[1]) + 1
		}
	}
	return 0, 0
}

// lowering is the state of one Lower.
type lowering struct {
	schema   *schema.Schema
	files    map[string]*schema.File
	messages map[protoreflect.FullName]*schema.Message
	enums    map[protoreflect.FullName]*schema.Enum
	sets     map[protoreflect.FullName]bool // messages in the MessageSet wire format
}

// file resolves one file and lowers it. Types are declared before fields are lowered, since fields refer to types that
// come later in the file.
func (l *lowering) file(registry *protoregistry.Files, fdp *descriptorpb.FileDescriptorProto, generate bool) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal compiler error: %v", p)
		}
	}()
	fd, err := protodesc.NewFile(l.withoutMessageSets(fdp), registry)
	if err != nil {
		return fmt.Errorf("%s", strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\u00a0", " "), "proto: "))
	}
	if err := registry.RegisterFile(fd); err != nil {
		return err
	}
	opts := fd.Options().(*descriptorpb.FileOptions)
	f := &schema.File{
		Path:       fd.Path(),
		Package:    string(fd.Package()),
		Comment:    fileComment(fd),
		Options:    stringOptions(opts),
		Generate:   generate,
		WellKnown:  IsWellKnown(fd.Path()),
		Deprecated: opts.GetDeprecated(),
	}
	for i := range fd.Imports().Len() {
		imp := fd.Imports().Get(i)
		f.Imports = append(f.Imports, schema.Import{File: l.files[imp.Path()], Public: imp.IsPublic})
	}
	f.Messages = l.declareMessages(f, nil, fd.Messages())
	f.Enums = l.lowerEnums(f, nil, fd.Enums())
	for i, m := range f.Messages {
		l.lowerMessage(m, fd.Messages().Get(i))
	}
	f.Extensions = l.lowerExtensions(f, nil, fd.Extensions())
	f.Services = l.lowerServices(f, fd.Services())
	l.files[f.Path] = f
	l.schema.Files = append(l.schema.Files, f)
	return nil
}

// maxFieldNumber is the highest number a field may have outside of message sets.
const maxFieldNumber = 1<<29 - 1

// withoutMessageSets returns fdp with every message set described as an ordinary message, and remembers which they are.
// protobuf-go refuses the format unless built with a legacy tag; for everything else that is asked of it here, a message
// set is a message without fields that can be extended.
func (l *lowering) withoutMessageSets(fdp *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	if !l.noteMessageSets(fdp.GetPackage(), fdp.MessageType) {
		return fdp
	}
	fdp = proto.Clone(fdp).(*descriptorpb.FileDescriptorProto)
	var walk func([]*descriptorpb.DescriptorProto)
	walk = func(ms []*descriptorpb.DescriptorProto) {
		for _, m := range ms {
			if m.Options.GetMessageSetWireFormat() {
				m.Options.MessageSetWireFormat = nil
				for _, r := range m.ExtensionRange {
					r.End = proto.Int32(min(r.GetEnd(), maxFieldNumber+1))
				}
			}
			walk(m.NestedType)
		}
	}
	walk(fdp.MessageType)
	return fdp
}

func (l *lowering) noteMessageSets(scope string, ms []*descriptorpb.DescriptorProto) bool {
	any := false
	for _, m := range ms {
		name := m.GetName()
		if scope != "" {
			name = scope + "." + name
		}
		if m.Options.GetMessageSetWireFormat() {
			l.sets[protoreflect.FullName(name)], any = true, true
		}
		any = l.noteMessageSets(name, m.NestedType) || any
	}
	return any
}

// stringOptions returns the options that are strings by their name in descriptor.proto.
func stringOptions(opts *descriptorpb.FileOptions) map[string]string {
	var out map[string]string
	opts.ProtoReflect().Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if fd.Kind() == protoreflect.StringKind && !fd.IsList() {
			if out == nil {
				out = map[string]string{}
			}
			out[string(fd.Name())] = v.String()
		}
		return true
	})
	return out
}
