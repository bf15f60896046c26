package compiler

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/schema"
)

var kinds = map[protoreflect.Kind]schema.Kind{
	protoreflect.BoolKind:     schema.Bool,
	protoreflect.Int32Kind:    schema.Int32,
	protoreflect.Sint32Kind:   schema.Sint32,
	protoreflect.Uint32Kind:   schema.Uint32,
	protoreflect.Int64Kind:    schema.Int64,
	protoreflect.Sint64Kind:   schema.Sint64,
	protoreflect.Uint64Kind:   schema.Uint64,
	protoreflect.Sfixed32Kind: schema.Sfixed32,
	protoreflect.Fixed32Kind:  schema.Fixed32,
	protoreflect.FloatKind:    schema.Float,
	protoreflect.Sfixed64Kind: schema.Sfixed64,
	protoreflect.Fixed64Kind:  schema.Fixed64,
	protoreflect.DoubleKind:   schema.Double,
	protoreflect.StringKind:   schema.String,
	protoreflect.BytesKind:    schema.Bytes,
	protoreflect.EnumKind:     schema.EnumKind,
	protoreflect.MessageKind:  schema.MessageKind,
	protoreflect.GroupKind:    schema.MessageKind,
}

// lowerField lowers a field or extension; the caller sets where it is declared.
func (l *lowering) lowerField(fd protoreflect.FieldDescriptor) *schema.Field {
	opts := fd.Options().(*descriptorpb.FieldOptions)
	f := &schema.Field{
		Name:       string(fd.Name()),
		FullName:   string(fd.FullName()),
		JSONName:   fd.JSONName(),
		Number:     int32(fd.Number()),
		Comment:    comment(fd),
		Pos:        pos(fd),
		Kind:       kinds[fd.Kind()],
		Repeated:   fd.IsList(),
		Presence:   fd.HasPresence(),
		Required:   fd.Cardinality() == protoreflect.Required,
		Packed:     fd.IsPacked(),
		Delimited:  fd.Kind() == protoreflect.GroupKind,
		CheckUTF8:  checksUTF8(fd),
		Deprecated: opts.GetDeprecated(),
		Lazy:       opts.GetLazy(),
		Redact:     opts.GetDebugRedact(),
	}
	switch f.Kind {
	case schema.MessageKind:
		f.Message = l.messages[fd.Message().FullName()]
	case schema.EnumKind:
		f.Enum = l.enums[fd.Enum().FullName()]
	}
	if fd.IsMap() {
		f.MapKey, f.MapValue = f.Message.Fields[0], f.Message.Fields[1]
		f.CheckUTF8 = f.MapKey.CheckUTF8 || f.MapValue.CheckUTF8
	}
	if fd.HasDefault() {
		f.Default = defaultValue(f, fd)
	}
	return f
}

// checksUTF8 asks the way protobuf-go's own runtime does: the resolved feature is not part of its
// public interface.
func checksUTF8(fd protoreflect.FieldDescriptor) bool {
	if fd.Kind() != protoreflect.StringKind {
		return false
	}
	if e, ok := fd.(interface{ EnforceUTF8() bool }); ok {
		return e.EnforceUTF8()
	}
	return fd.Syntax() == protoreflect.Proto3
}

func defaultValue(f *schema.Field, fd protoreflect.FieldDescriptor) any {
	v := fd.Default()
	switch f.Kind {
	case schema.EnumKind:
		return f.Enum.Values[fd.DefaultEnumValue().Index()]
	case schema.Bytes:
		return slices.Clone(v.Bytes())
	}
	// bool, int32, uint32, int64, uint64, float32, float64 or string, as Field.Default promises
	return v.Interface()
}

// comment returns what the source says about a declaration.
func comment(d protoreflect.Descriptor) schema.Comment {
	loc := d.ParentFile().SourceLocations().ByDescriptor(d)
	return locationComment(loc)
}

// fileComment returns the comments of the syntax or edition statement: the file has none of its
// own.
func fileComment(fd protoreflect.FileDescriptor) schema.Comment {
	const syntaxField, editionField, packageField = 12, 14, 2 // numbers in FileDescriptorProto
	for _, n := range []int32{syntaxField, editionField, packageField} {
		loc := fd.SourceLocations().ByPath(protoreflect.SourcePath{n})
		if c := locationComment(loc); c.Leading != "" || len(c.Detached) > 0 {
			return c
		}
	}
	return schema.Comment{}
}

func locationComment(loc protoreflect.SourceLocation) schema.Comment {
	c := schema.Comment{Leading: commentText(loc.LeadingComments),
		Trailing: commentText(loc.TrailingComments)}
	for _, d := range loc.LeadingDetachedComments {
		c.Detached = append(c.Detached, commentText(d))
	}
	return c
}

// commentText keeps the space that people put behind the comment marker: printed behind another
// marker, the text looks as it did in the source.
func commentText(s string) string { return strings.TrimRight(s, "\n") }

// pos is where a declaration starts.
func pos(d protoreflect.Descriptor) schema.Pos {
	loc := d.ParentFile().SourceLocations().ByDescriptor(d)
	if loc.Path == nil {
		return schema.Pos{}
	}
	return schema.Pos{Line: loc.StartLine + 1, Column: loc.StartColumn + 1}
}
