package json

import "github.com/octopus-framework/octopus/gremlin/json/rt"

// Options of both directions. The zero value is the JSON mapping of protobuf as its specification
// has it. The fields are documented in package gremlin/json/rt:
//
//   - of writing: EmitDefaults, ProtoNames, EnumNumbers, Int64AsNumber, SixDigits, Indent
//   - of reading: DiscardUnknown, MaxSize
//   - of both: Types, which names extensions and what an Any may hold, and MaxDepth
type Options = rt.Options

// Message is a pointer to a generated Message with JSON, *Deposit.
type Message = rt.Message

// Marshal returns m as JSON. It fails for what JSON cannot say: a string that is not UTF-8, an Any
// of a type that o does not name, a time out of range.
func Marshal(m Message, o Options) ([]byte, error) { return rt.Marshal(m, o) }

// Append appends m as JSON to b. When it fails it returns b as it was.
func Append(b []byte, m Message, o Options) ([]byte, error) { return rt.Append(b, m, o) }

// Unmarshal replaces the contents of m by those of text, of which it keeps nothing. After an error
// m is empty, unless all that is wrong is a required field.
func Unmarshal(text []byte, m Message, o Options) error { return rt.Unmarshal(text, m, o) }

// Check tells whether text is JSON, and in UTF-8. Strings must not have halves of surrogate pairs.
func Check(text []byte, o Options) error { return rt.Check(text, o) }
