package golang

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// inWireOrder returns the fields in the order of their numbers, a oneof as a whole in the place of
// its first declared member. Of a oneof only that member is in the list.
func (t *messageType) inWireOrder() []*schema.Field {
	return slices.DeleteFunc(slices.Clone(t.fields), func(f *schema.Field) bool {
		return f.Oneof != nil && f.Oneof.Fields[0] != f
	})
}

// oneofsLast tells whether protobuf-go, which writes oneofs behind all other fields, in the order
// of their declaration, writes t in another order than ours. Only MarshalStable follows it: Readers
// are fastest on fields in the order of numbers.
func (t *messageType) oneofsLast() bool {
	var oneofs []*schema.Oneof
	for _, f := range t.inWireOrder() {
		switch {
		case f.Oneof != nil:
			oneofs = append(oneofs, f.Oneof)
		case len(oneofs) != 0:
			return true
		}
	}
	return !slices.Equal(oneofs, t.msg.Oneofs)
}

// members prints a type switch over the members of a oneof.
func (t *messageType) members(o *schema.Oneof, each func(f *schema.Field, x string)) {
	t.p("switch x := m.", t.names.oneofs[o].field, ".(type) {")
	for _, f := range o.Fields {
		t.p("case *", t.names.fields[f].wrapper, ":")
		t.p("if x != nil {")
		each(f, "x."+t.names.fields[f].field)
		t.p("}")
	}
	t.p("}")
}

// size prints Size.
func (t *messageType) size() {
	t.p()
	t.p("// Size returns the length of the encoding of m in bytes.")
	t.startWalk("Size", "", "(n int)", "")
	// not or(): a message may contain itself, and Size is called where it is absent, too
	t.ifNil("0")
	t.goDeeper()
	for _, f := range t.inWireOrder() {
		x := "m." + t.names.fields[f].field
		switch {
		case f.Oneof != nil:
			t.members(f.Oneof, func(f *schema.Field, x string) {
				t.p("n += ", t.sizeOf(f, x, true))
			})
		case f.IsMap():
			t.p("for k, v := range ", x, " {")
			t.use2("k", "v", f)
			t.p("n += ", t.runtime("SizeLen"), "(", tagLen(f), ", ", t.sizeOf(f.MapKey, "k", true),
				"+", t.sizeOf(f.MapValue, "v", true), ")")
			t.p("}")
		case f.Repeated && f.Kind == schema.MessageKind:
			t.p("for i := range ", x, " {")
			t.p("n += ", t.sizeOf(f, x+"[i]", true))
			t.p("}")
		case f.Repeated:
			t.p("n += ", t.sizeOfList(f, x))
		case f.Kind == schema.MessageKind && !f.Delimited:
			t.p("n += ", t.runtime("SizeMessage"), "(", tagLen(f), ", ", t.isSet(f, x), ", ",
				t.deeper(f, x, "Size", "size", ""), ")")
		case f.Kind == schema.MessageKind || f.Presence:
			t.p("if ", x, " != nil {")
			t.p("n += ", t.sizeOf(f, t.deref(f, x), true))
			t.p("}")
		default:
			t.p("n += ", t.sizeOf(f, x, false))
		}
	}
	t.p("return n + m.unknown.Size()")
	t.p("}")
}

// use2 keeps the compiler content where the size of keys or values does not depend on them.
func (t *messageType) use2(k, v string, f *schema.Field) {
	if kinds[f.MapKey.Kind].fixedSize != 0 {
		t.p("_ = ", k)
	}
	if f.MapValue.Kind != schema.MessageKind && kinds[f.MapValue.Kind].fixedSize != 0 {
		t.p("_ = ", v)
	}
}

func (t *messageType) deref(f *schema.Field, x string) string {
	if t.isPointer(f) {
		return "*" + x
	}
	return x
}

