package options

import (
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
)

// Numbers of fields in descriptor.proto, of which the path to a declaration is made.
const (
	fileMessages      = 4
	fileEnums         = 5
	fileExtensions    = 7
	messageFields     = 2
	messageMessages   = 3
	messageEnums      = 4
	messageExtensions = 6
	enumValues        = 2
)

// options reads the options of one declaration, and warns of those that nobody here knows or that
// are not followed.
func (r *reading) options(m proto.Message, path []int32, known []string) values {
	v, err := r.types.read(m)
	if err != nil {
		r.fail(path, report.Error, "", "the options cannot be read: %v", err)
	}
	for _, name := range v.unknown(known) {
		r.fail(path, report.Warning,
			"gremlin follows the options of gogo/protobuf 1.3.2 and castrepeated",
			"option (%s%s) is not known and does nothing", pkg, name)
	}
	for name, why := range ignored {
		for _, given := range []string{name, name + "_all"} {
			if on, _ := v.flag(given); on {
				r.fail(path, report.Warning, "remove it", "option (%s%s) does nothing: %s", pkg,
					given, why)
			}
		}
	}
	return v
}

func (r *reading) file(fd *descriptorpb.FileDescriptorProto, types optionTypes, p preset) {
	r.fd, r.types, r.preset = fd, types, p
	r.all = values{}
	for name, on := range p.file {
		r.all[name] = on
	}
	for name, v := range r.options(fd.GetOptions(), nil, fileOptions) {
		r.all[name] = v
	}
	imports, given := r.all.flag("gogoproto_import")
	both, _ := r.all.flag("goproto_registration")
	f := &File{
		Descriptor:    fd,
		Proto3:        fd.GetSyntax() == "proto3",
		GolangProto:   given && !imports,
		RegisterBoth:  both,
		MethodsOnly:   p.methodsOnly,
		Marked:        !p.unmarked,
		CustomStrings: p.customStrings,
	}
	r.facts.Files[fd.GetName()] = f
	scope := "."
	if fd.GetPackage() != "" {
		scope = "." + fd.GetPackage() + "."
	}
	for i, m := range fd.MessageType {
		r.message(m, scope[1:], []int32{fileMessages, int32(i)})
	}
	for i, e := range fd.EnumType {
		r.enum(e, scope[1:], []int32{fileEnums, int32(i)})
	}
	for i, x := range fd.Extension {
		r.extension(x, scope[1:], []int32{fileExtensions, int32(i)})
	}
}

// flag resolves a flag of a message or enum: its own, else its file's, else the default.
func (r *reading) flag(own values, name string, otherwise bool) bool {
	if on, given := own.flag(name); given {
		return on
	}
	if on, given := r.all.flag(name + "_all"); given {
		return on
	}
	return otherwise
}

func (r *reading) message(md *descriptorpb.DescriptorProto, scope string, path []int32) {
	own := r.options(md.GetOptions(), path, messageOptions)
	on := func(name string) bool { return r.flag(own, name, true) }
	off := func(name string) bool { return r.flag(own, name, false) }
	m := &Message{
		Marshaler:       off("marshaler") || off("unsafe_marshaler"),
		StableMarshaler: off("stable_marshaler"),
		Sizer:           off("sizer"),
		ProtoSizer:      off("protosizer"),
		Unmarshaler:     off("unmarshaler") || off("unsafe_unmarshaler"),
		Getters:         on("goproto_getters"),
		TypeDecl:        on("typedecl") && !r.preset.methodsOnly,
		MessageName:     off("messagename"),
		GoprotoStringer: on("goproto_stringer"),
		Stringer:        off("stringer"),
		GoString:        off("gostring"),
		Equal:           off("equal"),
		VerboseEqual:    off("verbose_equal"),
		Compare:         off("compare"),
		Unrecognized:    on("goproto_unrecognized"),
		Unkeyed:         on("goproto_unkeyed"),
		Sizecache:       on("goproto_sizecache"),
		ExtensionsMap:   on("goproto_extensions_map"),
		Populate:        off("populate"),
		Face:            off("face"),
		OnlyOne:         off("onlyone"),
		Description:     off("description"),
	}
	name := scope + md.GetName()
	r.facts.Messages[name] = m
	fields := make([]*Field, len(md.Field))
	for i, fd := range md.Field {
		fields[i] = r.field(fd, name+".", append(slices.Clip(path), messageFields, int32(i)),
			fd.OneofIndex == nil)
	}
	if !md.GetOptions().GetMapEntry() {
		r.checkMessage(md, m, fields, path)
	}
	for i, x := range md.Extension {
		r.extension(x, name+".", append(slices.Clip(path), messageExtensions, int32(i)))
	}
	for i, nested := range md.NestedType {
		r.message(nested, name+".", append(slices.Clip(path), messageMessages, int32(i)))
	}
	for i, e := range md.EnumType {
		r.enum(e, name+".", append(slices.Clip(path), messageEnums, int32(i)))
	}
}

