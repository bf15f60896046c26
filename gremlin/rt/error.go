package rt

import "strconv"

// Code is what was wrong with an input. A Code is an error itself, so that errors.Is(err,
// gremlin.InvalidUTF8) works on the *Error that the package returns.
type Code uint8

const (
	// Malformed: the bytes are no protobuf message: cut off, a bad tag, a varint of more than 64
	// bits, a group without an end, a length beyond the end.
	Malformed Code = iota + 1
	// InvalidUTF8: a string field that must be UTF-8 is not.
	InvalidUTF8
	// TooDeep: messages are nested deeper than MaxDepth.
	TooDeep
	// TooLarge: the input is longer than MaxSize.
	TooLarge
	// MissingRequired: a required field is not set.
	MissingRequired
	// BadSyntax: the text is not of the form that it should have.
	BadSyntax
	// UnknownName: the text names a field, an enum value, an extension or a type that there is not.
	UnknownName
	// Duplicate: the text sets a field twice that is no list, or two members of a oneof.
	Duplicate
	// BadValue: the text has a value that the field cannot hold.
	BadValue
	// TooMuchMemory: the message may take more memory than UnmarshalWithin was told, or what is
	// nested more than 100 levels deep more than Unmarshal allows, see MaxDepth.
	TooMuchMemory
	// NoJSON: the type was generated without JSON.
	NoJSON
)

// Error returns the code as words.
func (c Code) Error() string {
	switch c {
	case Malformed:
		return "malformed protobuf"
	case InvalidUTF8:
		return "invalid UTF-8"
	case TooDeep:
		return "messages nested too deeply"
	case TooLarge:
		return "message larger than 2 GiB"
	case MissingRequired:
		return "required field not set"
	case BadSyntax:
		return "malformed text"
	case UnknownName:
		return "unknown name"
	case Duplicate:
		return "field set twice"
	case BadValue:
		return "value does not fit"
	case TooMuchMemory:
		return "message takes more memory than allowed"
	case NoJSON:
		return "generated without JSON: set json: true in gremlin.yaml, or run gremlin generate --json"
	}
	return "gremlin.Code(" + strconv.Itoa(int(c)) + ")"
}

// Error says what is wrong with an input, and where. All errors of this package and of generated
// code are of this type.
type Error struct {
	Code    Code
	Message string // full name of the outermost message: "shop.v1.Deposit"
	// field in it, as .proto names: "user.geo.country", "items[3].sku"; empty for the message
	// itself
	Path string
	// offset in bytes from the start of the outermost message or the text; -1 where there is none
	// (required fields)
	Offset int

	// Of text only, else 0 and "".
	Line, Column int    // line and column, counted from 1; columns count characters
	Detail       string // what Code is about: `unknown field "nmae"`
}

// Error returns "shop.v1.Deposit: user.geo.country: invalid UTF-8 at offset 37", or for text
// `shop.v1.Deposit: user: unknown field "nmae" at line 3, column 7`.
func (e *Error) Error() string {
	s := e.Message
	if e.Path != "" {
		s += ": " + e.Path
	}
	if e.Detail != "" {
		s += ": " + e.Detail
	} else {
		s += ": " + e.Code.Error()
	}
	switch {
	case e.Line > 0:
		s += " at line " + strconv.Itoa(e.Line) + ", column " + strconv.Itoa(e.Column)
	case e.Offset >= 0:
		s += " at offset " + strconv.Itoa(e.Offset)
	}
	return s
}

// Unwrap returns the Code, for errors.Is.
func (e *Error) Unwrap() error { return e.Code }

// maxPath bounds the Path of an Error; a message of MaxDepth levels would otherwise take quadratic
// time to complain about.
const maxPath = 200

// in adds the field that led to e's place in front of its path. Paths are built while unwinding, so
// that success pays nothing for them.
func (e *Error) in(field string, index int) {
	if index >= 0 {
		field += "[" + strconv.Itoa(index) + "]"
	}
	if len(e.Path) > maxPath {
		e.Path = e.Path[:maxPath] + "..."
	}
	if e.Path != "" {
		field += "." + e.Path
	}
	e.Path = field
}

// Required returns the error for a required field that is not set.
func Required(message, field string) error {
	return &Error{Code: MissingRequired, Message: message, Path: field, Offset: -1}
}

// WithoutJSON returns the error for a type that was generated without JSON, so that encoding/json
// does not write the names and numbers of its Go fields.
func WithoutJSON(t *Table) error { return &Error{Code: NoJSON, Message: t.Name, Offset: -1} }

// InField adds the field of the message that err, not nil, was found in: element index of it, or
// index -1 for a field that is no list.
func InField(err error, message, field string, index int) error {
	if e, ok := err.(*Error); ok {
		e.in(field, index)
		e.Message = message
	}
	return err
}
