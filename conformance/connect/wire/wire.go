// Package wire has what the server and the client under test share: how they talk with the suite's
// runner, and headers.
package wire

import (
	"encoding/binary"
	"errors"
	"io"

	"connectrpc.com/connect/v2"

	"github.com/octopus-framework/octopus/conformance/connect/suite"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TypeURL is what stands before the name of a message in an Any.
const TypeURL = "type.googleapis.com/"

// Types is what an Any in the suite's messages may hold.
var Types = gremlinconnect.WithTypes(&gremlin.Types{Messages: []gremlin.Type{
	(*suite.UnaryRequest)(nil), (*suite.IdempotentUnaryRequest)(nil),
	(*suite.ServerStreamRequest)(nil),
	(*suite.ClientStreamRequest)(nil), (*suite.BidiStreamRequest)(nil),
	(*suite.UnimplementedRequest)(nil),
	(*suite.UnaryResponse)(nil), (*suite.IdempotentUnaryResponse)(nil),
	(*suite.ServerStreamResponse)(nil),
	(*suite.ClientStreamResponse)(nil), (*suite.BidiStreamResponse)(nil),
	(*suite.ConformancePayload_RequestInfo)(nil), (*suite.Header)(nil),
}})

// Read reads the next message, behind its length in four bytes.
func Read(r io.Reader, m gremlin.Message) error {
	var n [4]byte
	if _, err := io.ReadFull(r, n[:]); err != nil {
		return err
	}
	b := make([]byte, binary.BigEndian.Uint32(n[:]))
	if _, err := io.ReadFull(r, b); err != nil {
		return err
	}
	return m.Unmarshal(b)
}

// Write writes a message behind its length.
func Write(w io.Writer, m gremlin.Message) error {
	b := m.MarshalAppend(make([]byte, 4))
	binary.BigEndian.PutUint32(b, uint32(len(b)-4))
	_, err := w.Write(b)
	return err
}

// AddHeaders adds what a definition has to h.
func AddHeaders(h *connect.Header, from []suite.Header) {
	for _, f := range from {
		for _, v := range f.Value {
			h.Add(f.Name, v)
		}
	}
}

// Headers returns h as messages.
func Headers(h *connect.Header) (all []suite.Header) {
	for name, values := range h.All() {
		all = append(all, suite.Header{Name: name, Value: values})
	}
	return all
}

// Any packs what a Reader reads, byte by byte.
func Any(r gremlin.Reader) wkt.Any {
	return wkt.Any{TypeUrl: TypeURL + r.GremlinTable().Name, Value: r.Raw()}
}

// Error returns err as a message; nil for nil.
func Error(err error) *suite.Error {
	if err == nil {
		return nil
	}
	text := err.Error()
	out := &suite.Error{Code: suite.Code_CODE_UNKNOWN, Message: &text}
	if e := new(connect.Error); errors.As(err, &e) {
		text = e.Message()
		out.Code = suite.Code(e.Code())
		for _, d := range e.Details() {
			out.Details = append(out.Details, wkt.Any{TypeUrl: TypeURL + d.Type, Value: d.Value})
		}
	}
	return out
}
