package golang

import (
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// jsonRead prints appendJSON of a Reader.
func (t *messageType) jsonRead() {
	t.p()
	t.p("func (r *", t.names.reader.name, ") appendJSON(e *", t.js("Encoder"),
		", b []byte, depth int) []byte {")
	defer t.p("}")
	t.p("if e.Rejects(&r.view, depth) {")
	t.p("return e.Reject(b, &r.view)")
	t.p("}")
	if t.jsonReadSpecial() {
		return
	}
	if len(t.fields) == 0 {
		t.p("return append(b, '{', '}')")
		return
	}
	t.p("f := (*[", len(t.fields), "]", t.js("Field"), ")(", t.names.jsonTable, ".Fields)")
	t.p("start := len(b)")
	for i, f := range t.fields {
		name := "&f[" + strconv.Itoa(i) + "]"
		named := "e.Name(b, " + name + ")"
		switch {
		case f.IsMap() || f.Repeated:
			t.p("b = e.List(b, ", name, ", ", t.jsonList(i), ", depth)")
		case f.Presence:
			t.ifSet(f)
			t.p("b = ", t.jsonSlot(f, named))
			t.p("}")
		case f.Kind == schema.EnumKind:
			t.p("b = e.EnumField(b, ", name, ", int32(", t.slotValue(f), "), ", t.enumInfo(f), ")")
		default:
			t.p("b = e.", t.jsonKindOf(f), "Field(b, ", name, ", ", t.slotValue(f), ")")
		}
	}
	if len(t.msg.ExtensionRanges) != 0 {
		t.p("b = e.Extensions(b, r.view.Raw(), &", t.names.jsonTable, ", depth)")
	}
	t.p("return e.End(b, start)")
}

// ifSet prints the start of a block for a field with presence that is there.
func (t *messageType) ifSet(f *schema.Field) {
	if isClosed(f) {
		t.p("if r.view.HasEnum(", t.slot(f), ", ", t.enumInfo(f), ") {")
	} else {
		t.p("if ", t.slot(f), " != 0 {")
	}
}

// slotValue returns an expression: the value at f's slot, of an enum its number.
func (t *messageType) slotValue(f *schema.Field) string {
	k := kinds[f.Kind]
	get := "r.view." + k.view + "(" + t.slotArgs(f) + ")"
	if f.Kind == schema.EnumKind {
		return get
	}
	return t.expand(k.conv, f, get)
}

// jsonSlot returns an expression: b with the value at f's slot appended. For a message it prints a
// line before.
func (t *messageType) jsonSlot(f *schema.Field, b string) string {
	if f.Kind == schema.MessageKind {
		t.p("p, n := r.view.Message(", t.slotArgs(f), ", ", hex(tagOf(f)), ")")
		return "(*" + t.readerType(f) + ")(nil).GremlinOpenJSON(e, " + b + ", p, n, depth-1)"
	}
	return t.jsonValue(f, t.slotValue(f), b)
}

// jsonList returns the list at the slot of field i, or the entries of a map, and its description.
func (t *messageType) jsonList(i int) string {
	f := t.fields[i]
	return "r.view.List(" + t.slot(f) + ", " + hex(tagOf(f)) + "), &" + t.names.table + ".Fields[" +
		strconv.Itoa(i) + "]"
}

// jsonReadSpecial prints the rest of appendJSON for a message that has a form of its own.
func (t *messageType) jsonReadSpecial() bool {
	switch jsonSpecials[t.msg.FullName] {
	case "Struct", "ListValue":
		t.p("return e.Elements(b, ", t.jsonList(0), ", depth)")
	case "Value":
		for _, f := range t.fields {
			t.ifSet(f)
			if f.Kind == schema.MessageKind {
				t.p("return ", t.jsonSlot(f, "b"))
			} else {
				t.jsonKind(f, t.slotValue(f))
			}
			t.p("}")
		}
		t.p("return e.NoValue(b)")
	default:
		return t.jsonGetters("r", "depth")
	}
	return true
}