// sizeOf returns an expression for the encoded length of one value x of f; always says that a zero
// value is written too.
func (t *messageType) sizeOf(f *schema.Field, x string, always bool) string {
	tag := tagLen(f)
	suffix := ""
	if always {
		suffix = "Always"
	}
	call := func(name string, args ...any) string {
		s := t.runtime(name) + "(" + strconv.Itoa(tag)
		for _, a := range args {
			s += fmt.Sprint(", ", a)
		}
		return s + ")"
	}
	switch k := kinds[f.Kind]; {
	case f.Delimited:
		return fmt.Sprintf("%d + %s", 2*tag, t.deeper(f, x, "Size", "size", ""))
	case f.Kind == schema.MessageKind:
		return call("SizeLenAlways", t.deeper(f, x, "Size", "size", ""))
	case f.Kind == schema.String || f.Kind == schema.Bytes:
		return call("SizeLen"+suffix, "len("+x+")")
	case k.fixedSize != 0 && always:
		return strconv.Itoa(tag + k.fixedSize)
	case f.Kind == schema.Bool:
		return call("SizeFixed", 1, x)
	case f.Kind == schema.Float || f.Kind == schema.Double:
		return call("Size"+k.appendTo, x)
	case k.fixedSize != 0:
		return call("SizeFixed", k.fixedSize, x+" != 0")
	default:
		return call("Size"+k.appendTo+suffix, t.expand(k.arg, f, x))
	}
}

// sizeOfList returns an expression for the encoded length of a list of scalars.
func (t *messageType) sizeOfList(f *schema.Field, x string) string {
	k, tag := kinds[f.Kind], tagLen(f)
	switch {
	case f.Packed && k.fixedSize != 0:
		return fmt.Sprintf("%s(%d, %d*len(%s))", t.runtime("SizeLen"), tag, k.fixedSize, x)
	case f.Packed:
		return fmt.Sprintf("%s(%d, %s)", t.runtime("SizePacked"+k.packed), tag, x)
	case k.fixedSize != 0:
		return fmt.Sprintf("%d * len(%s)", tag+k.fixedSize, x)
	default:
		return fmt.Sprintf("%s(%d, %s)", t.runtime("Size"+k.fieldsFunc()), tag, x)
	}
}

// marshalBodies returns the bodies of Marshal and MarshalAppend.
func (t *messageType) marshalBodies() (whole, appended string) {
	rt := t.use(rtPath)
	switch {
	case t.nested:
		return " return " + rt + ".Marshal(m) ",
			"\nvar e " + rt + ".Encoder\nreturn e.Finish(m.GremlinAppend(b, &e))\n"
	case t.oneofsLast():
		return " return m.MarshalAppend(" + rt + ".MakeBuffer(m.Size())) ",
			"\nvar e " + rt + ".Encoder\nreturn m.GremlinAppend(b, &e)\n"
	}
	// a flat message asks nothing of an Encoder
	if n := t.largestSize(); n != 0 && n <= maxOnStack {
		return fmt.Sprintf("\nvar a [%d]byte\nreturn %s.CopyOf(m.GremlinAppend(a[:0], nil))\n",
			n+stackRoom, rt), " return m.GremlinAppend(b, nil) "
	}
	return " return m.GremlinAppend(" + rt + ".MakeBuffer(m.Size()), nil) ",
		" return m.GremlinAppend(b, nil) "
}

// maxOnStack is the largest size of messages that are written on the stack and copied, in bytes.
// That takes less time than a pass for the size and appends that find little room. stackRoom is
// how much more room there is, so that all appends are the fast ones; unknown fields that do not
// fit grow the buffer.
const (
	maxOnStack = 128
	stackRoom  = 32
)

// largestSize returns how large the encoding of a flat message can be without unknown fields, or 0
// where only its contents tell.
func (t *messageType) largestSize() (size int) {
	for _, f := range t.fields {
		switch k := kinds[f.Kind]; {
		case f.Repeated, f.IsMap(), f.Kind == schema.MessageKind, k.wire == 2:
			return 0
		case k.fixedSize != 0:
			size += tagLen(f) + k.fixedSize
		default:
			size += tagLen(f) + 10
		}
	}
	return size
}

