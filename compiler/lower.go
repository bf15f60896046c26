package compiler

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// Lower turns descriptors into the schema. fds has every file after its imports; generate names the
// files to generate code for. Comments and positions come from the descriptors' source info, if
// any. Diagnostics name files by their import path. The schema is nil when there is an error.
//
// fds is not changed and not kept.
func Lower(fds *descriptorpb.FileDescriptorSet,
	generate []string) (s *schema.Schema, found report.List) {
	l := newLowering()
	wanted := map[string]bool{}
	for _, g := range generate {
		wanted[g] = true
	}
	registry := &protoregistry.Files{}
	failed := map[string]bool{}
	for _, fd := range fds.File {
		// What imports a file that failed cannot be resolved either: only the file itself is to be
		// shown.
		if slices.ContainsFunc(fd.Dependency, func(path string) bool { return failed[path] }) {
			failed[fd.GetName()] = true
			continue
		}
		if errs := l.file(registry, fd, wanted[fd.GetName()]); len(errs) != 0 {
			failed[fd.GetName()] = true
			for _, err := range errs {
				d := report.Diagnostic{File: fd.GetName(), Message: err.message}
				d.Line, d.Column = locate(fd, err.path)
				found = append(found, d)
			}
		}
	}
	if len(found) != 0 {
		return nil, found
	}
	return l.schema, nil
}

// lowering is the state of one Lower.
type lowering struct {
	schema   *schema.Schema
	files    map[string]*schema.File
	messages map[protoreflect.FullName]*schema.Message
	enums    map[protoreflect.FullName]*schema.Enum
	// messages in the MessageSet wire format
	sets map[protoreflect.FullName]*descriptorpb.DescriptorProto
	// those of extensions that are too high for protobuf-go
	numbers map[protoreflect.FullName]int32
	// with the file that is being lowered
	wrong []fileError
}

func newLowering() *lowering {
	return &lowering{
		schema:   &schema.Schema{},
		files:    map[string]*schema.File{},
		messages: map[protoreflect.FullName]*schema.Message{},
		enums:    map[protoreflect.FullName]*schema.Enum{},
		sets:     map[protoreflect.FullName]*descriptorpb.DescriptorProto{},
		numbers:  map[protoreflect.FullName]int32{},
	}
}

// file resolves one file and lowers it. Types are declared before fields are lowered, since fields
// refer to types that come later in the file.
func (l *lowering) file(registry *protoregistry.Files, fdp *descriptorpb.FileDescriptorProto,
	generate bool) (errs []fileError) {
	defer func() {
		if p := recover(); p != nil {
			errs = append(errs, fileError{message: fmt.Sprintf("internal compiler error: %v", p)})
		}
	}()
	fd, errs := newFile(l.describable(fdp), registry)
	if len(errs) != 0 {
		return errs
	}
	if errs := register(registry, fd, fdp); len(errs) != 0 {
		return errs
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
		f.Imports = append(f.Imports, schema.Import{File: l.files[imp.Path()],
			Public: imp.IsPublic})
	}
	f.Messages = l.declareMessages(f, nil, fd.Messages())
	f.Enums = l.lowerEnums(f, nil, fd.Enums())
	for i, m := range f.Messages {
		l.lowerMessage(m, fd.Messages().Get(i))
	}
	f.Extensions = l.lowerExtensions(f, nil, fd.Extensions())
	f.Services = l.lowerServices(f, fd.Services())
	if len(l.wrong) != 0 {
		errs, l.wrong = l.wrong, nil
		return errs
	}
	l.files[f.Path] = f
	l.schema.Files = append(l.schema.Files, f)
	return nil
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
