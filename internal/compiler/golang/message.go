package golang

import (
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// messageType prints the two Go types of a message.
type messageType struct {
	*printer
	opts  Options
	msg   *schema.Message
	names *messageNames

	fields []*schema.Field // sorted by number
	slotOf map[*schema.Field]int
	slots  int                      // how many there are
	circle map[*schema.Message]bool // see schema.Message.Circle
	// has messages, maps or lists of strings: Marshal is not one cheap Size away
	nested bool
	bits   map[*schema.Field]int // see seenBits
}

func newMessageType(p *printer, o Options, m *schema.Message) *messageType {
	t := &messageType{printer: p, opts: o, msg: m, names: p.names.messages[m]}
	t.fields = slices.Clone(m.Fields)
	slices.SortFunc(t.fields, func(a, b *schema.Field) int { return int(a.Number - b.Number) })
	for _, f := range m.Fields {
		if f.Kind == schema.MessageKind || f.Repeated {
			t.nested = true
		}
	}
	t.bits = t.seenBits()
	t.circle = m.Circle()
	t.assignSlots()
	return t
}

// expand fills a pattern of kindInfo.
func (t *messageType) expand(pattern string, f *schema.Field, x string) string {
	return replacements{"$", t.use(rtPath), "@", t.valueType(f), "%", x}.in(pattern)
}

// valueType returns the Go type of one value of f: of an element for a list, of the struct for a
// message.
func (t *messageType) valueType(f *schema.Field) string {
	switch f.Kind {
	case schema.EnumKind:
		return t.qualify(t.printer.names.enums[f.Enum].enum)
	case schema.MessageKind:
		if t.std(f) != nil {
			return t.stdGo(f)
		}
		return t.qualify(t.printer.names.messages[f.Message].message)
	}
	return kinds[f.Kind].goType
}

// readerType returns the Reader of a message field's type.
func (t *messageType) readerType(f *schema.Field) string {
	return t.qualify(t.printer.names.messages[f.Message].reader)
}

// fieldType returns the type of f's struct field.
func (t *messageType) fieldType(f *schema.Field) string {
	if f.IsMap() {
		return "map[" + t.valueType(f.MapKey) + "]" + t.valueType(f.MapValue)
	}
	v := t.valueType(f)
	switch {
	case f.Repeated && f.Kind == schema.MessageKind && t.opts.PointerLists:
		return "[]*" + v
	case f.Repeated:
		return "[]" + v
	case t.isStdValue(f):
		return v
	case f.Kind == schema.MessageKind, t.isPointer(f):
		return "*" + v
	}
	return v
}

// isPointer tells whether f is a scalar with presence that is a pointer in the struct.
func (t *messageType) isPointer(f *schema.Field) bool {
	return f.Presence && f.Oneof == nil && f.Kind != schema.MessageKind && f.Kind != schema.Bytes
}

// enumInfo returns the EnumInfo of f's enum.
func (t *messageType) enumInfo(f *schema.Field) string {
	n := t.printer.names.enums[f.Enum]
	return "&" + t.qualify(goName{n.enum.importPath, n.info})
}

func isClosed(f *schema.Field) bool { return f.Kind == schema.EnumKind && f.Enum.Closed }

// message prints the Message type.
func (t *messageType) message() {
	name := t.names.message.name
	t.p()
	t.comment(t.msg.Comment, " "+name+" is the message "+t.msg.FullName+".",
		deprecation(t.msg.Deprecated, t.msg.FullName))
	t.p("type ", name, " struct {")
	for _, f := range t.msg.Fields {
		n := t.names.fields[f]
		switch {
		case f.Oneof == nil:
			t.comment(f.Comment, "", deprecation(f.Deprecated, f.FullName))
			t.p(n.field, "\t", t.fieldType(f))
		case f.Oneof.Fields[0] == f:
			t.oneofField(f.Oneof)
		}
	}
	if len(t.msg.Fields) != 0 {
		t.p()
	}
	t.p("unknown\t", t.runtime("Unknown"))
	t.p("}")
	for _, o := range t.msg.Oneofs {
		t.oneofTypes(o)
	}
	t.defaults()
	t.methods()
	t.getters()
	t.size()
	t.marshal()
	t.decode()
	t.compare()
	t.checkInitialized()
	t.extendable()
}

func (t *messageType) oneofField(o *schema.Oneof) {
	t.comment(o.Comment, "", "")
	var members []string
	for _, f := range o.Fields {
		members = append(members, "*"+t.names.fields[f].wrapper)
	}
	n := t.names.oneofs[o]
	t.p("// ", n.field, " is one of ", strings.Join(members, ", "), ".")
	t.p(n.field, "\t", n.iface)
}

func (t *messageType) oneofTypes(o *schema.Oneof) {
	n := t.names.oneofs[o]
	t.p()
	t.p("type ", n.iface, " interface{ ", n.iface, "() }")
	for _, f := range o.Fields {
		fn := t.names.fields[f]
		t.p()
		t.p("// ", fn.wrapper, " sets ", n.field, " to ", f.Name, ".")
		t.p("type ", fn.wrapper, " struct {")
		t.comment(f.Comment, "", deprecation(f.Deprecated, f.FullName))
		t.p(fn.field, "\t", t.fieldType(f))
		t.p("}")
	}
	t.p()
	for _, f := range o.Fields {
		t.p(oneLine("func (*"+t.names.fields[f].wrapper+") "+n.iface+"()", "\t", ""))
	}
}

// defaults prints the declared defaults under the names that protoc-gen-go gives them.
func (t *messageType) defaults() {
	var consts, vars []string
	for _, f := range t.msg.Fields {
		if f.Default == nil {
			continue
		}
		value, constant := t.literal(f)
		line := t.names.fields[f].def + "\t= " + value
		if constant {
			line = t.names.fields[f].def + "\t" + t.valueType(f) + "\t= " + value
			consts = append(consts, line)
		} else {
			vars = append(vars, line)
		}
	}
	for _, g := range []struct {
		keyword string
		lines   []string
	}{{"const", consts}, {"var", vars}} {
		if len(g.lines) != 0 {
			t.p()
			t.p("// Defaults of ", t.names.message.name, ".")
			t.p(g.keyword, " (")
			for _, l := range g.lines {
				t.p(l)
			}
			t.p(")")
		}
	}
}

// defaultOf returns what a getter returns for an absent field.
func (t *messageType) defaultOf(f *schema.Field) string {
	switch {
	case f.IsMap() || f.Repeated || f.Kind == schema.MessageKind:
		return "nil"
	case f.Default != nil && f.Kind == schema.Bytes:
		return "append([]byte(nil), " + t.names.fields[f].def + "...)"
	case f.Default != nil:
		return t.names.fields[f].def
	case f.Kind == schema.EnumKind && f.Enum.Values[0].Number != 0:
		n := t.printer.names.enums[f.Enum]
		return t.qualify(goName{n.enum.importPath, n.values[f.Enum.Values[0]]})
	}
	return kinds[f.Kind].zero
}

// methods prints what every message has.
func (t *messageType) methods() {
	name, rt := t.names.message.name, t.use(rtPath)
	marshal, marshalAppend := t.marshalBodies()
	t.functions(replacements{"NAME", name, "RT", rt, "TABLE", t.names.table, "MARSHAL",
		marshal, "APPEND", marshalAppend},
		[]string{
			"Reset makes m empty.",
			"func (m *NAME) Reset() { *m = NAME{} }",
			"String returns m in text format.",
			"func (m NAME) String() string { return RT.Text(&m) }",
			"Marshal returns the encoding of m.",
			"func (m *NAME) Marshal() []byte {MARSHAL}",
			"MarshalAppend appends the encoding of m to b.",
			"func (m *NAME) MarshalAppend(b []byte) []byte {APPEND}",
			"GremlinTable describes the message to the runtime.",
			"func (*NAME) GremlinTable() *RT.Table { return &TABLE }",
			"CheckEncoding checks what Marshal does not: that strings are UTF-8 and required fields set.",
			"func (m *NAME) CheckEncoding() error { return RT.CheckMessageEncoding(m, &TABLE) }",
		})
	t.forLogs("m", name)
	if !t.opts.JSON {
		t.withoutJSON(name)
		t.functions(replacements{"NAME", name, "RT", rt, "TABLE", t.names.table}, []string{
			"UnmarshalJSON returns an error: the code was generated without JSON.",
			"func (m *NAME) UnmarshalJSON([]byte) error { return RT.WithoutJSON(&TABLE) }",
		})
	}
	t.p()
	t.p(
		"// Unmarshal replaces the contents of m by those of an encoding. It checks all of it and keeps nothing of b.")
	t.p("func (m *", name, ") Unmarshal(b []byte) error {")
	t.p("m.Reset()")
	decoded := rt + ".Decoded(m.GremlinDecode(" + rt + ".StartDecoder(b, &" + t.names.table +
		")), b, &" + t.names.table + ")"
	t.returnDecoded(decoded)
	t.p("}")
	t.unmarshalWith()
}

// getters prints a nil-safe getter for each field.
func (t *messageType) getters() {
	name := t.names.message.name
	t.short(nil, "(m *"+name+") or() *"+name,
		"return "+t.runtime("Or")+"(m, &"+t.names.noMessage+")")
	for _, f := range t.msg.Fields {
		if o := f.Oneof; o != nil && o.Fields[0] == f {
			on := t.names.oneofs[o]
			t.short(nil, "(m *"+name+") Get"+on.field+"() "+on.iface, "return m.or()."+on.field)
		}
		t.getter(f)
	}
}

func (t *messageType) getter(f *schema.Field) {
	n := t.names.fields[f]
	result := t.fieldType(f)
	if t.isPointer(f) {
		result = t.valueType(f)
	}
	signature := "(m *" + t.names.message.name + ") Get" + n.field + "() " + result
	switch {
	case f.Oneof != nil && !(f.Kind == schema.Bytes && f.Default != nil):
		absent := n.wrapper + "{}"
		if def := t.defaultOf(f); f.Kind != schema.MessageKind && def != kinds[f.Kind].zero {
			absent = n.wrapper + "{" + n.field + ": " + def + "}"
		}
		t.short(deprecatedDoc(f), signature, "x, _ := m.or()."+t.names.oneofs[f.Oneof].field+".(*"+
			n.wrapper+"); return "+
			t.runtime("Or")+"(x, &"+absent+")."+n.field)
	case f.Oneof != nil: // the default is a copy, which is made only where it is asked for
		t.p()
		for _, d := range deprecatedDoc(f) {
			t.p("// ", d)
		}
		t.p("func ", signature, " {")
		t.p("if x, ok := m.or().", t.names.oneofs[f.Oneof].field, ".(*", n.wrapper,
			"); ok && x != nil {")
		t.p("return x.", n.field)
		t.p("}")
		t.p("return ", t.defaultOf(f))
		t.p("}")
	case t.isPointer(f):
		t.short(deprecatedDoc(f), signature, "return "+t.runtime("Deref")+"(m.or()."+n.field+", "+
			t.defaultOf(f)+")")
	case f.Kind == schema.Bytes && f.Default != nil:
		t.short(deprecatedDoc(f), signature, "return "+t.runtime("BytesOr")+"(m.or()."+n.field+", "+
			n.def+")")
	default:
		t.short(deprecatedDoc(f), signature, "return m.or()."+n.field)
	}
}

func (t *messageType) ifNil(result string) {
	t.p("if m == nil {")
	t.p("return ", result)
	t.p("}")
}

func deprecatedDoc(f *schema.Field) []string {
	if !f.Deprecated {
		return nil
	}
	return []string{"Deprecated: " + f.FullName + " is marked as deprecated."}
}

// needsInit tells whether the message, or one that it may hold, has required fields.
func (t *messageType) needsInit() bool { return needsInit(t.msg, map[*schema.Message]bool{}) }

func needsInit(m *schema.Message, seen map[*schema.Message]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	for _, f := range m.Fields {
		if f.Required || f.Kind == schema.MessageKind && needsInit(f.Message, seen) {
			return true
		}
	}
	return false
}

// checkInitialized prints the check of required fields, if there may be any;
// gremlin.CheckInitialized asks for the method.
func (t *messageType) checkInitialized() {
	name, rt := t.names.message.name, t.use(rtPath)
	if !t.needsInit() {
		return
	}
	t.p()
	t.p(
		"// CheckInitialized returns an error that names a required field which is not set, in m or a message in it.")
	t.p("func (m *", name, ") CheckInitialized() error {")
	t.ifNil("nil")
	quotedName := strconv.Quote(t.msg.FullName)
	check := func(f *schema.Field, x, index string) {
		t.p("if err := ", x, ".CheckInitialized(); err != nil {")
		t.p("return ", rt, ".InField(err, ", quotedName, ", ", strconv.Quote(f.Name), ", ", index,
			")")
		t.p("}")
	}
	for _, f := range t.fields {
		x := "m." + t.names.fields[f].field
		if f.Required {
			t.p("if ", x, " == nil {")
			t.p("return ", rt, ".Required(", quotedName, ", ", strconv.Quote(f.Name), ")")
			t.p("}")
		}
		sub := f.Message
		if f.IsMap() {
			sub = f.MapValue.Message
		}
		if sub == nil || !needsInit(sub, map[*schema.Message]bool{}) {
			continue
		}
		switch {
		case f.IsMap():
			t.p("for _, v := range ", x, " {")
			check(f, "v", "-1")
			t.p("}")
		case f.Repeated:
			t.p("for i := range ", x, " {")
			check(f, x+"[i]", "i")
			t.p("}")
		case f.Oneof != nil:
			check(f, "m.Get"+t.names.fields[f].field+"()", "-1")
		default:
			check(f, x, "-1")
		}
	}
	t.p("return nil")
	t.p("}")
}
