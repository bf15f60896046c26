package dynamic

import (
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Known returns all message types and extensions of the schema, for Options.Types of text and JSON:
// what an Any may hold, and extensions. It must not be changed.
func (s *Schema) Known() *gremlin.Types { return &s.known }

// AppendJSON appends what r reads as JSON to b. Where o names no Types, those of the schema are
// known.
// A message that is nested more than 64 levels deep in groups, or in pieces, so that finding their
// ends would cost more than 16 MiB, is an error with the code TooDeep.
func (r *Reader) AppendJSON(b []byte, o json.Options) ([]byte, error) {
	if o.Types == nil {
		o.Types = r.typ.schema.Known()
	}
	if r.slots == nil {
		_ = r.index(rt.First(nil), 0)
	}
	e := jsonrt.NewEncoder(&o)
	return e.FinishReader(r.appendJSON(e, b, e.Depth()), len(b), r.Raw(),
		func() jsonrt.Message { return tooDeep{typ: r.typ} })
}

// tooDeep stands for the message that FinishReader decodes in place of a Reader that has given up.
type tooDeep struct {
	jsonrt.Message
	typ *Type
}

func (m tooDeep) GremlinTable() *rt.Table { return m.typ.tables.wire }

func (m tooDeep) Unmarshal([]byte) error {
	return &rt.Error{Code: rt.TooDeep, Message: m.typ.Name, Offset: -1}
}

// JSONToWire appends the encoding of what text says to dst. The rules are those of generated code.
// It keeps nothing of text; when it fails it returns dst as it was. Where o names no Types, those
// of the schema are known.
func (t *Type) JSONToWire(dst, text []byte, o json.Options) ([]byte, error) {
	if o.Types == nil {
		o.Types = t.schema.Known()
	}
	b, err := jsonrt.ToWire(dst, text, t.tables.json, o)
	return t.initialized(dst, b, err)
}

// TextToWire is JSONToWire for text format.
func (t *Type) TextToWire(dst []byte, text string, o gremlin.TextOptions) ([]byte, error) {
	if o.Types == nil {
		o.Types = t.schema.Known()
	}
	b, err := o.Parse(dst, text, t)
	return t.initialized(dst, b, err)
}

// initialized returns b, or dst and an error where a required field is missing in what was appended
// to dst.
func (t *Type) initialized(dst, b []byte, err error) ([]byte, error) {
	if err == nil && t.needsInit {
		m := New(t)
		err = m.Unmarshal(b[len(dst):])
	}
	if err != nil {
		return dst, err
	}
	return b, nil
}

// AppendJSON appends m as JSON to b; see Reader.AppendJSON.
func (m *Message) AppendJSON(b []byte, o json.Options) ([]byte, error) {
	r := NewReader(m.typ)
	if err := r.Unmarshal(m.Marshal()); err != nil {
		return b, err
	}
	return r.AppendJSON(b, o)
}

// MarshalJSON returns m as JSON.
func (m *Message) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil, json.Options{}) }

// UnmarshalJSON replaces the contents of m by those of text, of which it keeps nothing.
func (m *Message) UnmarshalJSON(text []byte) error {
	m.Reset()
	b, err := m.typ.JSONToWire(nil, text, json.Options{})
	if err != nil {
		return err
	}
	return m.Unmarshal(b)
}

// AppendText appends m in text format to b. Where o names no Types, the schema's are known. It
// fails for what no Unmarshal would accept: text that is not UTF-8, messages nested too deep.
func (m *Message) AppendText(b []byte, o gremlin.TextOptions) ([]byte, error) {
	if o.Types == nil {
		o.Types = m.typ.schema.Known()
	}
	return o.Format(b, m.Marshal(), m.typ)
}

// String returns m in text format, on one line, with unknown fields and without what the option
// debug_redact hides; of what cannot be text the error.
func (m *Message) String() string {
	b, err := gremlin.TextOptions{Unknown: true, Redact: true}.Format(nil, m.Marshal(), m.typ)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
