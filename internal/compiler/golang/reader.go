package golang

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// maxStraight is how many fields the straight line of an index function has at most; the rest of a
// very wide message is left to the table. maxClears is how many members of a oneof one in the
// straight line may have to clear.
const (
	maxStraight = 64
	maxClears   = 8
)

// reader prints the Reader type.
func (t *messageType) reader() {
	name, rt := t.names.reader.name, t.use(rtPath)
	msg := t.names.message.name
	t.p()
	t.p("// ", name, " reads an encoded ", msg,
		". The zero value and nil are empty messages. Getters decode on demand and never")
	t.p("// write: any number of goroutines may use one ", name,
		" after Unmarshal. Strings and byte slices share the memory of the bytes")
	t.p("// that were given to Unmarshal, which must not change while they are in use.")
	if t.msg.Deprecated {
		t.p("//")
		t.p("// Deprecated: ", t.msg.FullName, " is marked as deprecated.")
	}
	t.p("type ", name, " struct {")
	t.p("view\t", rt, ".View")
	t.p("slot\t[", t.slots, "]uint32\t// where each field is")
	t.p("}")
	validate :=
		"func (r *NAME) CheckEncoding() error { r = r.or(); return r.view.CheckEncoding(r.slot[:], &TABLE) }"
	if t.needsInit() {
		validate =
			"func (r *NAME) CheckEncoding() error {\nr = r.or()\nif err := r.view.CheckEncoding(r.slot[:], &TABLE); err != nil {\nreturn err\n}\nreturn r.ToMessage().CheckInitialized()\n}"
	}
	toMessage, text := []string{
		"ToMessage decodes everything into a message of its own. Nested messages that are malformed come out empty.",
		"func (r *NAME) ToMessage() *MSG {\nm := new(MSG)\nm.GremlinDecode(RT.StartLenient(&r.or().view, &TABLE))\nreturn m\n}",
	}, "func (r NAME) String() string { return r.ToMessage().String() }"
	if t.opts.ReadersOnly {
		toMessage = []string{
			"ToMessage decodes everything into a message of its own.",
			"func (r *NAME) ToMessage() (*MSG, error) {\nm := new(MSG)\nif err := m.Unmarshal(r.Raw()); err != nil {\nreturn nil, err\n}\nreturn m, nil\n}",
		}
		text = "func (r NAME) String() string {\nm, err := r.ToMessage()\nif err != nil {\nreturn err.Error()\n}\nreturn m.String()\n}"
		if t.needsInit() {
			validate =
				"func (r *NAME) CheckEncoding() error {\nr = r.or()\nif err := r.view.CheckEncoding(r.slot[:], &TABLE); err != nil {\nreturn err\n}\n_, err := r.ToMessage()\nreturn err\n}"
		}
	}
	t.functions(replacements{"NEWFUNC", t.names.newReader.name, "NAME", name, "MSG", msg,
		"RT", rt, "TABLE", t.names.table}, slices.Concat([]string{
		"NEWFUNC returns an empty Reader.",
		"func NEWFUNC() *NAME { return new(NAME) }",
		"Unmarshal makes r read b, which it keeps. It checks the structure of this level and allocates nothing.",
		"func (r *NAME) Unmarshal(b []byte) error {\n*r = NAME{}\nreturn r.index(RT.First(b), uint(len(b)))\n}",
		"Detach copies the bytes once; afterwards r and what it returns do not depend on the slice given to Unmarshal.",
		"func (r *NAME) Detach() { r.view.Detach() }",
		"Err returns what is wrong with a nested message that GetX opened on malformed bytes; it reads as empty.",
		"func (r *NAME) Err() error { return r.or().view.Err(&TABLE) }",
		"CheckEncoding checks the whole tree: structure at every level, UTF-8 and required fields.",
		validate,
		"Raw returns the bytes that r reads; they are not a copy.",
		"func (r *NAME) Raw() []byte { return r.or().view.Raw() }",
	}, toMessage, []string{
		"String returns what r reads in text format.",
		text,
		"GremlinTable describes the message to the runtime.",
		"func (*NAME) GremlinTable() *RT.Table { return &TABLE }",
		"GremlinOpen opens r, which is empty, on a message field of v; Err tells if it is malformed. It is for generated code.",
		"func (r *NAME) GremlinOpen(v *RT.View, start, end uint32, tag uint) {\n_ = r.index(v.Message(start, end, tag))\n}",
		"GremlinNext opens r, which is empty, on the next message of l; Err tells if it is malformed. It is for generated code.",
		"func (r *NAME) GremlinNext(l *RT.List) { _ = r.index(l.NextMessage()) }",
	}))
	t.forLogs("r", name)
	if !t.opts.JSON {
		t.withoutJSON(name)
	}
	t.index()
	t.access()
	for _, f := range t.msg.Fields {
		t.readerField(f)
	}
	for _, o := range t.msg.Oneofs {
		t.which(o)
	}
	t.table()
}

