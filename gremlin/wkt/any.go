package wkt

import (
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// TypeURLPrefix stands before the full name of the type in an Any that AnyOf makes. Any prefix that
// ends in a slash is read.
const TypeURLPrefix = "type.googleapis.com/"

// AnyOf returns an Any that holds m. Maps are sorted by key, so that equal messages give equal
// bytes.
func AnyOf(m rt.Message) *Any {
	return &Any{TypeUrl: TypeURLPrefix + m.GremlinTable().Name, Value: rt.MarshalStable(nil, m)}
}

// Is tells whether m holds a message of type t, which may be a nil pointer:
// m.Is((*shopv1.Deposit)(nil)).
func (m *Any) Is(t rt.Type) bool { return holds(m.GetTypeUrl(), t) }

// UnmarshalTo decodes what m holds into x. It fails when that is of another type.
func (m *Any) UnmarshalTo(x rt.Message) error {
	if !m.Is(x) {
		return &AnyTypeError{TypeURL: m.GetTypeUrl(), Want: x.GremlinTable().Name}
	}
	return x.Unmarshal(m.Value)
}

// Is tells whether r holds a message of type t, which may be a nil pointer.
func (r *AnyReader) Is(t rt.Type) bool { return holds(r.GetTypeUrl(), t) }

// UnmarshalTo makes x, a Reader or a Message, decode what r holds. A Reader shares the memory of r.
// It fails when r holds another type.
func (r *AnyReader) UnmarshalTo(x interface {
	rt.Type
	Unmarshal(b []byte) error
}) error {
	if !r.Is(x) {
		return &AnyTypeError{TypeURL: r.GetTypeUrl(), Want: x.GremlinTable().Name}
	}
	return x.Unmarshal(r.GetValue())
}

// holds compares what stands behind the last slash with the name of a type.
func holds(url string, t rt.Type) bool {
	i := strings.LastIndexByte(url, '/')
	return i >= 0 && url[i+1:] == t.GremlinTable().Name
}

// AnyTypeError says that an Any holds another type than was asked for.
type AnyTypeError struct {
	TypeURL string // type URL of the Any; empty if it holds nothing
	Want    string // full name
}

// Error implements error.
func (e *AnyTypeError) Error() string {
	if e.TypeURL == "" {
		return "wkt: the Any is empty, want a " + e.Want
	}
	return "wkt: the Any holds " + e.TypeURL + ", not a " + e.Want
}
