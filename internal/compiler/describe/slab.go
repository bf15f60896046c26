package describe

import (
	"google.golang.org/protobuf/types/descriptorpb"
)

// slab hands out the elements of ever larger arrays: a descriptor has thousands of small parts that
// live equally long.
type slab[T any] struct {
	free []T
	size int
}

// take returns a zero value.
func (s *slab[T]) take() *T {
	if len(s.free) == 0 {
		s.size = min(max(2*s.size, 4), 256)
		s.free = make([]T, s.size)
	}
	p := &s.free[0]
	s.free = s.free[1:]
	return p
}

// slabs are the parts of the descriptor of one file.
type slabs struct {
	strings  slab[string]
	numbers  slab[int32]
	messages slab[descriptorpb.DescriptorProto]
	fields   slab[descriptorpb.FieldDescriptorProto]
	oneofs   slab[descriptorpb.OneofDescriptorProto]
	enums    slab[descriptorpb.EnumDescriptorProto]
	values   slab[descriptorpb.EnumValueDescriptorProto]
	services slab[descriptorpb.ServiceDescriptorProto]
	methods  slab[descriptorpb.MethodDescriptorProto]
}

func (s *slabs) string(v string) *string {
	p := s.strings.take()
	*p = v
	return p
}

func (s *slabs) number(v int32) *int32 {
	if 0 <= v && int(v) < len(smallNumbers) {
		return &smallNumbers[v]
	}
	p := s.numbers.take()
	*p = v
	return p
}

// What many descriptors have in common is there once. Nobody writes through a pointer in a
// descriptor.
var (
	smallNumbers = func() (n [128]int32) {
		for i := range n {
			n[i] = int32(i)
		}
		return n
	}()
	yes      = true
	optional = descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()
	repeated = descriptorpb.FieldDescriptorProto_LABEL_REPEATED.Enum()
	required = descriptorpb.FieldDescriptorProto_LABEL_REQUIRED.Enum()
	exported = descriptorpb.SymbolVisibility_VISIBILITY_EXPORT.Enum()
	local    = descriptorpb.SymbolVisibility_VISIBILITY_LOCAL.Enum()
	keyName  = "key"
	valName  = "value"
	isGroup  = descriptorpb.FieldDescriptorProto_TYPE_GROUP.Enum()

	scalars = map[string]*descriptorpb.FieldDescriptorProto_Type{
		"double":   descriptorpb.FieldDescriptorProto_TYPE_DOUBLE.Enum(),
		"float":    descriptorpb.FieldDescriptorProto_TYPE_FLOAT.Enum(),
		"int64":    descriptorpb.FieldDescriptorProto_TYPE_INT64.Enum(),
		"uint64":   descriptorpb.FieldDescriptorProto_TYPE_UINT64.Enum(),
		"int32":    descriptorpb.FieldDescriptorProto_TYPE_INT32.Enum(),
		"fixed64":  descriptorpb.FieldDescriptorProto_TYPE_FIXED64.Enum(),
		"fixed32":  descriptorpb.FieldDescriptorProto_TYPE_FIXED32.Enum(),
		"bool":     descriptorpb.FieldDescriptorProto_TYPE_BOOL.Enum(),
		"string":   descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
		"group":    isGroup,
		"bytes":    descriptorpb.FieldDescriptorProto_TYPE_BYTES.Enum(),
		"uint32":   descriptorpb.FieldDescriptorProto_TYPE_UINT32.Enum(),
		"sfixed32": descriptorpb.FieldDescriptorProto_TYPE_SFIXED32.Enum(),
		"sfixed64": descriptorpb.FieldDescriptorProto_TYPE_SFIXED64.Enum(),
		"sint32":   descriptorpb.FieldDescriptorProto_TYPE_SINT32.Enum(),
		"sint64":   descriptorpb.FieldDescriptorProto_TYPE_SINT64.Enum(),
	}
)
