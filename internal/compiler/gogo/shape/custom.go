package shape

import "strings"

// customTypes prints what fails to compile when a custom type lacks a method that generated code
// calls: the compiler's message has the name of the field in it, and that of the method.
func (p *printer) customTypes() {
	first := true
	for sm := range p.file.schema.AllMessages() {
		m := p.names.messages[sm]
		for _, f := range m.fields {
			of := f
			if f.IsMap() {
				of = f.value
			}
			if of.class != custom {
				continue
			}
			methods := p.customMethods(m, of)
			if len(methods) == 0 {
				continue
			}
			if first {
				p.p()
				p.p("// What custom types need: methods that the code above calls.")
				first = false
			}
			name := "gremlinCustomTypeOf_" + m.goName.name + "_" + f.goName
			p.p("type ", name, " interface {")
			p.p(strings.Join(methods, "\n"))
			p.p("}")
			p.p()
			p.p("var _ ", name, " = (*", p.typ(of), ")(nil)")
			p.p()
		}
	}
}

// customMethods returns the methods that the custom type of a field of m must have. Equal and
// Compare are not among them: they may take the type or an interface.
func (p *printer) customMethods(m *message, f *field) (methods []string) {
	add := func(on bool, text string) {
		if on {
			methods = append(methods, text)
		}
	}
	sizes := m.facts.Sizer || m.facts.ProtoSizer
	add(sizes || m.facts.Marshaler, m.sizer()+"() int")
	add(m.facts.Marshaler, "MarshalTo([]byte) (int, error)")
	add(m.facts.Unmarshaler, "Unmarshal([]byte) error")
	return methods
}
