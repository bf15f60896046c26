package features_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/features"
)

// editionDefaults is what descriptor.proto itself says about a feature: its options
// edition_defaults, the last of which not later than an edition holds for it.
func editionDefaults(t *testing.T, e descriptorpb.Edition) *descriptorpb.FeatureSet {
	t.Helper()
	var text strings.Builder
	fields := (&descriptorpb.FeatureSet{}).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		value, from := "", descriptorpb.Edition_EDITION_UNKNOWN
		for _, d := range fields.Get(i).Options().(*descriptorpb.FieldOptions).EditionDefaults {
			if at := d.GetEdition(); at <= e && at >= from {
				value, from = d.GetValue(), at
			}
		}
		text.WriteString(string(fields.Get(i).Name()) + ": " + value + "\n")
	}
	fs := &descriptorpb.FeatureSet{}
	if err := prototext.Unmarshal([]byte(text.String()), fs); err != nil {
		t.Fatalf("%v: %v\n%s", e, err, text.String())
	}
	return fs
}

// TestDefaults compares the table with what descriptor.proto says.
func TestDefaults(t *testing.T) {
	for _, e := range []descriptorpb.Edition{descriptorpb.Edition_EDITION_PROTO2,
		descriptorpb.Edition_EDITION_PROTO3, descriptorpb.Edition_EDITION_2023,
		descriptorpb.Edition_EDITION_2024} {
		// Whatever With starts from is replaced, since every feature has a default.
		want := features.Set{}.With(editionDefaults(t, e))
		if got := features.Defaults(e); got != want || got.Unknown() != "" {
			t.Errorf("%v: %+v, want %+v", e, got, want)
		}
	}
	if got := features.Defaults(descriptorpb.Edition_EDITION_UNKNOWN); got != (features.Set{}) {
		t.Errorf("of no edition: %+v", got)
	}
}

func TestEdition(t *testing.T) {
	for _, c := range []struct {
		syntax  string
		edition descriptorpb.Edition
		want    descriptorpb.Edition
		err     string
	}{
		{syntax: "", want: descriptorpb.Edition_EDITION_PROTO2},
		{syntax: "proto2", want: descriptorpb.Edition_EDITION_PROTO2},
		{syntax: "proto3", want: descriptorpb.Edition_EDITION_PROTO3},
		{syntax: "editions", edition: descriptorpb.Edition_EDITION_2023,
			want: descriptorpb.Edition_EDITION_2023},
		{syntax: "editions", edition: descriptorpb.Edition_EDITION_2024,
			want: descriptorpb.Edition_EDITION_2024},
		{syntax: "editions", edition: descriptorpb.Edition_EDITION_PROTO3,
			err: `edition "PROTO3" is not known: 2023 and 2024 are`},
		{syntax: "editions", edition: descriptorpb.Edition_EDITION_UNSTABLE,
			err: `edition "UNSTABLE" is not known: 2023 and 2024 are`},
		{syntax: "editions", edition: 1002,
			err: `edition "2026" is not known: 2023 and 2024 are`},
		{syntax: "editions", err: `edition "UNKNOWN" is not known: 2023 and 2024 are`},
		{syntax: "proto4",
			err: `syntax "proto4" is not known: "proto2" and "proto3" are, or an edition`},
	} {
		got, err := features.Edition(&descriptorpb.FileDescriptorProto{
			Syntax: proto.String(c.syntax), Edition: c.edition.Enum()})
		if got != c.want || message(err) != c.err {
			t.Errorf("%q, %v: %v, %v", c.syntax, c.edition, got, err)
		}
	}
	for name, want := range map[string]string{"2023": "", "2024": "",
		"2025":   `edition "2025" is not known: 2023 and 2024 are`,
		"proto3": `edition "proto3" is not known: 2023 and 2024 are`} {
		if _, err := features.ParseEdition(name); message(err) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestWithField states what labels, types and options of fields come to.
func TestWithField(t *testing.T) {
	const proto2, proto3, e2023 = descriptorpb.Edition_EDITION_PROTO2,
		descriptorpb.Edition_EDITION_PROTO3, descriptorpb.Edition_EDITION_2023
	for _, c := range []struct {
		edition descriptorpb.Edition
		field   string
		change  string // of the defaults of the edition
	}{
		{proto2, `label: LABEL_OPTIONAL type: TYPE_INT32`, ``},
		{proto2, `label: LABEL_REQUIRED type: TYPE_INT32`, `field_presence: LEGACY_REQUIRED`},
		{proto2, `label: LABEL_OPTIONAL type: TYPE_GROUP`, `message_encoding: DELIMITED`},
		{proto2, `label: LABEL_REPEATED type: TYPE_INT32 options { packed: true }`,
			`repeated_field_encoding: PACKED`},
		{proto3, `label: LABEL_REPEATED type: TYPE_INT32 options { packed: false }`,
			`repeated_field_encoding: EXPANDED`},
		{proto3, `label: LABEL_REPEATED type: TYPE_INT32 options { deprecated: true }`, ``},
		{e2023, `label: LABEL_REQUIRED type: TYPE_GROUP options { packed: false }`, ``},
		{e2023, `options { features { field_presence: IMPLICIT utf8_validation: NONE } }`,
			`field_presence: IMPLICIT utf8_validation: NONE`},
	} {
		f, change := &descriptorpb.FieldDescriptorProto{}, &descriptorpb.FeatureSet{}
		if err := prototext.Unmarshal([]byte(c.field), f); err != nil {
			t.Fatal(err)
		}
		if err := prototext.Unmarshal([]byte(c.change), change); err != nil {
			t.Fatal(err)
		}
		base := features.Defaults(c.edition)
		if got, want := base.WithField(c.edition, f), base.With(change); got != want {
			t.Errorf("%v %s: %+v, want %+v", c.edition, c.field, got, want)
		}
	}
}

func TestUnknown(t *testing.T) {
	base := features.Defaults(descriptorpb.Edition_EDITION_2023)
	for text, want := range map[string]string{
		`field_presence: FIELD_PRESENCE_UNKNOWN`: "field_presence",
		`json_format: JSON_FORMAT_UNKNOWN`:       "json_format",
		`enum_type: CLOSED`:                      "",
	} {
		fs := &descriptorpb.FeatureSet{}
		if err := prototext.Unmarshal([]byte(text), fs); err != nil {
			t.Fatal(err)
		}
		if got := base.With(fs).Unknown(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := base.With(&descriptorpb.FeatureSet{
		MessageEncoding: descriptorpb.FeatureSet_MessageEncoding(7).Enum()}).Unknown(); got !=
		"message_encoding" {
		t.Errorf("a number that no value has: %q", got)
	}
}
