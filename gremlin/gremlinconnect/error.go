package gremlinconnect

import (
	"errors"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"

	"github.com/octopus-framework/octopus/gremlin"
)

// NewErrorDetail returns m as a detail for WithDetail of an error. Clients in other languages find
// it where they look for it.
func NewErrorDetail(m gremlin.Message) *connect.ErrorDetail {
	return &connect.ErrorDetail{Type: m.GremlinTable().Name, Value: m.Marshal()}
}

// Detail finds the first detail of v's type in a connect.Error and makes v read it. found is false
// where err is none or has no such detail; the error tells what is wrong with the one that was
// found.
func Detail(err error, v Reader) (found bool, _ error) {
	var e *connect.Error
	if !errors.As(err, &e) {
		return false, nil
	}
	name := v.GremlinTable().Name
	for _, d := range e.Details() {
		if d.Type == name {
			return true, new(options).read(d.Value, v)
		}
	}
	return false, nil
}

// explain adds to an error of connect's own codecs how to get those of this package.
func explain(err error) error {
	if err == nil || !errors.Is(err, connectproto.ErrNotProtoMessage) {
		return err
	}
	text := err.Error()
	if e := new(connect.Error); errors.As(err, &e) {
		text = e.Message()
	}
	return connect.NewError(connect.CodeInternal, text+
		" (add gremlinconnect.WithCodecs() to the options of connecthttp.Mount and connecthttp.NewTransport)").WithCause(err)
}
