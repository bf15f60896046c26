package shape

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// infoName returns the name of what errors say of a message.
func (m *message) infoName() string { return "gremlinInfo" + m.goName.name }

// isOurs tells whether a nested message is read by generated code of the same file, which counts
// how deep it is. Others are called by gogo's contract, even in the same package: files can then
// be replaced one at a time. Files do not import each other in a circle, so that what they count
// is bounded all the same.
func (p *printer) isOurs(f *field) bool {
	m := p.names.messages[f.Message]
	return m.facts != nil && m.facts.Unmarshaler && m.file == p.file
}

// unmarshal prints the methods that read a message.
func (p *printer) unmarshal(m *message) {
	if !m.facts.Unmarshaler {
		return
	}
	name := m.goName.name
	p.p()
	p.p(
		"// Unmarshal reads the encoding b into m. What m holds already stays, as far as b does not replace it: call Reset")
	p.p("// before where that is not wanted. Nothing of b is kept.")
	p.p("func (m *", name, ") Unmarshal(b []byte) error {")
	p.p("return m.gremlinUnmarshal(b, ", p.rt("MaxDepth"), ")")
	p.p("}")
	p.p()
	p.p("func (m *", name, ") gremlinUnmarshal(b []byte, depth int) error {")
	p.p("if depth == 0 {")
	p.p("return ", m.infoName(), ".TooDeep()")
	p.p("}")
	if n := len(requiredBits(m)); n > 0 {
		p.p("var has [", (n+63)/64, "]uint64")
	}
	p.p("i := 0")
	p.p("for uint(i) < uint(len(b)) {")
	p.p("start, tag := i, uint64(b[i])")
	p.p("if i++; tag >= 0x80 {")
	p.p("tag, i = ", p.rt("Tag"), "(b, start)")
	p.p("}")
	p.p("switch tag {")
	bits := requiredBits(m)
	for _, f := range m.fields {
		single := uint64(f.Number)<<3 | wireType(f.Field)
		p.p("case ", fmt.Sprintf("%#02x", single), ":\t// ", f.Name)
		p.readField(f)
		if f.Required {
			p.p("has[", bits[f]/64, "] |= 1 << ", bits[f]%64)
		}
		if f.Repeated && !f.IsMap() && f.class == scalar && listFuncs[f.Kind] != "" {
			p.p("case ", fmt.Sprintf("%#02x", uint64(f.Number)<<3|2), ":")
			p.readPacked(f)
		}
	}
	p.p("default:")
	p.unknown(m)
	p.p("}")
	p.p("}")
	p.p("if i < 0 {")
	p.p("return ", m.infoName(), ".Error(i)")
	p.p("}")
	p.checkRequired(m)
	if p.file.opts.Hook != nil && p.file.opts.Hook(m.FullName) {
		p.p("if err := m.AfterUnmarshal(); err != nil {")
		p.p("return ", p.rt("NewHookError"), "(", strconv.Quote(m.FullName),
			", \"AfterUnmarshal\", err)")
		p.p("}")
	}
	p.p("return nil")
	p.p("}")
	p.p()
	p.p("var ", m.infoName(), " = ", p.rt("Message"), "{")
	p.p("Name: ", strconv.Quote(m.Name), ",")
	p.p("Errors: &gremlinErrors", p.file.local, ",")
	if len(m.fields) > 0 {
		p.p("Fields: []", p.rt("Field"), "{")
		for _, f := range byNumber(m.fields) {
			p.p("{Number: ", f.Number, ", Name: ", strconv.Quote(f.goName), "},")
		}
		p.p("},")
	}
	p.p("}")
}

// requiredBits numbers the required fields in the order in which gogo's code asks for them.
func requiredBits(m *message) map[*field]int {
	bits := map[*field]int{}
	for _, f := range requiredFields(m) {
		bits[f] = len(bits)
	}
	return bits
}

// requiredFields returns the required fields: by number where the message has a generated Marshal,
// which sorted them.
func requiredFields(m *message) (out []*field) {
	fields := m.fields
	if m.facts.Marshaler {
		fields = byNumber(fields)
	}
	for _, f := range fields {
		if f.Required {
			out = append(out, f)
		}
	}
	return out
}

// checkRequired prints the errors for required fields that did not come.
func (p *printer) checkRequired(m *message) {
	for bit, f := range requiredFields(m) {
		p.p("if has[", bit/64, "]&(1<<", bit%64, ") == 0 {")
		p.p("return requiredNotSet", p.file.local, "(", strconv.Quote(p.requiredName(f)), ")")
		p.p("}")
	}
}

