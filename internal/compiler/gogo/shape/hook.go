package shape

import (
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// beforeMarshal prints the method that calls BeforeMarshal of the message and of those within it.
func (p *printer) beforeMarshal(m *message) {
	if !p.reach.before[m] {
		return
	}
	p.p()
	p.p("// GremlinBeforeMarshal calls BeforeMarshal of m, or of the messages within it that have the")
	p.p("// method: those first. Marshal does it; Size, MarshalTo and MarshalToSizedBuffer take m as it")
	p.p("// is.")
	p.p("func (m *", m.goName.name, ") GremlinBeforeMarshal() error {")
	p.p("if m == nil {")
	p.p("return nil")
	p.p("}")
	p.enter(m)
	for _, x := range m.order {
		switch x := x.(type) {
		case *field:
			p.beforeField(x, "m."+x.goName)
		case *oneof:
			for _, f := range x.fields {
				if !p.reach.before[p.within(f)] {
					continue
				}
				p.p("if x, ok := m.", x.goName, ".(*", f.wrapper, "); ok && x != nil {")
				p.beforeField(f, "x."+f.goName)
				p.p("}")
			}
		}
	}
	if m.file.opts.Before != nil && m.file.opts.Before(m.FullName) {
		p.p("if err := m.BeforeMarshal(); err != nil {")
		p.p("return ", p.rt("NewHookError"), "(", strconv.Quote(m.FullName),
			", \"BeforeMarshal\", err)")
		p.p("}")
	}
	p.p("return nil")
	p.p("}")
}

// beforeField prints the calls for what a field holds.
func (p *printer) beforeField(f *field, x string) {
	if !p.reach.before[p.within(f)] {
		return
	}
	before := func(f *field, x, step string) {
		p.p("if err := ", p.methodsOf(f, x, f.star), ".GremlinBeforeMarshal(); err != nil {")
		p.p("return ", step)
		p.p("}")
	}
	switch {
	case f.IsMap():
		p.p("for k, v := range ", x, " {")
		before(f.value, "v", p.inEntry(f, "k"))
		if !f.value.star {
			p.p(x, "[k] = v")
		}
		p.p("}")
	case f.Repeated:
		p.p("for k := range ", x, " {")
		before(f, x+"[k]", p.inList(f, "k"))
		p.p("}")
	default:
		before(f, x, p.inField(f))
	}
}

// inField, inList and inEntry return the call that puts a step before the path of an error.
func (p *printer) inField(f *field) string {
	return p.rt("InField") + "(err, " + strconv.Quote(f.Name) + ")"
}

func (p *printer) inList(f *field, index string) string {
	return p.rt("InList") + "(err, " + strconv.Quote(f.Name) + ", " + index + ")"
}

func (p *printer) inEntry(f *field, key string) string {
	switch f.MapKey.Kind {
	case schema.String:
		key = p.use("strconv") + ".Quote(string(" + key + "))"
	case schema.Bool:
		key = p.use("strconv") + ".FormatBool(bool(" + key + "))"
	case schema.Uint32, schema.Uint64, schema.Fixed32, schema.Fixed64:
		key = p.use("strconv") + ".FormatUint(uint64(" + key + "), 10)"
	default:
		key = p.use("strconv") + ".FormatInt(int64(" + key + "), 10)"
	}
	return p.rt("InEntry") + "(err, " + strconv.Quote(f.Name) + ", " + key + ")"
}
