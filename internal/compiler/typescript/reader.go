package typescript

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// slots says where a Reader keeps where the value of a field is: 0 for none, and for lists the tag
// of the first value, -1 for none, and a second slot for the end of the last one.
func slots(m *schema.Message) map[*schema.Field]int {
	out, ofOneof := map[*schema.Field]int{}, map[*schema.Oneof]int{}
	for _, f := range m.Fields {
		if f.Oneof == nil {
			out[f] = len(out) + len(ofOneof)
			continue
		}
		if _, ok := ofOneof[f.Oneof]; !ok {
			ofOneof[f.Oneof] = len(out) + len(ofOneof)
		}
	}
	for _, f := range m.Fields {
		if f.Oneof != nil {
			out[f] = ofOneof[f.Oneof]
		}
	}
	return out
}

// isList tells whether a field has two slots.
func isList(f *schema.Field) bool { return f.Repeated || f.IsMap() }

// isSub tells whether a field is a singular message, of which pieces may come.
func isSub(f *schema.Field) bool { return f.Message != nil && !isList(f) }

// reader prints the class that reads a message's fields where they are asked for.
func (p *printer) reader(m *schema.Message) {
	name, at := p.names.functions[m].reader, slots(m)
	p.p("")
	p.comment(schema.Comment{Leading: fmt.Sprintf(
		"%s reads fields of an encoded %s when they are asked for.", name, p.names.types[m])},
		m.Deprecated, "")
	p.p("export class %s {", name)
	var init []string
	field := func(name, typ, value string) {
		p.p("declare private %s: %s;", name, typ)
		init = append(init, fmt.Sprintf("this.%s = %s;", name, value))
	}
	field("$b", "Uint8Array", "b")
	field("$s", "number", "s")
	field("$e", "number", "e")
	subs, done := false, map[int]bool{}
	for _, f := range m.Fields {
		subs = subs || isSub(f)
		slot := "$" + strconv.Itoa(at[f])
		switch {
		case done[at[f]]:
		case isList(f):
			field(slot, "number", "-1")
			field(slot+"e", "number", "0")
		default:
			field(slot, "number", "0")
		}
		done[at[f]] = true
	}
	for _, o := range m.Oneofs {
		field(oneofLocal(o), "number", "0")
	}
	if subs {
		field("$x", "boolean", "false")
	}
	p.p("")
	p.p("/** @internal */")
	p.p("constructor(b: Uint8Array, s: number, e: number) {")
	for len(init) > 0 {
		n := min(4, len(init))
		p.p("%s", strings.Join(init[:n], " "))
		init = init[n:]
	}
	p.index(m, at)
	p.p("}")
	p.p("")
	p.p("/** Reads a message; it throws a GremlinError if it is malformed at this level. */")
	p.p("static read(b: Uint8Array): %s { return new %s(b, 0, %s(b)); }", name, name, p.rt("whole"))
	for _, f := range m.Fields {
		p.getter(f, at[f])
	}
	for _, o := range m.Oneofs {
		p.oneCase(o)
	}
	p.has(m, at)
	p.p("")
	p.p("/** Returns the bytes of the message, as a view. */")
	p.p("raw(): Uint8Array { return this.$b.subarray(this.$s, this.$e); }")
	p.p("}")
}

// index prints the loop that notes where values are.
func (p *printer) index(m *schema.Message, at map[*schema.Field]int) {
	p.p("let p = s;")
	p.p("while (p < e) {")
	p.p("const at = p;")
	p.p("let t = b[p++]!; if (t > 127) { t = %s(b, at); p = %s; }", p.rt("longTag"), p.rt("E"))
	p.p("switch (t) {")
	for _, f := range m.Fields {
		slot := "this.$" + strconv.Itoa(at[f])
		if isPackable(f) {
			p.p("case %s: if (%s < 0) %s = at; %s %se = p; break;", label(packedTag(f)), slot,
				slot, p.behind(2), slot)
		}
		wire := int(tagOf(f) & 7)
		p.p("case %s: %s", label(tagOf(f)), p.noted(f, slot, wire))
	}
	p.p("default: p = %s(b, p, e, t, %s);", p.rt("skip"), p.rt("MAX_DEPTH"))
	p.p("}")
	p.p("}")
	p.p("if (p !== e) throw %s(%q, b, s, e);", p.rt("malformed"), m.FullName)
}

