package rules

import (
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/describe"
)

// emptyOneofs refuses oneofs without fields. The fields of a oneof stand one behind the other, in
// the order of oneofs: that is how they are described.
func (c *checker) emptyOneofs(m *descriptorpb.DescriptorProto) {
	next := 0
	refuse := func(until int) {
		for ; next < until; next++ {
			c.errorf(m.OneofDecl[next], describe.Name, "oneof %q has no fields",
				m.OneofDecl[next].GetName())
		}
	}
	for _, f := range m.Field {
		if i := int(f.GetOneofIndex()); f.OneofIndex != nil && i >= next && !f.GetProto3Optional() &&
			i < len(m.OneofDecl) {
			refuse(i)
			next = i + 1
		}
	}
	real := len(m.OneofDecl)
	for _, f := range m.Field {
		if f.GetProto3Optional() {
			real-- // each has a oneof of its own, behind all others
		}
	}
	refuse(real)
}
