package golang

import (
	"slices"
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// jsonAppend prints GremlinAppendJSON.
func (t *messageType) jsonAppend() {
	t.p()
	t.p("// GremlinAppendJSON appends m as JSON. It is for generated code.")
	t.p("func (m *", t.names.message.name, ") GremlinAppendJSON(e *", t.js("Encoder"),
		", b []byte) []byte {")
	defer t.p("}")
	if t.recursive() {
		t.p("e.Enter(&", t.names.jsonTable, ")")
	}
	if t.jsonAppendSpecial() {
		return
	}
	if len(t.fields) == 0 {
		t.p("return append(b, '{', '}')")
		return
	}
	t.ifNil("append(b, '{', '}')")
	t.p("f := (*[", len(t.fields), "]", t.js("Field"), ")(", t.names.jsonTable, ".Fields)")
	t.p("start := len(b)")
	for i, f := range t.fields {
		x, name := "m."+t.names.fields[f].field, "&f["+strconv.Itoa(i)+"]"
		named := "e.Name(b, " + name + ")"
		switch {
		case f.Oneof != nil && t.together(f.Oneof):
			if i == t.firstOf(f.Oneof) {
				t.members(f.Oneof, func(f *schema.Field, x string) {
					t.p("b = ", t.jsonValue(f, x,
						"e.Name(b, &f["+strconv.Itoa(slices.Index(t.fields, f))+"])"))
				})
			}
		case f.Oneof != nil:
			n := t.names.fields[f]
			t.p("if x, ok := m.", t.names.oneofs[f.Oneof].field, ".(*", n.wrapper,
				"); ok && x != nil {")
			t.p("b = ", t.jsonValue(f, "x."+n.field, named))
			t.p("}")
		case f.IsMap():
			t.p("if len(", x, ") != 0 || e.All() {")
			t.p("b = ", named)
			t.jsonEntries(f, x)
			t.p("}")
		case f.Repeated:
			t.p("if len(", x, ") != 0 || e.All() {")
			if jsonLoop(f) {
				t.p("b = ", named)
				t.jsonElements(f, x)
			} else {
				t.p("b = e.", t.jsonKindOf(f), "s(", named, ", ", x, ")")
			}
			t.p("}")
		case f.Kind == schema.MessageKind || f.Presence:
			t.p("if ", t.isSet(f, x), " {")
			t.p("b = ", t.jsonValue(f, t.deref(f, x), named))
			t.p("}")
		case f.Kind == schema.EnumKind:
			t.p("b = e.EnumField(b, ", name, ", int32(", x, "), ", t.enumInfo(f), ")")
		default:
			t.p("b = e.", t.jsonKindOf(f), "Field(b, ", name, ", ", x, ")")
		}
	}
	if len(t.msg.ExtensionRanges) != 0 {
		t.p("b = e.Extensions(b, m.unknown.Bytes(), &", t.names.jsonTable, ", e.Depth())")
	}
	t.p("return e.End(b, start)")
}

// firstOf returns the index of the first member of o by number.
func (t *messageType) firstOf(o *schema.Oneof) int {
	return slices.IndexFunc(t.fields, func(f *schema.Field) bool { return f.Oneof == o })
}

// together tells whether no other field's number is among those of o's members, so that one switch
// writes them in their place.
func (t *messageType) together(o *schema.Oneof) bool {
	first := t.firstOf(o)
	for _, f := range t.fields[first : first+len(o.Fields)] {
		if f.Oneof != o {
			return false
		}
	}
	return true
}

// jsonValue returns an expression: b with one value x of f appended.
func (t *messageType) jsonValue(f *schema.Field, x, b string) string {
	switch f.Kind {
	case schema.MessageKind:
		return t.withMethods(f, x) + ".GremlinAppendJSON(e, " + b + ")"
	case schema.EnumKind:
		return "e.Enum(" + b + ", int32(" + x + "), " + t.enumInfo(f) + ")"
	}
	return "e." + t.jsonKindOf(f) + "(" + b + ", " + x + ")"
}

// jsonLoop tells whether the loop over a list of f must be generated.
func jsonLoop(f *schema.Field) bool {
	return f.Kind == schema.MessageKind || f.Kind == schema.EnumKind || f.Kind == schema.Bytes
}

// jsonElements prints the appending of a list.
func (t *messageType) jsonElements(f *schema.Field, x string) {
	t.p("at := len(b)")
	if f.Kind == schema.MessageKind {
		t.p("for i := range ", x, " {")
		t.p("b = ", t.jsonValue(f, x+"[i]", "append(b, ',')"))
	} else {
		t.p("for _, x := range ", x, " {")
		t.p("b = ", t.jsonValue(f, "x", "append(b, ',')"))
	}
	t.p("}")
	t.p("b = e.EndList(b, at)")
}

// jsonEntries prints the appending of a map.
func (t *messageType) jsonEntries(f *schema.Field, x string) {
	key := ""
	switch jsonKinds[f.MapKey.Kind] {
	case "String":
		key = "StringKey(b, k)"
	case "Bool":
		key = "BoolKey(b, k)"
	case "Int32", "Int64":
		key = "IntKey(b, int64(k))"
	default:
		key = "UintKey(b, uint64(k))"
	}
	t.p("at, mark := len(b), e.BeginMap()")
	t.p("for k, v := range ", x, " {")
	t.p("b = ", t.jsonValue(f.MapValue, "v", "e."+key))
	t.p("}")
	t.p("b = e.EndMap(b, at, mark)")
}

// jsonAppendSpecial prints the body of GremlinAppendJSON for a message that has a form of its own.
func (t *messageType) jsonAppendSpecial() bool {
	switch jsonSpecials[t.msg.FullName] {
	case "Struct":
		t.jsonEntries(t.fields[0], "m.GetFields()")
		t.p("return b")
	case "ListValue":
		t.p("list := m.GetValues()")
		t.jsonElements(t.fields[0], "list")
		t.p("return b")
	case "Value":
		t.p("if m == nil {")
		t.p("return e.NoValue(b)")
		t.p("}")
		t.members(t.msg.Oneofs[0], t.jsonKind)
		t.p("return e.NoValue(b)")
	default:
		return t.jsonGetters("m", "e.Depth()")
	}
	return true
}

// jsonKind prints the appending of a google.protobuf.Value that is the member f of its oneof.
func (t *messageType) jsonKind(f *schema.Field, x string) {
	if f.Kind == schema.Double {
		t.p("return e.Number(b, ", x, ")")
	} else {
		t.p("return ", t.jsonValue(f, x, "b"))
	}
}

// jsonGetters prints the appending of a message that has a form of its own, made of what getters
// return.
func (t *messageType) jsonGetters(x, depth string) bool {
	switch special := jsonSpecials[t.msg.FullName]; special {
	case "Any":
		t.p("return e.Any(b, ", x, ".GetTypeUrl(), ", x, ".GetValue(), ", depth, ")")
	case "Timestamp", "Duration":
		t.p("return e.", special, "(b, ", x, ".GetSeconds(), ", x, ".GetNanos())")
	case "FieldMask":
		t.p("return e.FieldMask(b, ", x, ".GetPaths())")
	case "Wrapper":
		t.p("return ", t.jsonValue(t.fields[0], x+".GetValue()", "b"))
	default:
		return false
	}
	return true
}

// jsonDecode prints GremlinDecodeJSON.
func (t *messageType) jsonDecode() {
	t.p()
	t.p("// GremlinDecodeJSON reads what d is at. It is for generated code.")
	t.p("func (m *", t.names.message.name, ") GremlinDecodeJSON(d *", t.js("Decoder"), ") {")
	defer t.p("}")
	if t.jsonDecodeSpecial() {
		return
	}
	t.p("var o ", t.js("Object"))
	t.p("for d.Object(&o, &", t.names.jsonTable, "); ; {")
	t.p("switch d.Field(&o) {")
	t.p("case ", t.js("Done"), ":")
	t.p("return")
	for i, f := range t.fields {
		t.p("case ", i, ": // ", f.Name)
		t.jsonDecodeField(f)
	}
	if len(t.msg.ExtensionRanges) != 0 {
		t.p("case ", t.js("Extension"), ":")
		t.p("m.unknown = ", t.runtime("UnknownOf"), "(d.Extension(&o, m.unknown.Bytes()))")
	}
	t.p("}")
	t.p("}")
}

func (t *messageType) jsonDecodeField(f *schema.Field) {
	n := t.names.fields[f]
	x := "m." + n.field
	switch {
	case f.IsMap():
		t.p(t.js("Map"), "(d, &", x, ", ", t.jsonKeyFunc(f.MapKey), ", ",
			t.jsonFunc(f.MapValue, false), ")")
	case f.Repeated && f.Kind != schema.MessageKind && f.Kind != schema.String &&
		f.Kind != schema.Bytes && f.Kind != schema.EnumKind:
		t.p(t.js("Numbers"), "(d, &", x, ", ", t.jsonFunc(f, false), ")")
	case f.Repeated:
		t.p(t.js("List"), "(d, &", x, ", ", t.jsonFunc(f, t.opts.PointerLists), ")")
	case f.Oneof != nil:
		o := "m." + t.names.oneofs[f.Oneof].field
		switch f.Kind {
		case schema.MessageKind:
			t.p("x := &", n.wrapper, "{", n.field, ": new(", t.valueType(f), ")}")
			t.p(t.withMethods(f, "x."+n.field), ".GremlinDecodeJSON(d)")
			t.p(o, " = x")
		case schema.EnumKind:
			t.p("x := new(", n.wrapper, ")")
			t.p("if ", t.js("Enum"), "(d, &x.", n.field, ", ", t.enumInfo(f), ") {")
			t.p(o, " = x")
			t.p("}")
		default:
			t.p("x := new(", n.wrapper, ")")
			t.p("d.", t.jsonKindOf(f), "(&x.", n.field, ")")
			t.p(o, " = x")
		}
	case t.isStdValue(f):
		t.p(t.withMethods(f, x), ".GremlinDecodeJSON(d)")
	case f.Kind == schema.MessageKind:
		t.p(t.pointerMethods(f, t.runtime("Alloc")+"(&"+x+")"), ".GremlinDecodeJSON(d)")
	case f.Kind == schema.EnumKind && t.isPointer(f):
		t.p("x := new(", t.valueType(f), ")")
		t.p("if ", t.js("Enum"), "(d, x, ", t.enumInfo(f), ") {")
		t.p(x, " = x")
		t.p("}")
	case f.Kind == schema.EnumKind:
		t.p(t.js("Enum"), "(d, &", x, ", ", t.enumInfo(f), ")")
	case t.isPointer(f):
		t.p("d.", t.jsonKindOf(f), "(", t.runtime("Alloc"), "(&", x, "))")
	default:
		t.p("d.", t.jsonKindOf(f), "(&", x, ")")
	}
}

// jsonFunc returns a function that reads one value of f: an element of a list, maybe of pointers,
// or the value of a map.
func (t *messageType) jsonFunc(f *schema.Field, pointer bool) string {
	v, d := t.valueType(f), "d *"+t.js("Decoder")
	switch {
	case f.Kind == schema.EnumKind:
		return "func(" + d + ", v *" + v + ") {\n" + t.js("EnumElement") + "(d, v, " +
			t.enumInfo(f) + ")\n}"
	case f.Kind == schema.MessageKind && pointer:
		return "func(" + d + ", v **" + v + ") {\n" +
			t.pointerMethods(f, t.runtime("Alloc")+"(v)") + ".GremlinDecodeJSON(d)\n}"
	case f.Kind == schema.MessageKind:
		return "func(" + d + ", v *" + v + ") {\n" + t.pointerMethods(f, "v") +
			".GremlinDecodeJSON(d)\n}"
	}
	return "(*" + t.js("Decoder") + ")." + t.jsonKindOf(f)
}

func (t *messageType) jsonKeyFunc(f *schema.Field) string {
	name := jsonKinds[f.Kind]
	if name == "Bool" {
		name = "BoolKey"
	}
	return "(*" + t.js("Decoder") + ")." + name
}

// jsonDecodeSpecial prints the body of GremlinDecodeJSON for a message that has a form of its own.
func (t *messageType) jsonDecodeSpecial() bool {
	special := jsonSpecials[t.msg.FullName]
	switch special {
	case "Any":
		t.p("d.Any(&m.TypeUrl, &m.Value)")
	case "Timestamp", "Duration":
		t.p("d.", special, "(&m.Seconds, &m.Nanos)")
	case "FieldMask":
		t.p("d.FieldMask(&m.Paths)")
	case "Struct", "ListValue", "Wrapper":
		t.jsonDecodeField(t.fields[0])
	case "Value":
		set := func(cases, new, read string) {
			t.p(cases)
			t.p("x := ", new)
			t.p(read)
			t.p("m.Kind = x")
		}
		t.p("switch d.Peek() {")
		t.p("case 'n':")
		t.p("d.Null()")
		t.p("m.Kind = new(Value_NullValue)")
		set("case 't', 'f':", "new(Value_BoolValue)", "d.Bool(&x.BoolValue)")
		set("case '\"':", "new(Value_StringValue)", "d.String(&x.StringValue)")
		set("case '{':", "&Value_StructValue{StructValue: new(Struct)}",
			"x.StructValue.GremlinDecodeJSON(d)")
		set("case '[':", "&Value_ListValue{ListValue: new(ListValue)}",
			"x.ListValue.GremlinDecodeJSON(d)")
		set("default:", "new(Value_NumberValue)", "d.Number(&x.NumberValue)")
		t.p("}")
	default:
		return false
	}
	return true
}
