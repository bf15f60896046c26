package rt

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

const (
	// MaxViolations is how many violations an Error has at most, unless another limit was asked
	// for: the memory for errors must not grow with what a stranger sends.
	MaxViolations = 1000
	// maxElements is how many elements the paths of all violations have at most; the first
	// violation has them all.
	maxElements = 1 << 16
)

// Message is a pointer to a generated Message or Reader with rules in it or below it.
type Message interface {
	GremlinValidate(c *Checker)
}

// Field is a field as violations name it.
type Field struct {
	Number int32
	Name   string
	// as in FieldDescriptorProto.Type; KeyType and ValueType are those of a map
	Type, KeyType, ValueType int32
}

// Checker collects violations. The zero value is ready to be used, once, by one goroutine.
type Checker struct {
	violations []Violation // their fields are reversed until Err
	limit      int         // 0 stands for MaxViolations
	elements   int
	depth      int
	truncated  bool
	now        time.Time
	err        error
}

// Options say how a message is checked. The zero value is what a method Validate does.
type Options struct {
	// FailFast asks for the first violation only.
	FailFast bool
	// Max is how many violations are wanted at most; 0 stands for MaxViolations.
	Max int
	// Now is the time that rules like timestamp.lt_now mean; zero stands for that of the check.
	Now time.Time
}

// Check checks m. The error is an *Error, a *RuntimeError, or a *gremlin.Error: of code TooDeep for
// a message that contains itself, or for a Reader what is wrong with the encoding.
func Check(m Message, o Options) error {
	c := Checker{limit: o.Max, now: o.Now}
	if o.FailFast {
		c.limit = 1
	}
	if r, ok := m.(reader); ok {
		if err := r.CheckEncoding(); err != nil {
			return err
		}
	}
	m.GremlinValidate(&c)
	return c.Err()
}

// reader is a Reader: what is malformed below its first level would read as empty.
type reader interface {
	Raw() []byte
	CheckEncoding() error
}

// Check notes that a rule is broken unless ok. The rule is its id with what leads to it before it,
// "repeated.items.string.min_len". f is nil for an element of a list or map, which Leave names.
func (c *Checker) Check(ok bool, f *Field, rule, message string) {
	if !ok {
		c.add(f, rule, message)
	}
}

// Required notes that a field is not set unless ok.
func (c *Checker) Required(ok bool, f *Field) {
	if !ok {
		c.add(f, "required", "value is required")
	}
}

// CheckOneof notes that a oneof is not set unless ok.
func (c *Checker) CheckOneof(ok bool, name string) {
	if !ok && c.room() {
		c.violations = append(c.violations, Violation{Field: Path{{Name: name}}, RuleID: "required",
			Message: "exactly one field is required in oneof"})
	}
}

// CheckFields notes that more than one of several fields of a message are set, or none of them if
// that is required.
func (c *Checker) CheckFields(required bool, names string, set ...bool) {
	n := 0
	for _, ok := range set {
		if ok {
			n++
		}
	}
	var message string
	switch {
	case n > 1:
		message = "only one of " + names + " can be set"
	case n == 0 && required:
		message = "one of " + names + " must be set"
	default:
		return
	}
	if c.room() {
		c.violations = append(c.violations, Violation{RuleID: "message.oneof", Message: message})
	}
}

// IsMember tells whether x, what is in a oneof, is the member of type T and not nil.
func IsMember[T comparable](x any) bool {
	var none T
	member, ok := x.(T)
	return ok && member != none
}

// IsText tells whether b is UTF-8. If it is not, a rule about its text cannot be checked, and Err
// says so.
func (c *Checker) IsText(b []byte, rule string) bool {
	if utf8.Valid(b) {
		return true
	}
	if c.err == nil {
		c.err = &RuntimeError{RuleID: rule, Detail: "the value is not UTF-8"}
	}
	return false
}

// Add notes violations that were found elsewhere; they belong to the message that is checked.
func (c *Checker) Add(violations []Violation) {
	for _, v := range violations {
		if !c.room() {
			return
		}
		v.Field = slices.Clone(v.Field)
		slices.Reverse(v.Field)
		c.violations = append(c.violations, v)
	}
}

// room tells whether one more violation is wanted.
func (c *Checker) room() bool {
	if len(c.violations) < cmp.Or(max(c.limit, 0), MaxViolations) {
		return true
	}
	c.truncated = true
	return false
}

func (c *Checker) add(f *Field, rule, message string) {
	if !c.room() {
		return
	}
	v := Violation{Message: message}
	v.Rule, v.RuleID = rulePath(rule)
	if f != nil {
		v.Field = Path{f.element()}
	}
	c.violations = append(c.violations, v)
}