// noted returns the statements that note one value and go behind it.
func (p *printer) noted(f *schema.Field, slot string, wire int) string {
	if isList(f) {
		return fmt.Sprintf("if (%s < 0) %s = at; %s %se = p; break;", slot, slot, p.behind(wire),
			slot)
	}
	set := slot + " = p;"
	if f.Oneof != nil {
		one := "this." + oneofLocal(f.Oneof)
		if isSub(f) {
			set = fmt.Sprintf("if (%s === %d) this.$x = true;", one, f.Number) + " " + set
		}
		set += fmt.Sprintf(" %s = %d;", one, f.Number)
	} else if isSub(f) {
		set = fmt.Sprintf("if (%s !== 0) this.$x = true; %s", slot, set)
	}
	if f.Enum != nil && f.Enum.Closed {
		return fmt.Sprintf("if (%s$has(%s(b, p))) { %s } p = %s; break;", p.valueType(f, true),
			p.rt("int32"), set, p.rt("E"))
	}
	return set + " " + p.behind(wire) + " break;"
}

// behind returns the statements that go behind a value.
func (p *printer) behind(wire int) string {
	switch wire {
	case 0:
		return fmt.Sprintf("p = b[p]! < 128 ? p + 1 : %s(b, p);", p.rt("behindVarint"))
	case 1:
		return "p += 8;"
	case 5:
		return "p += 4;"
	case 3:
		return fmt.Sprintf("p = %s(b, p, e, t, %s);", p.rt("behindGroup"), p.rt("MAX_DEPTH"))
	}
	return fmt.Sprintf("{ let l = b[p++]!; if (l > 127) { l = %s(b, p - 1); p = %s; } p += l; }",
		p.rt("long"), p.rt("E"))
}

// getter prints what reads a field.
func (p *printer) getter(f *schema.Field, at int) {
	name, slot := p.names.properties[f], "this.$"+strconv.Itoa(at)
	p.p("")
	p.comment(f.Comment, f.Deprecated, "")
	typ := p.fieldType(f, true)
	switch {
	case f.IsMap():
		p.p("get %s(): %s {", name, typ)
		p.p("const b = this.$b;")
		k, v := f.MapKey, f.MapValue
		p.p("return %s(b, %s, %se, %s, %s, %s,", p.rt("map"), slot, slot, label(tagOf(f)),
			label(tagOf(k)), label(tagOf(v)))
		p.p("  (p): %s => p === 0 ? %s : %s,", p.valueType(k, true), p.zero(k),
			p.at(k, "b", "p", "0", true))
		zero, known := p.zero(v), ""
		if v.Message != nil {
			zero = fmt.Sprintf("new %s(b, 0, 0)", p.valueType(v, true))
		}
		if v.Enum != nil && v.Enum.Closed {
			known = ", " + p.valueType(v, true) + "$has"
		}
		p.p("  (p): %s => p === 0 ? %s : %s%s);", p.valueType(v, true), zero,
			p.at(v, "b", "p", "0", true), known)
		p.p("}")
		return
	case f.Repeated && f.Message != nil:
		p.p("get %s(): %s { return new %s(this.$b, %s, %se, %s, %s); }", name, typ, p.rt("List"),
			slot, slot, label(tagOf(f)), p.valueType(f, true))
		return
	case f.Repeated:
		read := "lax"
		switch {
		case f.Kind == schema.Bytes:
			read = "view"
		case f.Kind != schema.String:
			read = p.reads(f)
		case f.CheckUTF8:
			read = "str"
		}
		known, as := "", ""
		if f.Enum != nil && f.Enum.Closed {
			known, as = ", "+p.valueType(f, true)+"$has", " as "+typ
		}
		p.p("get %s(): %s { return %s(this.$b, %s, %se, %s, %s%s)%s; }", name, typ,
			p.rt("list"), slot, slot, label(tagOf(f)), p.rt(read), known, as)
		return
	}
	p.p("get %s(): %s {", name, p.singularType(f))
	p.read(f, slot, p.at(f, "b", "p", "this.$e", true), p.none(f))
	p.p("}")
	if p.names.int64Of(f) == "bigint" {
		p.numberGetter(f, name, slot)
	}
}

