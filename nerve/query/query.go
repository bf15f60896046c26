package query

import (
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query/internal/expr"
)

// Error says what is wrong with the text of a query or expression, and where: Text, Offset, Message
// and Hint; Position and Caret show the place.
type Error = expr.Error

// LimitError says that evaluating expressions came to a bound, and to which. One about a record is
// counted in Stats, where the record does not match, and ends a strict query; one about all of them
// ends the query.
type LimitError = expr.LimitError

// Bound is what a LimitError is about.
type Bound = expr.Bound

// The bounds. Those for one record are fixed; TotalCost is Query.Cost, ResultMemory Query.Memory.
const (
	RecordCost   = expr.RecordCost
	RecordMemory = expr.RecordMemory
	TotalCost    = expr.TotalCost
	ResultMemory = expr.ResultMemory
)

// Query is a question to a queue. The zero value selects all records, as messages.
type Query struct {
	// Select is the columns: paths, expressions and aggregates, each with a
	// name behind " as " if it is to have another than its text.
	Select []string
	// By is what rows are grouped by. Its columns come before those of Select.
	By []string
	// Where is the condition that a record must meet.
	Where string
	// Having is the condition that a row of the result must meet, over
	// aggregates and the names of columns.
	Having string
	// Order is columns to sort the result by, "-" before the largest first:
	// a name, or that of the only column with this aggregate.
	Order []string
	// Limit is how many rows the result has at most; 0 for all.
	Limit int

	// From and To are the first and last id to look at, 0 for no bound. Since
	// and Until bound the append time of records, zero for no bound; Until
	// itself is not included.
	From, To     nerve.ID
	Since, Until time.Time

	// Inner leaves out records whose list has no element, where Select has
	// a row for each element; else they have a row with nulls.
	Inner bool
	// Lazy leaves unverified what the query does not touch: a record that is
	// damaged elsewhere counts. Otherwise it is undecodable.
	Lazy bool
	// Strict makes an error of a record the error of the query.
	Strict bool

	// Workers is how many goroutines read; 0 for one for each processor. The
	// result does not depend on it.
	Workers int
	// Memory bounds the memory of groups and of rows that are sorted, in
	// bytes; 0 for 256 MiB. Beyond it the error is a *MemoryError.
	Memory int64
	// Cost bounds what expressions may cost for all records together, in steps
	// of CEL's interpreter, some 100 ns each; 0 for no bound. Beyond it the
	// error is a *LimitError. Comparing fields over columns costs nothing.
	Cost int64
	// BatchRows is how many records are looked at together; 0 for 4096. The
	// result does not depend on it.
	BatchRows int
	// Progress is told, now and then, how far the query is. It is called by
	// one goroutine at a time and must be quick.
	Progress func(Stats)
	// Now is what the name now stands for; zero for the time of Compile.
	Now time.Time
}

// DefaultMemory is the limit of a query that has none, in bytes.
const DefaultMemory = 256 << 20

// Stats is what a query has done.
type Stats struct {
	Records int64 // looked at
	Bytes   int64 // bytes of these records
	Matched int64 // rows that met the condition
	Groups  int64 // number of groups of the result

	// First and Last are the ids that are, or were to be, looked at.
	First, Last nerve.ID

	// Undecodable is records that are no messages of the type. Errors is rows
	// for which an expression had no value; they do not match, or are null.
	Undecodable, Errors int64
	// FirstUndecodable and FirstError are the records with the lowest ids;
	// FirstErrorText is what was wrong.
	FirstUndecodable, FirstError nerve.ID
	FirstErrorText               string
}

// add takes in what another worker did.
func (s *Stats) add(o *Stats) {
	s.Records += o.Records
	s.Bytes += o.Bytes
	s.Matched += o.Matched
	s.Undecodable += o.Undecodable
	s.Errors += o.Errors
	if o.FirstUndecodable != 0 &&
		(s.FirstUndecodable == 0 || o.FirstUndecodable < s.FirstUndecodable) {
		s.FirstUndecodable = o.FirstUndecodable
	}
	if o.FirstError != 0 && (s.FirstError == 0 || o.FirstError < s.FirstError) {
		s.FirstError, s.FirstErrorText = o.FirstError, o.FirstErrorText
	}
}
