package dynamic

import "github.com/octopus-framework/octopus/gremlin/internal/wire"

// DiscardUnknown removes unknown fields from m and all messages in it. Extensions that the set of
// types has stay.
func (m *Message) DiscardUnknown() {
	m.unknown = m.knownExtensions()
	for i := range m.fields {
		s := &m.fields[i]
		if s.field.Message == nil {
			continue
		}
		if s.value.Message != nil {
			s.value.Message.DiscardUnknown()
		}
		for _, v := range s.list {
			v.Message.DiscardUnknown()
		}
		for _, v := range s.entries {
			if v.Message != nil {
				v.Message.DiscardUnknown()
			}
		}
	}
}

// knownExtensions returns the fields among the unknown ones that are extensions, in the order in
// which they came.
func (m *Message) knownExtensions() []byte {
	var kept []byte
	for off := 0; off < len(m.unknown); {
		w, wrong := wire.Next(m.unknown, off)
		if wrong != "" {
			break
		}
		if w.Type == wire.Start {
			w.End, w.Next, _ = wire.SkipGroup(m.unknown, w.Value, w.Number)
		}
		off = w.Next
		x := m.typ.Extension(w.Number)
		if x == nil || !x.Accepts(w.Type) {
			continue
		}
		if x.Message == nil {
			kept = append(kept, m.unknown[w.Tag:w.Next]...)
			continue
		}
		inner := New(x.Message)
		if x.Message.Check(m.unknown[w.Value:w.End]) == nil {
			inner.decode(m.unknown[:w.End:w.End], w.Value, 0)
			inner.DiscardUnknown()
			kept = x.appendMessage(kept, inner)
		}
	}
	return kept
}
