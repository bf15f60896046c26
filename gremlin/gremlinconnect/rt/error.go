package rt

import (
	"errors"

	"connectrpc.com/connect/v2"
	"connectrpc.com/connect/v2/connectproto"
)

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
