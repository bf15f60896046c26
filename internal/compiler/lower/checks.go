package lower

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/features"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// checkFields checks the fields of a message with each other and with its ranges.
func (f *file) checkFields(m *schema.Message, d *descriptorpb.DescriptorProto) {
	byNumber := make(map[int32]*schema.Field, len(m.Fields))
	var reserved map[string]bool
	for _, name := range m.ReservedNames {
		if reserved == nil {
			reserved = map[string]bool{}
		}
		reserved[name] = true
	}
	ranges := f.numbers[m]
	for i, field := range m.Fields {
		fd := d.GetField()[i]
		n := field.Number
		if !f.isFieldNumber(n) {
			f.errorf(fd, "field %q has the number %d, which no field can have", field.FullName, n)
		} else if other := byNumber[n]; other != nil {
			f.errorf(fd, "field %q has the number %d of field %q", field.FullName, n, other.Name)
		} else {
			byNumber[n] = field
		}
		if reserved[field.Name] {
			f.errorf(fd, "field %q has a reserved name", field.FullName)
		}
		if ranges != nil && ranges.reserved.has(n) {
			f.errorf(fd, "field %q has the reserved number %d", field.FullName, n)
		}
		if ranges != nil && ranges.extensions.has(n) {
			f.errorf(fd, "field %q has the number %d, which is for extensions", field.FullName, n)
		}
		if fd.Extendee != nil {
			f.errorf(fd, "field %q extends %q, which only extensions do", field.FullName,
				fd.GetExtendee())
		}
	}
}

// checkLabel checks how often a field or extension may come.
func (f *file) checkLabel(out *schema.Field, d *descriptorpb.FieldDescriptorProto) {
	label := d.GetLabel()
	required := label == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED
	o := d.GetOptions()
	switch {
	case label < descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL ||
		label > descriptorpb.FieldDescriptorProto_LABEL_REPEATED:
		f.errorf(d, "%s %q has label %d, which does not exist", kindOf(d), out.FullName, label)
	case required && d.Extendee != nil:
		f.errorf(d, "extension %q is required, which only fields can be", out.FullName)
	case required && f.edition == descriptorpb.Edition_EDITION_PROTO3:
		f.errorf(d, "field %q is required, which proto3 does not have", out.FullName)
	case required && f.edition >= descriptorpb.Edition_EDITION_2023:
		f.errorf(d, "field %q is required by a label and not by feature field_presence",
			out.FullName)
	}
	switch {
	case o == nil || o.Packed == nil:
	case f.edition >= descriptorpb.Edition_EDITION_2023:
		f.errorf(d, "%s %q has option packed and not feature repeated_field_encoding", kindOf(d),
			out.FullName)
	case o.GetPacked() && !(out.Repeated && isPackable(out.Kind)) && out.Kind != schema.Invalid:
		f.errorf(d, "%s %q is packed, and only lists of numbers can be", kindOf(d), out.FullName)
	}
	if d.GetProto3Optional() && d.Extendee == nil {
		switch {
		case f.edition != descriptorpb.Edition_EDITION_PROTO3:
			f.errorf(d, "field %q is optional as in proto3 and not of proto3", out.FullName)
		case label != descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL || d.OneofIndex == nil:
			f.errorf(d, "field %q is optional as in proto3 and must be alone in a oneof",
				out.FullName)
		}
	}
}

// checkType checks a field or extension with its type.
func (f *file) checkType(out *schema.Field, d *descriptorpb.FieldDescriptorProto) {
	group := d.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP
	switch {
	case group && f.edition >= descriptorpb.Edition_EDITION_2023:
		f.errorf(d, "%s %q is a group by its type and not by feature message_encoding", kindOf(d),
			out.FullName)
	case group && f.edition == descriptorpb.Edition_EDITION_PROTO3:
		f.errorf(d, "%s %q is a group, which proto3 does not have", kindOf(d), out.FullName)
	}
	if e := out.Enum; e != nil && e.Closed {
		switch {
		case f.edition == descriptorpb.Edition_EDITION_PROTO3:
			f.errorf(d, "%s %q is of proto3, which has open enums only, and enum %q is closed",
				kindOf(d), out.FullName, e.FullName)
		case !out.Repeated && !out.Presence:
			f.errorf(d, "%s %q has no presence, and enum %q is closed", kindOf(d), out.FullName,
				e.FullName)
		}
	}
}

