package web

import (
	"context"
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
)

// requestCost bounds what the expressions of one request may cost for all records that it looks at,
// in steps of CEL's interpreter: half a minute of a processor. Tests lower it.
var requestCost int64 = 1 << 28

// compileFilter makes a filter of an expression over the fields of the records.
func (s *schema) compileFilter(where string) (filter, error) {
	f, err := query.CompileFilter(s.typeOf(), where)
	if err != nil {
		return nil, s.typeError(expressionError(err))
	}
	return expression{f.Matcher(requestCost)}, nil
}

// typeError adds to an error of an expression what to do where the type of the records is missing.
func (s *schema) typeError(err error) error {
	var bad *badRequest
	if errors.As(err, &bad) && s.typeOf() == nil {
		bad.Hint += "; name the type in nerve.yaml, or search for a text"
	}
	return err
}

// expressionError is what is wrong with a text, with its place.
func expressionError(err error) error {
	var e *query.Error
	if !errors.As(err, &e) {
		return err
	}
	_, column := e.Position()
	return &badRequest{Message: e.Message, Hint: e.Hint, Column: column, Caret: e.Caret()}
}

// expression is a filter in CEL.
type expression struct{ *query.Matcher }

func (e expression) match(ctx context.Context, rec nerve.Record) (bool, error) {
	found, err := e.Match(ctx, rec)
	return found, limited(err)
}

// limited says what somebody can do who came to a limit of a request.
func limited(err error) error {
	var limit *query.LimitError
	var memory *query.MemoryError
	switch {
	case errors.As(err, &limit):
		return &badRequest{Message: limit.Error(), Hint: "ask for fewer records, or use the command"}
	case errors.As(err, &memory):
		return &badRequest{Message: memory.Error()}
	}
	return err
}

func (e expression) failed() (uint64, string) {
	s := e.Stats()
	return uint64(s.Undecodable + s.Errors), firstProblem(s)
}

// firstProblem says what was wrong with the first record that had to be left out.
func firstProblem(s query.Stats) string {
	switch {
	case s.Errors > 0:
		return fmt.Sprintf("record %d: %s", s.FirstError, s.FirstErrorText)
	case s.Undecodable > 0:
		return fmt.Sprintf("record %d is no message of the type", s.FirstUndecodable)
	}
	return ""
}
