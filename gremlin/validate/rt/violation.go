package rt

import "strings"

// Violation is one rule that a message breaks, as buf.validate.Violation says it.
type Violation struct {
	// Field leads to the value. It is empty for a rule of the outermost message as a whole.
	Field Path
	// Rule leads to the rule in buf.validate.FieldRules or MessageRules. It is empty for rules
	// about oneofs.
	Rule Path
	// RuleID names the rule: "string.min_len".
	RuleID string
	// Message says what is wrong, in words for people.
	Message string
	// ForKey tells that the key of a map entry is meant and not its value.
	ForKey bool
}

// String returns "user.name: must be at least 3 characters".
func (v *Violation) String() string {
	s := v.Field.String()
	if s != "" {
		s += ": "
	}
	switch {
	case v.Message != "":
		return s + v.Message
	case v.RuleID != "":
		return s + "[" + v.RuleID + "]"
	}
	return s + "[unknown]"
}

// Error is what is wrong with a message. It always has a violation.
type Error struct {
	Violations []Violation
	// Truncated tells that there are more violations: MaxViolations or the limit that was asked for
	// was reached.
	Truncated bool
}

// Error returns the violations as text, a line each if there are several.
func (e *Error) Error() string {
	if len(e.Violations) == 1 && !e.Truncated {
		return "validation error: " + e.Violations[0].String()
	}
	var b strings.Builder
	b.WriteString("validation errors:")
	for i := range e.Violations {
		b.WriteString("\n - ")
		b.WriteString(e.Violations[i].String())
	}
	if e.Truncated {
		b.WriteString("\n - and more")
	}
	return b.String()
}

// RuntimeError says that a rule could not be checked on a value: a pattern on bytes that are not
// UTF-8, an expression in CEL that divides by zero.
type RuntimeError struct {
	// Field leads to the value. It is empty for rules of the outermost message, and in errors of
	// generated code.
	Field  Path
	RuleID string
	Detail string
}

// Error returns "runtime error: lines[3].data: bytes.pattern: the value is not UTF-8".
func (e *RuntimeError) Error() string {
	s := "runtime error: "
	if len(e.Field) > 0 {
		s += e.Field.String() + ": "
	}
	return s + e.RuleID + ": " + e.Detail
}
