package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/compiler/schema"
)

// maxStraight is how many fields the straight line of an index function has at most; the rest of a very wide message is left
// to the table. maxClears is how many members of a oneof one in the straight line may have to clear.
const (
	maxStraight = 64
	maxClears   = 8
)

// reader prints the Reader type.
func (t *messageType) reader() {
	name, rt := t.names.reader.name, t.use(runtimePath)
	msg := t.names.message.name
	t.p()
	t.p("// ", name, " reads an encoded ", msg, ". The zero value and nil are empty messages. Getters decode on demand and never")
	t.p("// write: any number of goroutines may use one ", name, " after Unmarshal. Strings and byte slices share the memory of the bytes")
	t.p("// that were given to Unmarshal, which must not change while they are in use.")
	if t.msg.Deprecated {
		t.p("//")
		t.p("// Deprecated: ", t.msg.FullName, " is marked as deprecated.")
	}
	t.p("type ", name, " struct {")
	t.p("view ", rt, ".View")
	t.p("slot [", len(t.fields), "]uint32 // where each field starts")
	t.p("}")
	for _, line := range []string{
		"NEWFUNC returns an empty Reader.",
		"func NEWFUNC() *NAME { return new(NAME) }",
		"Unmarshal makes r read b, which it keeps. It checks the structure of this level and allocates nothing.",
		"func (r *NAME) Unmarshal(b []byte) error {\n*r = NAME{}\nreturn r.index(RT.First(b), uint(len(b)))\n}",
		"Detach copies the bytes once; afterwards r and what it returns do not depend on the slice given to Unmarshal.",
		"func (r *NAME) Detach() { r.view.Detach() }",
		"Err returns what is wrong with a nested message that GetX opened on malformed bytes; it reads as empty.",
		"func (r *NAME) Err() error {\nif r == nil {\nreturn nil\n}\nreturn r.view.Err(&TABLE)\n}",
		"Validate checks the whole tree: structure at every level, UTF-8 and required fields.",
		"func (r *NAME) Validate() error {\nif r == nil {\nreturn nil\n}\nVALIDATE\n}",
		"Raw returns the bytes that r reads; they are not a copy.",
		"func (r *NAME) Raw() []byte {\nif r == nil {\nreturn nil\n}\nreturn r.view.Raw()\n}",
		"ToMessage decodes everything into a message of its own. Nested messages that are malformed come out empty.",
		"func (r *NAME) ToMessage() *MSG {\nm := new(MSG)\nif r != nil {\nr.view.Decode(m)\n}\nreturn m\n}",
		"String returns the message in text format.",
		"func (r *NAME) String() string { return r.ToMessage().String() }",
		"GremlinTable describes the message to the runtime.",
		"func (*NAME) GremlinTable() *RT.Table { return &TABLE }",
		"GremlinOpen opens r on the message at slot of v. It is for generated code.",
		"//\n//go:noinline\nfunc (r *NAME) GremlinOpen(v *RT.View, slot uint32, tag uint) {\nif p, n := v.Message(&r.view, slot, tag); n != 0 {\n_ = r.index(p, n) // Err tells\n}\n}",
		"GremlinNext opens r on the next message of l. It is for generated code.",
		"//\n//go:noinline\nfunc (r *NAME) GremlinNext(l *RT.List) bool {\np, n, ok := l.Next()\n*r = NAME{}\nif n != 0 {\n_ = r.index(p, n) // Err tells\n}\nreturn ok\n}",
	} {
		validate := "return r.view.Validate(&TABLE)"
		if t.needsInit() {
			validate = "if err := r.view.Validate(&TABLE); err != nil {\nreturn err\n}\nreturn r.ToMessage().CheckInitialized()"
		}
		line = strings.NewReplacer("NEWFUNC", t.names.newReader.name, "VALIDATE", strings.ReplaceAll(validate, "TABLE", t.names.table),
			"NAME", name, "MSG", msg, "RT", rt, "TABLE", t.names.table).Replace(line)
		if strings.HasPrefix(line, "func ") || strings.HasPrefix(line, "//") {
			t.p(line)
		} else {
			t.p()
			t.p("// ", line)
		}
	}
	t.index()
	t.listHelper()
	for _, f := range t.msg.Fields {
		t.readerField(f)
	}
	for _, o := range t.msg.Oneofs {
		t.which(o)
	}
	t.table()
}

