package dynamic

import (
	"cmp"
	"slices"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Value is the value of a singular field, an element of a list or the value of a map's entry: a
// message, or a scalar.
type Value struct {
	Scalar
	Message *Message
}

// Message is a message of a Type, whose fields can be read and written. It keeps those that are
// set, in the order of their numbers. Any number of goroutines may read one while none writes.
//
// Unmarshal, Marshal, text and JSON are those of generated Messages: the same verdicts, the same
// bytes.
type Message struct {
	typ     *Type
	fields  []setField // fields in the order of their numbers
	unknown []byte
}

// setField is a field that is set.
type setField struct {
	field   *Field
	value   Value            // value of a singular field
	list    []Value          // elements of a repeated field
	entries map[Scalar]Value // entries of a map
}

// New returns an empty message of type t.
func New(t *Type) *Message { return &Message{typ: t} }

// Type returns the type of m.
func (m *Message) Type() *Type { return m.typ }

// Unknown returns the encoded fields that the type does not have, extensions among them. They are
// not to be changed.
func (m *Message) Unknown() []byte { return m.unknown }

// Reset makes the message empty.
func (m *Message) Reset() { *m = Message{typ: m.typ} }

func (m *Message) find(f *Field) (int, bool) {
	return slices.BinarySearchFunc(m.fields, f.Number, func(s setField, n uint32) int {
		return cmp.Compare(s.field.Number, n)
	})
}

// set returns where the value of f goes, after the other members of its oneof were cleared.
func (m *Message) set(f *Field) *setField {
	if f.Parent != m.typ || f.Extension {
		panic("dynamic: " + f.FullName + " is no field of " + m.typ.Name)
	}
	i, ok := m.find(f)
	if !ok {
		if f.Oneof != nil {
			m.fields = slices.DeleteFunc(m.fields, func(s setField) bool {
				return s.field.Oneof == f.Oneof
			})
			i, _ = m.find(f)
		}
		m.fields = slices.Insert(m.fields, i, setField{field: f})
	}
	return &m.fields[i]
}

// get returns what is set of f, or nil.
func (m *Message) get(f *Field) *setField {
	if i, ok := m.find(f); ok && m.fields[i].field == f {
		return &m.fields[i]
	}
	return nil
}

// Has tells whether f is set: a field without presence to another value than zero, a list or map to
// one that is not empty.
func (m *Message) Has(f *Field) bool {
	s := m.get(f)
	switch {
	case s == nil:
		return false
	case f.Kind == Map:
		return len(s.entries) > 0
	case f.Repeated:
		return len(s.list) > 0
	}
	return f.Presence || s.value.Bits != 0 || s.value.Text != ""
}

// Get returns the value of a singular field, or its default; a message that is absent is nil.
func (m *Message) Get(f *Field) Value {
	if s := m.get(f); s != nil {
		return s.value
	}
	return Value{Scalar: f.Default}
}

// List returns the elements of a repeated field, which are not to be changed.
func (m *Message) List(f *Field) []Value {
	if s := m.get(f); s != nil {
		return s.list
	}
	return nil
}

// Map returns the entries of a map, which are not to be changed.
func (m *Message) Map(f *Field) map[Scalar]Value {
	if s := m.get(f); s != nil {
		return s.entries
	}
	return nil
}

// Set sets a singular field. A message is kept, not copied.
func (m *Message) Set(f *Field, v Value) { m.set(f).value = v }

// Append appends an element to a repeated field. A message is kept, not copied.
func (m *Message) Append(f *Field, v Value) {
	s := m.set(f)
	s.list = append(s.list, v)
}

// Put sets the entry of a map. A message is kept, not copied.
func (m *Message) Put(f *Field, key Scalar, v Value) {
	s := m.set(f)
	if s.entries == nil {
		s.entries = map[Scalar]Value{}
	}
	s.entries[key] = v
}

// Clear removes a field.
func (m *Message) Clear(f *Field) {
	if i, ok := m.find(f); ok {
		m.fields = slices.Delete(m.fields, i, i+1)
	}
}

// CheckInitialized returns an error that names a required field which is not set, in m or a message
// in it.
func (m *Message) CheckInitialized() error {
	if !m.typ.needsInit {
		return nil
	}
	for _, f := range m.typ.Fields {
		s := m.get(f)
		switch {
		case s == nil && f.Required:
			return rt.Required(m.typ.Name, f.Name)
		case s == nil || f.Message == nil:
		default:
			if err := s.checkInitialized(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *setField) checkInitialized() error {
	f := s.field
	inside := func(v Value, index int) error {
		if v.Message == nil {
			return nil
		}
		if err := v.Message.CheckInitialized(); err != nil {
			return rt.InField(err, f.Parent.Name, f.Name, index)
		}
		return nil
	}
	if err := inside(s.value, -1); err != nil {
		return err
	}
	for i, v := range s.list {
		if err := inside(v, i); err != nil {
			return err
		}
	}
	for _, key := range s.keys() {
		if err := inside(s.entries[key], -1); err != nil {
			return err
		}
	}
	return nil
}

// keys returns the keys of a map in ascending order.
func (s *setField) keys() []Scalar {
	if s.entries == nil {
		return nil
	}
	keys := make([]Scalar, 0, len(s.entries))
	for k := range s.entries {
		keys = append(keys, k)
	}
	kind := s.field.Key().Kind
	slices.SortFunc(keys, func(a, b Scalar) int { return compareKeys(kind, a, b) })
	return keys
}
