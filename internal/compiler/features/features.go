// Package features resolves the features of editions: what a file of an edition starts with, and
// what declarations make of what they inherit. proto2 and proto3 are editions here, whose labels
// and options say what features say later.
//
// Features that languages add as extensions are left alone: they mean nothing to this compiler.
package features

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"
)

// The first and the last edition that are known.
const (
	Minimum = descriptorpb.Edition_EDITION_PROTO2
	Maximum = descriptorpb.Edition_EDITION_2024
)

// Set is all features of a declaration. Sets can be compared.
type Set struct {
	FieldPresence           descriptorpb.FeatureSet_FieldPresence
	EnumType                descriptorpb.FeatureSet_EnumType
	RepeatedFieldEncoding   descriptorpb.FeatureSet_RepeatedFieldEncoding
	UTF8Validation          descriptorpb.FeatureSet_Utf8Validation
	MessageEncoding         descriptorpb.FeatureSet_MessageEncoding
	JSONFormat              descriptorpb.FeatureSet_JsonFormat
	EnforceNamingStyle      descriptorpb.FeatureSet_EnforceNamingStyle
	DefaultSymbolVisibility descriptorpb.FeatureSet_VisibilityFeature_DefaultSymbolVisibility
}

// edition is one that is known, with what its files start with.
type edition struct {
	edition  descriptorpb.Edition
	name     string // as a file writes it
	defaults Set
}

// editions are those that are known, in their order.
var editions = [...]edition{
	{descriptorpb.Edition_EDITION_PROTO2, "proto2", Set{
		FieldPresence:           descriptorpb.FeatureSet_EXPLICIT,
		EnumType:                descriptorpb.FeatureSet_CLOSED,
		RepeatedFieldEncoding:   descriptorpb.FeatureSet_EXPANDED,
		UTF8Validation:          descriptorpb.FeatureSet_NONE,
		MessageEncoding:         descriptorpb.FeatureSet_LENGTH_PREFIXED,
		JSONFormat:              descriptorpb.FeatureSet_LEGACY_BEST_EFFORT,
		EnforceNamingStyle:      descriptorpb.FeatureSet_STYLE_LEGACY,
		DefaultSymbolVisibility: descriptorpb.FeatureSet_VisibilityFeature_EXPORT_ALL,
	}},
	{descriptorpb.Edition_EDITION_PROTO3, "proto3", Set{
		FieldPresence:           descriptorpb.FeatureSet_IMPLICIT,
		EnumType:                descriptorpb.FeatureSet_OPEN,
		RepeatedFieldEncoding:   descriptorpb.FeatureSet_PACKED,
		UTF8Validation:          descriptorpb.FeatureSet_VERIFY,
		MessageEncoding:         descriptorpb.FeatureSet_LENGTH_PREFIXED,
		JSONFormat:              descriptorpb.FeatureSet_ALLOW,
		EnforceNamingStyle:      descriptorpb.FeatureSet_STYLE_LEGACY,
		DefaultSymbolVisibility: descriptorpb.FeatureSet_VisibilityFeature_EXPORT_ALL,
	}},
	{descriptorpb.Edition_EDITION_2023, "2023", Set{
		FieldPresence:           descriptorpb.FeatureSet_EXPLICIT,
		EnumType:                descriptorpb.FeatureSet_OPEN,
		RepeatedFieldEncoding:   descriptorpb.FeatureSet_PACKED,
		UTF8Validation:          descriptorpb.FeatureSet_VERIFY,
		MessageEncoding:         descriptorpb.FeatureSet_LENGTH_PREFIXED,
		JSONFormat:              descriptorpb.FeatureSet_ALLOW,
		EnforceNamingStyle:      descriptorpb.FeatureSet_STYLE_LEGACY,
		DefaultSymbolVisibility: descriptorpb.FeatureSet_VisibilityFeature_EXPORT_ALL,
	}},
	{descriptorpb.Edition_EDITION_2024, "2024", Set{
		FieldPresence:           descriptorpb.FeatureSet_EXPLICIT,
		EnumType:                descriptorpb.FeatureSet_OPEN,
		RepeatedFieldEncoding:   descriptorpb.FeatureSet_PACKED,
		UTF8Validation:          descriptorpb.FeatureSet_VERIFY,
		MessageEncoding:         descriptorpb.FeatureSet_LENGTH_PREFIXED,
		JSONFormat:              descriptorpb.FeatureSet_ALLOW,
		EnforceNamingStyle:      descriptorpb.FeatureSet_STYLE2024,
		DefaultSymbolVisibility: descriptorpb.FeatureSet_VisibilityFeature_EXPORT_TOP_LEVEL,
	}},
}

