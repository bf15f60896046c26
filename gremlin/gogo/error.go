package gogo

import (
	"io"
	"strconv"
)

// Error is an error of encoding or decoding, with gogo's text.
type Error struct{ text string }

// Error returns the text.
func (e *Error) Error() string { return e.text }

// NewError returns an error with a text. Every call returns another one.
func NewError(text string) error { return &Error{text} }

func wrong(text string) error { return &Error{text} }

func decimal(v int64) string   { return strconv.FormatInt(v, 10) }
func decimalU(v uint64) string { return strconv.FormatUint(v, 10) }

// Errors are the errors that a generated file exports, so that callers can compare with them.
type Errors struct {
	InvalidLength, IntOverflow, UnexpectedEndOfGroup error
}

// Field is the number and Go name of a field.
type Field struct {
	Number int32
	Name   string
}

// Message is what errors of decoding a message say of it.
type Message struct {
	Name   string  // as declared, without the messages around it
	Fields []Field // sorted by number
	Errors *Errors
}

func (m *Message) field(number int32) (name string, ok bool) {
	if n := len(m.Fields); n == 0 || number > m.Fields[n-1].Number {
		return "", false
	}
	from, to := 0, len(m.Fields)-1
	for from < to {
		if at := (from + to) / 2; m.Fields[at].Number < number {
			from = at + 1
		} else {
			to = at
		}
	}
	return m.Fields[from].Name, m.Fields[from].Number == number
}

// Error returns the error that a negative offset stands for.
func (m *Message) Error(offset int) error { return m.Errors.of(offset) }

func (e *Errors) of(offset int) error {
	switch offset {
	case truncated:
		return io.ErrUnexpectedEOF
	case overflow:
		return e.IntOverflow
	case negativeLength:
		return e.InvalidLength
	case endOfGroup:
		return e.UnexpectedEndOfGroup
	case wireType6:
		return wrong("proto: illegal wireType 6")
	}
	return wrong("proto: illegal wireType 7")
}

// TooDeep is the error for a message that is nested deeper than MaxDepth.
func (m *Message) TooDeep() error {
	return wrong("proto: " + m.Name + ": nested deeper than " + strconv.Itoa(MaxDepth) +
		" messages")
}

// SizeError is the error for a custom type that writes another number of bytes than its Size method
// says, or more than there is room for.
func SizeError(field string, said, wrote int) error {
	return wrong("proto: the custom type of field " + field + " said that it takes " +
		strconv.Itoa(said) + " bytes and wrote " +
		strconv.Itoa(wrote))
}

// RequiredNotSetError is the error for a required field that is not set.
type RequiredNotSetError struct{ field string }

// Error returns gogo's text.
func (e *RequiredNotSetError) Error() string {
	if e.field == "" {
		return "proto: required field not set"
	}
	return "proto: required field " + strconv.Quote(e.field) + " not set"
}

// RequiredNotSet tells the libraries of gogo and golang/protobuf what kind of error it is.
func (e *RequiredNotSetError) RequiredNotSet() bool { return true }

// NewRequiredNotSetError returns the error for a field; its name may be empty.
func NewRequiredNotSetError(field string) error { return &RequiredNotSetError{field} }