// unknown prints what happens to a field that the message does not have.
func (p *printer) unknown(m *message) {
	raw := "raw"
	if !m.facts.Unrecognized && len(m.ExtensionRanges) == 0 {
		raw = "_"
	}
	p.p(raw, ", next, err := ", m.infoName(), ".Unknown(b, start, i, tag)")
	p.returnError("err")
	keep := func() {
		if m.facts.Unrecognized {
			p.p("m.XXX_unrecognized = append(m.XXX_unrecognized, raw...)")
		}
	}
	if len(m.ExtensionRanges) > 0 {
		condition := ""
		for i, r := range m.ExtensionRanges {
			if i > 0 {
				condition += " || "
			}
			condition += fmt.Sprintf("number >= %d && number <= %d", r.First, r.Last)
		}
		p.p("if number := tag >> 3; ", condition, " {")
		if m.facts.ExtensionsMap {
			p.p("m.gremlinAppendExtension(int32(number), raw)")
		} else {
			p.p("m.XXX_extensions = append(m.XXX_extensions, raw...)")
		}
		if m.facts.Unrecognized {
			p.p("} else {")
			keep()
		}
		p.p("}")
	} else {
		keep()
	}
	p.p("i = next")
}

// readFuncs are the names of the runtime's functions that read one scalar, and the type that they
// return.
var readFuncs = map[schema.Kind][2]string{
	schema.Bool: {"Varint", "bool"}, schema.Int32: {"Varint", "uint64"},
	schema.Int64:  {"Varint", "uint64"},
	schema.Uint32: {"Varint", "uint64"}, schema.Uint64: {"Varint", "uint64"},
	schema.EnumKind: {"Varint", "uint64"},
	schema.Sint32:   {"Zigzag32", "int32"}, schema.Sint64: {"Zigzag64", "int64"},
	schema.Fixed32:  {"Fixed32", "uint32"},
	schema.Sfixed32: {"Fixed32", "uint32"}, schema.Fixed64: {"Fixed64", "uint64"},
	schema.Sfixed64: {"Fixed64", "uint64"},
	schema.Float:    {"Float", "float32"}, schema.Double: {"Double", "float64"},
	schema.String: {"Bytes", "[]byte"},
	schema.Bytes:  {"Bytes", "[]byte"},
}

// converted returns an expression: v, as readFuncs returned it, as the type of f's values.
func (p *printer) converted(f *field, v string) string {
	t := p.typ(f)
	switch {
	case f.Kind == schema.Bool:
		v += " != 0"
		if t == "bool" {
			return v
		}
	case readFuncs[f.Kind][1] == t:
		return v
	}
	return t + "(" + v + ")"
}

// read prints the reading of what readFuncs reads to v.
func (p *printer) read(f *field) {
	if readFuncs[f.Kind][0] == "Varint" {
		p.p("var v uint64")
		p.p("if uint(i) < uint(len(b)) && b[i] < 0x80 {")
		p.p("v, i = uint64(b[i]), i+1")
		p.p("} else if v, i = ", p.rt("Varint"), "(b, i); i < 0 {")
		p.p("break")
		p.p("}")
		return
	}
	if readFuncs[f.Kind][0] == "Bytes" {
		p.p("n := 0")
		p.p("if uint(i) < uint(len(b)) && b[i] < 0x80 {")
		p.p("n, i = int(b[i]), i+1")
		p.p("} else if n, i = ", p.rt("Length"), "(b, i); i < 0 {")
		p.p("break")
		p.p("}")
		p.p("if n > len(b)-i {")
		p.p("i = ", p.rt("Truncated"))
		p.p("break")
		p.p("}")
		p.p("v := b[i : i+n]")
		p.p("i += n")
	} else {
		p.p("v, next := ", p.rt(readFuncs[f.Kind][0]), "(b, i)")
		p.p("if i = next; i < 0 {")
		p.p("break")
		p.p("}")
	}
	if f.Kind != schema.String {
		return
	}
	name := strconv.Quote(f.FullName)
	switch p.file.opts.UTF8 {
	case UTF8Report:
		p.p(p.rt("ReportUTF8"), "(v, ", name, ")")
	case UTF8Repair:
		p.p("v = ", p.rt("RepairUTF8"), "(v, ", name, ")")
	case UTF8Strict:
		p.p("if err := ", p.rt("CheckUTF8"), "(v, ", name, "); err != nil {")
		p.p("return err")
		p.p("}")
	}
}

