package shape

import "slices"

// reach tells of messages what lies somewhere within them.
type reach struct {
	maps   map[*message]bool // a map whose order nothing fixes
	before map[*message]bool // a message with BeforeMarshal, or it is one itself
	after  map[*message]bool // the same for AfterUnmarshal
	circle map[*message]bool // a message that can contain itself, or it is one itself
}

// reaches follows the fields of all messages whose code is generated here.
func (g *Generator) reaches() (r reach) {
	r.maps = g.closure(func(m *message) bool {
		return m.facts.Marshaler && !m.facts.StableMarshaler &&
			slices.ContainsFunc(m.fields, func(f *field) bool { return f.IsMap() })
	}, func(m *message) bool { return m.facts.Marshaler })
	r.circle = g.closure(canContainItself, func(*message) bool { return true })
	r.before = g.closure(func(m *message) bool {
		return m.file.opts.Before != nil && m.file.opts.Before(m.FullName)
	}, func(m *message) bool { return m.facts.Marshaler })
	r.after = g.closure(func(m *message) bool {
		return m.file.opts.Hook != nil && m.file.opts.Hook(m.FullName)
	}, func(m *message) bool { return m.facts.Unmarshaler })
	return r
}

func canContainItself(m *message) bool { return m.Circle()[m.Message] }

// enter prints a look at how deep the stack is, in methods of a message that can contain itself.
func (p *printer) enter(m *message) {
	if canContainItself(m) {
		p.p(p.rt("Enter"), "()")
	}
}

// closure returns the messages of which has is true, and those that hold one of them, as far as
// their methods are generated.
func (g *Generator) closure(has, generated func(*message) bool) map[*message]bool {
	in := map[*message]bool{}
	for more := true; more; {
		more = false
		for _, f := range g.files {
			for sm := range f.schema.AllMessages() {
				m := g.names.messages[sm]
				if in[m] || !generated(m) {
					continue
				}
				in[m] = has(m) || slices.ContainsFunc(m.fields, func(f *field) bool {
					return in[g.within(f)]
				})
				more = more || in[m]
			}
		}
	}
	return in
}

// within returns the message that a field, or the value of a map, holds; nil when it holds none, or
// one in the form of another type.
func (g *Generator) within(f *field) *message {
	if f.IsMap() {
		f = f.value
	}
	if f.class != nested {
		return nil
	}
	return g.names.messages[f.Message]
}