// isSpan tells whether f has a second slot, for where its value ends. The runtime's tables say the
// same (FieldInfo.span).
func isSpan(f *schema.Field) bool {
	return !f.Repeated && !f.IsMap() && (f.Kind == schema.String || f.Kind == schema.Bytes ||
		f.Kind == schema.MessageKind)
}

// assignSlots gives each field its slots, in the order of their numbers.
func (t *messageType) assignSlots() {
	t.slotOf = make(map[*schema.Field]int, len(t.fields))
	for _, f := range t.fields {
		t.slotOf[f] = t.slots
		t.slots++
		if isSpan(f) {
			t.slots++
		}
	}
}

// slot returns the expression of f's slot, and slotArgs of both where f has two.
func (t *messageType) slot(f *schema.Field) string {
	return "r.slot[" + strconv.Itoa(t.slotOf[f]) + "]"
}

func (t *messageType) slotArgs(f *schema.Field) string {
	if isSpan(f) {
		return t.slot(f) + ", r.slot[" + strconv.Itoa(t.slotOf[f]+1) + "]"
	}
	return t.slot(f)
}

// index prints the index function; package gremlin/rt explains how it works (index.go).
func (t *messageType) index() {
	rt := t.use(rtPath)
	t.p()
	t.p(
		"// index notes where the fields of the n bytes at p start, in one straight line for fields in the order of their numbers.")
	t.p("func (r *", t.names.reader.name, ") index(p ", rt, ".Ptr, n uint) error {")
	w := "_"
	for i, f := range t.fields {
		if t.isStraight(i, f) {
			w = "w"
		}
	}
	t.p("for off, ", w, " := r.view.Start(p, n); off < n; off, ",
		w, " = r.view.Advance(off, r.slot[:], &", t.names.table, ") {")
	for i, f := range t.fields {
		if t.isStraight(i, f) {
			t.indexField(i, f)
		}
	}
	if w == "w" {
		t.p("if off == n {")
		t.p("return nil")
		t.p("}")
	}
	t.p("}")
	t.p("return r.view.Err(&", t.names.table, ")")
	t.p("}")
}

// isStraight tells whether field i has a place in the straight line.
func (t *messageType) isStraight(i int, f *schema.Field) bool {
	if i >= maxStraight || tagOf(f) >= 1<<14 || f.Delimited {
		return false
	}
	return f.Oneof == nil || len(t.earlierMembers(i, f)) <= maxClears && !t.isClosed(f)
}

// earlierMembers returns the members of f's oneof that come before it in the straight line, which
// has to clear them.
func (t *messageType) earlierMembers(i int, f *schema.Field) (members []*schema.Field) {
	for _, g := range t.fields[:i] {
		if f.Oneof != nil && g.Oneof == f.Oneof {
			members = append(members, g)
		}
	}
	return members
}

