package dynamic

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/json"
)

// Format is a form of messages.
type Format string

// The formats.
const (
	Binary Format = "binary"
	JSON   Format = "json"
	Text   Format = "text"
)

// Options of converting; the zero value is useful. An option that a format does not have is without
// effect there.
type Options struct {
	EmitDefaults bool // JSON: write fields without presence also when they have the zero value
	ProtoNames   bool // JSON: write field names as the .proto file has them
	EnumNumbers  bool // JSON: write enums as numbers
	// JSON and text: one element or field a line, indented by this; empty for one line
	Indent string
	// all: pass over unknown fields instead of rejecting (JSON, text) or keeping (binary) them
	DiscardUnknown bool
	ShowUnknown    bool // text: write unknown fields by number
}

// Error is what is wrong with a message. Line and Column count from 1 and are 0 where there are
// none.
type Error struct {
	Line, Column int
	Message      string
}

// Error returns "line 3, column 7: unknown field".
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Convert appends a message to dst in another form. It keeps nothing of b. Errors about b are of
// type *Error.
func (t *Type) Convert(dst []byte, to Format, b []byte, from Format, o Options) ([]byte, error) {
	m, err := t.decode(b, from, o)
	if err != nil {
		return dst, placed(err)
	}
	out, err := encode(dst, m, to, o)
	if err != nil {
		return dst, placed(err)
	}
	return out, nil
}

// decode reads a message in any form.
func (t *Type) decode(b []byte, from Format, o Options) (m *dynamic.Message, err error) {
	switch {
	case from == JSON && len(bytes.TrimSpace(b)) == 0:
		return nil, &Error{Line: 1, Column: 1,
			Message: "there is no JSON here; an empty message is {}"}
	case from == JSON:
		b, err = t.Dynamic.JSONToWire(nil, b, json.Options{DiscardUnknown: o.DiscardUnknown})
	case from == Text:
		b, err = t.Dynamic.TextToWire(nil, string(b),
			gremlin.TextOptions{DiscardUnknown: o.DiscardUnknown})
	}
	if err != nil {
		return nil, err
	}
	m = dynamic.New(t.Dynamic)
	if err := m.Unmarshal(b); err != nil {
		return nil, err
	}
	if o.DiscardUnknown {
		m.DiscardUnknown()
	}
	return m, nil
}

func encode(dst []byte, m *dynamic.Message, to Format, o Options) ([]byte, error) {
	switch to {
	case JSON:
		return m.AppendJSON(dst, json.Options{EmitDefaults: o.EmitDefaults,
			ProtoNames: o.ProtoNames, EnumNumbers: o.EnumNumbers, Indent: o.Indent})
	case Text:
		return m.AppendText(dst, gremlin.TextOptions{Indent: o.Indent, Unknown: o.ShowUnknown})
	}
	return m.MarshalAppend(dst), nil
}

// placed makes an *Error of an error of package gremlin.
func placed(err error) error {
	var e *gremlin.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Line == 0 {
		return &Error{Message: e.Error()}
	}
	plain := *e
	plain.Line, plain.Offset = 0, -1
	return &Error{Line: e.Line, Column: e.Column, Message: plain.Error()}
}
