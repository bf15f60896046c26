package typescript

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// message prints all that a message gives.
func (p *printer) message(m *schema.Message) {
	p.interfaceOf(m)
	p.create(m)
	p.defaults(m)
	p.encode(m)
	p.decode(m)
	p.reader(m)
	p.tables(m)
}

// isPlain tells whether a field is a property that is always there.
func isPlain(f *schema.Field) bool { return !f.Presence && f.Oneof == nil }

// fieldType returns the type of a field's property in a Message.
func (p *printer) fieldType(f *schema.Field, inReader bool) string {
	switch {
	case f.IsMap():
		return fmt.Sprintf("Map<%s, %s>", p.valueType(f.MapKey, inReader),
			p.valueType(f.MapValue, inReader))
	case f.Repeated && inReader && f.Message != nil:
		return fmt.Sprintf("%s<%s>", p.rt("List"), p.valueType(f, true))
	case f.Repeated:
		t := p.valueType(f, inReader)
		if strings.Contains(t, "|") {
			t = "(" + t + ")"
		}
		return t + "[]"
	}
	return p.valueType(f, inReader)
}

func (p *printer) interfaceOf(m *schema.Message) {
	p.p("")
	p.comment(m.Comment, m.Deprecated, "")
	p.p("export interface %s {", p.names.types[m])
	seen := map[*schema.Oneof]bool{}
	for _, f := range m.Fields {
		name := p.names.properties[f]
		switch {
		case f.Oneof == nil && isPlain(f):
			p.comment(f.Comment, f.Deprecated, "")
			p.p("%s: %s;", name, p.fieldType(f, false))
		case f.Oneof == nil:
			p.comment(f.Comment, f.Deprecated, "")
			p.p("%s?: %s | undefined;", name, p.fieldType(f, false))
		case !seen[f.Oneof]:
			seen[f.Oneof] = true
			p.comment(f.Oneof.Comment, false, "")
			p.p("%s?:", p.names.properties[f.Oneof])
			for _, f := range f.Oneof.Fields {
				p.comment(f.Comment, f.Deprecated, "")
				p.p("  | { case: %q; value: %s }", p.names.properties[f], p.fieldType(f, false))
			}
			p.p("  | undefined;")
		}
	}
	p.comment(schema.Comment{Leading: "Fields that the schema does not have."}, false, "")
	p.p("$unknown?: Uint8Array | undefined;")
	p.p("}")
}

func (p *printer) create(m *schema.Message) {
	name, fn := p.names.types[m], p.names.functions[m]
	p.p("")
	p.p("export function %s(init?: Partial<%s>): %s {", fn.create, name, name)
	p.p("const m: %s = {", name)
	seen := map[*schema.Oneof]bool{}
	for _, f := range m.Fields {
		property := p.names.properties[f]
		switch {
		case f.IsMap():
			p.p("%s: new Map(),", property)
		case f.Repeated:
			p.p("%s: [],", property)
		case isPlain(f):
			p.p("%s: %s,", property, p.zero(f))
		case f.Oneof == nil:
			p.p("%s: undefined,", property)
		case !seen[f.Oneof]:
			seen[f.Oneof] = true
			p.p("%s: undefined,", p.names.properties[f.Oneof])
		}
	}
	p.p("$unknown: undefined,")
	p.p("};")
	p.p("return init === undefined ? m : Object.assign(m, init);")
	p.p("}")
}

// defaults prints the values that the .proto file declares for fields that are not set.
func (p *printer) defaults(m *schema.Message) {
	var types, values []string
	for _, f := range m.Fields {
		if f.Default != nil {
			name := p.names.properties[f]
			types = append(types, fmt.Sprintf("readonly %s: %s;", name, p.valueType(f, false)))
			values = append(values, fmt.Sprintf("%s: %s,", name, p.defaultOf(f)))
		}
	}
	if len(types) == 0 {
		return
	}
	p.p("")
	p.p("/** What fields mean that are not set. */")
	p.p("export const %s$defaults: {", p.names.types[m])
	for _, t := range types {
		p.p("%s", t)
	}
	p.p("} = {")
	for _, v := range values {
		p.p("%s", v)
	}
	p.p("};")
}

func (p *printer) encode(m *schema.Message) {
	name, fn := p.names.types[m], p.names.functions[m]
	p.p("")
	p.p("export function %s(m: Readonly<Partial<%s>>): Uint8Array {", fn.encode, name)
	p.p("return %s(%s, m);", p.rt("encode"), fn.append)
	p.p("}")
	p.p("")
	p.p("export function %s(w: %s, m: Readonly<Partial<%s>>): void {", fn.append,
		p.rt("Writer"), name)
	for _, o := range m.Oneofs {
		p.p("const %s = m.%s;", oneofLocal(o), p.names.properties[o])
	}
	for _, f := range byNumber(m.Fields) {
		p.encodeField(f)
	}
	p.p("if (m.$unknown !== undefined) w.raw(m.$unknown);")
	p.p("}")
}

