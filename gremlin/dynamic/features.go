package dynamic

import "github.com/octopus-framework/octopus/gremlin/descriptor"

// features are those of editions that say how messages are encoded. Syntax proto2 and proto3 are
// editions of their own.
type features struct {
	presence  descriptor.FeatureSet_FieldPresence
	enum      descriptor.FeatureSet_EnumType
	repeated  descriptor.FeatureSet_RepeatedFieldEncoding
	utf8      descriptor.FeatureSet_Utf8Validation
	delimited descriptor.FeatureSet_MessageEncoding
}

// featuresOf returns the features of a file that sets none, and the edition's name if there are no
// such.
func featuresOf(f *descriptor.FileDescriptorProtoReader) (fs features, wrong string) {
	proto2 := features{descriptor.FeatureSet_EXPLICIT, descriptor.FeatureSet_CLOSED,
		descriptor.FeatureSet_EXPANDED, descriptor.FeatureSet_NONE,
		descriptor.FeatureSet_LENGTH_PREFIXED}
	proto3 := features{descriptor.FeatureSet_IMPLICIT, descriptor.FeatureSet_OPEN,
		descriptor.FeatureSet_PACKED, descriptor.FeatureSet_VERIFY,
		descriptor.FeatureSet_LENGTH_PREFIXED}
	edition := proto3
	edition.presence = descriptor.FeatureSet_EXPLICIT
	switch syntax := f.GetSyntax(); syntax {
	case "", "proto2":
		return proto2, ""
	case "proto3":
		return proto3, ""
	case "editions":
	default:
		return fs, "syntax " + quote(syntax)
	}
	switch e := f.GetEdition(); e {
	case descriptor.Edition_EDITION_PROTO2:
		return proto2, ""
	case descriptor.Edition_EDITION_PROTO3:
		return proto3, ""
	case descriptor.Edition_EDITION_2023, descriptor.Edition_EDITION_2024:
		return edition, ""
	default:
		return fs, e.String()
	}
}

// with returns fs with what a declaration sets.
func (fs features) with(set *descriptor.FeatureSetReader) features {
	if set.HasFieldPresence() {
		fs.presence = set.GetFieldPresence()
	}
	if set.HasEnumType() {
		fs.enum = set.GetEnumType()
	}
	if set.HasRepeatedFieldEncoding() {
		fs.repeated = set.GetRepeatedFieldEncoding()
	}
	if set.HasUtf8Validation() {
		fs.utf8 = set.GetUtf8Validation()
	}
	if set.HasMessageEncoding() {
		fs.delimited = set.GetMessageEncoding()
	}
	return fs
}
