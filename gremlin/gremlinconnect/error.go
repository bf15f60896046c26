package gremlinconnect

import (
	"errors"

	"connectrpc.com/connect/v2"

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
func Detail(err error, v gremlin.Reader) (found bool, _ error) {
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
