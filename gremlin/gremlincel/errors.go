package gremlincel

import "strconv"

// CompileError says that rules cannot be checked: an expression is wrong, or rules are on a field
// that cannot have them. It is a mistake in the .proto file, not in a message.
type CompileError struct {
	Name       string // full name of the message or field with the rules
	RuleID     string // id of the rule, if it is an expression
	Expression string
	Detail     string // what is wrong; for an expression with line and column
}

// Error returns `shop.v1.Deposit.amount: rule "amount.even": this % "2": 1:6: found no matching
// overload ...`.
func (e *CompileError) Error() string {
	s := e.Name + ": "
	if e.Expression != "" {
		s += "rule " + strconv.Quote(e.RuleID) + ": " + e.Expression + ": "
	}
	return s + e.Detail
}

// TypeError says that the Validator has no type with this name.
type TypeError struct{ Name string }

// Error returns `the descriptors have no message type "shop.v1.Deposit"`.
func (e *TypeError) Error() string {
	return "the descriptors have no message type " + strconv.Quote(e.Name)
}
