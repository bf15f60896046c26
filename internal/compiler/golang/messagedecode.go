package golang

import (
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// decode prints GremlinDecode.
func (t *messageType) decode() {
	t.p()
	t.p(
		"// GremlinDecode reads the fields from off to n and returns where they end. It is for generated code.")
	t.p("func (m *", t.names.message.name, ") GremlinDecode(d *", t.runtime("Decoder"),
		", n, off uint) (next uint) {")
	t.keepAtStart()
	t.p("tag, off := d.Tag(n, off)")
	t.straightLine()
	t.p("for tag != 0 {")
	t.p("switch tag {")
	for _, f := range t.fields {
		single := uint32(f.Number)<<3 | uint32(wireType(f))
		label := hex(single)
		if f.Repeated && f.Kind != schema.MessageKind && kinds[f.Kind].wire != 2 {
			label += ", " + hex(uint32(f.Number)<<3|2)
		}
		t.p("case ", label, ":")
		t.decodeField(f, false)
	}
	t.p("default:")
	t.p("tag, off = d.Unknown(&m.unknown, tag, n, off)")
	t.p("}")
	t.p("}")
	t.dropAtEnd()
	t.p("return off")
	t.p("}")
	t.keepAndDrop()
	for _, f := range t.fields {
		if f.IsMap() && hasEntryFunc(f) {
			t.decodeEntry(f)
		}
	}
}

// maxDecodedStraight is how many fields a type has at most for a straight line: each of them that
// is not there costs a comparison.
const maxDecodedStraight = 40

// straightLine prints the reading of fields in the order of their numbers, in which nearly all
// encodings have them: what comes next is compared with one tag after the other, which a processor
// foretells, where a switch is a jump that it does not. The loop behind it reads what is left.
func (t *messageType) straightLine() {
	if len(t.fields) > maxDecodedStraight {
		return
	}
	for _, f := range t.fields {
		keyword := "if"
		if f.IsMap() || f.Repeated && !f.Packed {
			keyword = "for"
		}
		t.p(keyword, " tag == ", hex(tagOf(f)), " {")
		t.decodeField(f, true)
		t.p("}")
	}
}

// decodeField prints the reading of a value of f, in the straight line or the loop.
func (t *messageType) decodeField(f *schema.Field, straight bool) {
	n := t.names.fields[f]
	x := "m." + n.field
	switch {
	case f.IsMap():
		if hasEntryFunc(f) {
			t.p("tag, off = m.decode", n.field, "(d, tag, n, off)")
		} else {
			t.p("tag, off = ", t.runtime("DecodeEntry"), "(d, &", x, ", &", t.entryTable(f),
				", tag, n, off)")
		}
	case f.Repeated && f.Kind == schema.MessageKind && t.opts.PointerLists:
		t.decodeMessage(f, t.renewed(f, t.runtime("ExtendPointers")+"(d, &"+x+")"))
	case f.Repeated && f.Kind == schema.MessageKind:
		t.decodeMessage(f, t.renewed(f, t.runtime("Extend")+"(d, &"+x+", tag, n, off)"))
	case f.Repeated && isClosed(f):
		t.p("tag, off = ", t.runtime("DecodeClosedEnums"), "(d, &", x, ", ", t.enumInfo(f),
			", &m.unknown, tag, n, off)")
	case f.Repeated:
		t.p("tag, off = ", t.decodeList(f, "&"+x))
	case f.Oneof != nil:
		t.decodeMember(f, straight)
	case t.isStdValue(f):
		t.note(f, true, straight)
		t.decodeMessage(f, "&"+x)
	case f.Kind == schema.MessageKind:
		t.note(f, true, straight)
		t.decodeMessage(f, t.renewed(f, t.runtime("Alloc")+"(&"+x+")"))
	case isClosed(f) && t.isPointer(f):
		t.p("var x ", t.valueType(f))
		t.decodeClosed(f, "&x", func() {
			t.note(f, false, straight)
			t.p("*", t.runtime("Alloc"), "(&", x, ") = x")
		})
	case isClosed(f):
		t.decodeClosed(f, "&"+x, nil)
	case t.isPointer(f):
		t.note(f, false, straight)
		t.p("tag, off = ", t.decodeValue(f, t.runtime("Alloc")+"(&"+x+")", "n, off"))
	default:
		t.p("tag, off = ", t.decodeValue(f, "&"+x, "n, off"))
	}
}

// decodeMember prints the reading of a value of f, which belongs to a oneof.
func (t *messageType) decodeMember(f *schema.Field, straight bool) {
	n := t.names.fields[f]
	box := func() {
		o := "m." + t.names.oneofs[f.Oneof].field
		t.p("x, _ := ", o, ".(*", n.wrapper, ")")
		t.p("if x == nil {")
		t.p("x = new(", n.wrapper, ")")
		t.p(o, " = x")
		if f.Kind == schema.MessageKind && !straight {
			word, bit := t.seen(f)
			t.p("} else if ", word, "&", bit, " != 0 {")
			t.p("off = d.Twice(off)")
		}
		t.p("}")
		t.note(f, false, straight)
	}
	switch {
	case f.Kind == schema.MessageKind:
		box()
		t.decodeMessage(f, t.renewed(f, t.runtime("Alloc")+"(&x."+n.field+")"))
	case isClosed(f):
		t.p("var v ", t.valueType(f))
		t.decodeClosed(f, "&v", func() {
			box()
			t.p("x.", n.field, " = v")
		})
	default:
		box()
		t.p("tag, off = ", t.decodeValue(f, "&x."+n.field, "n, off"))
	}
}

// decodeMessage prints the reading of a message or group to the pointer x.
func (t *messageType) decodeMessage(f *schema.Field, x string) {
	x = t.pointerMethods(f, x)
	if !f.Delimited {
		t.p("tag, off = d.Leave(n, ", x, ".GremlinDecode(d.Enter(n, off)))")
		return
	}
	t.p("outer, end, at := d.EnterGroup(", strconv.Itoa(int(f.Number)), ", n, off)")
	t.p("tag, off = d.LeaveGroup(outer, n, ", x, ".GremlinDecode(d, end, at))")
}

// decodeList returns an expression that appends scalars to the list that the pointer x is for.
func (t *messageType) decodeList(f *schema.Field, x string) string {
	list := kinds[f.Kind].listDecode
	if f.Kind == schema.String && !f.CheckUTF8 {
		list = "d.StringsUnchecked(%, tag, n, off)"
	}
	return t.expand(list, f, x)
}

// decodeClosed prints the reading of a closed enum to x, then what assign prints, if the enum has
// the value.
func (t *messageType) decodeClosed(f *schema.Field, x string, assign func()) {
	call := "tag, off = d.ClosedEnum((*int32)(" + x + "), " + t.enumInfo(f) +
		", &m.unknown, tag, n, off)"
	if assign == nil {
		t.p("_, ", call)
		return
	}
	t.p("var listed bool")
	t.p("if listed, ", call, "; listed {")
	assign()
	t.p("}")
}

// decodeValue returns an expression that reads a scalar to the pointer x; at is where it may read
// to and from.
func (t *messageType) decodeValue(f *schema.Field, x, at string) string {
	decode := kinds[f.Kind].decode
	if f.Kind == schema.String && !f.CheckUTF8 {
		decode = "d.StringUnchecked(%, "
	}
	return t.expand(decode, f, x) + at + ")"
}

// hasEntryFunc tells whether the entries of a map need a function of their own. It is for types
// that the runtime does not know.
func hasEntryFunc(f *schema.Field) bool {
	return f.MapValue.Kind == schema.MessageKind || f.MapValue.Kind == schema.EnumKind
}

// decodeEntry prints a method that reads an entry of a map.
func (t *messageType) decodeEntry(f *schema.Field) {
	name, field := t.names.message.name, t.names.fields[f].field
	t.p()
	t.p("func (m *", name, ") decode", field, "(d *", t.runtime("Decoder"),
		", tag, n, off uint) (_, next uint) {")
	t.p("var k ", t.valueType(f.MapKey))
	t.p("var v ", t.valueType(f.MapValue))
	switch {
	case isClosed(f.MapValue):
		t.p("listed, start := true, d.FieldStart(tag, off)")
	case f.MapValue.Kind == schema.MessageKind:
		t.p("met := false")
	}
	t.p("end, off, whole := d.EnterEntry(n, off)")
	t.p("inner, off := d.Tag(end, off)")
	t.p("for inner != 0 {")
	t.p("switch inner {")
	t.p("case ", hex(tagOf(f.MapKey)), ":")
	t.p("inner, off = ", t.decodeValue(f.MapKey, "&k", "end, off"))
	t.p("case ", hex(tagOf(f.MapValue)), ":")
	switch v := f.MapValue; {
	case v.Kind == schema.MessageKind:
		t.p("if met {")
		t.p("off = d.Twice(off)")
		t.p("}")
		t.p("met = true")
		x := t.withMethods(v, "v")
		if r := t.renewed(v, "&v"); r != "&v" {
			x = r
		}
		t.p("inner, off = d.Leave(end, ", x, ".GremlinDecode(d.Enter(end, off)))")
	case isClosed(v):
		t.p("listed, inner, off = d.ClosedEnum((*int32)(&v), ", t.enumInfo(v),
			", nil, inner, end, off)")
	default:
		t.p("inner, off = ", t.decodeValue(v, "&v", "end, off"))
	}
	t.p("default:")
	t.p("inner, off = d.Skip(inner, end, off)")
	t.p("}")
	t.p("}")
	t.p("if whole && off == end {")
	put := t.runtime("PutEntry") + "(d, &m." + field + ", k, v, tag, n, off)"
	if isClosed(f.MapValue) {
		t.p("if listed {")
		t.p(put)
		t.p("} else {")
		t.p("d.KeepUnknown(&m.unknown, start, off)")
		t.p("}")
	} else {
		t.p(put)
	}
	t.p("}")
	t.p("return d.Leave(n, off)")
	t.p("}")
}
