package web

import (
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
)

// compileFilter makes a filter of an expression over the fields of the records.
func (s *schema) compileFilter(where string) (filter, error) {
	if s.typeOf() == nil {
		return nil, &badRequest{Message: "the records of this queue have no known type",
			Hint: "name it in nerve.yaml, or search for a text"}
	}
	f, err := query.CompileFilter(s.typeOf(), where)
	if err != nil {
		return nil, expressionError(err)
	}
	return expression{f.Matcher()}, nil
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

func (e expression) match(rec nerve.Record) bool { return e.Match(rec) }

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
