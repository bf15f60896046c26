// Package harness is what the testees of the suite have in common.
package harness

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/gremlincel"
	"github.com/octopus-framework/octopus/gremlin/validate"
)

// Run is the main function of a testee: start gets the descriptors of all messages and returns how
// one is validated, by full name and encoding.
func Run(start func(descriptors []byte) (func(name string, encoded []byte) error, error)) error {
	in, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	var q Request
	if err := q.Unmarshal(in); err != nil {
		return err
	}
	check, err := start(q.Descriptors)
	if err != nil {
		return err
	}
	p := Response{Results: map[string]Result{}}
	for name, c := range q.Cases {
		typ := c.TypeUrl[strings.LastIndexByte(c.TypeUrl, '/')+1:]
		p.Results[name] = result(check(typ, c.Value))
	}
	_, err = os.Stdout.Write(p.Marshal())
	return err
}

// result says what a validation found.
func result(err error) Result {
	var broken *validate.Error
	var runtime *validate.RuntimeError
	var compile *gremlincel.CompileError
	switch {
	case err == nil:
		return Result{Result: &Result_Success{Success: true}}
	case errors.As(err, &broken):
		return Result{Result: &Result_Violations{Violations: broken.AppendViolations(nil)}}
	case errors.As(err, &runtime):
		return Result{Result: &Result_RuntimeError{RuntimeError: err.Error()}}
	case errors.As(err, &compile):
		return Result{Result: &Result_CompilationError{CompilationError: err.Error()}}
	}
	return Result{Result: &Result_UnexpectedError{UnexpectedError: err.Error()}}
}