// marshal prints GremlinAppend, which writes the fields one after the other.
func (t *messageType) marshal() {
	name := t.names.message.name
	t.p()
	t.p("// GremlinAppend appends the encoding of m. It is for generated code.")
	t.p("func (m *", name, ") GremlinAppend(b []byte, e *", t.runtime("Encoder"), ") []byte {")
	t.p("m = m.or()")
	if t.recursive() {
		t.p("e.Enter(&", t.names.table, ")")
	}
	last := t.oneofsLast()
	fields := t.inWireOrder()
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		x := "m." + t.names.fields[f].field
		switch {
		case i+1 < len(fields) && inPair(f) != "" && inPair(f) == inPair(fields[i+1]):
			i++
			t.appendPair(f, fields[i])
		case f.Oneof != nil && last:
			t.p("if !e.Stable {")
			t.p("b = m.", t.oneofFunc(f.Oneof), "(b, e)")
			t.p("}")
		case f.Oneof != nil:
			t.members(f.Oneof, func(f *schema.Field, x string) { t.appendValue(f, x, true) })
		case f.IsMap():
			t.p("for _, k := range ", t.runtime("StableKeys"), "(", x, ", e) {")
			t.p("b = ", t.entryFunc(f), "(b, k, ", x, "[k], e)")
			t.p("}")
			t.p("for k, v := range ", t.runtime("UnlessStable"), "(", x, ", e) {")
			t.p("b = ", t.entryFunc(f), "(b, k, v, e)")
			t.p("}")
		case f.Repeated && f.Kind == schema.MessageKind:
			t.p("for i := range ", x, " {")
			t.appendValue(f, x+"[i]", true)
			t.p("}")
		case f.Repeated:
			t.p("b = ", t.appendList(f, x))
		case f.Kind == schema.MessageKind || f.Presence:
			t.p("if ", t.isSet(f, x), " {")
			t.appendValue(f, t.deref(f, x), true)
			t.p("}")
		default:
			t.appendValue(f, x, false)
		}
	}
	if last {
		t.p("if e.Stable {\t// oneofs come last, as google.golang.org/protobuf has them")
		for _, o := range t.msg.Oneofs {
			t.p("b = m.", t.oneofFunc(o), "(b, e)")
		}
		t.p("}")
	}
	t.p("return ", t.runtime("AppendUnknown"), "(b, m.unknown)")
	t.p("}")
	if last {
		for _, o := range t.msg.Oneofs {
			t.appendOneof(o)
		}
	}
	for _, f := range t.fields {
		if f.IsMap() {
			t.appendEntry(f)
		}
	}
}

// inPair returns what function appends two fields like f at once, if there is one: a pair costs
// little more than one field.
func inPair(f *schema.Field) string {
	if f.Kind == schema.MessageKind || f.Repeated || f.Presence || f.Oneof != nil ||
		tagOf(f) >= 0x80 {
		return ""
	}
	switch k := kinds[f.Kind]; k.appendTo {
	case "Varint", "Double":
		return "AppendTwo" + k.appendTo + "s"
	}
	return ""
}

func (t *messageType) appendPair(f, g *schema.Field) {
	argument := func(f *schema.Field) string {
		return hex(tagOf(f)) + ", " + t.expand(kinds[f.Kind].arg, f, "m."+t.names.fields[f].field)
	}
	t.p("b = ", t.runtime(inPair(f)), "(b, ", argument(f), ", ", argument(g), ")")
}

// appendList returns an expression: b with a list of scalars appended.
func (t *messageType) appendList(f *schema.Field, x string) string {
	k := kinds[f.Kind]
	fn := k.fieldsFunc()
	if f.Packed {
		fn = "Packed" + k.packed
	}
	return t.runtime("Append"+fn) + "(b, " + hex(tagOf(f)) + ", " + x + ")"
}