func (t *messageType) indexField(i int, f *schema.Field) {
	tag, slot := tagOf(f), "&"+t.slot(f)
	cond, size, suffix, args := "w&0xff == "+hex(tag), 1, "", "p, n, off, w"
	if tag >= 0x80 {
		cond, size, suffix, args = "w == "+hex(tagWord(tag)), 2, "2", "p, n, off"
	}
	next := func(off string) string { return t.runtime("Next") + "(p, n, " + off + ")" }
	if f.Repeated || f.IsMap() {
		skip := ""
		switch tag & 7 {
		case 1:
			skip = next("off+" + strconv.Itoa(size+8))
		case 5:
			skip = next("off+" + strconv.Itoa(size+4))
		case 2:
			skip = t.runtime("SkipBytes"+suffix) + "(" + args + ")"
		default:
			skip = next(t.runtime("SkipVarint"+suffix) + "(" + args + ")")
		}
		t.p("if ", cond, " {\t// ", f.Name)
		t.p(t.slot(f), " = uint32(off + ", size, ")")
		t.p("for ", cond, " {")
		t.p("off, w = ", skip)
		t.p("}")
		t.p("}")
		return
	}
	t.p("if ", cond, " {\t// ", f.Name)
	for _, g := range t.earlierMembers(i, f) {
		zero := "0"
		if isSpan(g) {
			zero = "0, 0"
		}
		t.p(t.slotArgs(g), " = ", zero)
	}
	note := ""
	switch tag & 7 {
	case 1:
		note = next(t.runtime("Fixed") + "(off, " + strconv.Itoa(size) + ", 8, " + slot + ")")
	case 5:
		note = next(t.runtime("Fixed") + "(off, " + strconv.Itoa(size) + ", 4, " + slot + ")")
	case 2:
		note = t.runtime("Bytes"+suffix) + "(" + args + ", " + slot + ", &r.slot[" +
			strconv.Itoa(t.slotOf[f]+1) + "])"
		if suffix != "" {
			note = next(note)
		}
	default:
		note = next(t.runtime("Varint"+suffix) + "(" + args + ", " + slot + ")")
	}
	t.p("off, w = ", note)
	t.p("}")
}

// access prints the methods that getters share: what makes them safe for nil, and the functions of
// the View that fit the fields, by number of the slot.
func (t *messageType) access() {
	used := map[string]bool{}
	for _, f := range t.fields {
		switch {
		case f.IsMap() || f.Repeated:
			used["List"] = true
		case f.Kind != schema.MessageKind && !t.isClosed(f) && !isLeaf(f):
			used[kinds[f.Kind].view] = true
		}
	}
	receiver := "(r *" + t.names.reader.name + ") "
	t.p()
	// not by a generic function: getters would not be inlined
	t.p("func ", receiver, "or() *", t.names.reader.name, " {")
	t.p("if r == nil {")
	t.p("return &", t.names.noReader)
	t.p("}")
	t.p("return r")
	t.p("}")
	t.afterShort = true
	for _, name := range slices.Sorted(maps.Keys(used)) {
		slots, more, result := "r.slot[i]", "", viewResults[name]
		switch name {
		case "String", "Bytes":
			slots += ", r.slot[i+1]"
		case "List":
			slots, more, result = slots+", tag", ", tag uint32", t.runtime("List")
		}
		t.short(nil, receiver+strings.ToLower(name)+"(i int"+more+") "+result,
			"r = r.or(); return r.view."+name+"("+slots+")")
	}
}

// isLeaf tells whether the function of View that gets f is not inlined. Its getter calls it itself,
// and is inlined.
func isLeaf(f *schema.Field) bool {
	switch kinds[f.Kind].view {
	case "Varint", "Fixed32", "Fixed64":
		return true
	}
	return false
}

// readerField prints the methods of one field.
func (t *messageType) readerField(f *schema.Field) {
	switch {
	case f.IsMap():
		t.readerMap(f)
	case t.std(f) != nil && f.Repeated:
		t.readerStds(f)
	case t.std(f) != nil:
		t.readerStd(f)
	case f.Repeated && f.Kind == schema.MessageKind:
		t.readerMessages(f)
	case f.Repeated:
		t.readerList(f)
	case f.Kind == schema.MessageKind:
		t.readerMessage(f)
	default:
		t.readerScalar(f)
	}
}

// docOf returns the comment of a method.
func docOf(f *schema.Field, comment string) (doc []string) {
	if comment != "" {
		doc = append(doc, comment)
	}
	for _, d := range deprecatedDoc(f) {
		if len(doc) != 0 {
			doc = append(doc, "")
		}
		doc = append(doc, d)
	}
	return doc
}

// isClosed is isClosed for Readers: beside another backend's Messages all enums are open.
func (t *messageType) isClosed(f *schema.Field) bool { return !t.opts.ReadersOnly && isClosed(f) }

// method prints the comment and the first line of a Reader's method.
func (t *messageType) method(f *schema.Field, comment, signature string) {
	t.p()
	for _, d := range docOf(f, comment) {
		t.p(strings.TrimRight("// "+d, " "))
	}
	t.p("func (r *", t.names.reader.name, ") ", signature, " {")
}

