package expr

import (
	"context"
	"time"

	"github.com/octopus-framework/octopus/nerve/query/column"
)

// Code says why a row has no value, 0 that it has one.
type Code uint8

// The codes; the texts are those of cel-go.
const (
	ok Code = iota
	intOverflow
	uintOverflow
	divisionByZero
	modulusByZero
	noSuchKey
	outOfBounds
	durationOverflow
	timestampOverflow
	conversion
	otherError // of the interpreter, see Vec.First
	overCost   // see RecordCost
	overMemory // see RecordMemory
	// NoElement is that of a row whose list has no element, or of a result that is null:
	// there is no value, but nothing is wrong.
	NoElement
)

var codeTexts = [...]string{"", "integer overflow", "unsigned integer overflow",
	"division by zero", "modulus by zero", "no such key", "index out of bounds",
	"duration overflow", "timestamp overflow",
	"type conversion error", "error", (&LimitError{RecordCost, maxCost}).Error(),
	(&LimitError{RecordMemory, maxMemory}).Error(), "null"}

// String returns the text of an error.
func (c Code) String() string { return codeTexts[c] }

// Vec is a value for each row: in Bools for bools, else where a Column of the kind has them.
type Vec struct {
	Kind    column.Kind
	Bools   []bool
	Ints    []int64
	Floats  []float64
	Strings []string
	Valid   []bool // false where a row is null; nil when none is
	Errs    []Code // nil when no row has an error
	// First is the text of the first error of the interpreter, in row FirstAt.
	First   string
	FirstAt int
}

// Err returns the error of row i, "" if there is none.
func (v *Vec) Err(i int) string {
	switch {
	case v.Errs == nil || v.Errs[i] == ok:
		return ""
	case v.Errs[i] == otherError && v.First != "":
		return v.First
	}
	return v.Errs[i].String()
}

// Limit is the bound that row i came to, nil if it did not.
func (v *Vec) Limit(i int) error {
	switch {
	case v.Errs != nil && v.Errs[i] == overCost:
		return &LimitError{RecordCost, maxCost}
	case v.Errs != nil && v.Errs[i] == overMemory:
		return &LimitError{RecordMemory, maxMemory}
	}
	return nil
}

// Input is the rows that expressions are evaluated for.
type Input struct {
	Rows int
	Cols []column.Column // columns of the paths of the Env, by their index
	// id and time of the record that each row comes from
	IDs   []int64
	Times []int64 // nanoseconds since 1970
	Data  []string
	// Wide says that Cols have times which nanoseconds cannot express; then all
	// that asks for times is up to the interpreter.
	Wide bool
	// Now is the time when the query began.
	Now time.Time
	// Ctx ends an evaluation, Meter bounds what all of them cost; both may be nil.
	Ctx    context.Context
	Meter  *Meter
	failed error // what ended the evaluation
}

// room returns s with n elements, whose values do not matter.
func room[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, 4096))
	}
	return s[:n]
}

// errs are the errors of two operands, in memory that is used again.
type errs struct{ own []Code }

// join returns the errors of a and b, a's first.
func (e *errs) join(a, b []Code) []Code {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	e.own = room(e.own, len(a))
	for i := range a {
		if e.own[i] = a[i]; a[i] == ok {
			e.own[i] = b[i]
		}
	}
	return e.own
}

// fresh returns errors that may be written to, beginning with those of a and b.
func (e *errs) fresh(a, b []Code, rows int) []Code {
	joined := e.join(a, b)
	if joined == nil {
		e.own = room(e.own, rows)
		clear(e.own)
		return e.own
	}
	if len(e.own) == 0 || &joined[0] != &e.own[0] {
		e.own = room(e.own, rows)
		copy(e.own, joined)
	}
	return e.own
}