// slotOf returns the index of f's slot.
func (t *messageType) slotOf(f *schema.Field) int {
	for i, g := range t.fields {
		if g == f {
			return i
		}
	}
	panic("golang: field " + f.FullName + " is not in its message")
}

// index prints the index function; package gremlin explains how it works (index.go).
func (t *messageType) index() {
	rt := t.use(runtimePath)
	t.p()
	t.p("// index notes where the fields of the n bytes at p start, in one straight line for fields in the order of their numbers.")
	t.p("func (r *", t.names.reader.name, ") index(p ", rt, ".Ptr, n uint) error {")
	straight := false
	for i, f := range t.fields {
		straight = straight || t.isStraight(i, f)
	}
	if !straight {
		t.p("for off, _ := r.view.Start(p, n); off < n; {")
		t.p("off, _ = r.view.Advance(off, r.slot[:], &", t.names.table, ")")
		t.p("}")
		t.p("return r.view.Err(&", t.names.table, ")")
		t.p("}")
		return
	}
	t.p("off, w := r.view.Start(p, n)")
	t.p("for {")
	for i, f := range t.fields {
		if t.isStraight(i, f) {
			t.indexField(i, f)
		}
	}
	t.p("if off == n {")
	t.p("return nil")
	t.p("}")
	t.p("if off, w = r.view.Advance(off, r.slot[:], &", t.names.table, "); off >= n {")
	t.p("return r.view.Err(&", t.names.table, ")")
	t.p("}")
	t.p("}")
	t.p("}")
}

// isStraight tells whether field i has a place in the straight line.
func (t *messageType) isStraight(i int, f *schema.Field) bool {
	if i >= maxStraight || tagOf(f) >= 1<<14 || f.Delimited {
		return false
	}
	return f.Oneof == nil || len(t.earlierMembers(i, f)) <= maxClears && !isClosed(f)
}

// earlierMembers returns the slots that a member of a oneof clears because in the straight line they come before it.
func (t *messageType) earlierMembers(i int, f *schema.Field) (slots []int) {
	for j, g := range t.fields[:i] {
		if f.Oneof != nil && g.Oneof == f.Oneof {
			slots = append(slots, j)
		}
	}
	return slots
}

func (t *messageType) indexField(i int, f *schema.Field) {
	tag := tagOf(f)
	long := tag >= 0x80
	cond := "w&0xff == " + hex(tag)
	size := 1
	if long {
		cond = "w == " + hex(tagWord(tag))
		size = 2
	}
	t.p("if ", cond, " { // ", f.Name)
	for _, j := range t.earlierMembers(i, f) {
		t.p("r.slot[", j, "] = 0")
	}
	t.p("r.slot[", i, "] = uint32(off + ", size, ")")
	skip := ""
	switch wire := tag & 7; {
	case wire == 1 || wire == 5:
		width := 4
		if wire == 1 {
			width = 8
		}
		skip = t.runtime("Next") + "(p, n, off+" + strconv.Itoa(size+width) + ")"
	case wire == 2 && long:
		skip = t.runtime("SkipBytes2") + "(p, n, off)"
	case wire == 2:
		skip = t.runtime("SkipBytes") + "(p, n, off, w)"
	case long:
		skip = t.runtime("SkipVarint2") + "(p, n, off)"
	default:
		skip = t.runtime("SkipVarint") + "(p, n, off, w)"
	}
	if f.Repeated || f.IsMap() {
		t.p("for ", cond, " {")
		t.p("off, w = ", skip)
		t.p("}")
	} else {
		t.p("off, w = ", skip)
	}
	t.p("}")
}

func (t *messageType) listHelper() {
	for _, f := range t.fields {
		if !f.Repeated && !f.IsMap() {
			continue
		}
		t.p()
		t.p("func (r *", t.names.reader.name, ") list(slot int, tag uint32) ", t.runtime("List"), " {")
		t.p("if r == nil {")
		t.p("return ", t.runtime("List"), "{}")
		t.p("}")
		t.p("return r.view.List(r.slot[slot], tag)")
		t.p("}")
		return
	}
}

