package options

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// firstExtension is the least number that a custom option can have.
const firstExtension = 1000

// store adds encoded options to those of a declaration. Custom ones stay bytes.
func store(owner any, encoded []byte) error {
	m, features, number := optionsMessage(owner)
	if m == nil {
		return fmt.Errorf("a %T has none", owner)
	}
	encoded, set := split(encoded, number)
	var known, custom []byte
	for len(encoded) > 0 {
		n, _, size := protowire.ConsumeField(encoded)
		if size < 0 {
			return protowire.ParseError(size)
		}
		if n < firstExtension {
			known = append(known, encoded[:size]...)
		} else {
			custom = append(custom, encoded[:size]...)
		}
		encoded = encoded[size:]
	}
	if err := parse(known, m); err != nil {
		return err
	}
	if set != nil {
		if err := storeFeatures(features, set); err != nil {
			return err
		}
	}
	if len(custom) > 0 {
		r := m.ProtoReflect()
		r.SetUnknown(append(r.GetUnknown(), custom...))
	}
	return nil
}

func parse(encoded []byte, m proto.Message) error {
	if len(encoded) == 0 {
		return nil
	}
	return proto.UnmarshalOptions{Merge: true, AllowPartial: true}.Unmarshal(encoded, m)
}

// split takes the elements of a field, which is a message, out of an encoding and joins what is in
// them. The content is nil when there is no element, else at least empty.
func split(encoded []byte, number protowire.Number) (rest, content []byte) {
	start := 0 // of what was not copied yet
	for at := 0; at < len(encoded); {
		n, typ, size := protowire.ConsumeField(encoded[at:])
		if size < 0 {
			break // not written by us
		}
		if n == number && typ == protowire.BytesType {
			_, _, tag := protowire.ConsumeTag(encoded[at:])
			value, _ := protowire.ConsumeBytes(encoded[at+tag:])
			if content == nil {
				content = []byte{}
			}
			content = append(content, value...)
			rest = append(rest, encoded[start:at]...)
			start = at + size
		}
		at += size
	}
	if content == nil {
		return encoded, nil
	}
	return append(rest, encoded[start:]...), content
}

// The features of languages that protoc knows: it joins them and puts them first. Those of others
// are to it what custom options are.
const (
	cppFeatures  = 1000
	javaFeatures = 1001
)

// storeFeatures adds encoded features to those of a declaration. Those that are extensions stay
// bytes, whatever extensions this program knows.
func storeFeatures(features **descriptorpb.FeatureSet, encoded []byte) error {
	if *features == nil {
		*features = &descriptorpb.FeatureSet{}
	}
	var known, languages []byte
	for _, number := range []protowire.Number{cppFeatures, javaFeatures} {
		var content []byte
		if encoded, content = split(encoded, number); len(content) > 0 {
			languages = protowire.AppendTag(languages, number, protowire.BytesType)
			languages = protowire.AppendBytes(languages, sorted(content))
		}
	}
	for len(encoded) > 0 {
		n, _, size := protowire.ConsumeField(encoded)
		if size < 0 {
			break // not written by us
		}
		if n < cppFeatures {
			known = append(known, encoded[:size]...)
		} else {
			languages = append(languages, encoded[:size]...)
		}
		encoded = encoded[size:]
	}
	r := (*features).ProtoReflect()
	r.SetUnknown(append(r.GetUnknown(), languages...))
	return parse(known, *features)
}

// sorted puts the fields of a message in the order of their numbers.
func sorted(encoded []byte) []byte {
	type part struct {
		number protowire.Number
		bytes  []byte
	}
	var parts []part
	for len(encoded) > 0 {
		n, _, size := protowire.ConsumeField(encoded)
		if size < 0 {
			break // not written by us
		}
		parts = append(parts, part{n, encoded[:size]})
		encoded = encoded[size:]
	}
	slices.SortStableFunc(parts, func(x, y part) int { return cmp.Compare(x.number, y.number) })
	var out []byte
	for _, p := range parts {
		out = append(out, p.bytes...)
	}
	return out
}

// optionsMessage returns the options of a declaration, which are empty ones if there were none, and
// where their features are, with the number of the field.
func optionsMessage(owner any) (m proto.Message, features **descriptorpb.FeatureSet,
	number protowire.Number) {
	switch d := owner.(type) {
	case *descriptorpb.FileDescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 50
	case *descriptorpb.DescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 12
	case *descriptorpb.DescriptorProto_ExtensionRange:
		o := ensure(&d.Options)
		return o, &o.Features, 50
	case *descriptorpb.FieldDescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 21
	case *descriptorpb.OneofDescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 1
	case *descriptorpb.EnumDescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 7
	case *descriptorpb.EnumValueDescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 2
	case *descriptorpb.ServiceDescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 34
	case *descriptorpb.MethodDescriptorProto:
		o := ensure(&d.Options)
		return o, &o.Features, 35
	}
	return nil, nil, 0
}

// ensure makes a message where there is none.
func ensure[T any](at **T) *T {
	if *at == nil {
		*at = new(T)
	}
	return *at
}