// oneofLocal names a variable for a oneof.
func oneofLocal(o *schema.Oneof) string {
	for i, x := range o.Parent.Oneofs {
		if x == o {
			return "$one" + strconv.Itoa(i)
		}
	}
	panic("oneof without a parent")
}

func (p *printer) encodeField(f *schema.Field) {
	v := "m." + p.names.properties[f]
	switch {
	case f.IsMap():
		p.p("if (%s !== undefined) for (const [k, v] of %s) {", v, v)
		p.p("const at = w.open(%d);", tagOf(f))
		p.write(f.MapKey, "k", "inner")
		p.write(f.MapValue, "v", "inner")
		p.p("w.close(at);")
		p.p("}")
	case f.Repeated && f.Packed:
		p.p("if (%s !== undefined && %s.length !== 0) w.packed(%d, w.%s, %s);", v, v,
			packedTag(f), kinds[f.Kind].method, v)
	case f.Repeated:
		p.p("if (%s !== undefined) for (const x of %s) {", v, v)
		p.write(f, "x", "at")
		p.p("}")
	case f.Oneof != nil:
		o := oneofLocal(f.Oneof)
		p.p("if (%s?.case === %q) {", o, p.names.properties[f])
		p.write(f, o+".value", "at")
		p.p("}")
	default:
		p.p("if (%s) {", p.isSet(f, v))
		p.write(f, v, "at")
		p.p("}")
	}
}

// isSet returns the condition for writing a singular field.
func (p *printer) isSet(f *schema.Field, v string) string {
	switch {
	case f.Presence:
		return v + " !== undefined"
	case f.Kind == schema.Float || f.Kind == schema.Double:
		return fmt.Sprintf("%s(%s)", p.rt("notZero"), v)
	case f.Kind == schema.Bytes:
		return fmt.Sprintf("%s !== undefined && %s.length !== 0", v, v)
	case f.Kind == schema.Bool:
		return v
	}
	return fmt.Sprintf("%s !== undefined && %s !== %s", v, v, p.zero(f))
}

// write prints a line that writes one value; at names the variable for the start of a message.
func (p *printer) write(f *schema.Field, v, at string) {
	if f.Message == nil {
		p.p("w.%s(%d, %s);", kinds[f.Kind].method, tagOf(f), v)
		return
	}
	fn := p.of(f.Message.File) + p.names.functions[f.Message].append
	if f.Delimited {
		p.p("w.group(%d);", tagOf(f))
		p.p("%s(w, %s);", fn, v)
		p.p("w.end(%d);", tagOf(f)+1)
		return
	}
	p.p("const %s = w.open(%d);", at, tagOf(f))
	p.p("%s(w, %s);", fn, v)
	p.p("w.close(%s);", at)
}

func (p *printer) decode(m *schema.Message) {
	name, fn := p.names.types[m], p.names.functions[m]
	p.p("")
	p.p("export function %s(b: Uint8Array): %s {", fn.decode, name)
	p.p("const m = %s();", fn.create)
	p.p("try {")
	p.p("%s$merge(m, b, 0, %s(b), %s);", name, p.rt("whole"), p.rt("MAX_DEPTH"))
	p.p("} catch (x) {")
	p.p("%s(%s$table, b);", p.rt("explain"), name)
	p.p("throw x;")
	p.p("}")
	if needs(m, map[*schema.Message]bool{}) {
		p.p("%s(%s$table, m);", p.rt("required"), name)
	}
	p.p("return m;")
	p.p("}")
	p.p("")
	p.p("export function %s$merge(m: %s, b: Uint8Array, p: number, e: number, d: number): void {",
		name, name)
	p.p("if (d < 0) %s();", p.rt("deep"))
	p.p("let u: number[] | undefined;")
	p.p("while (p < e) {")
	p.p("const at = p;")
	p.p("let t = b[p++]!; if (t > 127) { t = %s(b, at); p = %s; }", p.rt("longTag"), p.rt("E"))
	p.p("switch (t) {")
	for _, f := range m.Fields {
		p.decodeField(f)
	}
	p.p("default: {")
	p.p("const q = %s(b, p, e, t, d);", p.rt("skip"))
	p.p("if (!(q <= e)) %s();", p.rt("bad"))
	p.p("u = %s(u, at, q);", p.rt("note"))
	p.p("p = q;")
	p.p("}")
	p.p("}")
	p.p("}")
	p.p("if (p !== e) %s();", p.rt("bad"))
	p.p("if (u !== undefined) m.$unknown = %s(m.$unknown, b, u);", p.rt("keep"))
	p.p("}")
}