// readerField prints the methods of one field.
func (t *messageType) readerField(f *schema.Field) {
	switch {
	case f.IsMap():
		t.readerMap(f)
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

// method prints the comment and the first line of a Reader's method.
func (t *messageType) method(f *schema.Field, comment, signature string) {
	t.p()
	if comment != "" {
		t.p("// ", comment)
	}
	if d := deprecatedDoc(f); d != "" {
		if comment != "" {
			t.p("//")
		}
		t.doc(d)
	}
	t.p("func (r *", t.names.reader.name, ") ", signature, " {")
}

func (t *messageType) readerScalar(f *schema.Field) {
	n, k, i := t.names.fields[f], kinds[f.Kind], t.slotOf(f)
	slot := "r.slot[" + strconv.Itoa(i) + "]"
	get := t.expand(k.get, f, slot)
	def := t.defaultOf(f)
	t.method(f, "", "Get"+n.field+"() "+t.valueType(f))
	switch {
	case isClosed(f):
		t.ifReaderNil(def)
		get = t.valueType(f) + "(r.view.ClosedEnum(" + slot + ", " + t.enumInfo(f) + ", int32(" + def + ")))"
	case def != k.zero:
		t.p("if r == nil || ", slot, " == 0 {")
		t.p("return ", def)
		t.p("}")
	default:
		t.ifReaderNil(def)
	}
	t.p("return ", get)
	t.p("}")
	if n.has == "" {
		return
	}
	has := slot + " != 0"
	if isClosed(f) {
		has = "r.view.HasEnum(" + slot + ", " + t.enumInfo(f) + ")"
	}
	t.method(f, "", n.has+"() bool")
	t.p("return r != nil && ", has)
	t.p("}")
}

func (t *messageType) ifReaderNil(result string) {
	t.p("if r == nil {")
	t.p("return ", result)
	t.p("}")
}

func (t *messageType) readerMessage(f *schema.Field) {
	n, i, reader := t.names.fields[f], t.slotOf(f), t.readerType(f)
	open := "u.GremlinOpen(&r.view, r.slot[" + strconv.Itoa(i) + "], " + hex(tagOf(f)) + ")"
	t.method(f, "Get"+n.field+" opens "+f.Name+"; keep the result rather than calling it for each field.", "Get"+n.field+"() *"+reader)
	t.p("u := new(", reader, ")")
	t.p("if r != nil {")
	t.p(open)
	t.p("}")
	t.p("return u")
	t.p("}")
	t.method(f, n.into+" opens "+f.Name+" in u, without an allocation, and tells whether it is set.", n.into+"(u *"+reader+") bool")
	t.p("*u = ", reader, "{}")
	t.ifReaderNil("false")
	t.p(open)
	t.p("return r.slot[", i, "] != 0")
	t.p("}")
	if n.has != "" {
		t.method(f, "", n.has+"() bool")
		t.p("return r != nil && r.slot[", i, "] != 0")
		t.p("}")
	}
}

func (t *messageType) listOf(f *schema.Field) string {
	return "r.list(" + strconv.Itoa(t.slotOf(f)) + ", " + hex(tagOf(f)) + ")"
}

// readerList prints the methods of a list of scalars.
func (t *messageType) readerList(f *schema.Field) {
	n, k, list := t.names.fields[f], kinds[f.Kind], t.listOf(f)
	elem := t.valueType(f)
	each, all, count := t.expand(k.listRange, f, list), t.expand(k.listAppend, f, list), t.expand(k.listLen, f, list)
	if isClosed(f) {
		each = t.runtime("ClosedEnums") + "[" + elem + "](" + list + ", " + t.enumInfo(f) + ")"
		all = t.runtime("AppendClosedEnums") + "(dst, " + list + ", " + t.enumInfo(f) + ")"
		count = list + ".LenEnums(" + t.enumInfo(f) + ")"
	}
	one := func(comment, signature, result string) {
		t.method(f, comment, signature)
		t.p("return ", result)
		t.p("}")
	}
	one("", n.count+"() int", count)
	one(n.values+" yields the values of "+f.Name+" without allocating.", n.values+"() "+t.use("iter")+".Seq["+elem+"]", each)
	one("", "Get"+n.field+"() []"+elem, "r."+n.appendTo+"(nil)")
	one("", n.appendTo+"(dst []"+elem+") []"+elem, all)
}

func (t *messageType) readerMessages(f *schema.Field) {
	n, list, reader := t.names.fields[f], t.listOf(f), t.readerType(f)
	t.method(f, "", n.count+"() int")
	t.p("return ", list, ".Len()")
	t.p("}")
	t.method(f, n.values+" yields the messages of "+f.Name+". It is one Reader that moves on: copy it to keep it.", n.values+"() "+t.use("iter")+".Seq[*"+reader+"]")
	t.p("return func(yield func(*", reader, ") bool) {")
	t.p("var e ", reader)
	t.p("for l := ", list, "; e.GremlinNext(&l); {")
	t.p("if !yield(&e) {")
	t.p("return")
	t.p("}")
	t.p("}")
	t.p("}")
	t.p("}")
	t.method(f, "", "Get"+n.field+"() []"+reader)
	t.p("l := ", list)
	t.p("s := make([]", reader, ", l.Len())")
	t.p("for i := range s {")
	t.p("s[i].GremlinNext(&l)")
	t.p("}")
	t.p("return s")
	t.p("}")
}

// readerMap prints the methods of a map.
func (t *messageType) readerMap(f *schema.Field) {
	n, list := t.names.fields[f], t.listOf(f)
	key := t.valueType(f.MapKey)
	value, pointer := t.valueType(f.MapValue), ""
	if f.MapValue.Kind == schema.MessageKind {
		value, pointer = t.readerType(f.MapValue), "*"
	}
	entry := func(g *schema.Field, slot string) string {
		return strings.ReplaceAll(t.expand(kinds[g.Kind].get, g, "e.Slot("+t.runtime(slot)+")"), "r.view.", "e.")
	}
	loop := func() {
		t.p("var e ", t.runtime("Entry"))
		t.p("for l := ", list, "; e.Next(&l, &", t.entryTable(f), "); {")
		if isClosed(f.MapValue) {
			t.p("if !e.Listed(", t.enumInfo(f.MapValue), ") {")
			t.p("continue")
			t.p("}")
		}
	}
	read := func(v string) string {
		if pointer == "" {
			if isClosed(f.MapValue) || f.MapValue.Kind == schema.EnumKind && f.MapValue.Enum.Values[0].Number != 0 {
				return value + "(e.Enum(int32(" + t.defaultOf(f.MapValue) + ")))"
			}
			return entry(f.MapValue, "Value")
		}
		t.p(v, " = ", value, "{}")
		t.p(v, ".GremlinOpen(&e.View, e.Slot(", t.runtime("Value"), "), ", hex(tagOf(f.MapValue)), ")")
		return v
	}
	t.method(f, n.values+" yields the entries of "+f.Name+" as they come; of two with one key the later one counts.",
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
	t.method(f, "", "Get"+n.field+"() map["+key+"]"+value)
	t.p("m := make(map[", key, "]", value, ")")
	t.p("for k, v := range r.", n.values, "() {")
	t.p("m[k] = ", pointer, "v")
	t.p("}")
	t.p("return m")
	t.p("}")
	t.method(f, n.lookup+" finds the value of a key without building a map.", n.lookup+"(key "+key+") (value "+value+", ok bool)")
	t.p("for k, v := range r.", n.values, "() {")
	t.p("if k == key {")
	t.p("value, ok = ", pointer, "v, true")
	t.p("}")
	t.p("}")
	t.p("return value, ok")
	t.p("}")
}

// which prints the case constants of a oneof and the method that tells which member is set.
func (t *messageType) which(o *schema.Oneof) {
	n := t.names.oneofs[o]
	t.p()
	t.p("// ", n.caseType, " tells which member of ", n.field, " is set; its values are field numbers.")
	t.p("type ", n.caseType, " int32")
	t.p()
	t.p("// The values of ", n.caseType, ".")
	t.p("const (")
	t.p(n.caseUnset, " ", n.caseType, " = 0")
	for _, f := range o.Fields {
		t.p(t.names.fields[f].caseOf, " ", n.caseType, " = ", f.Number)
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
	t.p("var ", t.names.table, " = ", t.runtime("Table"), "{")
	t.p("Name: ", strconv.Quote(t.msg.FullName), ",")
	t.p("Fields: []", t.runtime("FieldInfo"), "{")
	for i, f := range t.fields {
		t.tableField(f, i)
	}
	t.p("},")
	if len(t.msg.ReservedNames) != 0 {
		t.p("Reserved: ", fmt.Sprintf("%#v", t.msg.ReservedNames), ",")
	}
	t.p("}")
	for _, f := range t.fields {
		if f.IsMap() {
			t.p()
			t.p("var ", t.entryTable(f), " = ", t.runtime("Table"), "{")
			t.p("Name: ", strconv.Quote(f.Message.FullName), ",")
			t.p("Fields: []", t.runtime("FieldInfo"), "{")
			t.tableField(f.MapKey, 0)
			t.tableField(f.MapValue, 1)
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
	if f.Parent != nil && f.Parent.MapEntry && f.Number == 2 {
		flags = append(flags, t.runtime("FlagEntry"))
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
