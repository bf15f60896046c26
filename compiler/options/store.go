package options

import (
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// store adds encoded options to those of a declaration. Custom ones stay bytes.
func store(owner any, encoded []byte, custom bool) error {
	m := optionsMessage(owner)
	if m == nil {
		return fmt.Errorf("a %T has none", owner)
	}
	if custom {
		r := m.ProtoReflect()
		r.SetUnknown(append(r.GetUnknown(), encoded...))
		return nil
	}
	return proto.UnmarshalOptions{Merge: true, AllowPartial: true}.Unmarshal(encoded, m)
}

// optionsMessage returns the options of a declaration, which are empty ones if there were none.
func optionsMessage(owner any) proto.Message {
	switch d := owner.(type) {
	case *descriptorpb.FileDescriptorProto:
		return ensure(&d.Options)
	case *descriptorpb.DescriptorProto:
		return ensure(&d.Options)
	case *descriptorpb.DescriptorProto_ExtensionRange:
		return ensure(&d.Options)
	case *descriptorpb.FieldDescriptorProto:
		return ensure(&d.Options)
	case *descriptorpb.OneofDescriptorProto:
		return ensure(&d.Options)
	case *descriptorpb.EnumDescriptorProto:
		return ensure(&d.Options)
	case *descriptorpb.EnumValueDescriptorProto:
		return ensure(&d.Options)
	case *descriptorpb.ServiceDescriptorProto:
		return ensure(&d.Options)
	case *descriptorpb.MethodDescriptorProto:
		return ensure(&d.Options)
	}
	return nil
}

// ensure makes a message where there is none.
func ensure[T any, P interface {
	*T
	proto.Message
}](at *P) proto.Message {
	if *at == nil {
		*at = new(T)
	}
	return *at
}