func (t *messageType) entryFunc(f *schema.Field) string {
	return "append" + t.names.message.name + "_" + t.names.fields[f].field + "Entry"
}

// appendEntry prints a function that appends an entry of a map.
func (t *messageType) appendEntry(f *schema.Field) {
	t.p()
	t.p("func ", t.entryFunc(f), "(b []byte, k ", t.valueType(f.MapKey), ", v ",
		t.valueType(f.MapValue), ", e *", t.runtime("Encoder"), ") []byte {")
	t.p("b, at := e.Begin(b, ", hex(tagOf(f)), ")")
	t.appendValue(f.MapKey, "k", true)
	t.appendValue(f.MapValue, "v", true)
	t.p("return e.End(b, at)")
	t.p("}")
}

func (t *messageType) oneofFunc(o *schema.Oneof) string {
	return "append_" + t.names.oneofs[o].field
}

// appendOneof prints a method that appends the member of o that is set.
func (t *messageType) appendOneof(o *schema.Oneof) {
	t.p()
	t.p("func (m *", t.names.message.name, ") ", t.oneofFunc(o), "(b []byte, e *",
		t.runtime("Encoder"), ") []byte {")
	t.members(o, func(f *schema.Field, x string) { t.appendValue(f, x, true) })
	t.p("return b")
	t.p("}")
}

// appendValue prints the appending of one value x of f; always says that a zero value is written
// too.
func (t *messageType) appendValue(f *schema.Field, x string, always bool) {
	tag := tagOf(f)
	switch {
	case f.Delimited:
		t.p("b = ", t.runtime("AppendTag"), "(b, ", hex(tag), ")")
		t.p("b = ", x, ".GremlinAppend(b, e)")
		t.p("b = ", t.runtime("AppendTag"), "(b, ", hex(tag+1), ")")
	case f.Kind == schema.MessageKind:
		long := ""
		if typicalSize(f.Message, 0) > oneByteLength {
			long = "Long"
		}
		t.p("b = e.End", long, "(", t.withMethods(f, x), ".GremlinAppend(e.Nest", long, "(b, ",
			hex(tag), "), e), len(b)+", tagLen(f)+1, ")")
	default:
		k := kinds[f.Kind]
		name := "Append" + k.appendTo
		if tag >= 0x80 && (k.appendTo == "Varint" || k.appendTo == "String") {
			name += "Wide"
		}
		if always {
			name += "Always"
		}
		t.p("b = ", t.runtime(name), "(b, ", hex(uint32(f.Number)<<3|uint32(k.wire)), ", ",
			t.expand(k.arg, f, x), ")")
	}
}

// oneByteLength is the largest length that takes one byte.
const oneByteLength = 127

// typicalSize guesses how many bytes a message has, to decide how many are kept for its length: a
// wrong guess makes the message move by a byte. Lists are taken to have two elements, and of a
// oneof the first member is taken to be set. It stops where the message is long anyway, so that it
// looks at few fields however many there are.
func typicalSize(m *schema.Message, depth int) (size int) {
	const maxDepth = 4 // messages may contain themselves
	if depth == maxDepth {
		return 0
	}
	for _, f := range m.Fields {
		if size > oneByteLength {
			break
		}
		n := 4
		switch {
		case f.Oneof != nil && f != f.Oneof.Fields[0]:
			continue
		case f.Kind == schema.MessageKind:
			n = 2 + typicalSize(f.Message, depth+1)
		case f.Kind == schema.String || f.Kind == schema.Bytes:
			n = 16
		case f.Kind == schema.Double || f.Kind == schema.Fixed64 || f.Kind == schema.Sfixed64:
			n = 9
		}
		if f.Repeated || f.IsMap() {
			n *= 2
		}
		size += n
	}
	return size
}
