package report

import (
	"cmp"
	"slices"
	"strings"
)

// Severity tells whether a diagnostic stops the run.
type Severity uint8

// The severities. The zero value is Error: a diagnostic that nobody has thought about stops the
// run.
const (
	Error Severity = iota
	Warning
)

// String returns "error" or "warning".
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one finding. The zero position (Line 0) means the whole file; an empty File means
// the run as a whole.
type Diagnostic struct {
	Severity Severity
	// path on disk where there is one; an import path where the file was never opened
	File string

	// Line and Column count from 1. Columns count characters, a tab is one. The end is exclusive:
	// EndColumn is the column behind the last character. A zero EndLine means that only the start
	// is known.
	Line, Column       int
	EndLine, EndColumn int

	Message string
	Hint    string // what to do; several hints are separated by "\n"; may be empty
	Notes   []Note // other places that belong to it, in the order in which they are to be read
}

// Note is a remark beside a diagnostic. Its position follows the rules of Diagnostic's and may be
// missing, as may its message.
type Note struct {
	File               string
	Line, Column       int
	EndLine, EndColumn int
	Message            string
}

// Error returns the diagnostic in one line, "file:line:column: message", so that a Diagnostic can
// travel as an error.
func (d Diagnostic) Error() string {
	if p := position(d.File, d.Line, d.Column); p != "" {
		return p + ": " + d.Message
	}
	return d.Message
}

// List is the findings of a run.
type List []Diagnostic

// Sorted returns the diagnostics ordered by file and position, findings without a file first, each
// only once.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Diagnostic) int {
		return cmp.Or(
			strings.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity, b.Severity),
			strings.Compare(a.Message, b.Message),
			strings.Compare(a.Hint, b.Hint),
		)
	})
	return slices.CompactFunc(out, func(a, b Diagnostic) bool {
		return a.File == b.File && a.Line == b.Line && a.Column == b.Column &&
			a.Severity == b.Severity &&
			a.Message == b.Message && a.Hint == b.Hint && slices.Equal(a.Notes, b.Notes)
	})
}

// Errors counts the diagnostics of severity Error.
func (l List) Errors() int {
	n := 0
	for _, d := range l {
		if d.Severity == Error {
			n++
		}
	}
	return n
}
