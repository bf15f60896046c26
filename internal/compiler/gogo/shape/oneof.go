package shape

import (
	"slices"
	"strconv"
)

// oneofTypes prints the interface and the structs of oneofs, and the getter of each.
func (p *printer) oneofTypes(m *message) {
	for _, o := range m.oneofs {
		p.p()
		p.p("type ", o.typ, " interface {")
		p.p(o.typ, "()")
		for _, method := range []struct {
			on   bool
			text string
		}{
			{m.facts.Equal, "Equal(interface{}) bool"},
			{m.facts.VerboseEqual, "VerboseEqual(interface{}) error"},
			{m.facts.Marshaler || m.facts.StableMarshaler, "MarshalTo([]byte) (int, error)"},
			{m.facts.Sizer, "Size() int"},
			{m.facts.ProtoSizer, "ProtoSize() int"},
			{m.facts.Compare, "Compare(interface{}) int"},
		} {
			if method.on {
				p.p(method.text)
			}
		}
		p.p("}")
	}
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.p()
			p.p("// ", f.wrapper, " is member ", f.Name, " of ", o.goName, ".")
			p.p("type ", f.wrapper, " struct {")
			name := f.goName
			p.p(name, " ", p.fieldType(f), " `", p.tag(f), "`")
			p.p("}")
		}
	}
	for _, o := range m.oneofs {
		p.p()
		for _, f := range o.fields {
			p.p("func (*", f.wrapper, ") ", o.typ, "() {}")
		}
	}
	for _, o := range m.oneofs {
		p.p()
		p.p("func (m *", m.goName.name, ") ", o.getter, "() ", o.typ, " {")
		p.p("if m != nil {")
		p.p("return m.", o.goName)
		p.p("}")
		p.p("return nil")
		p.p("}")
	}
}

// putOneof prints the writing of a oneof. The interface of its members does not know of maps that
// are to be sorted: members with maps are asked for by type.
func (p *printer) putOneof(m *message, o *oneof) {
	member := func(x string) {
		p.p("size := ", x, ".", m.sizer(), "()")
		if at := slices.IndexFunc(o.fields, func(f *field) bool {
			return f.class == custom
		}); at >= 0 { // it may say what it likes
			p.p("if size < 0 || size > i {")
			p.p("return 0, ", p.rt("SizeError"), "(", strconv.Quote(o.fields[at].FullName),
				", size, i)")
			p.p("}")
		}
		p.p("i -= size")
		p.p("if _, err := ", x, ".MarshalTo(b[i:]); err != nil {")
		p.p("return 0, err")
		p.p("}")
	}
	var withMaps []*field
	for _, f := range o.fields {
		if in := p.within(f); in != nil && p.reach.maps[in] {
			withMaps = append(withMaps, f)
		}
	}
	if len(withMaps) == 0 {
		p.p("if m.", o.goName, " != nil {")
		member("m." + o.goName)
		p.p("}")
		return
	}
	p.p("switch x := m.", o.goName, ".(type) {")
	p.p("case nil:")
	for _, f := range withMaps {
		p.p("case *", f.wrapper, ":")
		p.p("if x.", f.goName, " != nil {")
		p.p("n, err := ", p.methodsOf(f, "x."+f.goName, f.star), ".GremlinMarshal(b[:i], stable)")
		p.returnError("0, err")
		p.p("i = ", p.rt("PutVarint"), "(b, i-n, uint64(n))")
		p.putTag(tagOf(f.Field))
		p.p("}")
	}
	p.p("default:")
	member("x")
	p.p("}")
}

// oneofWrappers prints the method that tells libraries the members of oneofs.
func (p *printer) oneofWrappers(m *message) {
	if len(m.oneofs) == 0 {
		return
	}
	p.p()
	p.p("// XXX_OneofWrappers returns the types of the members of oneofs, for libraries.")
	p.p("func (*", m.goName.name, ") XXX_OneofWrappers() []interface{} {")
	p.p("return []interface{}{")
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.p("(*", f.wrapper, ")(nil),")
		}
	}
	p.p("}")
	p.p("}")
}
