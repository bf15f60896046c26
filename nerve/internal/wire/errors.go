package wire

import (
	"context"
	"errors"

	"github.com/octopus-framework/octopus/nerve"
)

// code says which type an error has.
type code uint16

// The codes of errors without a type; errorKinds has the others. Their numbers stay.
const (
	codeOther    code = 0
	codeClosed   code = 1
	codeReadOnly code = 2
)

// errorFields is an error as a code, texts, numbers and a cause.
type errorFields struct {
	code  code
	texts []string
	nums  []uint64
	cause error
}

// describe finds the first error of the chain that has a code, also among errors
// that are joined.
func describe(err error) errorFields {
	if typed := Typed(err); typed != nil {
		return kindOf(typed).describe(typed)
	}
	switch {
	case errors.Is(err, nerve.ErrClosed):
		return errorFields{code: codeClosed}
	case errors.Is(err, nerve.ErrReadOnly):
		return errorFields{code: codeReadOnly}
	case errors.Is(err, context.DeadlineExceeded):
		return describe(&nerve.TimeoutError{})
	}
	return errorFields{code: codeOther, texts: []string{err.Error()}}
}

// Typed returns the first error in err that is of a type of package nerve and has a code,
// in the order of errors.As, nil if there is none.
func Typed(err error) error {
	for ; err != nil; err = errors.Unwrap(err) {
		if kindOf(err) != nil {
			return err
		}
		if joined, is := err.(interface{ Unwrap() []error }); is {
			for _, one := range joined.Unwrap() {
				if found := Typed(one); found != nil {
					return found
				}
			}
			return nil
		}
	}
	return nil
}

// maxCauses bounds how deep errors nest on the wire.
const maxCauses = 4

// maxText bounds each text of an error on the wire, in bytes.
const maxText = 1000

// AppendError appends an error: its code, a count of texts, the texts, a count of
// numbers, the numbers, and whether a cause follows.
func AppendError(b []byte, err error) []byte { return appendError(b, err, maxCauses) }

func appendError(b []byte, err error, causes int) []byte {
	f := describe(err)
	b = little.AppendUint16(b, uint16(f.code))
	b = append(b, byte(len(f.texts)))
	for _, text := range f.texts {
		b = AppendBytes(b, text[:min(len(text), maxText)])
	}
	b = append(b, byte(len(f.nums)))
	b = AppendUints(b, f.nums...)
	if f.cause == nil || causes == 0 {
		return append(b, 0)
	}
	return appendError(append(b, 1), f.cause, causes-1)
}

// ReadError reads an error; the second one says that the payload is none.
func ReadError(payload []byte) (remote, err error) {
	f := NewFields(payload)
	remote = f.error(maxCauses)
	return remote, f.Err(Error)
}

// byteOf reads one byte.
func (f *Fields) byteOf() int {
	if b := f.take(1); b != nil {
		return int(b[0])
	}
	return 0
}

func (f *Fields) error(causes int) error {
	var e errorFields
	e.code = code(f.Uint16())
	for range f.byteOf() {
		e.texts = append(e.texts, f.String())
		if f.bad {
			return nil
		}
	}
	for range f.byteOf() {
		e.nums = append(e.nums, f.Uint64())
		if f.bad {
			return nil
		}
	}
	if f.byteOf() == 1 {
		if causes == 0 {
			f.bad = true
			return nil
		}
		e.cause = f.error(causes - 1)
	}
	return e.make()
}

// make returns the error. A code that is not known is that of a newer server:
// its texts tell.
func (e errorFields) make() error {
	switch e.code {
	case codeClosed:
		return nerve.ErrClosed
	case codeReadOnly:
		return nerve.ErrReadOnly
	}
	for _, kind := range errorKinds {
		if kind.code == e.code {
			return kind.restore(e)
		}
	}
	var text string
	(&fieldReader{e}).text(&text)
	return errors.New(text)
}