// singularType returns the type that the getter of a singular field has: that of a field with
// presence may be undefined, unless there is a declared default.
func (p *printer) singularType(f *schema.Field) string {
	if f.Presence && f.Default == nil {
		return p.valueType(f, true) + " | undefined"
	}
	return p.valueType(f, true)
}

// none returns what the getter of a singular field gives where it is not set.
func (p *printer) none(f *schema.Field) string {
	switch {
	case f.Default != nil:
		return p.names.types[f.Parent] + "$defaults." + p.names.properties[f]
	case f.Presence:
		return "undefined"
	}
	return p.zero(f)
}

// read prints the lines of a getter of a singular field.
func (p *printer) read(f *schema.Field, slot, value, none string) {
	cond := "p === 0"
	if f.Oneof != nil {
		cond = fmt.Sprintf("this.%s !== %d", oneofLocal(f.Oneof), f.Number)
	}
	p.p("const b = this.$b, p = %s;", slot)
	p.p("if (%s) return %s;", cond, none)
	if isSub(f) {
		var others []string
		if f.Oneof != nil {
			for _, o := range f.Oneof.Fields {
				if o != f {
					others = append(others, label(tagOf(o)))
				}
			}
		}
		p.p("if (this.$x) return %s(%s, b, this.$s, this.$e, %s, [%s]);", p.rt("merged"),
			p.valueType(f, true), label(tagOf(f)), strings.Join(others, ", "))
	}
	p.p("return %s;", value)
}

// numberGetter prints a second getter of an integer of 64 bits.
func (p *printer) numberGetter(f *schema.Field, name, slot string) {
	more := name + "Number"
	for _, x := range f.Parent.Fields {
		if p.names.properties[x] == more {
			return
		}
	}
	none, typ := p.none(f), "number"
	switch {
	case f.Default != nil:
		none = "Number(" + none + ")"
	case f.Presence:
		typ += " | undefined"
	default:
		none = "0"
	}
	p.p("")
	p.p("/** The same as a number; it throws where that is not exact. */")
	p.p("get %s(): %s {", more, typ)
	p.read(f, slot, fmt.Sprintf("%s(b, p)", p.rt(kinds[f.Kind].method+"Number")), none)
	p.p("}")
}

// oneCase prints the getter that tells which member of a oneof is set.
func (p *printer) oneCase(o *schema.Oneof) {
	name := p.names.properties[o] + "Case"
	for _, f := range o.Parent.Fields {
		if p.names.properties[f] == name {
			name += "$"
		}
	}
	var all []string
	for _, f := range o.Fields {
		all = append(all, strconv.Quote(p.names.properties[f]))
	}
	p.p("")
	p.comment(o.Comment, false, "")
	p.p("get %s(): %s | undefined {", name, strings.Join(all, " | "))
	p.p("switch (this.%s) {", oneofLocal(o))
	for i, f := range o.Fields {
		p.p("case %d: return %s;", f.Number, all[i])
	}
	p.p("default: return undefined;")
	p.p("}")
	p.p("}")
}

// has prints the method that tells whether a field is set.
func (p *printer) has(m *schema.Message, at map[*schema.Field]int) {
	var names, lines []string
	for _, f := range m.Fields {
		if !f.Presence {
			continue
		}
		names = append(names, strconv.Quote(p.names.properties[f]))
		cond := fmt.Sprintf("this.$%d !== 0", at[f])
		if f.Oneof != nil {
			cond = fmt.Sprintf("this.%s === %d", oneofLocal(f.Oneof), f.Number)
		}
		lines = append(lines, fmt.Sprintf("case %q: return %s;", p.names.properties[f], cond))
	}
	if len(names) == 0 {
		return
	}
	p.p("")
	p.p("/** Tells whether a field is set. */")
	p.p("has(field: %s): boolean {", strings.Join(names, " | "))
	p.p("switch (field) {")
	for _, line := range lines {
		p.p("%s", line)
	}
	p.p("}")
	p.p("}")
}
