package shape

import (
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// getters prints the getters. Members of a oneof have them whatever the options say.
func (p *printer) getters(m *message) {
	for _, x := range m.order {
		switch x := x.(type) {
		case *field:
			if m.facts.Getters && !x.facts.Embed && !x.isCustom() {
				p.getter(m, x)
			}
		case *oneof:
			for _, f := range x.fields {
				if !f.facts.Embed && !f.isCustom() {
					p.getter(m, f)
				}
			}
		}
	}
}

func (p *printer) getter(m *message, f *field) {
	t, star := p.fieldType(f), ""
	if f.star && f.Kind != schema.MessageKind {
		t, star = p.typ(f), "*"
	}
	p.p()
	if f.Deprecated {
		p.p(deprecated)
	}
	p.p("func (m *", m.goName.name, ") ", f.getter, "() ", t, " {")
	def := p.getterDefault(m, f)
	switch {
	case f.inOneof():
		p.p("if x, ok := m.", f.oneof.getter, "().(*", f.wrapper, "); ok {")
		p.p("return x.", f.goName)
	case star != "":
		p.p("if m != nil && m.", f.goName, " != nil {")
		p.p("return *m.", f.goName)
	default:
		p.p("if m != nil", p.bytesDefault(f), " {")
		p.p("return m.", f.goName)
	}
	p.p("}")
	p.p("return ", def)
	p.p("}")
}

// bytesDefault returns the condition that a bytes field with a default value has.
func (p *printer) bytesDefault(f *field) string {
	if f.Kind == schema.Bytes && f.desc.GetDefaultValue() != "" && !f.Repeated {
		return " && m." + f.goName + " != nil"
	}
	return ""
}

// getterDefault returns what a getter returns when there is nothing to return.
func (p *printer) getterDefault(m *message, f *field) string {
	if f.Repeated || f.IsMap() {
		return "nil"
	}
	if f.desc.GetDefaultValue() != "" {
		if f.Kind == schema.Bytes {
			return "append([]byte(nil), " + defaultName(m, f) + "...)"
		}
		return defaultName(m, f)
	}
	switch f.Kind {
	case schema.MessageKind:
		if f.star || f.inOneof() {
			return "nil"
		}
		if f.class == stdtype {
			return map[string]string{"Time": p.typ(f) + "{}", "Bool": "false", "String": `""`,
				"Bytes": "[]byte{}"}[f.std] + zeroOf(f.std)
		}
		return p.typ(f) + "{}"
	case schema.Bool:
		return "false"
	case schema.String:
		return `""`
	case schema.Bytes:
		return "nil"
	case schema.EnumKind:
		e := p.names.enums[f.Enum]
		return p.qualify(p.names.valueName(e, e.Values[0]))
	}
	return "0"
}

func zeroOf(std string) string {
	switch std {
	case "Time", "Bool", "String", "Bytes":
		return ""
	}
	return "0"
}
