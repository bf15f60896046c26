package shape

import (
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// tagOf returns the tag that f is written with.
func tagOf(f *schema.Field) uint64 {
	wire := wireType(f)
	if f.Packed {
		wire = 2
	}
	return uint64(f.Number)<<3 | wire
}

// wireType returns the wire type of one value.
func wireType(f *schema.Field) uint64 {
	switch wireNames[f.Kind] {
	case "fixed64":
		return 1
	case "bytes":
		return 2
	case "fixed32":
		return 5
	}
	return 0
}

// tagLen returns the encoded length of a tag.
func tagLen(f *schema.Field) int {
	n := 1
	for tag := tagOf(f); tag >= 0x80; tag >>= 7 {
		n++
	}
	return n
}

// size prints the method that says how long a message is.
func (p *printer) size(m *message) {
	if !m.facts.Sizer && !m.facts.ProtoSizer {
		return
	}
	p.p()
	p.p("// ", m.sizer(), " returns the length of m's encoding.")
	p.p("func (m ", m.receiver(), ") ", m.sizer(), "() (n int) {")
	p.p("if m == nil {")
	p.p("return 0")
	p.p("}")
	p.enter(m)
	for _, x := range p.wireOrder(m) {
		switch x := x.(type) {
		case *field:
			p.sizeField(x)
		case *oneof:
			p.p("if m.", x.goName, " != nil {")
			p.p("n += m.", x.goName, ".", m.sizer(), "()")
			p.p("}")
		}
	}
	if len(m.ExtensionRanges) > 0 {
		if m.facts.ExtensionsMap {
			p.p("n += m.gremlinSizeExtensions()")
		} else {
			p.p("n += len(m.XXX_extensions)")
		}
	}
	if m.facts.Unrecognized {
		p.p("n += len(m.XXX_unrecognized)")
	}
	p.p("return n")
	p.p("}")
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.p()
			p.p("// ", m.sizer(), " returns the length of the member's encoding.")
			p.p("func (m *", f.wrapper, ") ", m.sizer(), "() (n int) {")
			p.p("if m == nil {")
			p.p("return 0")
			p.p("}")
			p.sizeField(f.member())
			p.p("return n")
			p.p("}")
		}
	}
}

// member returns f as the methods of its wrapper see it: a value that is always written.
func (f *field) member() *field {
	g := *f
	g.proto3 = false
	facts := *f.facts
	if f.Kind != schema.MessageKind {
		facts.Nullable = false
	}
	g.facts = &facts
	return &g
}

func (p *printer) sizeField(f *field) {
	x := f.place()
	tag := strconv.Itoa(tagLen(f.Field))
	switch {
	case f.IsMap():
		p.sizeMap(f, x, tag)
	case f.Repeated && f.Packed:
		p.p("if len(", x, ") > 0 {")
		p.p("n += ", tag, " + ", p.rt("SizeBytes"), "(", p.packedSize(f, x), ")")
		p.p("}")
	case f.Repeated:
		if fixed := fixedSize(f); fixed != 0 {
			p.p("n += ", fixed+tagLen(f.Field), " * len(", x, ")")
			return
		}
		if f.class == scalar || f.star {
			p.p("for _, v := range ", x, " {")
			p.p("n += ", tag, " + ", p.sizeValue(f, "v", f.star))
		} else {
			p.p("for k := range ", x, " {")
			p.p("n += ", tag, " + ", p.sizeValue(f, x+"[k]", f.star))
		}
		p.p("}")
	default:
		p.ifPresent(f, x, false)
		value := x
		if f.star && f.class == scalar {
			value = "*" + x
		}
		p.p("n += ", tag, " + ", p.sizeValue(f, value, f.star))
		p.endPresent(f, x)
	}
}

// condition returns when a singular field is written; "" means always.
func (p *printer) condition(f *field, x string) string {
	switch {
	case f.nilCheck():
		return x + " != nil"
	case f.proto3 && f.class == scalar && !f.star:
		switch f.Kind {
		case schema.String, schema.Bytes:
			return "len(" + x + ") > 0"
		case schema.Bool:
			return x
		}
		return x + " != 0"
	}
	return ""
}

// ifPresent and endPresent print what is around the writing of a singular field.
func (p *printer) ifPresent(f *field, x string, marshal bool) {
	if marshal && f.Required && f.facts.Nullable {
		p.p("if ", x, " == nil {")
		p.p("return 0, requiredNotSet", p.file.local, "(", strconv.Quote(p.requiredName(f)), ")")
		p.p("}")
		return
	}
	if c := p.condition(f, x); c != "" {
		p.p("if ", c, " {")
	}
}

