package gremlincel

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
)

// The options of validate.proto, by full name.
const (
	rulesPackage  = "buf.validate."
	messageOption = rulesPackage + "message"
	oneofOption   = rulesPackage + "oneof"
	fieldOption   = rulesPackage + "field"
	// predefined is what fields of messages of rules have: the expressions of the rule.
	predefinedOption = rulesPackage + "predefined"
)

// record is a message of rules, read by the names of its fields: what the version of validate.proto
// in the set does not have is not set. Its zero value has nothing set.
type record struct{ r *dynamic.Reader }

// option returns the option with this name of encoded options, all of its pieces merged. It is a
// message.
func option(set *dynamic.Schema, name string, options []byte) (record, error) {
	x := set.Extension(name)
	if x == nil || x.Message == nil || len(options) == 0 {
		return record{}, nil
	}
	all, found, err := payloads(options, x.Number)
	if err != nil || !found {
		return record{}, err
	}
	var b []byte
	for _, p := range all {
		if p.typ == protowire.BytesType {
			b = append(b, p.bytes...) // messages are merged by joining their encodings
		}
	}
	r, err := open(x.Message, b)
	return record{r}, err
}

// payload is the value of a field as it is encoded, without the length.
type payload struct {
	number uint32
	typ    protowire.Type
	bytes  []byte
}

// payloads returns those of the fields with a number; 0 asks for all.
func payloads(b []byte, number uint32) (all []payload, found bool, err error) {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return nil, false, protowire.ParseError(n)
		}
		size := protowire.ConsumeFieldValue(num, typ, b[n:])
		if size < 0 {
			return nil, false, protowire.ParseError(size)
		}
		value := b[n : n+size]
		if typ == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		if number == 0 || uint32(num) == number {
			all = append(all, payload{uint32(num), typ, value})
		}
		b = b[n+size:]
	}
	return all, len(all) > 0, nil
}

// field returns the field with this name, nil where there is none of this form.
func (m record) field(name string, message, repeated bool) *dynamic.Field {
	if m.r == nil {
		return nil
	}
	f := fieldNamed(m.r.Type(), name)
	if f == nil || f.Kind == dynamic.Map || f.Repeated != repeated ||
		(f.Message != nil) != message {
		return nil
	}
	return f
}

// has tells whether a number or bool is set.
func (m record) has(name string) bool {
	f := m.field(name, false, false)
	return f != nil && m.r.Has(f)
}

func (m record) bits(name string) uint64 {
	if f := m.field(name, false, false); f != nil {
		return m.r.Get(f).Bits
	}
	return 0
}

func (m record) bool(name string) bool { return m.bits(name) != 0 }

func (m record) text(name string) string {
	if f := m.field(name, false, false); f != nil {
		return m.r.Get(f).Text
	}
	return ""
}

func (m record) texts(name string) (all []string) {
	if f := m.field(name, false, true); f != nil {
		for s := range m.r.Each(f) {
			all = append(all, s.Text)
		}
	}
	return all
}

func (m record) message(name string) record {
	if f := m.field(name, true, false); f != nil && m.r.Has(f) {
		return record{m.r.Message(f)}
	}
	return record{}
}

func (m record) messages(name string) (all []record) {
	if f := m.field(name, true, true); f != nil {
		for r := range m.r.Messages(f) {
			all = append(all, record{r})
		}
	}
	return all
}

// member returns the message that is set in a oneof, nil if none is.
func (m record) member(oneof string) *dynamic.Field {
	if m.r == nil {
		return nil
	}
	for _, f := range m.r.Type().Fields {
		if f.Oneof != nil && f.Oneof.Name == oneof && f.Message != nil && m.r.Has(f) {
			return f
		}
	}
	return nil
}

// Values of buf.validate.Ignore.
const (
	ignoreIfZero = 1
	ignoreAlways = 3
)
