package compiler

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// describer keeps what describable changed.
type describer struct {
	sets    map[protoreflect.FullName]*descriptorpb.DescriptorProto // message sets
	numbers map[protoreflect.FullName]int32                         // too high, of extensions
}

func newDescriber() *describer {
	return &describer{map[protoreflect.FullName]*descriptorpb.DescriptorProto{},
		map[protoreflect.FullName]int32{}}
}

// describable returns fdp as protobuf-go can describe it. It refuses message sets unless built with
// a legacy tag, and numbers above those of fields, which extensions of message sets may have and
// any message may reserve. For everything that is asked of it here, a message set is a message
// without fields that can be extended, and numbers which no field can have need not be reserved.
// What was changed is kept in l.sets and l.numbers.
func (l *describer) describable(
	fdp *descriptorpb.FileDescriptorProto) *descriptorpb.FileDescriptorProto {
	if !isUndescribable(fdp.MessageType, fdp.Extension) {
		return fdp
	}
	original, fdp := fdp, proto.Clone(fdp).(*descriptorpb.FileDescriptorProto)
	var messages func(scope string, from, to []*descriptorpb.DescriptorProto)
	messages = func(scope string, from, to []*descriptorpb.DescriptorProto) {
		for i, m := range to {
			name := scope + m.GetName()
			if m.Options.GetMessageSetWireFormat() {
				l.sets[protoreflect.FullName(name)] = from[i]
				m.Options.MessageSetWireFormat = nil
				m.ReservedRange = nil
				all := &descriptorpb.DescriptorProto_ExtensionRange{Start: proto.Int32(1),
					End: proto.Int32(maxFieldNumber + 1)}
				m.ExtensionRange = []*descriptorpb.DescriptorProto_ExtensionRange{all}
			}
			m.ReservedRange = slices.DeleteFunc(m.ReservedRange,
				func(r *descriptorpb.DescriptorProto_ReservedRange) bool {
					return r.GetStart() > maxFieldNumber
				})
			for _, r := range m.ReservedRange {
				r.End = proto.Int32(min(r.GetEnd(), maxFieldNumber+1))
			}
			messages(name+".", from[i].NestedType, m.NestedType)
		}
	}
	messages(packageScope(fdp), original.MessageType, fdp.MessageType)
	var extensions func(scope string, ms []*descriptorpb.DescriptorProto,
		xs []*descriptorpb.FieldDescriptorProto)
	extensions = func(scope string, ms []*descriptorpb.DescriptorProto,
		xs []*descriptorpb.FieldDescriptorProto) {
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

// isUndescribable tells whether there is a message set, or a number that is too high.
func isUndescribable(ms []*descriptorpb.DescriptorProto,
	xs []*descriptorpb.FieldDescriptorProto) bool {
	return slices.ContainsFunc(xs, func(x *descriptorpb.FieldDescriptorProto) bool {
		return x.GetNumber() > maxFieldNumber
	}) ||
		slices.ContainsFunc(ms, func(m *descriptorpb.DescriptorProto) bool {
			return m.Options.GetMessageSetWireFormat() ||
				slices.ContainsFunc(m.ReservedRange, isTooHigh) ||
				isUndescribable(m.NestedType, m.Extension)
		})
}