// needs tells whether a message has required fields, or one that it may hold has.
func needs(m *schema.Message, seen map[*schema.Message]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	for _, f := range m.Fields {
		if f.Required || f.Message != nil && needs(f.Message, seen) {
			return true
		}
	}
	return false
}

func (p *printer) decodeField(f *schema.Field) {
	v, e := "m."+p.names.properties[f], p.rt("E")
	if isPackable(f) {
		p.p("case %s: {", label(packedTag(f)))
		p.p("p = %s(b, p);", p.rt("start"))
		p.p("const q = %s;", e)
		p.p("if (!(q <= e)) %s();", p.rt("bad"))
		p.p("while (p < q) {")
		p.addNumber(f, v, func() string {
			return fmt.Sprintf("u = %s(m, u, %d, b, p, %s);", p.rt("keepEnum"), tagOf(f), e)
		})
		p.p("p = %s;", e)
		p.p("}")
		p.p("if (p !== q) %s();", p.rt("bad"))
		p.p("break;")
		p.p("}")
	}
	p.p("case %s: {", label(tagOf(f)))
	switch {
	case f.IsMap():
		p.decodeEntry(f, v)
	case f.Message != nil:
		p.decodeMessage(f, v)
	case f.Repeated:
		p.addNumber(f, v, func() string {
			return fmt.Sprintf("u = %s(u, at, %s);", p.rt("note"), e)
		})
		p.p("p = %s;", e)
	default:
		set := v + " = %s;"
		if f.Oneof != nil {
			set = fmt.Sprintf("m.%s = { case: %q, value: %%s };", p.names.properties[f.Oneof],
				p.names.properties[f])
		}
		if f.Enum != nil && f.Enum.Closed {
			p.p("const x = %s(b, p);", p.rt("int32"))
			p.p("if (%s$has(x)) "+set, p.valueType(f, false), "x")
			p.p("else u = %s(u, at, %s);", p.rt("note"), e)
		} else {
			p.p(set, p.at(f, "b", "p", "e", false))
		}
		p.p("p = %s;", e)
	}
	p.p("break;")
	p.p("}")
}

// addNumber prints lines that add a value to a list; other returns what becomes of one that a
// closed enum does not have.
func (p *printer) addNumber(f *schema.Field, v string, other func() string) {
	if f.Enum == nil || !f.Enum.Closed {
		p.p("%s.push(%s);", v, p.at(f, "b", "p", "e", false))
		return
	}
	p.p("const x = %s(b, p);", p.rt("int32"))
	p.p("if (%s$has(x)) %s.push(x);", p.valueType(f, false), v)
	p.p("else %s", other())
}

// merge returns the name of the function that decodes into a message.
func (p *printer) merge(m *schema.Message) string { return p.typeName(m, m.File) + "$merge" }

func (p *printer) newOf(m *schema.Message) string {
	return p.of(m.File) + p.names.functions[m].create + "()"
}

func (p *printer) decodeMessage(f *schema.Field, v string) {
	if f.Delimited {
		p.p("const q = %s(b, p, e, t, d), end = %s;", p.rt("behindGroup"), p.rt("E"))
	} else {
		p.p("p = %s(b, p);", p.rt("start"))
		p.p("const q = %s, end = q;", p.rt("E"))
	}
	p.p("if (!(q <= e)) %s();", p.rt("bad"))
	switch {
	case f.Repeated:
		p.p("const x = %s;", p.newOf(f.Message))
		p.p("%s(x, b, p, end, d - 1);", p.merge(f.Message))
		p.p("%s.push(x);", v)
	case f.Oneof != nil:
		o := "m." + p.names.properties[f.Oneof]
		p.p("const x = %s?.case === %q ? %s.value : %s;", o, p.names.properties[f], o,
			p.newOf(f.Message))
		p.p("%s(x, b, p, end, d - 1);", p.merge(f.Message))
		p.p("%s = { case: %q, value: x };", o, p.names.properties[f])
	default:
		p.p("%s(%s ??= %s, b, p, end, d - 1);", p.merge(f.Message), v, p.newOf(f.Message))
	}
	p.p("p = q;")
}