// field reads a field; byPreset tells whether the preset may make it a value.
func (r *reading) field(fd *descriptorpb.FieldDescriptorProto, scope string, path []int32,
	byPreset bool) *Field {
	own := r.options(fd.GetOptions(), path, fieldOptions)
	if r.source.Field != nil {
		if given := r.source.Field(scope + fd.GetName()); len(given) > 0 {
			if own == nil {
				own = values{}
			}
			maps.Copy(own, given)
		}
	}
	f := &Field{
		Nullable:     true,
		CustomName:   own.text("customname"),
		CustomType:   own.text("customtype"),
		CastType:     own.text("casttype"),
		CastKey:      own.text("castkey"),
		CastValue:    own.text("castvalue"),
		CastRepeated: own.text("castrepeated"),
		MoreTags:     own.text("moretags"),
	}
	f.CustomMethods = f.CustomType != "" && r.preset.hasMethods(fd)
	if byPreset && r.preset.nativeValues && r.fd.GetSyntax() != "proto3" &&
		fd.DefaultValue == nil &&
		fd.GetLabel() != repeated && !isMessage(fd) {
		f.Nullable = false
	}
	if v, given := own.flag("nullable"); given {
		f.Nullable = v
	}
	f.Embed, _ = own.flag("embed")
	f.StdTime, _ = own.flag("stdtime")
	f.StdDuration, _ = own.flag("stdduration")
	f.WktPointer, _ = own.flag("wktpointer")
	f.Inline, _ = own.flag("inline")
	if tag, ok := own["jsontag"].(string); ok {
		f.JSONTag = &tag
	}
	r.facts.Fields[scope+fd.GetName()] = f
	return f
}

// hasMethods tells whether a custom type in place of a field has methods that are called.
func (p preset) hasMethods(fd *descriptorpb.FieldDescriptorProto) bool {
	return isMessage(fd) || fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_BYTES ||
		p.customStrings && fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_STRING
}

func (r *reading) extension(fd *descriptorpb.FieldDescriptorProto, scope string, path []int32) {
	f := r.field(fd, scope, path, false)
	if !f.Nullable {
		r.fail(path, report.Error, "remove (gogoproto.nullable)",
			"extension %q cannot be non-nullable", fd.GetName())
	}
	if f.Embed {
		r.fail(path, report.Error, "remove (gogoproto.embed)", "extension %q cannot be embedded",
			fd.GetName())
	}
}

func (r *reading) enum(ed *descriptorpb.EnumDescriptorProto, scope string, path []int32) {
	own := r.options(ed.GetOptions(), path, enumOptions)
	r.facts.Enums[scope+ed.GetName()] = &Enum{
		Prefix:          r.flag(own, "goproto_enum_prefix", true),
		GoprotoStringer: r.flag(own, "goproto_enum_stringer", true),
		Stringer:        r.flag(own, "enum_stringer", false),
		Decl:            r.flag(own, "enumdecl", true) && !r.preset.methodsOnly,
		CustomName:      own.text("enum_customname"),
	}
	for i, v := range ed.Value {
		own := r.options(v.GetOptions(), append(slices.Clip(path), enumValues, int32(i)),
			enumValueOptions)
		if name := own.text("enumvalue_customname"); name != "" {
			r.facts.ValueNames[scope+v.GetName()] = name
		}
	}
}

func isMessage(fd *descriptorpb.FieldDescriptorProto) bool {
	return fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_MESSAGE ||
		fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP
}

const (
	repeated  = descriptorpb.FieldDescriptorProto_LABEL_REPEATED
	timestamp = ".google.protobuf.Timestamp"
	duration  = ".google.protobuf.Duration"
)

// isWrapper tells whether a type is one of google/protobuf/wrappers.proto.
func isWrapper(typeName string) bool {
	name, ok := strings.CutPrefix(typeName, ".google.protobuf.")
	return ok &&
		slices.Contains(
			strings.Fields("DoubleValue FloatValue Int64Value UInt64Value Int32Value UInt32Value "+
				"BoolValue StringValue BytesValue"), name)
}
