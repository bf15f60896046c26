package dynamic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/gremlin"
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
	m := dynamicpb.NewMessage(t.desc)
	if err := t.decode(m, b, from, o); err != nil {
		return dst, err
	}
	return t.encode(dst, m, to, o)
}

func (t *Type) decode(m proto.Message, b []byte, from Format, o Options) error {
	switch from {
	case JSON:
		if len(bytes.TrimSpace(b)) == 0 {
			return &Error{Line: 1, Column: 1,
				Message: "there is no JSON here; an empty message is {}"}
		}
		err := protojson.UnmarshalOptions{Resolver: t.resolver,
			DiscardUnknown: o.DiscardUnknown}.Unmarshal(b, m)
		return foreign(err)
	case Text:
		var err error
		b, err = gremlin.TextOptions{Types: t.types, DiscardUnknown: o.DiscardUnknown}.Parse(nil,
			string(b), t.table)
		var e *gremlin.Error
		if errors.As(err, &e) {
			return &Error{Line: e.Line, Column: e.Column, Message: withoutPlace(*e)}
		}
	}
	err := proto.UnmarshalOptions{Resolver: t.resolver,
		DiscardUnknown: o.DiscardUnknown}.Unmarshal(b, m)
	if err == nil {
		return nil
	}
	// The tables say where it is; of required fields they know nothing.
	if _, e := (gremlin.TextOptions{}).Format(nil, b, t.table); e != nil {
		return &Error{Message: e.Error()}
	}
	return foreign(err)
}

// withoutPlace returns an error's text without line and column.
func withoutPlace(e gremlin.Error) string {
	e.Line, e.Offset = 0, -1
	return e.Error()
}

func (t *Type) encode(dst []byte, m proto.Message, to Format, o Options) ([]byte, error) {
	if to == JSON {
		text, err := protojson.MarshalOptions{Resolver: t.resolver, EmitUnpopulated: o.EmitDefaults,
			UseProtoNames:  o.ProtoNames,
			UseEnumNumbers: o.EnumNumbers}.Marshal(m)
		if err != nil {
			return dst, foreign(err)
		}
		out := bytes.NewBuffer(dst)
		if o.Indent != "" {
			err = json.Indent(out, text, "", o.Indent)
		} else {
			err = json.Compact(out, text)
		}
		return out.Bytes(), err
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return dst, foreign(err)
	}
	b = ordered(b, t.table)
	if to == Binary {
		return append(dst, b...), nil
	}
	out, err := gremlin.TextOptions{Types: t.types, Indent: o.Indent,
		Unknown: o.ShowUnknown}.Format(dst, b, t.table)
	if err != nil {
		return dst, &Error{Message: err.Error()}
	}
	return out, nil
}

var place = regexp.MustCompile(`(?s)^(.*?) ?\(line (\d+):(\d+)\)(.*)$`)

// foreign makes an *Error of one of protobuf-go.
func foreign(err error) error {
	if err == nil {
		return nil
	}
	text := strings.TrimLeft(strings.TrimPrefix(err.Error(), "proto:"), " \u00a0")
	found := place.FindStringSubmatch(text)
	if found == nil {
		return &Error{Message: text}
	}
	e := &Error{Message: strings.TrimPrefix(found[1]+found[4], ": ")}
	e.Line, _ = strconv.Atoi(found[2])
	e.Column, _ = strconv.Atoi(found[3])
	return e
}
