package typescript

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// extension prints an extension: a message with it as its one field does the reading and writing.
// Options of declarations (extensions of google.protobuf.FieldOptions and others) say something to
// compilers alone, and give nothing.
func (p *printer) extension(x *schema.Field) {
	if strings.HasPrefix(x.Extendee.FullName, "google.protobuf.") && x.Extendee.File.WellKnown &&
		strings.HasSuffix(x.Extendee.Name, "Options") {
		return
	}
	name, extendee := p.names.types[x], p.typeName(x.Extendee, x.Extendee.File)
	typ := p.fieldType(x, false)
	if x.Presence {
		typ += " | undefined"
	}
	field := *x // without presence, a declared default could not be told from a value
	p.p("")
	p.p("const %s$type: %s<{ value: %s }> = {", name, p.rt("MessageType"), typ)
	p.p("table: {")
	p.p("name: %q,", x.FullName)
	p.p("rows: () => [")
	p.row(&field, "value")
	p.p("],")
	p.p("},")
	p.p("create: (init) => ({ value: %s, ...init }),", p.noneOfExtension(x))
	p.p("append: (w, m) => {")
	p.encodeField(x)
	p.p("},")
	p.p("decode: (b) => {")
	p.p("const m: { value: %s; $unknown?: Uint8Array } = %s$type.create();", typ, name)
	p.p("let p = 0, u: number[] | undefined;")
	p.p("const e = %s(b), d = %s;", p.rt("whole"), p.rt("MAX_DEPTH"))
	p.p("while (p < e) {")
	p.p("const at = p, t = %s(b, p);", p.rt("longTag"))
	p.p("p = %s;", p.rt("E"))
	p.p("switch (t) {")
	p.decodeField(x)
	p.p("default: {")
	p.p("const q = %s(b, p, e, t, d);", p.rt("skip"))
	p.p("u = %s(u, at, q);", p.rt("note"))
	p.p("p = q;")
	p.p("}")
	p.p("}")
	p.p("}")
	p.p("if (p !== e) %s();", p.rt("bad"))
	p.p("if (u !== undefined) m.$unknown = %s(m.$unknown, b, u);", p.rt("keep"))
	p.p("return m;")
	p.p("},")
	p.p("};")
	p.p("")
	p.comment(x.Comment, x.Deprecated, "")
	p.p("export const %s: %s<%s, %s> = {", name, p.rt("Extension"), extendee, typ)
	p.p("name: %q, extendee: %s$table, type: %s$type,", x.FullName, extendee, name)
	p.p("};")
}

// noneOfExtension returns what an extension is where it is not set.
func (p *printer) noneOfExtension(x *schema.Field) string {
	switch {
	case x.Repeated:
		return "[]"
	case x.Default != nil:
		return p.defaultOf(x)
	}
	return "undefined"
}