// shortMethod prints a method of a Reader that returns an expression.
func (t *messageType) shortMethod(f *schema.Field, comment, signature, result string) {
	t.short(docOf(f, comment), "(r *"+t.names.reader.name+") "+signature, "return "+result)
}

func (t *messageType) readerScalar(f *schema.Field) {
	n, k, slot := t.names.fields[f], kinds[f.Kind], t.slot(f)
	get := t.expand(k.conv, f, "r."+strings.ToLower(k.view)+"("+strconv.Itoa(t.slotOf[f])+")")
	if isLeaf(f) {
		get = t.expand(k.conv, f, "r.view."+k.view+"("+slot+")")
	}
	def, signature := t.defaultOf(f), "Get"+n.field+"() "+t.valueType(f)
	has := "r != nil && " + slot + " != 0"
	switch {
	case t.isClosed(f):
		t.method(f, "", signature)
		t.ifReaderNil(def)
		t.p("return ", t.valueType(f), "(r.view.ClosedEnum(", slot, ", ", t.enumInfo(f), ", int32(",
			def, ")))")
		t.p("}")
		has = "r != nil && r.view.HasEnum(" + slot + ", " + t.enumInfo(f) + ")"
	case def != k.zero:
		t.method(f, "", signature)
		t.p("if r == nil || ", slot, " == 0 {")
		t.p("return ", def)
		t.p("}")
		t.p("return ", get)
		t.p("}")
	case isLeaf(f):
		t.short(docOf(f, ""), "(r *"+t.names.reader.name+") "+signature, "r = r.or(); return "+get)
	default:
		t.shortMethod(f, "", signature, get)
	}
	if n.has != "" {
		t.shortMethod(f, "", n.has+"() bool", has)
	}
}

func (t *messageType) ifReaderNil(result string) {
	t.p("if r == nil {")
	t.p("return ", result)
	t.p("}")
}

func (t *messageType) readerMessage(f *schema.Field) {
	n, reader := t.names.fields[f], t.readerType(f)
	open := "u.GremlinOpen(&r.view, " + t.slotArgs(f) + ", " + hex(tagOf(f)) + ")"
	set := t.slot(f) + " != 0"
	t.method(f, "Get"+n.field+" opens "+f.Name+
		"; keep the result rather than calling it for each field.", "Get"+n.field+"() *"+reader)
	t.p("u := new(", reader, ")")
	t.p("if r != nil {")
	t.p(open)
	t.p("}")
	t.p("return u")
	t.p("}")
	t.method(f, n.into+" opens "+f.Name+
		" in u, without an allocation, and tells whether it is set.", n.into+"(u *"+reader+") bool")
	t.p("r, *u = r.or(), ", reader, "{}")
	t.p(open)
	t.p("return ", set)
	t.p("}")
	if n.has != "" {
		t.shortMethod(f, "", n.has+"() bool", "r != nil && "+set)
	}
}

func (t *messageType) listOf(f *schema.Field) string {
	return "r.list(" + strconv.Itoa(t.slotOf[f]) + ", " + hex(tagOf(f)) + ")"
}

// readerList prints the methods of a list of scalars.
func (t *messageType) readerList(f *schema.Field) {
	n, k, list := t.names.fields[f], kinds[f.Kind], t.listOf(f)
	elem := t.valueType(f)
	each, all, count := t.expand(k.listRange, f, list), t.expand(k.listAppend, f, list),
		t.expand(k.listLen, f, list)
	if t.isClosed(f) {
		each = t.runtime("EachClosedEnum") + "[" + elem + "](" + list + ", " + t.enumInfo(f) + ")"
		all = t.runtime("CollectClosedEnums") + "(dst, " + list + ", " + t.enumInfo(f) + ")"
		count = list + ".LenEnums(" + t.enumInfo(f) + ")"
	}
	one := func(comment, signature, result string) { t.shortMethod(f, comment, signature, result) }
	one("", n.count+"() int", count)
	// The list is looked up inside of the closure, which the compiler inlines whole; outside it
	// would be too much for the method.
	one(n.values+" yields the values of "+f.Name+" without allocating.",
		n.values+"() "+t.use("iter")+".Seq["+elem+"]",
		oneLine("func(yield func("+elem+") bool)", " ", each+"(yield)"))
	one("", "Get"+n.field+"() []"+elem, "r."+n.appendTo+"(nil)")
	one("", n.appendTo+"(dst []"+elem+") []"+elem, all)
}

