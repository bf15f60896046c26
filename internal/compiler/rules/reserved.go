package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// reservedFieldNames refuses names that a message reserves twice, and fields that have one.
func (c *checker) reservedFieldNames(m *descriptorpb.DescriptorProto) {
	if len(m.ReservedName) == 0 {
		return
	}
	c.reservedTwice(m, m.ReservedName)
	for _, f := range m.Field {
		if i := c.reservedName(m.ReservedName, f.GetName()); i >= 0 {
			d := c.errorf(f, describe.Name, "field name %q is reserved", f.GetName())
			d.Notes = append(d.Notes, c.Tree.Note(c.ReservedName(m, i), "reserved here"))
		}
	}
}

// reservedValueNames is the same for enums and their values.
func (c *checker) reservedValueNames(e *descriptorpb.EnumDescriptorProto) {
	if len(e.ReservedName) == 0 {
		return
	}
	c.reservedTwice(e, e.ReservedName)
	for _, v := range e.Value {
		if i := c.reservedName(e.ReservedName, v.GetName()); i >= 0 {
			d := c.errorf(v, describe.Name, "enum value name %q is reserved", v.GetName())
			d.Notes = append(d.Notes, c.Tree.Note(c.ReservedName(e, i), "reserved here"))
		}
	}
}

// reservedTwice sorts the indices of names in c.names, and refuses those that are there twice.
func (c *checker) reservedTwice(of any, names []string) {
	c.names = c.names[:0]
	for i := range names {
		c.names = append(c.names, int32(i))
	}
	slices.SortFunc(c.names, func(a, b int32) int {
		return cmp.Or(strings.Compare(names[a], names[b]), cmp.Compare(a, b))
	})
	for i, first := 1, 0; i < len(c.names); i++ {
		if names[c.names[i]] != names[c.names[first]] {
			first = i
			continue
		}
		d := c.errorAt(c.ReservedName(of, int(c.names[i])),
			fmt.Sprintf("name %q is reserved twice", names[c.names[i]]))
		d.Notes = append(d.Notes, c.Tree.Note(c.ReservedName(of, int(c.names[first])),
			"first reserved here"))
	}
}

// reservedName returns the index of a name among those that reservedTwice has sorted, or -1.
func (c *checker) reservedName(names []string, name string) int {
	i, found := slices.BinarySearchFunc(c.names, name, func(i int32, name string) int {
		return strings.Compare(names[i], name)
	})
	if !found {
		return -1
	}
	return int(c.names[i])
}
