package golang

import (
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// itemMessage is the number that the message of an extension has in an item of a message set.
const itemMessage = 3

// extension prints the variable that gives typed access to an extension.
func (p *printer) extension(f *schema.Field, o Options) {
	// What an extension needs to know is what a field of the extended message would.
	t := newMessageType(p, o, f.Extendee)
	ext := t.names
	rt := t.use(rtPath)
	typ := t.fieldType(f)
	if t.isPointer(f) {
		typ = t.valueType(f)
	}
	name := p.names.extensions[f]
	t.p()
	t.comment(f.Comment, " "+name+" is the extension "+f.FullName+" of "+f.Extendee.FullName+".",
		deprecation(f.Deprecated, f.FullName))
	t.p("var ", name, " = ", rt, ".Extension[*", t.qualify(ext.message),
		", *", t.qualify(ext.reader), ", ", typ, "]{")
	t.p("Field:\t", rt, ".FieldInfo", t.tableEntry(f, 0), ",")
	if f.Extendee.MessageSet {
		t.p("InSet:\ttrue,")
		item := *f
		item.Number = itemMessage
		f = &item
	}
	if f.Default != nil {
		value, _ := t.literal(f)
		t.p("Default:\t", oneLine("func() "+typ, " ", "return "+value), ",")
	} else if f.Kind == schema.EnumKind && !f.Repeated && f.Enum.Values[0].Number != 0 {
		n := p.names.enums[f.Enum]
		t.p("Default:\t", oneLine("func() "+typ,
			" ", "return "+t.qualify(goName{n.enum.importPath, n.values[f.Enum.Values[0]]})), ",")
	}
	t.p("Append: func(b []byte, v ", typ, ") []byte {")
	if f.Kind == schema.MessageKind {
		t.p("e := &", rt, ".Encoder{Stable: true}")
	}
	switch {
	case f.Repeated && f.Kind == schema.MessageKind:
		t.p("for i := range v {")
		t.appendValue(f, "v[i]", true)
		t.p("}")
	case f.Repeated:
		t.p("b = ", t.appendList(f, "v"))
	default:
		t.appendValue(f, "v", true)
	}
	if f.Kind == schema.MessageKind {
		t.p("return e.Finish(b)")
	} else {
		t.p("return b")
	}
	t.p("},")
	t.p("Decode: func(d *", rt, ".Decoder, v *", typ, ", tag, n, off uint) bool {")
	switch {
	case f.Repeated && f.Kind == schema.MessageKind && o.PointerLists:
		t.p("*v = append(*v, new(", t.valueType(f), "))")
		t.decodeMessage(f, "(*v)[len(*v)-1]")
	case f.Repeated && f.Kind == schema.MessageKind:
		t.decodeMessage(f, rt+".Extend(d, v, tag, n, off)")
	case f.Repeated && isClosed(f):
		t.p(rt, ".DecodeClosedEnums(d, v, ", t.enumInfo(f), ", nil, tag, n, off)")
	case f.Repeated:
		t.p(t.decodeList(f, "v"))
	case f.Kind == schema.MessageKind:
		t.decodeMessage(f, rt+".Alloc(v)")
	case isClosed(f):
		t.p("listed, _, _ := d.ClosedEnum((*int32)(v), ", t.enumInfo(f), ", nil, tag, n, off)")
		t.p("return listed")
	default:
		t.p(t.decodeValue(f, "v", "n, off"))
	}
	switch {
	case f.Repeated:
		t.p("return len(*v) != 0")
	case !isClosed(f):
		t.p("return true")
	}
	t.p("},")
	t.p("}")
}

// extendable prints what extensions need of a message that has extension ranges.
func (t *messageType) extendable() {
	if len(t.msg.ExtensionRanges) == 0 {
		return
	}
	t.p()
	t.p(
		"// GremlinUnknown returns where m keeps unknown fields and extensions, nil when m is nil. It is for generated code.")
	t.p("func (m *", t.names.message.name, ") GremlinUnknown() *", t.runtime("Unknown"), " {")
	t.ifNil("nil")
	t.p("return &m.unknown")
	t.p("}")
}

// tableEntry returns the literal of a FieldInfo without its type.
func (t *messageType) tableEntry(f *schema.Field, slot int) string {
	kind := ""
	switch {
	case f.IsMap():
		kind = "KindMap"
	case f.Delimited:
		kind = "KindGroup"
	case f.Kind == schema.MessageKind:
		kind = "KindMessage"
	default:
		kind = kinds[f.Kind].table
	}
	name := f.Name
	if f.Extendee != nil {
		name = f.FullName
	}
	line := "{Name: " + strconv.Quote(name) + ", Number: " + strconv.Itoa(int(f.Number)) +
		", Slot: " + strconv.Itoa(slot) +
		", Kind: " + t.runtime(kind) + t.tableFlags(f)
	switch {
	case f.IsMap():
		line += ", Sub: &" + t.entryTable(f)
	case f.Kind == schema.MessageKind:
		line += ", Sub: (*" + t.readerType(f) + ")(nil)"
	case f.Kind == schema.EnumKind:
		line += ", Enum: " + t.enumInfo(f)
	}
	return line + "}"
}