func (t *messageType) readerMessages(f *schema.Field) {
	n, list, reader := t.names.fields[f], t.listOf(f), t.readerType(f)
	t.shortMethod(f, "", n.count+"() int", list+".Len()")
	t.method(f, n.values+" yields the messages of "+f.Name+
		". It is one Reader that moves on: copy it to keep it.",
		n.values+"() "+t.use("iter")+".Seq[*"+reader+"]")
	t.p("return ", oneLine("func(yield func(*"+reader+") bool)",
		" ", t.runtime("EachMessage")+"("+list+", (*"+reader+").GremlinNext)(yield)"))
	t.p("}")
	t.method(f, "", "Get"+n.field+"() []"+reader)
	t.p("return ", t.runtime("CollectMessages"), "(make([]", reader, ", r.", n.count, "()), ", list,
		", (*", reader, ").GremlinNext)")
	t.p("}")
}

// readerMap prints the methods of a map.
func (t *messageType) readerMap(f *schema.Field) {
	n, list := t.names.fields[f], t.listOf(f)
	key := t.valueType(f.MapKey)
	value, pointer := t.valueType(f.MapValue), ""
	std := t.std(f.MapValue) != nil
	if f.MapValue.Kind == schema.MessageKind && !std {
		value, pointer = t.readerType(f.MapValue), "*"
	}
	entry := func(g *schema.Field, slot string) string {
		of := "e.Slot("
		if isSpan(g) {
			of = "e.Span("
		}
		return t.expand(kinds[g.Kind].conv, g, "e."+kinds[g.Kind].view+"("+of+t.runtime(slot)+"))")
	}
	loop := func() {
		t.p("var e ", t.runtime("Entry"))
		t.p("for l := ", list, "; l.More() && e.Next(&l, &", t.entryTable(f), "); {")
		if t.isClosed(f.MapValue) {
			t.p("if !e.Listed(", t.enumInfo(f.MapValue), ") {")
			t.p("continue")
			t.p("}")
		}
	}
	read := func(v string) string {
		if std {
			t.p("var u ", t.readerType(f.MapValue))
			t.p("start, end := e.Span(", t.runtime("Value"), ")")
			t.p("u.GremlinOpen(&e.View, start, end, ", hex(tagOf(f.MapValue)), ")")
			return t.inField("Read", f.MapValue) + "(&u)"
		}
		if pointer == "" {
			if t.isClosed(f.MapValue) || f.MapValue.Kind == schema.EnumKind &&
				f.MapValue.Enum.Values[0].Number != 0 {
				return value + "(e.Enum(int32(" + t.defaultOf(f.MapValue) + ")))"
			}
			return entry(f.MapValue, "Value")
		}
		t.p(v, " = ", value, "{}")
		t.p("start, end := e.Span(", t.runtime("Value"), ")")
		t.p(v, ".GremlinOpen(&e.View, start, end, ", hex(tagOf(f.MapValue)), ")")
		return v
	}
	t.method(f, n.values+" yields the entries of "+f.Name+
		" as they come; of two with one key the later one counts.",
		n.values+"() "+t.use("iter")+".Seq2["+key+", "+pointer+value+"]")
	t.p("return func(yield func(", key, ", ", pointer, value, ") bool) {")
	if pointer != "" {
		t.p("var u ", value)
	}
	loop()
	v := read("u")
	if pointer != "" {
		v = "&u"
	}
	t.p("if !yield(", entry(f.MapKey, "Key"), ", ", v, ") {")
	t.p("return")
	t.p("}")
	t.p("}")
	t.p("}")
	t.p("}")
	of := "Map"
	if pointer != "" {
		of = "MessageMap"
	}
	t.shortMethod(f, "", "Get"+n.field+"() map["+key+"]"+value,
		t.runtime("Collect"+of)+"(r."+n.values+"())")
	doc, signature := n.lookup+" finds the value of a key without building a map.",
		n.lookup+"(key "+key+") (value "+value+", ok bool)"
	if pointer == "" {
		t.shortMethod(f, doc, signature, t.runtime("Lookup")+"(r."+n.values+"(), key)")
		return
	}
	// Not by a generic function: the Reader that moves on would be on the heap.
	t.method(f, doc, signature)
	t.p("for k, v := range r.", n.values, "() {")
	t.p("if k == key {")
	t.p("value, ok = *v, true")
	t.p("}")
	t.p("}")
	t.p("return value, ok")
	t.p("}")
}