func (p *printer) readField(f *field) {
	x := f.target()
	if f.Repeated && !f.IsMap() && wireType(f.Field) == 2 {
		p.p("if len(", x, ") == cap(", x, ") {")
		p.p(x, " = ", p.rt("Grow"), "(", x, ", b, start, tag)")
		p.p("}")
	}
	switch {
	case f.IsMap():
		p.readMap(f, x)
	case f.class != scalar:
		p.read(&field{Field: &schema.Field{Kind: schema.Bytes}})
		p.readMessage(f, x)
	case f.Kind == schema.Bytes && f.Repeated:
		p.read(f)
		p.p(x, " = append(", x, ", append(make([]byte, 0, len(v)), v...))")
	case f.Kind == schema.Bytes && f.inOneof():
		p.read(f)
		p.p("m.", f.oneof.goName, " = &", f.wrapper, "{append(make([]byte, 0, len(v)), v...)}")
	case f.Kind == schema.Bytes:
		p.read(f)
		p.p("if ", x, " = append(", x, "[:0], v...); ", x, " == nil {")
		p.p(x, " = ", p.typ(f), "{}")
		p.p("}")
	case f.Repeated:
		p.read(f)
		p.p(x, " = append(", x, ", ", p.converted(f, "v"), ")")
	case f.inOneof():
		p.read(f)
		p.p("m.", f.oneof.goName, " = &", f.wrapper, "{", p.converted(f, "v"), "}")
	case f.star:
		p.read(f)
		p.p("x := ", p.converted(f, "v"))
		p.p(x, " = &x")
	default:
		p.read(f)
		p.p(x, " = ", p.converted(f, "v"))
	}
}

// readPacked prints the reading of a packed list.
func (p *printer) readPacked(f *field) {
	name := listFuncs[f.Kind]
	switch f.Kind {
	case schema.Sint32:
		name = "Zigzags32"
	case schema.Sint64:
		name = "Zigzags64"
	}
	p.p(f.target(), ", i = ", p.rt(name), "(", f.target(), ", b, i)")
}

// readMessage prints the reading of the bytes v into a message, a custom type or a type of the
// standard library.
func (p *printer) readMessage(f *field, x string) {
	switch {
	case f.class == stdtype:
		p.p("x, err := ", p.std(f.std), "(v)")
		p.returnError("err")
		ref := ""
		if f.star {
			ref = "&"
		}
		switch {
		case f.inOneof():
			p.p("m.", f.oneof.goName, " = &", f.wrapper, "{", ref, "x}")
		case f.Repeated:
			p.p(x, " = append(", x, ", ", ref, "x)")
		case f.star:
			p.p("if ", x, " == nil {")
			p.p(x, " = new(", p.typ(f), ")")
			p.p("}")
			p.p("*", x, " = x")
		default:
			p.p(x, " = x")
		}
	case f.inOneof() && f.star:
		p.p("x := new(", p.typ(f), ")")
		p.into(f, "x")
		p.p("m.", f.oneof.goName, " = &", f.wrapper, "{x}")
	case f.inOneof():
		p.p("var x ", p.typ(f))
		p.into(f, "x")
		p.p("m.", f.oneof.goName, " = &", f.wrapper, "{x}")
	case f.Repeated && f.star:
		p.p(x, " = append(", x, ", new(", p.typ(f), "))")
		p.into(f, x+"[len("+x+")-1]")
	case f.Repeated:
		p.p("var x ", p.typ(f))
		p.p(x, " = append(", x, ", x)")
		p.into(f, x+"[len("+x+")-1]")
	case f.star && f.class == custom && f.Kind != schema.MessageKind:
		p.p("var x ", p.typ(f))
		p.p(x, " = &x")
		p.into(f, x)
	case f.star:
		p.p("if ", x, " == nil {")
		p.p(x, " = new(", p.typ(f), ")")
		p.p("}")
		p.into(f, x)
	default:
		p.into(f, x)
	}
}

// into prints the call of a method of x that reads v.
func (p *printer) into(f *field, x string) {
	call := ".Unmarshal(v)"
	if f.class == nested && p.isOurs(f) {
		call = ".gremlinUnmarshal(v, depth-1)"
	}
	p.p("if err := ", x, call, "; err != nil {")
	p.p("return ", p.hookPath(f, x))
	p.p("}")
}

// hookPath returns the error of reading what f holds: with its place, if hooks are in it.
func (p *printer) hookPath(f *field, x string) string {
	m := p.within(f)
	switch {
	case m == nil || !p.reach.after[m]:
		return "err"
	case f.of != nil: // the value of a map
		return p.inEntry(f.of, "key")
	case f.Repeated:
		return p.inList(f, strings.TrimSuffix(strings.TrimPrefix(x, f.target()+"["), "]"))
	}
	return p.inField(f)
}