// Edition returns the edition of a file: that of its syntax where it has none. The error says what
// is known and does not name the file.
func Edition(fd *descriptorpb.FileDescriptorProto) (descriptorpb.Edition, error) {
	switch fd.GetSyntax() {
	case "", "proto2":
		return descriptorpb.Edition_EDITION_PROTO2, nil
	case "proto3":
		return descriptorpb.Edition_EDITION_PROTO3, nil
	case "editions":
		if e := fd.GetEdition(); e >= descriptorpb.Edition_EDITION_2023 && known(e) != nil {
			return e, nil
		}
		return 0, unknown(strings.TrimPrefix(fd.GetEdition().String(), "EDITION_"))
	default:
		return 0, fmt.Errorf(`syntax %q is not known: "proto2" and "proto3" are, or an edition`,
			fd.GetSyntax())
	}
}

// ParseEdition returns the edition that an edition statement names.
func ParseEdition(name string) (descriptorpb.Edition, error) {
	for _, e := range editions {
		if e.name == name && e.edition >= descriptorpb.Edition_EDITION_2023 {
			return e.edition, nil
		}
	}
	return 0, unknown(name)
}

// unknown is the error for an edition that is not known.
func unknown(name string) error {
	var names []string
	for _, e := range editions {
		if e.edition >= descriptorpb.Edition_EDITION_2023 {
			names = append(names, e.name)
		}
	}
	return fmt.Errorf("edition %q is not known: %s are", name, strings.Join(names, " and "))
}

// known returns an edition, or nil.
func known(e descriptorpb.Edition) *edition {
	for i := range editions {
		if editions[i].edition == e {
			return &editions[i]
		}
	}
	return nil
}

// Defaults returns what the files of an edition start with; the zero Set for an edition that is not
// known.
func Defaults(e descriptorpb.Edition) Set {
	if k := known(e); k != nil {
		return k.defaults
	}
	return Set{}
}

// With returns what s becomes in a declaration that sets some features. fs may be nil.
func (s Set) With(fs *descriptorpb.FeatureSet) Set {
	if fs == nil {
		return s
	}
	set(&s.FieldPresence, fs.FieldPresence)
	set(&s.EnumType, fs.EnumType)
	set(&s.RepeatedFieldEncoding, fs.RepeatedFieldEncoding)
	set(&s.UTF8Validation, fs.Utf8Validation)
	set(&s.MessageEncoding, fs.MessageEncoding)
	set(&s.JSONFormat, fs.JsonFormat)
	set(&s.EnforceNamingStyle, fs.EnforceNamingStyle)
	set(&s.DefaultSymbolVisibility, fs.DefaultSymbolVisibility)
	return s
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// WithField returns what s becomes in a field or extension of a file of edition e: in proto2 and
// proto3, labels, types and options say what features say in editions.
func (s Set) WithField(e descriptorpb.Edition, f *descriptorpb.FieldDescriptorProto) Set {
	s = s.With(f.GetOptions().GetFeatures())
	if e >= descriptorpb.Edition_EDITION_2023 {
		return s
	}
	if f.GetLabel() == descriptorpb.FieldDescriptorProto_LABEL_REQUIRED {
		s.FieldPresence = descriptorpb.FeatureSet_LEGACY_REQUIRED
	}
	if f.GetType() == descriptorpb.FieldDescriptorProto_TYPE_GROUP {
		s.MessageEncoding = descriptorpb.FeatureSet_DELIMITED
	}
	if o := f.GetOptions(); o != nil && o.Packed != nil {
		s.RepeatedFieldEncoding = descriptorpb.FeatureSet_EXPANDED
		if o.GetPacked() {
			s.RepeatedFieldEncoding = descriptorpb.FeatureSet_PACKED
		}
	}
	return s
}

// Unknown returns the name of the first feature whose value is none that is known, or "".
func (s Set) Unknown() string {
	for _, f := range [...]struct {
		name  string
		value int32
		names map[int32]string
	}{
		{"field_presence", int32(s.FieldPresence), descriptorpb.FeatureSet_FieldPresence_name},
		{"enum_type", int32(s.EnumType), descriptorpb.FeatureSet_EnumType_name},
		{"repeated_field_encoding", int32(s.RepeatedFieldEncoding),
			descriptorpb.FeatureSet_RepeatedFieldEncoding_name},
		{"utf8_validation", int32(s.UTF8Validation), descriptorpb.FeatureSet_Utf8Validation_name},
		{"message_encoding", int32(s.MessageEncoding),
			descriptorpb.FeatureSet_MessageEncoding_name},
		{"json_format", int32(s.JSONFormat), descriptorpb.FeatureSet_JsonFormat_name},
		{"enforce_naming_style", int32(s.EnforceNamingStyle),
			descriptorpb.FeatureSet_EnforceNamingStyle_name},
		{"default_symbol_visibility", int32(s.DefaultSymbolVisibility),
			descriptorpb.FeatureSet_VisibilityFeature_DefaultSymbolVisibility_name},
	} {
		if _, ok := f.names[f.value]; !ok || f.value == 0 {
			return f.name
		}
	}
	return ""
}