// checkGroup checks that a group of proto2 is declared where it is used.
func (f *file) checkGroup(out *schema.Field, d *descriptorpb.FieldDescriptorProto) {
	if d.GetType() != descriptorpb.FieldDescriptorProto_TYPE_GROUP {
		return
	}
	m := out.Message
	if f.edition < descriptorpb.Edition_EDITION_2023 &&
		(m.File != f.out || m.Parent != out.Parent || m.Name == "" || m.Name[0] < 'A' ||
			m.Name[0] > 'Z' || out.Name != strings.ToLower(m.Name)) {
		f.errorf(d, "group %q and its type %q must be declared together, with one name that"+
			" starts with a capital in the type", out.FullName, m.FullName)
	}
}

// oneof is one of a message, or what holds a field that is optional as in proto3.
type oneof struct {
	features features.Set
	fields   []int // indexes of its members
}

// lowerOneofs gives a message the oneofs that it declares.
func (f *file) lowerOneofs(m *schema.Message, d *descriptorpb.DescriptorProto, oneofs []oneof) {
	synthetic := false
	for i, od := range d.GetOneofDecl() {
		fields := oneofs[i].fields
		o := &schema.Oneof{Name: od.GetName(), FullName: join(m.FullName, od.GetName()), Parent: m}
		if len(fields) == 0 {
			f.errorf(od, "oneof %q has no fields", o.FullName)
			continue
		}
		if fields[len(fields)-1]-fields[0] != len(fields)-1 {
			f.errorf(od, "oneof %q has fields with others between them", o.FullName)
		}
		optional := slices.ContainsFunc(fields, func(j int) bool {
			return d.GetField()[j].GetProto3Optional()
		})
		switch {
		case optional && len(fields) == 1:
			synthetic = true
			continue
		case optional:
			f.errorf(od, "oneof %q has a field that is optional as in proto3 and others",
				o.FullName)
		case synthetic:
			f.errorf(od, "oneof %q is behind those of fields that are optional as in proto3",
				o.FullName)
		}
		for _, j := range fields {
			if field := m.Fields[j]; field.Repeated || field.Required || field.IsMap() {
				f.errorf(d.GetField()[j], "field %q of a oneof is not optional", field.FullName)
			}
			m.Fields[j].Oneof = o
			o.Fields = append(o.Fields, m.Fields[j])
		}
		m.Oneofs = append(m.Oneofs, o)
	}
}

// checkMap checks a map field with the entries that are its type. It reports whether they can be
// used.
func (f *file) checkMap(out *schema.Field, d *descriptorpb.FieldDescriptorProto) bool {
	m := out.Message
	switch {
	case d.Extendee != nil:
		f.errorf(d, "extension %q is a map, which only fields can be", out.FullName)
	case m.File != f.out || m.Parent != out.Parent || m.Name != entryName(out.Name):
		f.errorf(d, "field %q is of type %q, which are the entries of another map", out.FullName,
			m.FullName)
	case !out.Repeated || d.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP:
		f.errorf(d, "map %q is not a list of messages", out.FullName)
	case len(m.Fields) == 2: // or this is wrong with the entry
		if e := m.Fields[1].Enum; e != nil && len(e.Values) != 0 && e.Values[0].Number != 0 {
			f.errorf(d, "map %q has values of enum %q, which does not start with the number 0",
				out.FullName, e.FullName)
		}
		return true
	}
	return false
}