func (p *printer) endPresent(f *field, x string) {
	if p.condition(f, x) != "" {
		p.p("}")
	}
}

// requiredName returns what the error of a required field says: golang/protobuf names no field.
func (p *printer) requiredName(f *field) string {
	if p.file.facts.GolangProto {
		return ""
	}
	return f.Name
}

// fixedSize returns how many bytes a value takes, 0 when they are not always as many.
func fixedSize(f *field) int {
	if f.class != scalar {
		return 0
	}
	switch {
	case f.Kind == schema.Bool:
		return 1
	case wireType(f.Field) == 1:
		return 8
	case wireType(f.Field) == 5:
		return 4
	}
	return 0
}

func isSint(f *field) bool { return f.Kind == schema.Sint32 || f.Kind == schema.Sint64 }

// packedSize returns an expression: the length of a packed list.
func (p *printer) packedSize(f *field, x string) string {
	switch fixed := fixedSize(f); {
	case fixed == 1:
		return "len(" + x + ")"
	case fixed != 0:
		return strconv.Itoa(fixed) + "*len(" + x + ")"
	case isSint(f):
		return p.rt("SizeZigzags") + "(" + x + ")"
	}
	return p.rt("SizeVarints") + "(" + x + ")"
}

// sizeValue returns an expression: the length of one value with its own length, without the tag. x
// is the value, or a pointer to it where it is a message, a custom type or one of the standard
// library.
func (p *printer) sizeValue(f *field, x string, pointer bool) string {
	switch f.class {
	case nested:
		return p.rt("SizeBytes") + "(" + p.methodsOf(f, x, pointer) + "." + f.msg.sizer() + "())"
	case custom:
		return p.rt("SizeBytes") + "(" + x + "." + f.msg.sizer() + "())"
	case stdtype:
		if pointer {
			x = "*" + x
		}
		return p.rt("SizeBytes") + "(" + p.std("Size"+f.std) + "(" + x + "))"
	}
	if fixed := fixedSize(f); fixed != 0 {
		return strconv.Itoa(fixed)
	}
	switch {
	case f.Kind == schema.String || f.Kind == schema.Bytes:
		return p.rt("SizeBytes") + "(len(" + x + "))"
	case isSint(f):
		return p.rt("SizeZigzag") + "(uint64(" + x + "))"
	}
	return p.rt("SizeVarint") + "(uint64(" + x + "))"
}

// methodsOf returns an expression of a type that has the generated methods, where x is of a type
// made from it.
func (p *printer) methodsOf(f *field, x string, pointer bool) string {
	if f.facts.CastType == "" {
		return x
	}
	if !pointer {
		x = "&" + x
	}
	return "(*" + p.plainType(f.Field) + ")(" + x + ")"
}

// sizeMap prints the sizing of a map.
func (p *printer) sizeMap(f *field, x, tag string) {
	key, value := "k", "v"
	if fixedSize(f.key) != 0 {
		key = "_"
	}
	if fixedSize(f.value) != 0 && f.value.class == scalar {
		value = "_"
	}
	switch {
	case key == "_" && value == "_":
		size := 2 + fixedSize(f.key) + fixedSize(f.value)
		p.p("n += ", tagLen(f.Field)+1+size, " * len(", x, ")")
		return
	case value == "_":
		p.p("for k := range ", x, " {")
	default:
		p.p("for ", key, ", v := range ", x, " {")
	}
	p.p("size := 1 + ", p.sizeValue(f.key, "k", false))
	if c := mapValueCondition(f, "v"); c != "" {
		p.p("if ", c, " {")
		p.p("size += 1 + ", p.sizeValue(f.value, "v", f.value.star))
		p.p("}")
	} else {
		p.p("size += 1 + ", p.sizeValue(f.value, "v", f.value.star))
	}
	p.p("n += ", tag, " + ", p.rt("SizeBytes"), "(size)")
	p.p("}")
}

// mapValueCondition returns when the value of an entry is written; "" means always.
func mapValueCondition(f *field, x string) string {
	switch {
	case f.value.star:
		return x + " != nil"
	case f.value.class == scalar && f.value.Kind == schema.Bytes && f.proto3:
		return "len(" + x + ") > 0"
	case f.value.class == scalar && f.value.Kind == schema.Bytes:
		return x + " != nil"
	}
	return ""
}
