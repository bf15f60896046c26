package options

import (
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
)

// checkMessage gives gogo's verdict on combinations of options.
func (r *reading) checkMessage(md *descriptorpb.DescriptorProto, m *Message, fields []*Field,
	path []int32) {
	name := md.GetName()
	if m.Sizer && m.ProtoSizer {
		r.fail(path, report.Error, "switch one of them off for this message",
			"message %q cannot have both (gogoproto.sizer) and (gogoproto.protosizer)", name)
	}
	if m.Marshaler && !m.Sizer && !m.ProtoSizer {
		r.fail(path, report.Warning, "switch (gogoproto.sizer) on, or write the method",
			"message %q has (gogoproto.marshaler) and no sizer: its Marshal calls a Size method that is not generated", name)
	}
	if m.Face && m.Getters {
		r.fail(path, report.Error, "switch (gogoproto.goproto_getters) off",
			"message %q has a face and getters", name)
	}
	for i, fd := range md.Field {
		r.checkField(m, fd, valueType(md, fd), fields[i],
			append(path[:len(path):len(path)], messageFields, int32(i)))
	}
	r.checkEmbedded(md, fields, path)
}

// valueType returns the type that options for types of the standard library are about: for a map,
// that of its values.
func valueType(md *descriptorpb.DescriptorProto, fd *descriptorpb.FieldDescriptorProto) string {
	for _, entry := range md.NestedType {
		if entry.GetOptions().GetMapEntry() &&
			strings.HasSuffix(fd.GetTypeName(), "."+md.GetName()+"."+entry.GetName()) {
			return entry.Field[1].GetTypeName()
		}
	}
	return fd.GetTypeName()
}

func (r *reading) checkField(m *Message, fd *descriptorpb.FieldDescriptorProto, typ string,
	f *Field, path []int32) {
	name := fd.GetName()
	fail := func(hint, format string, args ...any) {
		r.fail(path, report.Error, hint, "field %q "+format, append([]any{name}, args...)...)
	}
	isBytes := fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_BYTES
	isGroup := fd.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP
	list := fd.GetLabel() == repeated
	inOneof := fd.OneofIndex != nil && !fd.GetProto3Optional()
	switch {
	case isGroup && (m.Marshaler || m.Sizer || m.ProtoSizer || m.Unmarshaler):
		fail("make it a message field, or leave the message to preset gogo without marshaler",
			"is a group: there are no generated methods for groups, gogo has none either")
	case f.CustomType != "" && f.CastType != "":
		fail("remove one of them",
			"cannot have both (gogoproto.customtype) and (gogoproto.casttype)")
	case f.CustomType != "" && f.CastValue != "":
		fail("remove one of them",
			"cannot have both (gogoproto.customtype) and (gogoproto.castvalue)")
	case f.StdTime && typ != timestamp:
		fail("remove it", "has (gogoproto.stdtime) and is not a google.protobuf.Timestamp")
	case f.StdDuration && typ != duration:
		fail("remove it", "has (gogoproto.stdduration) and is not a google.protobuf.Duration")
	case f.WktPointer && !isWrapper(typ):
		fail("remove it",
			"has (gogoproto.wktpointer) and is not one of google/protobuf/wrappers.proto")
	}
	if fd.DefaultValue != nil && fd.GetDefaultValue() != "" {
		switch {
		case !m.Getters:
			fail("switch (gogoproto.goproto_getters) on or remove the default",
				"has a default value and its message has no getters, which alone would know it")
		case m.Face:
			fail("remove the default", "has a default value and cannot be in a face")
		case !f.Nullable:
			fail("remove (gogoproto.nullable) or the default",
				"has a default value and cannot be non-nullable")
		}
	}
	if inOneof {
		r.checkMember(m, f, fail)
	}
	if !f.Nullable && !isMessage(fd) && f.CustomType == "" {
		switch {
		case list:
			r.fail(path, report.Warning, "remove it",
				"field %q is a list of scalars: (gogoproto.nullable) does nothing", name)
		case isBytes:
			if r.fd.GetSyntax() != "proto3" && r.preset.nativeValues {
				break // the preset says so, not the user
			}
			r.fail(path, report.Warning, "remove it",
				"field %q is bytes: (gogoproto.nullable) does nothing", name)
		case r.fd.GetSyntax() == "proto3":
			fail("remove (gogoproto.nullable): scalars of proto3 are values anyway",
				"is a scalar of proto3 and cannot be non-nullable: whether zero is written would be in doubt")
		}
	}
	switch {
	case f.Embed && isBytes:
		fail("remove (gogoproto.embed)", "is bytes and cannot be embedded")
	case f.Embed && list:
		fail("remove (gogoproto.embed)", "is repeated and cannot be embedded")
	case f.Embed && f.CustomName != "":
		fail("remove one of them", "is embedded and cannot have the custom name %q", f.CustomName)
	}
}

func (r *reading) checkMember(m *Message, f *Field, fail func(hint, format string, args ...any)) {
	switch {
	case m.Face:
		fail("remove (gogoproto.face)", "cannot be in a face and a oneof")
	case f.Embed:
		fail("remove (gogoproto.embed)", "cannot be in a oneof and embedded")
	case !f.Nullable:
		fail("remove (gogoproto.nullable)", "cannot be in a oneof and non-nullable")
	case m.OnlyOne:
		fail("remove (gogoproto.onlyone)",
			"cannot be in a oneof and in a message that holds only one field")
	}
}

// checkEmbedded finds two embedded messages, or one and a field, that would be one name in the
// struct.
func (r *reading) checkEmbedded(md *descriptorpb.DescriptorProto, fields []*Field, path []int32) {
	first := map[string]int{}
	for i, fd := range md.Field {
		if !fields[i].Embed || fd.GetTypeName() == "" {
			continue
		}
		if j, ok := first[fd.GetTypeName()]; ok {
			r.fail(append(path[:len(path):len(path)], messageFields, int32(i)), report.Error,
				"embed one of them only", "fields %q and %q embed the same message",
				md.Field[j].GetName(), fd.GetName())
			continue
		}
		first[fd.GetTypeName()] = i
	}
}