func (f *Field) element() Element { return Element{Number: f.Number, Name: f.Name, Type: f.Type} }

// Enter starts on what is inside a field, and returns what the Leave that follows must be given.
func (c *Checker) Enter() (mark int) {
	c.depth++
	return len(c.violations)
}

// TooDeep tells whether the message that was entered is nested deeper than messages can be read:
// it contains itself. It is asked for types that can.
func (c *Checker) TooDeep(table *rt.Table) bool {
	if c.depth <= rt.MaxDepth {
		return false
	}
	c.err = rt.Endless(table)
	return true
}

// Leave says that what was found since Enter is inside f.
func (c *Checker) Leave(mark int, f *Field) {
	if c.depth--; len(c.violations) > mark {
		c.within(mark, f.element())
	}
}

// LeaveItem is Leave for an element of a list.
func (c *Checker) LeaveItem(mark int, f *Field, i int) {
	if c.depth--; len(c.violations) > mark {
		e := f.element()
		e.Subscript, e.Value = Index, uint64(i)
		c.within(mark, e)
	}
}

// LeaveBool is Leave for an entry of a map.
func (c *Checker) LeaveBool(mark int, f *Field, key bool) {
	if c.depth--; len(c.violations) > mark {
		e := f.entry(BoolKey)
		if key {
			e.Value = 1
		}
		c.within(mark, e)
	}
}

// LeaveInt is Leave for an entry of a map.
func (c *Checker) LeaveInt(mark int, f *Field, key int64) {
	if c.depth--; len(c.violations) > mark {
		e := f.entry(IntKey)
		e.Value = uint64(key)
		c.within(mark, e)
	}
}

// LeaveUint is Leave for an entry of a map.
func (c *Checker) LeaveUint(mark int, f *Field, key uint64) {
	if c.depth--; len(c.violations) > mark {
		e := f.entry(UintKey)
		e.Value = key
		c.within(mark, e)
	}
}

// LeaveString is Leave for an entry of a map.
func (c *Checker) LeaveString(mark int, f *Field, key string) {
	if c.depth--; len(c.violations) > mark {
		e := f.entry(StringKey)
		e.Key = strings.Clone(key)
		c.within(mark, e)
	}
}

func (f *Field) entry(s Subscript) Element {
	e := f.element()
	e.KeyType, e.ValueType, e.Subscript = f.KeyType, f.ValueType, s
	return e
}

// within puts an element behind the reversed paths of what was found since mark.
func (c *Checker) within(mark int, e Element) {
	for i := mark; i < len(c.violations); i++ {
		if c.elements++; c.elements > maxElements && i > 0 {
			c.violations, c.truncated = c.violations[:i], true
			c.limit = i
			return
		}
		v := &c.violations[i]
		v.Field = append(v.Field, e)
	}
}

// ForKeys says that what was found since mark is about the key of an entry.
func (c *Checker) ForKeys(mark int) {
	for i := mark; i < len(c.violations); i++ {
		c.violations[i].ForKey = true
	}
}

// LeaveMap brings what was found since Enter, in the entries of a map, into the order of their
// keys.
func (c *Checker) LeaveMap(mark int) {
	c.depth--
	if len(c.violations)-mark < 2 {
		return
	}
	slices.SortStableFunc(c.violations[mark:], func(a, b Violation) int {
		x, y := &a.Field[len(a.Field)-1], &b.Field[len(b.Field)-1]
		if x.Subscript == IntKey {
			return cmp.Compare(int64(x.Value), int64(y.Value))
		}
		return cmp.Or(cmp.Compare(x.Value, y.Value), strings.Compare(x.Key, y.Key))
	})
}

// Now returns the time that the rules about now mean: the same for all of a message.
func (c *Checker) Now() time.Time {
	if c.now.IsZero() {
		c.now = time.Now()
	}
	return c.now
}

// IsWithin tells whether t is at most d away from Now.
func (c *Checker) IsWithin(t time.Time, d time.Duration) bool {
	now := c.Now()
	return !t.Before(now.Add(-d)) && !t.After(now.Add(d))
}

// Err returns what was found, nil if that is nothing. It ends the use of c.
func (c *Checker) Err() error {
	switch {
	case c.err != nil:
		return c.err
	case len(c.violations) == 0:
		return nil
	}
	for _, v := range c.violations {
		slices.Reverse(v.Field)
	}
	return &Error{Violations: c.violations, Truncated: c.truncated}
}
