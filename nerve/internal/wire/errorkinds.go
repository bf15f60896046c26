package wire

import (
	"errors"
	"reflect"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// errorKind is a type of error that crosses the wire.
type errorKind struct {
	code     code
	typ      reflect.Type // a pointer to a struct
	describe func(err error) errorFields
	restore  func(e errorFields) error
}

// fields passes the fields of an error one by one to the wire, or from it. Those of
// one sort come in their order.
type fields interface {
	text(s *string)
	num(n *uint64)
	cause(err *error)
}

// kind is the row of one type, whose fields visit names once for both directions.
func kind[T any, E interface {
	*T
	error
}](c code, visit func(f fields, e E)) errorKind {
	return errorKind{
		code: c, typ: reflect.TypeFor[E](),
		describe: func(err error) errorFields {
			copied := *err.(E) //nolint:errorlint // it is of this type
			w := fieldWriter{errorFields{code: c}}
			visit(&w, &copied)
			return w.errorFields
		},
		restore: func(e errorFields) error {
			err := E(new(T))
			visit(&fieldReader{e}, err)
			return err
		},
	}
}

// errorKinds is the list of nerve's errors: what is here crosses every transport as
// itself, by its code, whose number stays. The order of fields is the protocol, too.
var errorKinds = []errorKind{
	kind(3, func(f fields, e *nerve.TrimmedError) {
		number(f, &e.ID)
		number(f, &e.First)
	}),
	kind(4, func(f fields, e *nerve.FutureError) {
		number(f, &e.ID)
		number(f, &e.Next)
	}),
	kind(5, func(f fields, e *nerve.TooLargeError) {
		f.text(&e.What)
		number(f, &e.Size)
		number(f, &e.Limit)
	}),
	kind(6, func(f fields, e *nerve.NameError) {
		f.text(&e.Name)
		f.text(&e.Reason)
	}),
	kind(7, func(f fields, e *nerve.CorruptError) {
		f.text(&e.File)
		f.text(&e.Reason)
		number(f, &e.Offset)
		number(f, &e.First)
		number(f, &e.Last)
	}),
	kind(8, func(f fields, e *nerve.LostError) {
		number(f, &e.First)
		number(f, &e.Last)
	}),
	kind(9, func(f fields, e *nerve.LockedError) { f.text(&e.Path) }),
	kind(10, func(f fields, e *nerve.FormatError) {
		f.text(&e.Path)
		f.text(&e.Reason)
	}),
	kind(11, func(f fields, e *nerve.IOError) {
		f.text(&e.Op)
		f.text(&e.Path)
		because(f, &e.Err)
	}),
	kind(12, func(f fields, e *nerve.FailedError) { because(f, &e.Cause) }),
	kind(13, func(f fields, e *nerve.OpenError) {
		f.text(&e.Name)
		f.text(&e.Where)
		number(f, &e.Lease)
	}),
	kind(14, func(f fields, e *nerve.FencedError) {
		f.text(&e.What)
		f.text(&e.Name)
		number(f, &e.Epoch)
	}),
	kind(15, func(f fields, e *nerve.OutcomeError) {
		key(f, &e.Key)
		because(f, &e.Cause)
	}),
	kind(16, func(f fields, e *nerve.KeyError) {
		f.text(&e.Reason)
		key(f, &e.Key)
		number(f, &e.Last)
	}),
	kind(17, func(f fields, e *nerve.ConnectionError) {
		f.text(&e.Op)
		f.text(&e.Server)
		because(f, &e.Err)
	}),
	kind(18, func(f fields, e *nerve.SetupError) {
		f.text(&e.Server)
		f.text(&e.Reason)
		f.text(&e.Advice)
		f.cause(&e.Err)
	}),
	kind(19, func(f fields, e *nerve.TimeoutError) { number(f, &e.After) }),
	kind(20, func(f fields, e *nerve.AccessError) {
		f.text(&e.Who)
		f.text(&e.Queue)
		f.text(&e.Role)
	}),
	kind(21, func(f fields, e *nerve.CredentialsError) { f.text(&e.Reason) }),
	kind(22, func(f fields, e *nerve.NotFoundError) { f.text(&e.Queue) }),
	kind(23, func(f fields, e *nerve.BusyError) {
		f.text(&e.What)
		number(f, &e.Limit)
	}),
	kind(24, func(f fields, e *nerve.ProtocolError) { f.text(&e.Reason) }),
	kind(25, func(f fields, e *nerve.FullError) {
		f.text(&e.What)
		number(f, &e.Size)
		number(f, &e.Limit)
	}),
	kind(26, func(f fields, e *nerve.LeaseError) { number(f, &e.ID) }),
}

// kindOf returns the row of an error's own type, nil if it has none.
func kindOf(err error) *errorKind {
	t := reflect.TypeOf(err)
	for i := range errorKinds {
		if errorKinds[i].typ == t {
			return &errorKinds[i]
		}
	}
	return nil
}

// Errors returns an empty error of each type that crosses the wire as itself.
func Errors() []error {
	list := make([]error, len(errorKinds))
	for i, kind := range errorKinds {
		list[i] = kind.restore(errorFields{})
	}
	return list
}

// number passes a number of any type.
func number[N nerve.ID | int | int64 | uint64 | time.Duration](f fields, n *N) {
	u := uint64(*n)
	f.num(&u)
	*n = N(u)
}

func key(f fields, k *nerve.Key) {
	f.num(&k.Producer)
	f.num(&k.Seq)
}

// because passes a cause, which keeps Error methods from nil whatever the other end
// sent.
func because(f fields, err *error) {
	f.cause(err)
	if *err == nil {
		*err = errors.New("the server did not say why")
	}
}

// fieldWriter collects the fields of an error.
type fieldWriter struct{ errorFields }

func (w *fieldWriter) text(s *string)   { w.texts = append(w.texts, *s) }
func (w *fieldWriter) num(n *uint64)    { w.nums = append(w.nums, *n) }
func (w *fieldWriter) cause(err *error) { w.errorFields.cause = *err }

// fieldReader sets the fields of an error; those that were not sent stay empty.
type fieldReader struct{ errorFields }

func (r *fieldReader) text(s *string) {
	if len(r.texts) > 0 {
		*s, r.texts = r.texts[0], r.texts[1:]
	}
}

func (r *fieldReader) num(n *uint64) {
	if len(r.nums) > 0 {
		*n, r.nums = r.nums[0], r.nums[1:]
	}
}

func (r *fieldReader) cause(err *error) { *err = r.errorFields.cause }
