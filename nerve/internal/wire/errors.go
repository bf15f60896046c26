package wire

import (
	"context"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// code says which type an error has.
type code uint16

// The codes. Their numbers stay.
const (
	codeOther    code = 0
	codeClosed   code = 1
	codeReadOnly code = 2
	codeTrimmed  code = 3
	codeFuture   code = 4
	codeTooLarge code = 5
	codeName     code = 6
	codeCorrupt  code = 7
	codeLost     code = 8
	codeLocked   code = 9
	codeFormat   code = 10
	codeIO       code = 11
	codeFailed   code = 12
	codeOpen     code = 13
	codeFenced   code = 14
	codeOutcome  code = 15
	codeKey      code = 16
	codeConn     code = 17
	codeSetup    code = 18
	codeTimeout  code = 19
	codeAccess   code = 20
	codeUnknown  code = 21 // credentials
	codeNotFound code = 22
	codeBusy     code = 23
	codeProtocol code = 24
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
	if f, ok := describeOne(Typed(err)); ok {
		return f
	}
	switch {
	case errors.Is(err, nerve.ErrClosed):
		return errorFields{code: codeClosed}
	case errors.Is(err, nerve.ErrReadOnly):
		return errorFields{code: codeReadOnly}
	case errors.Is(err, context.DeadlineExceeded):
		return errorFields{code: codeTimeout, nums: []uint64{0}}
	}
	return errorFields{code: codeOther, texts: []string{err.Error()}}
}

// Typed returns the first error in err that is of a type of package nerve and has a code,
// in the order of errors.As, nil if there is none.
func Typed(err error) error {
	for ; err != nil; err = errors.Unwrap(err) {
		if _, ok := describeOne(err); ok {
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

func describeOne(err error) (f errorFields, ok bool) {
	set := func(c code, texts []string, nums ...uint64) errorFields {
		return errorFields{code: c, texts: texts, nums: nums}
	}
	switch e := err.(type) { //nolint:errorlint // describe walks the chain
	case *nerve.TrimmedError:
		f = set(codeTrimmed, nil, uint64(e.ID), uint64(e.First))
	case *nerve.FutureError:
		f = set(codeFuture, nil, uint64(e.ID), uint64(e.Next))
	case *nerve.TooLargeError:
		f = set(codeTooLarge, []string{e.What}, uint64(e.Size), uint64(e.Limit))
	case *nerve.NameError:
		f = set(codeName, []string{e.Name, e.Reason})
	case *nerve.CorruptError:
		f = set(codeCorrupt, []string{e.File, e.Reason}, uint64(e.Offset), uint64(e.First),
			uint64(e.Last))
	case *nerve.LostError:
		f = set(codeLost, nil, uint64(e.First), uint64(e.Last))
	case *nerve.LockedError:
		f = set(codeLocked, []string{e.Path})
	case *nerve.FormatError:
		f = set(codeFormat, []string{e.Path, e.Reason})
	case *nerve.IOError:
		f = set(codeIO, []string{e.Op, e.Path})
		f.cause = e.Err
	case *nerve.FailedError:
		f = set(codeFailed, nil)
		f.cause = e.Cause
	case *nerve.OpenError:
		f = set(codeOpen, []string{e.Name, e.Where}, uint64(e.Lease))
	case *nerve.FencedError:
		f = set(codeFenced, []string{e.What, e.Name}, e.Epoch)
	case *nerve.OutcomeError:
		f = set(codeOutcome, nil, e.Key.Producer, e.Key.Seq)
		f.cause = e.Cause
	case *nerve.KeyError:
		f = set(codeKey, []string{e.Reason}, e.Key.Producer, e.Key.Seq, e.Last)
	case *nerve.ConnectionError:
		f = set(codeConn, []string{e.Op, e.Server})
		f.cause = e.Err
	case *nerve.SetupError:
		f = set(codeSetup, []string{e.Server, e.Reason, e.Advice})
		f.cause = e.Err
	case *nerve.TimeoutError:
		f = set(codeTimeout, nil, uint64(e.After))
	case *nerve.AccessError:
		f = set(codeAccess, []string{e.Who, e.Queue, e.Role})
	case *nerve.CredentialsError:
		f = set(codeUnknown, []string{e.Reason})
	case *nerve.NotFoundError:
		f = set(codeNotFound, []string{e.Queue})
	case *nerve.BusyError:
		f = set(codeBusy, []string{e.What}, uint64(e.Limit))
	case *nerve.ProtocolError:
		f = set(codeProtocol, []string{e.Reason})
	default:
		return f, false
	}
	return f, true
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

func (e errorFields) text(i int) string {
	if i < len(e.texts) {
		return e.texts[i]
	}
	return ""
}

func (e errorFields) num(i int) uint64 {
	if i < len(e.nums) {
		return e.nums[i]
	}
	return 0
}

func (e errorFields) id(i int) nerve.ID { return nerve.ID(e.num(i)) }

func (e errorFields) key() nerve.Key { return nerve.Key{Producer: e.num(0), Seq: e.num(1)} }

// causeOr keeps Error methods from a nil cause, whatever the other end sent.
func (e errorFields) causeOr() error {
	if e.cause == nil {
		return errors.New("the server did not say why")
	}
	return e.cause
}

// make returns the error. A code that is not known is that of a newer server:
// its texts tell.
func (e errorFields) make() error {
	switch e.code {
	case codeClosed:
		return nerve.ErrClosed
	case codeReadOnly:
		return nerve.ErrReadOnly
	case codeTrimmed:
		return &nerve.TrimmedError{ID: e.id(0), First: e.id(1)}
	case codeFuture:
		return &nerve.FutureError{ID: e.id(0), Next: e.id(1)}
	case codeTooLarge:
		return &nerve.TooLargeError{What: e.text(0), Size: int(e.num(0)), Limit: int(e.num(1))}
	case codeName:
		return &nerve.NameError{Name: e.text(0), Reason: e.text(1)}
	case codeCorrupt:
		return &nerve.CorruptError{File: e.text(0), Reason: e.text(1), Offset: int64(e.num(0)),
			First: e.id(1), Last: e.id(2)}
	case codeLost:
		return &nerve.LostError{First: e.id(0), Last: e.id(1)}
	case codeLocked:
		return &nerve.LockedError{Path: e.text(0)}
	case codeFormat:
		return &nerve.FormatError{Path: e.text(0), Reason: e.text(1)}
	case codeIO:
		return &nerve.IOError{Op: e.text(0), Path: e.text(1), Err: e.causeOr()}
	case codeFailed:
		return &nerve.FailedError{Cause: e.causeOr()}
	case codeOpen:
		return &nerve.OpenError{Name: e.text(0), Where: e.text(1), Lease: time.Duration(e.num(0))}
	case codeFenced:
		return &nerve.FencedError{What: e.text(0), Name: e.text(1), Epoch: e.num(0)}
	case codeOutcome:
		return &nerve.OutcomeError{Key: e.key(), Cause: e.causeOr()}
	case codeKey:
		return &nerve.KeyError{Key: e.key(), Last: e.num(2), Reason: e.text(0)}
	case codeConn:
		return &nerve.ConnectionError{Op: e.text(0), Server: e.text(1), Err: e.causeOr()}
	case codeSetup:
		return &nerve.SetupError{Server: e.text(0), Reason: e.text(1), Advice: e.text(2),
			Err: e.cause}
	case codeTimeout:
		return &nerve.TimeoutError{After: time.Duration(e.num(0))}
	case codeAccess:
		return &nerve.AccessError{Who: e.text(0), Queue: e.text(1), Role: e.text(2)}
	case codeUnknown:
		return &nerve.CredentialsError{Reason: e.text(0)}
	case codeNotFound:
		return &nerve.NotFoundError{Queue: e.text(0)}
	case codeBusy:
		return &nerve.BusyError{What: e.text(0), Limit: int(e.num(0))}
	case codeProtocol:
		return &nerve.ProtocolError{Reason: e.text(0)}
	case codeOther:
	}
	return errors.New(e.text(0))
}