// which prints the case constants of a oneof and the method that tells which member is set.
func (t *messageType) which(o *schema.Oneof) {
	n := t.names.oneofs[o]
	t.p()
	t.p("// ", n.caseType, " tells which member of ", n.field,
		" is set; its values are field numbers.")
	t.p("type ", n.caseType, " int32")
	t.p()
	t.p("// The values of ", n.caseType, ".")
	t.p("const (")
	t.p(n.caseUnset, "\t", n.caseType, "\t= 0")
	for _, f := range o.Fields {
		t.p(t.names.fields[f].caseOf, "\t", n.caseType, "\t= ", f.Number)
	}
	t.p(")")
	t.p()
	t.p("// ", n.which, " tells which member of ", n.field, " is set.")
	t.p("func (r *", t.names.reader.name, ") ", n.which, "() ", n.caseType, " {")
	t.p("switch {")
	t.p("case r == nil:")
	for _, f := range o.Fields {
		t.p("case r.", t.names.fields[f].has, "():")
		t.p("return ", t.names.fields[f].caseOf)
	}
	t.p("}")
	t.p("return ", n.caseUnset)
	t.p("}")
}

func (t *messageType) entryTable(f *schema.Field) string {
	return t.names.entryPrefix + t.names.fields[f].field
}

// table prints the tables of the message and of its map entries.
func (t *messageType) table() {
	t.p()
	if !t.opts.ReadersOnly {
		t.p("var ", t.names.noMessage, " ", t.names.message.name)
	}
	t.p("var ", t.names.noReader, " ", t.names.reader.name)
	t.p("var ", t.names.table, " = ", t.runtime("Table"), "{")
	t.p("Name:\t", strconv.Quote(t.msg.FullName), ",")
	t.p("Reader:\t(*", t.names.reader.name, ")(nil),")
	t.p("Memory:\t", t.structSize(), ",")
	if len(t.fields) != 0 {
		t.p("Fields: []", t.runtime("FieldInfo"), "{")
		for _, f := range t.fields {
			t.tableField(f, t.slotOf[f])
		}
		t.p("},")
	}
	if len(t.msg.ReservedNames) != 0 {
		t.p("Reserved:\t", fmt.Sprintf("%#v", t.msg.ReservedNames), ",")
	}
	t.p("}")
	for _, f := range t.fields {
		if f.IsMap() {
			t.p()
			t.p("var ", t.entryTable(f), " = ", t.runtime("Table"), "{")
			t.p("Name:\t", strconv.Quote(f.Message.FullName), ",")
			t.p("Fields: []", t.runtime("FieldInfo"), "{")
			t.tableField(f.MapKey, 0)
			t.tableField(f.MapValue, 2)
			t.p("},")
			t.p("}")
		}
	}
}

func (t *messageType) tableField(f *schema.Field, slot int) {
	t.p(t.tableEntry(f, slot), ",")
}

// tableFlags returns the flags and the oneof of a FieldInfo.
func (t *messageType) tableFlags(f *schema.Field) (s string) {
	var flags []string
	if f.Repeated {
		flags = append(flags, t.runtime("FlagRepeated"))
	}
	if f.Packed {
		flags = append(flags, t.runtime("FlagPacked"))
	}
	if f.Kind == schema.String && f.CheckUTF8 {
		flags = append(flags, t.runtime("FlagUTF8"))
	}
	if f.Redact {
		flags = append(flags, t.runtime("FlagRedact"))
	}
	if f.Parent != nil && f.Parent.MapEntry && f.Number == 2 {
		flags = append(flags, t.runtime("FlagEntry"))
	}
	if t.opts.JSON && t.isHex(f) {
		flags = append(flags, t.runtime("FlagHex"))
	}
	if len(flags) != 0 {
		s = ", Flags: " + strings.Join(flags, " | ")
	}
	for i, o := range t.msg.Oneofs {
		if o == f.Oneof {
			s += ", Oneof: " + strconv.Itoa(i+1)
		}
	}
	return s
}