// entryName is the name of the type of the entries of a map.
func entryName(field string) string {
	out := make([]byte, 0, len(field)+len("Entry"))
	upper := true
	for _, c := range []byte(field) {
		switch {
		case c == '_':
			upper = true
			continue
		case upper && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		out, upper = append(out, c), false
	}
	return string(append(out, "Entry"...))
}

// checkEntries checks the messages in m that are entries of maps.
func (f *file) checkEntries(m *schema.Message, d *descriptorpb.DescriptorProto) {
	var used map[*schema.Message]bool
	for i, entry := range m.Messages {
		if !entry.MapEntry {
			continue
		}
		if used == nil {
			used = map[*schema.Message]bool{}
			for _, field := range m.Fields {
				used[field.Message] = true
			}
		}
		ed := d.GetNestedType()[i]
		if !used[entry] && f.names[entry.FullName] == once {
			f.errorf(ed, "map entry %q is the type of no field", entry.FullName)
		}
		f.checkEntry(entry, ed)
	}
}

// checkEntry checks one message that is the entry of a map.
func (f *file) checkEntry(m *schema.Message, d *descriptorpb.DescriptorProto) {
	if len(m.Fields) != 2 || len(d.GetOneofDecl()) != 0 || len(d.GetNestedType()) != 0 ||
		len(d.GetEnumType()) != 0 || len(d.GetExtension()) != 0 ||
		len(d.GetExtensionRange()) != 0 {
		f.errorf(d, "map entry %q must have a key and a value and nothing else", m.FullName)
		return
	}
	for i, want := range [...]string{"key", "value"} {
		field := m.Fields[i]
		if field.Name != want || field.Number != int32(i+1) || field.Repeated || field.Required ||
			field.IsMap() || d.GetField()[i].DefaultValue != nil {
			f.errorf(d.GetField()[i], "field %q of a map entry must be an optional %s with number"+
				" %d and without default", field.FullName, want, i+1)
		}
	}
	switch key := m.Fields[0]; key.Kind {
	case schema.Float, schema.Double, schema.Bytes, schema.EnumKind, schema.MessageKind:
		f.errorf(d.GetField()[0], "map entry %q has keys of type %s", m.FullName, key.Kind)
	}
}

// checkExtension checks an extension with the message that it extends.
func (f *file) checkExtension(x *schema.Field, d *descriptorpb.FieldDescriptorProto) {
	m := x.Extendee
	ranges := f.numbers[m]
	if m.File != f.out {
		ranges = f.kept[m.File.Path].numbers[m]
	}
	if d.JsonName != nil && d.GetJsonName() != jsonName(d.GetName()) {
		f.errorf(d, "extension %q has the JSON name %q, which extensions cannot choose", x.FullName,
			d.GetJsonName())
	}
	if d.OneofIndex != nil {
		f.errorf(d, "extension %q is in a oneof, which only fields can be", x.FullName)
	}
	switch {
	case ranges == nil || !ranges.extensions.has(x.Number):
		f.errorf(d, "extension %q has the number %d, which %q does not have for extensions",
			x.FullName, x.Number, m.FullName)
	case !m.MessageSet && !f.isFieldNumber(x.Number):
		f.errorf(d, "extension %q has the number %d, which no field can have", x.FullName, x.Number)
	}
	if m.MessageSet && (x.Repeated || x.Delimited || x.Kind != schema.MessageKind) {
		f.errorf(d, "extension %q of message set %q is not an optional message", x.FullName,
			m.FullName)
	}
	if f.edition == descriptorpb.Edition_EDITION_PROTO3 && !isOptions(m.FullName) {
		f.errorf(d, "extension %q is of proto3, which has extensions of options only", x.FullName)
	}
}

// isOptions tells whether files of proto3 may extend a message: those in which descriptors keep
// options.
func isOptions(full string) bool {
	name, ok := strings.CutPrefix(full, "google.protobuf.")
	return ok && slices.Contains([]string{"FileOptions", "MessageOptions", "FieldOptions",
		"OneofOptions", "ExtensionRangeOptions", "EnumOptions", "EnumValueOptions",
		"ServiceOptions", "MethodOptions"}, name)
}
