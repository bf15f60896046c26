package golang

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// structSize returns the size of the Message's struct on a machine of 64 bits, where no type is
// aligned to more than its size.
func (t *messageType) structSize() int {
	size := 0
	add := func(of, align int) { size = (size+align-1)/align*align + of }
	for _, f := range t.msg.Fields {
		switch typ := t.fieldType(f); {
		case f.Oneof != nil && f.Oneof.Fields[0] != f: // in the interface of the first
		case f.Oneof != nil, typ == "string":
			add(16, 8)
		case f.Kind == schema.EnumKind && !f.Repeated && !t.isPointer(f):
			add(4, 4)
		case strings.HasSuffix(typ, ".Time") && t.isStdValue(f):
			add(24, 8)
		case strings.HasSuffix(typ, ".Duration") && t.isStdValue(f):
			add(8, 8)
		case typ == "bool":
			add(1, 1)
		case strings.HasPrefix(typ, "[]"):
			add(24, 8)
		case strings.HasPrefix(typ, "*"), strings.HasPrefix(typ, "map["),
			strings.HasSuffix(typ, "64"):
			add(8, 8)
		case f.Kind == schema.Bool:
			add(1, 1)
		default:
			add(4, 4)
		}
	}
	add(8, 8) // unknown fields
	return size
}
