package expr

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Limits of expressions, and of what evaluating one for one record may take. A unit of cost is a
// step of CEL, some 100 ns.
const (
	MaxText   = 16 << 10 // bytes
	maxDepth  = 100
	maxNodes  = 10000
	maxCost   = 1 << 20
	maxMemory = 64 << 20 // bytes of values that are made, all added up
	maxRegexp = 2000     // instructions of a pattern
)

// Bound is a limit of what evaluating expressions may take.
type Bound uint8

// The bounds.
const (
	RecordCost   Bound = iota + 1 // steps for one record
	RecordMemory                  // bytes of the values made for one record
	TotalCost                     // steps for all records of a query together
	ResultMemory                  // bytes of the results for a batch of records
)

// LimitError says that evaluating an expression came to a bound.
type LimitError struct {
	Bound Bound
	Limit int64
}

// Error names the bound, and what to do.
func (e *LimitError) Error() string {
	switch e.Bound {
	case RecordCost:
		return fmt.Sprintf("the expression costs more than %d steps for this record", e.Limit)
	case RecordMemory:
		return fmt.Sprintf("the values of the expression take more than %d bytes for this record",
			e.Limit)
	case TotalCost:
		return fmt.Sprintf("the expressions cost more than %d steps for all records together;"+
			" ask for fewer records, or compare fields without macros and patterns", e.Limit)
	}
	return fmt.Sprintf("the results of an expression take more than %d bytes;"+
		" select something shorter", e.Limit)
}

// Meter counts what the evaluations of one query cost. It is safe for concurrent use.
type Meter struct {
	Cost   int64 // the bound of the cost, 0 for none
	Memory int64 // the bound of the results of a batch in bytes, 0 for none
	spent  atomic.Int64
}

// spend adds to the cost of all records.
func (m *Meter) spend(cost uint64) error {
	if m == nil {
		return nil
	}
	if spent := m.spent.Add(int64(cost)); m.Cost <= 0 || spent <= m.Cost {
		return nil
	}
	return &LimitError{Bound: TotalCost, Limit: m.Cost}
}

// Spent is the cost so far.
func (m *Meter) Spent() int64 { return m.spent.Load() }

// spend adds to what the evaluation costs; the first error ends it.
func (in *Input) spend(cost uint64) bool {
	if in.failed == nil {
		in.failed = in.Meter.spend(cost)
	}
	if in.failed == nil && in.Ctx != nil && in.Ctx.Err() != nil {
		in.failed = context.Cause(in.Ctx)
	}
	return in.failed == nil
}
