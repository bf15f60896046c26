package typescript

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// enum prints an object with the numbers of an enum, the type of them, and its table.
func (p *printer) enum(e *schema.Enum) {
	name := p.names.types[e]
	p.p("")
	p.comment(e.Comment, e.Deprecated, "")
	p.p("export const %s = {", name)
	keys, s := valueNames(e), scope{}
	for i, v := range e.Values {
		p.comment(v.Comment, v.Deprecated, "")
		p.p("%s: %d,", s.claim(keys[i], "value", members, nil), v.Number)
	}
	p.p("} as const;")
	open := ""
	if !e.Closed {
		open = " | (number & {})"
	}
	p.p("export type %s = (typeof %s)[keyof typeof %s]%s;", name, name, name, open)
	p.p("")
	p.p("export const %s$table: %s = {", name, p.rt("EnumTable"))
	p.p("name: %q,", e.FullName)
	p.p("values: [")
	for _, v := range e.Values {
		p.p("[%q, %d],", v.Name, v.Number)
	}
	p.p("],")
	if e.Closed {
		p.p("closed: true,")
	}
	p.p("};")
	if !e.Closed {
		return
	}
	p.p("const %s$numbers: ReadonlySet<number> = /* @__PURE__ */ new Set(", name)
	p.p("  /* @__PURE__ */ %s$table.values.map((v) => v[1]));", name)
	p.p("/** Tells whether a number is one of %s. */", name)
	p.p("export function %s$has(n: number): n is %s { return %s$numbers.has(n); }", name, name, name)
}

// valueNames returns the names of an enum's values: without the name of the enum before them, if
// all have it and names are left.
func valueNames(e *schema.Enum) []string {
	var prefix strings.Builder
	for i, c := range []byte(e.Name) {
		if i > 0 && 'A' <= c && c <= 'Z' && e.Name[i-1] >= 'a' {
			prefix.WriteByte('_')
		}
		prefix.WriteByte(c)
	}
	with := strings.ToUpper(prefix.String()) + "_"
	var full, short []string
	cut := true
	for _, v := range e.Values {
		rest, ok := strings.CutPrefix(v.Name, with)
		if !ok || rest == "" || '0' <= rest[0] && rest[0] <= '9' {
			cut = false
		}
		full, short = append(full, v.Name), append(short, rest)
	}
	if cut {
		return short
	}
	return full
}
