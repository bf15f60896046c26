// Package validate has what people use of the rules of buf.validate (protovalidate): the errors
// that generated methods named Validate return, and a check with options.
//
//	if err := deposit.Validate(); err != nil {
//		var broken *validate.Error
//		if errors.As(err, &broken) {
//			for _, v := range broken.Violations {
//				fmt.Println(v.Field, v.RuleID, v.Message)
//			}
//		}
//	}
//
// Code with such methods is generated with validate: true in gremlin.yaml. The rules that are
// written in CEL are checked by module gremlincel, which reports them as the same errors.
package validate

import "github.com/octopus-framework/octopus/gremlin/validate/rt"

// Error is what is wrong with a message: its violations, at least one. AppendViolations encodes
// them as a buf.validate.Violations.
type Error = rt.Error

// Violation is one rule that a message breaks: the path of the field, the path and the id of the
// rule, and a message for people.
type Violation = rt.Violation

// RuntimeError says that a rule could not be checked on a value: a pattern on bytes that are not
// UTF-8.
type RuntimeError = rt.RuntimeError

// Path is the way to a field, from the outside in; its String is "items[3].name".
type Path = rt.Path

// Element is a step of a Path.
type Element = rt.Element

// Subscript says what an Element picks of a field.
type Subscript = rt.Subscript

// The kinds of subscripts.
const (
	NoSubscript = rt.NoSubscript
	Index       = rt.Index
	BoolKey     = rt.BoolKey
	IntKey      = rt.IntKey
	UintKey     = rt.UintKey
	StringKey   = rt.StringKey
)

// MaxViolations is how many violations an Error has at most, unless Options say otherwise.
const MaxViolations = rt.MaxViolations

// Message is a pointer to a generated Message that has rules, in it or below it.
type Message = rt.Message

// Options say how a message is checked: until the first violation, up to how many, and at which
// time.
type Options = rt.Options

// Check checks m as its method Validate does, with options. The error is an *Error, a
// *RuntimeError, or a *gremlin.Error of code TooDeep for a message that contains itself.
func Check(m Message, o Options) error { return rt.Check(m, o) }