// readMap prints the reading of an entry. Of an entry's fields gogo looks at the number only,
// whatever the wire type.
func (p *printer) readMap(f *field, x string) {
	p.p("from, end := ", p.rt("End"), "(b, i)")
	p.p("if i = from; i < 0 {")
	p.p("break")
	p.p("}")
	p.p("if ", x, " == nil {")
	p.p(x, " = make(", p.mapType(f), ")")
	p.p("}")
	p.p("var key ", p.typ(f.key))
	v := f.value
	switch {
	case v.class == nested && !v.star || v.class == custom || v.class == stdtype:
		p.p("value := new(", p.typ(v), ")")
	case v.class == nested:
		p.p("var value *", p.typ(v))
	case v.Kind == schema.Bytes:
		p.p("value := ", p.typ(v), "{}")
	default:
		p.p("var value ", p.typ(v))
	}
	p.p("for uint(i) < uint(end) {")
	p.p("start := i")
	p.p("var tag uint64")
	p.p("switch tag, i = ", p.rt("Tag"), "(b, i); tag >> 3 {")
	p.p("case 1:")
	p.read(f.key)
	p.p("key = ", p.converted(f.key, "v"))
	p.p("case 2:")
	p.readMapValue(v)
	p.p("default:")
	p.p("i = ", p.rt("SkipEntry"), "(b, start, end)")
	p.p("}")
	p.p("}")
	p.p("if i < 0 {")
	p.p("break")
	p.p("}")
	value := "value"
	if !v.star && v.class != scalar {
		value = "*value"
	}
	p.p(x, "[key] = ", value)
	p.p("i = end")
}

func (p *printer) readMapValue(v *field) {
	switch {
	case v.class == scalar && v.Kind == schema.Bytes:
		p.read(v)
		p.p("value = append(make([]byte, 0, len(v)), v...)")
	case v.class == scalar:
		p.read(v)
		p.p("value = ", p.converted(v, "v"))
	case v.class == stdtype:
		p.read(&field{Field: &schema.Field{Kind: schema.Bytes}})
		p.p("x, err := ", p.std(v.std), "(v)")
		p.returnError("err")
		p.p("*value = x")
	case v.class == nested:
		p.read(&field{Field: &schema.Field{Kind: schema.Bytes}})
		p.p("value = new(", p.typ(v), ")")
		call := "value"
		if v.facts.CastType != "" {
			call = "(*" + p.plainType(v.Field) + ")(value)"
		}
		p.into(v, call)
	default:
		p.read(&field{Field: &schema.Field{Kind: schema.Bytes}})
		p.into(v, "value")
	}
}

// helpers prints what belongs to the file: errors, and the functions that neighbours may call.
func (p *printer) helpers() {
	marshals, sizes, unmarshals, required := false, false, false, false
	for m := range p.file.schema.AllMessages() {
		x := p.names.messages[m]
		marshals = marshals || x.facts.Marshaler
		sizes = sizes || x.facts.Sizer || x.facts.ProtoSizer
		unmarshals = unmarshals || x.facts.Unmarshaler
		for _, f := range m.Fields {
			required = required || f.Required && (x.facts.Unmarshaler || x.facts.Marshaler)
		}
	}
	local := p.file.local
	if marshals {
		p.p()
		p.p("func encodeVarint", local, "(b []byte, i int, v uint64) int { return ",
			p.rt("PutVarint"), "(b, i, v) }")
	}
	if sizes {
		p.p()
		p.p("func sov", local, "(v uint64) int { return ", p.rt("SizeVarint"), "(v) }")
		p.p("func soz", local, "(v uint64) int { return ", p.rt("SizeZigzag"), "(v) }")
	}
	if unmarshals {
		p.p()
		p.p("func skip", local, "(b []byte) (int, error) {")
		p.p("return ", p.rt("Skip"), "(b, &gremlinErrors", local, ")")
		p.p("}")
		p.p()
		p.p("// Errors of reading the messages of this file.")
		p.p("var (")
		for _, e := range [][2]string{
			{"InvalidLength", "negative length found during unmarshaling"},
			{"IntOverflow", "integer overflow"},
			{"UnexpectedEndOfGroup", "unexpected end of group"},
		} {
			p.p("Err", e[0], local, " = ", p.rt("NewError"), "(\"proto: ", e[1], "\")")
		}
		p.p(")")
		p.p()
		p.p("var gremlinErrors", local, " = ", p.rt("Errors"), "{")
		for _, e := range []string{"InvalidLength", "IntOverflow", "UnexpectedEndOfGroup"} {
			p.p(e, ": Err", e, local, ",")
		}
		p.p("}")
	}
	if required {
		p.p()
		p.p("var requiredNotSet", local, " = ", p.rt("NewRequiredNotSetError"))
	}
	p.descriptor()
}
