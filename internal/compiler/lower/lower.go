// Package lower turns descriptors into the schema that backends generate code from. It is where a
// protoc plugin enters the compiler: protoc and buf send descriptors that they have checked, and so
// may anybody send any. What is wrong with them comes back as diagnostics, all that a run can find.
//
// The checks are those of the structure: that every name means one thing, that every reference
// leads somewhere, that numbers and ranges are ones that messages can have, that what is derived
// (map entries, groups, oneofs of optional fields) is derived right. Matters of style are not
// looked at.
package lower

import (
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Lower turns descriptors into the schema. fds has every file after its imports; generate names the
// files to generate code for. Comments and positions come from the descriptors' source info, if
// any. Diagnostics name files by their import path. The schema is nil when there is an error.
//
// fds is not changed. The schema shares strings with it, and nothing else.
func Lower(fds *descriptorpb.FileDescriptorSet,
	generate []string) (s *schema.Schema, found report.List) {
	return NewSession().Lower(fds, generate)
}

// symbol is what a full name means. Only types and what is declared outside of messages are kept
// for other files: nothing else can be referred to, or be in conflict with them.
type symbol struct {
	file    *schema.File
	message *schema.Message
	enum    *schema.Enum
}

// file is the state of one file that is being lowered.
type file struct {
	*Session
	fd      *descriptorpb.FileDescriptorProto
	out     *schema.File
	edition descriptorpb.Edition
	base    features.Set
	visible map[*schema.File]bool    // files to take types from; nil until asked for
	names   map[string]use           // every declaration by its full name, fields included
	skipped map[*schema.Message]bool // their names are none
	own     map[string]symbol        // those that other files may know
	numbers map[*schema.Message]*numbers
	wrong   []mistake
}

// file lowers one file and makes it known to the files that come after it, unless it is wrong.
// Types are declared before fields are lowered, since fields refer to types that come later in the
// file.
func (l *Session) file(fd *descriptorpb.FileDescriptorProto, generate bool) (found report.List) {
	f := &file{Session: l, fd: fd, names: map[string]use{}, own: map[string]symbol{},
		skipped: map[*schema.Message]bool{}, numbers: map[*schema.Message]*numbers{}}
	defer func() {
		if p := recover(); p != nil {
			found = append(f.diagnostics(), report.Panic(fd.GetName(), p))
		}
	}()
	f.out = &schema.File{
		Path:       fd.GetName(),
		Package:    fd.GetPackage(),
		Options:    stringOptions(fd.GetOptions()),
		Generate:   generate,
		WellKnown:  IsWellKnown(fd.GetName()),
		Deprecated: fd.GetOptions().GetDeprecated(),
	}
	if f.header(); len(f.wrong) == 0 {
		f.declarations()
	}
	if len(f.wrong) != 0 {
		return f.diagnostics()
	}
	f.describe()
	l.keep(f)
	return nil
}

// header lowers what stands before the declarations of a file.
func (f *file) header() {
	path := f.fd.GetName()
	if path == "" {
		f.errorf(f.fd, "a file has no name")
		return
	}
	if f.kept[path] != nil {
		f.errorf(f.fd, "the file is described twice")
		return
	}
	edition, err := features.Edition(f.fd)
	if err != nil {
		f.errorf(f.fd, "%v", err)
		return
	}
	f.edition = edition
	f.base = f.inherit(features.Defaults(edition), f.fd.GetOptions().GetFeatures(), f.fd)
	if f.base.FieldPresence == descriptorpb.FeatureSet_LEGACY_REQUIRED {
		f.errorf(f.fd, "a file cannot make all fields required")
	}
	if name := f.out.Package; name != "" && !isFullName(name) {
		f.errorf(f.fd, "package %q is not a name", name)
	}
	for name := f.out.Package; name != ""; name = parent(name) {
		if s, ok := f.known[name]; ok {
			f.errorf(f.fd, "package %q has the name of a declaration in %q", name, s.file.Path)
			break
		}
	}
	f.imports()
	for _, at := range f.fd.GetSourceCodeInfo().GetLocation() {
		if n := len(at.GetSpan()); n != 3 && n != 4 {
			f.errorf(f.fd, "the source info has a place of %d numbers, which has 3 or 4", n)
			break
		}
	}
}

// imports resolves what a file imports.
func (f *file) imports() {
	seen := map[string]bool{f.out.Path: true}
	for _, path := range f.fd.GetDependency() {
		var imported *schema.File
		if k := f.kept[path]; k != nil {
			imported = k.file
		}
		switch {
		case path == f.out.Path:
			f.errorf(f.fd, "the file imports itself")
		case seen[path]:
			f.errorf(f.fd, "%q is imported twice", path)
		case imported == nil:
			f.errorf(f.fd, "import %q is not described before the file", path)
		}
		seen[path] = true
		f.out.Imports = append(f.out.Imports, schema.Import{File: imported})
	}
	for _, path := range f.fd.GetOptionDependency() {
		if seen[path] {
			f.errorf(f.fd, "%q is imported twice", path)
		}
		seen[path] = true
	}
	for _, i := range f.fd.GetPublicDependency() {
		if i < 0 || int(i) >= len(f.out.Imports) {
			f.errorf(f.fd, "there is no import %d that could be public", i)
		} else if f.out.Imports[i].Public {
			f.errorf(f.fd, "import %d is made public twice", i)
		} else {
			f.out.Imports[i].Public = true
		}
	}
}

// declarations lowers all that a file declares.
func (f *file) declarations() {
	s := f.out
	s.Messages = f.declareMessages(nil, f.fd.GetMessageType(), f.base)
	s.Enums = f.declareEnums(nil, f.fd.GetEnumType(), f.base)
	f.declareExtensions(s.Package, f.fd.GetExtension())
	f.declareServices()
	for i, m := range s.Messages {
		f.lowerMessage(m, f.fd.GetMessageType()[i], f.base)
		if m.MapEntry {
			f.errorf(f.fd.GetMessageType()[i], "map entry %q is the type of no field", m.FullName)
		}
	}
	s.Extensions = f.lowerExtensions(nil, f.fd.GetExtension(), f.base)
	s.Services = f.lowerServices()
}

// inherit returns the features of a declaration that sets fs, in something with features s.
func (f *file) inherit(s features.Set, fs *descriptorpb.FeatureSet, element any) features.Set {
	if fs == nil {
		return s
	}
	if f.edition < descriptorpb.Edition_EDITION_2023 {
		f.errorf(element, "features are set, which only editions have")
	}
	s = s.With(fs)
	if name := s.Unknown(); name != "" {
		f.errorf(element, "feature %q has a value that is not known", name)
	}
	return s
}

// stringOptions returns the options that are strings by their name in descriptor.proto.
func stringOptions(o *descriptorpb.FileOptions) map[string]string {
	if o == nil {
		return nil
	}
	var out map[string]string
	for _, option := range [...]struct {
		name  string
		value *string
	}{
		{"java_package", o.JavaPackage},
		{"java_outer_classname", o.JavaOuterClassname},
		{"go_package", o.GoPackage},
		{"objc_class_prefix", o.ObjcClassPrefix},
		{"csharp_namespace", o.CsharpNamespace},
		{"swift_prefix", o.SwiftPrefix},
		{"php_class_prefix", o.PhpClassPrefix},
		{"php_namespace", o.PhpNamespace},
		{"php_metadata_namespace", o.PhpMetadataNamespace},
		{"ruby_package", o.RubyPackage},
	} {
		if option.value != nil {
			if out == nil {
				out = map[string]string{}
			}
			out[option.name] = *option.value
		}
	}
	return out
}
