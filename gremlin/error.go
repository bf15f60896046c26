package gremlin

import "github.com/octopus-framework/octopus/gremlin/rt"

// The limits of what is read and written.
const (
	// MaxSize is the largest message in bytes: the limit of the protobuf format.
	MaxSize = rt.MaxSize
	// MaxDepth is how deep messages may be nested, for CheckEncoding and Message.Unmarshal: the
	// limit of google.golang.org/protobuf too. What lies more than 100 levels deep may take 64
	// times the memory of the input and a MiB.
	MaxDepth = rt.MaxDepth
)

// Error says what is wrong with an input, and where: Code, the full name of the Message, the Path
// of the field in it ("items[3].sku"), Offset in bytes or, for text, Line and Column. All errors of
// this package and of generated code are of type *Error. Unwrap returns the Code, for errors.Is.
type Error = rt.Error

// Code is what was wrong with an input. A Code is an error itself, so that errors.Is(err,
// gremlin.InvalidUTF8) works on the *Error that is returned.
type Code = rt.Code

// The codes of errors.
const (
	// Malformed says that the bytes are no protobuf message: cut off, a bad tag, a varint of more
	// than 64 bits, a group without an end, a length beyond the end.
	Malformed = rt.Malformed
	// InvalidUTF8 says that a string field that must be UTF-8 is not.
	InvalidUTF8 = rt.InvalidUTF8
	// TooDeep says that messages are nested deeper than MaxDepth.
	TooDeep = rt.TooDeep
	// TooLarge says that the input is longer than MaxSize.
	TooLarge = rt.TooLarge
	// MissingRequired says that a required field is not set.
	MissingRequired = rt.MissingRequired
	// BadSyntax says that the text is not of the form that it should have.
	BadSyntax = rt.BadSyntax
	// UnknownName says that the text names a field, an enum value, an extension or a type that
	// there is not.
	UnknownName = rt.UnknownName
	// Duplicate says that the text sets a field twice that is no list, or two members of a oneof.
	Duplicate = rt.Duplicate
	// BadValue says that the text has a value that the field cannot hold.
	BadValue = rt.BadValue
	// TooMuchMemory says that the message may take more memory than UnmarshalWithin was told, or
	// that what is nested more than 100 levels deep may take more than Unmarshal allows, see
	// MaxDepth.
	TooMuchMemory = rt.TooMuchMemory
	// NoJSON says that a type was generated without JSON, and was given to encoding/json.
	NoJSON = rt.NoJSON
)