// decodeEntry prints lines that add an entry to a map.
func (p *printer) decodeEntry(f *schema.Field, v string) {
	p.p("p = %s(b, p);", p.rt("start"))
	p.p("const q = %s;", p.rt("E"))
	p.p("if (!(q <= e && %s(b, p, q, %s, %s, d - 1))) %s();", p.rt("entry"),
		label(tagOf(f.MapKey)), label(tagOf(f.MapValue)), p.rt("bad"))
	p.p("const k = %s, v = %s;", p.rt("KEY"), p.rt("VALUE"))
	key := fmt.Sprintf("k === 0 ? %s : %s", p.zero(f.MapKey),
		p.at(f.MapKey, "b", "k", "q", false))
	of := f.MapValue
	switch {
	case of.Message != nil:
		p.p("const key = %s, x = %s;", key, p.newOf(of.Message))
		p.p("if (v !== 0) { const s = %s(b, v); %s(x, b, s, %s, d - 2); }", p.rt("start"),
			p.merge(of.Message), p.rt("E"))
		p.p("%s.set(key, x);", v)
	case of.Enum != nil && of.Enum.Closed:
		p.p("const key = %s, x = v === 0 ? %s : %s(b, v);", key, p.zero(of), p.rt("int32"))
		p.p("if (%s$has(x)) %s.set(key, x);", p.valueType(of, false), v)
		p.p("else u = %s(u, at, q);", p.rt("note"))
	default:
		p.p("%s.set(%s, v === 0 ? %s : %s);", v, key, p.zero(of), p.at(of, "b", "v", "q", false))
	}
	p.p("p = q;")
}

// flags of rows, as the runtime's table.ts has them.
const (
	flagRepeated = 1 << iota
	flagPresence
	flagRequired
	flagPacked
	flagDelimited
	flagUTF8
	flagMap
	flagKeyUTF8
	flagNumber
	flagString
)

// tables prints what is known of a message at run time.
func (p *printer) tables(m *schema.Message) {
	name, fn := p.names.types[m], p.names.functions[m]
	p.p("")
	p.p("export const %s$table: %s = {", name, p.rt("Table"))
	p.p("name: %q,", m.FullName)
	p.p("rows: () => [")
	for _, f := range byNumber(m.Fields) {
		p.row(f, p.names.properties[f])
	}
	p.p("],")
	if needs(m, map[*schema.Message]bool{}) {
		p.p("required: true,")
	}
	if m.MessageSet {
		p.p("messageSet: true,")
	}
	p.p("};")
	p.p("")
	p.comment(m.Comment, m.Deprecated, "")
	p.p("export const %s: %s<%s> = {", name, p.rt("MessageType"), name)
	p.p("table: %s$table, create: %s, decode: %s, append: %s,", name, fn.create, fn.decode,
		fn.append)
	p.p("};")
}

// row prints what is known of a field.
func (p *printer) row(f *schema.Field, property string) {
	flags, of := 0, f
	set := func(on bool, flag int) {
		if on {
			flags |= flag
		}
	}
	if f.IsMap() {
		of = f.MapValue
		set(true, flagMap)
		set(f.MapKey.CheckUTF8, flagKeyUTF8)
	}
	set(f.Repeated, flagRepeated)
	set(f.Presence, flagPresence)
	set(f.Required, flagRequired)
	set(f.Packed, flagPacked)
	set(f.Delimited, flagDelimited)
	set(of.CheckUTF8, flagUTF8)
	set(p.names.int64Of(of) == "number", flagNumber)
	set(p.names.int64Of(of) == "string", flagString)
	line := fmt.Sprintf("[%d, %q, %d, %d", f.Number, f.Name, of.Kind, flags)
	var more []string
	plain := plainCamel(f.Name)
	if property != plain {
		more = append(more, fmt.Sprintf("property: %q", property))
	}
	if f.JSONName != plain {
		more = append(more, "json: "+quote(f.JSONName))
	}
	if f.IsMap() {
		more = append(more, fmt.Sprintf("key: %d", f.MapKey.Kind))
	}
	if f.Oneof != nil {
		more = append(more, fmt.Sprintf("oneof: %q", p.names.properties[f.Oneof]))
	}
	switch {
	case of.Message != nil:
		line += fmt.Sprintf(", () => %s$table", p.typeName(of.Message, of.Message.File))
	case of.Enum != nil:
		line += fmt.Sprintf(", () => %s$table", p.typeName(of.Enum, of.Enum.File))
	case len(more) > 0:
		line += ", 0"
	}
	if len(more) > 0 {
		line += ", { " + strings.Join(more, ", ") + " }"
	}
	p.p("%s],", line)
}

// plainCamel is what the runtime makes of a name where a row says nothing else.
func plainCamel(name string) string {
	var out []byte
	upper := false
	for _, c := range []byte(name) {
		switch {
		case c == '_':
			upper = true
			continue
		case upper && 'a' <= c && c <= 'z':
			c -= 'a' - 'A'
		}
		out, upper = append(out, c), false
	}
	return string(out)
}
