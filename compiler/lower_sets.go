package compiler

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// maxFieldNumber is the highest number a field may have outside of message sets.
const maxFieldNumber = 1<<29 - 1

// withoutMessageSets returns fdp with every message set described as an ordinary message. protobuf-go refuses the format
// unless built with a legacy tag, and higher numbers of extensions than fields may have; for everything else that is asked
// of it here, a message set is a message without fields that can be extended. What was changed is kept in l.sets and
// l.numbers.
func (l *lowering) withoutMessageSets(fdp *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	if !usesMessageSets(fdp.MessageType, fdp.Extension) {
		return fdp
	}
	original, fdp := fdp, proto.Clone(fdp).(*descriptorpb.FileDescriptorProto)
	var sets func(scope string, from, to []*descriptorpb.DescriptorProto)
	sets = func(scope string, from, to []*descriptorpb.DescriptorProto) {
		for i, m := range to {
			name := scope + m.GetName()
			if m.Options.GetMessageSetWireFormat() {
				l.sets[protoreflect.FullName(name)] = from[i]
				m.Options.MessageSetWireFormat = nil
				m.ReservedRange = nil
				all := &descriptorpb.DescriptorProto_ExtensionRange{Start: proto.Int32(1), End: proto.Int32(maxFieldNumber + 1)}
				m.ExtensionRange = []*descriptorpb.DescriptorProto_ExtensionRange{all}
			}
			sets(name+".", from[i].NestedType, m.NestedType)
		}
	}
	sets(packageScope(fdp), original.MessageType, fdp.MessageType)
	var extensions func(scope string, ms []*descriptorpb.DescriptorProto, xs []*descriptorpb.FieldDescriptorProto)
	extensions = func(scope string, ms []*descriptorpb.DescriptorProto, xs []*descriptorpb.FieldDescriptorProto) {
		for _, x := range xs {
			extendee := protoreflect.FullName(strings.TrimPrefix(x.GetExtendee(), "."))
			if l.sets[extendee] != nil && x.GetNumber() > maxFieldNumber {
				l.numbers[protoreflect.FullName(scope+x.GetName())] = x.GetNumber()
				x.Number = proto.Int32(maxFieldNumber)
			}
		}
		for _, m := range ms {
			extensions(scope+m.GetName()+".", m.NestedType, m.Extension)
		}
	}
	extensions(packageScope(fdp), fdp.MessageType, fdp.Extension)
	return fdp
}

// usesMessageSets tells whether there is a message set, or an extension that only a message set can have.
func usesMessageSets(ms []*descriptorpb.DescriptorProto, xs []*descriptorpb.FieldDescriptorProto) bool {
	return slices.ContainsFunc(xs, func(x *descriptorpb.FieldDescriptorProto) bool { return x.GetNumber() > maxFieldNumber }) ||
		slices.ContainsFunc(ms, func(m *descriptorpb.DescriptorProto) bool {
			return m.Options.GetMessageSetWireFormat() || usesMessageSets(m.NestedType, m.Extension)
		})
}
