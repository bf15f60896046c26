// Command signup is the example of rules: it reads a SignUp as JSON and says what is wrong with it.
//
//	echo '{"name": "a", "plan": "PLAN_FREE"}' | go run ./examples/signup
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	accountsv1 "github.com/octopus-framework/octopus/examples/signup/accounts/v1"
	"github.com/octopus-framework/octopus/gremlin/validate"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	var s accountsv1.SignUp
	if err := s.UnmarshalJSON(text); err != nil {
		return err
	}
	var broken *validate.Error
	err = s.Validate()
	switch {
	case err == nil:
		_, err = fmt.Fprintf(out, "welcome, %s\n", s.Name)
	case errors.As(err, &broken):
		for _, v := range broken.Violations {
			if _, err := fmt.Fprintf(out, "%-26s %-24s %s\n", v.Field, v.RuleID,
				v.Message); err != nil {
				return err
			}
		}
		return nil
	}
	return err
}
