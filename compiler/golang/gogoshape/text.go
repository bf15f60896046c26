package gogoshape

// plainString prints String for a message that has no library to do it.
func (p *printer) plainString(m *message) {
	p.p("// String returns the fields of m as text, for people.")
	p.p("func (m *", m.goName.name, ") String() string { return ", p.use("fmt"), ".Sprintf(\"%+v\", *m) }")
}

// plainXXX prints the methods that libraries look for, as far as they need no library.
func (p *printer) plainXXX(m *message) {
	name := m.goName.name
	if m.facts.Unmarshaler {
		p.p()
		p.p("// XXX_Unmarshal is for libraries.")
		p.p("func (m *", name, ") XXX_Unmarshal(b []byte) error { return m.Unmarshal(b) }")
	}
	if m.facts.Marshaler && (m.facts.Sizer || m.facts.ProtoSizer) {
		p.p()
		p.p("// XXX_Marshal is for libraries.")
		p.p("func (m *", name, ") XXX_Marshal(b []byte, deterministic bool) ([]byte, error) {")
		p.intoCapacity()
		p.p("}")
		p.p()
		p.p("// XXX_Size is for libraries.")
		p.p("func (m *", name, ") XXX_Size() int { return m.", m.sizer(), "() }")
	}
}
