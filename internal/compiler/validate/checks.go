package validate

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Check is one rule of a value.
type Check struct {
	// Op is the name of the rule: "min_len"; "range" for bounds above, below or both.
	Op string
	// Rule is its id with what leads to it before it, "repeated.items.string.min_len"; Message says
	// what is wrong.
	Rule, Message string
	// Arg is the value of the rule: as in the options, numbers as int64, uint64, float32 and
	// float64, Time for Timestamps and Durations; []any for a list.
	Arg any
	// Low and High are of a range; either may be missing.
	Low, High *Bound
	// Outside tells that High is below Low: what is between them is wrong.
	Outside bool
	// Strict is of well_known_regex.
	Strict bool
}

// Bound is an end of a range.
type Bound struct {
	Value     any
	Inclusive bool
}

// checks makes the checks of one field.
type checks struct {
	*reader
	message *schema.Message
	field   *schema.Field // has the rules
	prefix  string        // paths of the rules begin with it: "repeated.items."
	kind    string        // the kind of the rules
	out     []Check
}

func (c *checks) fail(hint, format string, args ...any) {
	c.reader.fail(c.message, c.field.Pos, hint, "field %q: "+format,
		append([]any{c.field.Name}, args...)...)
}

// value returns the checks of one value of f. own are its rules, nil for none. prefix is the start
// of the paths of these rules; it is not empty for elements of lists and maps.
func (c *checks) value(f *schema.Field, own *rules, prefix string) *Value {
	if own == nil {
		own = &rules{}
	}
	v := &Value{}
	if own.ignore == IgnoreAlways {
		return v
	}
	c.count(own.expressions, c.field.Pos)
	isElement := prefix != ""
	v.IfNotZero = isElement && own.ignore == IgnoreIfZero
	kind, fits := kindOf(f, isElement)
	if own.kind != "" && own.kind != kind {
		c.fail(fits, "has rules for %s, and is %s", own.kind, describe(f, isElement))
		return v
	}
	list := f.Repeated && !isElement
	switch {
	case f.IsMap():
		v.Checks = c.of(own, prefix, f)
		keys, _ := own.get("keys").(*rules)
		values, _ := own.get("values").(*rules)
		v.Keys = orNil(c.value(f.MapKey, keys, prefix+"map.keys."))
		v.Values = orNil(c.value(f.MapValue, values, prefix+"map.values."))
	case list:
		v.Checks = c.of(own, prefix, f)
		items, _ := own.get("items").(*rules)
		v.Items = orNil(c.value(f, items, prefix+"repeated.items."))
	case f.Kind == schema.MessageKind:
		v.Message = c.nested[f.Message] && !c.other[f.Message.File.Path]
		v.Wrapped = wrappers[f.Message.FullName] != ""
		v.Checks = c.of(own, prefix, f)
	default:
		v.Checks = c.of(own, prefix, f)
	}
	return v
}

func orNil(v *Value) *Value {
	if v.empty() {
		return nil
	}
	return v
}

// wrappers are the kinds of the values in google/protobuf/wrappers.proto.
var wrappers = map[string]string{
	"google.protobuf.DoubleValue": "double",
	"google.protobuf.FloatValue":  "float",
	"google.protobuf.Int64Value":  "int64",
	"google.protobuf.UInt64Value": "uint64",
	"google.protobuf.Int32Value":  "int32",
	"google.protobuf.UInt32Value": "uint32",
	"google.protobuf.BoolValue":   "bool",
	"google.protobuf.StringValue": "string",
	"google.protobuf.BytesValue":  "bytes",
}

// wellKnown are the rules for other messages.
var wellKnown = map[string]string{
	"google.protobuf.Any":       "any",
	"google.protobuf.Duration":  "duration",
	"google.protobuf.FieldMask": "field_mask",
	"google.protobuf.Timestamp": "timestamp",
}

// kindOf returns which rules a field may have, and a hint for one that has others.
func kindOf(f *schema.Field, isElement bool) (kind, hint string) {
	switch {
	case f.IsMap():
		kind = "map"
	case f.Repeated && !isElement:
		kind = "repeated"
	case f.Kind == schema.MessageKind && wrappers[f.Message.FullName] != "":
		kind = wrappers[f.Message.FullName]
	case f.Kind == schema.MessageKind:
		if kind = wellKnown[f.Message.FullName]; kind == "" {
			return "", "a message has rules for its own fields; here, there are required and ignore"
		}
	default:
		kind = f.Kind.String()
	}
	return kind, fmt.Sprintf("write (buf.validate.field).%s", kind)
}

// describe names the type of f in words.
func describe(f *schema.Field, isElement bool) string {
	switch {
	case f.IsMap():
		return "a map"
	case f.Repeated && !isElement:
		return "a list"
	case f.Kind == schema.MessageKind:
		return "of type " + f.Message.FullName
	case f.Kind == schema.EnumKind:
		return "an enum"
	}
	return "of type " + f.Kind.String()
}

// of returns the checks of one kind of rules, in the order in which protovalidate has them.
func (c *checks) of(own *rules, prefix string, f *schema.Field) []Check {
	c.prefix, c.kind, c.out = prefix, own.kind, nil
	switch own.kind {
	case "":
	case "string":
		c.text(own)
	case "bytes":
		c.bytes(own)
	case "bool":
		c.rule(own, "const", "must equal %s")
	case "enum":
		c.rule(own, "const", "must equal %s")
		c.rule(own, "in", "must be in list %s")
		c.rule(own, "not_in", "must not be in list %s")
		c.flag(own, "defined_only", "value must be one of the defined enum values")
	case "repeated":
		c.rule(own, "min_items", "must contain at least %s item(s)")
		c.rule(own, "max_items", "must contain no more than %s item(s)")
		if c.flag(own, "unique", "repeated value must contain unique items") &&
			f.Kind == schema.MessageKind {
			c.fail("leave it out", "unique is for lists of numbers, text, bytes and enums")
		}
	case "map":
		c.rule(own, "min_pairs", "map must be at least %s entries")
		c.rule(own, "max_pairs", "map must be at most %s entries")
	case "any":
		c.rule(own, "in", "type URL must be in the allow list")
		c.rule(own, "not_in", "type URL must not be in the block list")
	case "field_mask":
		c.rule(own, "const", "must equal paths %s")
		c.rule(own, "in", "must only contain paths in %s")
		c.rule(own, "not_in", "must not contain any paths in %s")
	default: // numbers, Durations and Timestamps
		c.rule(own, "const", "must equal %s")
		c.rule(own, "in", "must be in list %s")
		c.rule(own, "not_in", "must not be in list %s")
		c.flag(own, "finite", "must be finite")
		c.bounds(own)
		c.flag(own, "lt_now", "must be less than now")
		c.flag(own, "gt_now", "must be greater than now")
		c.rule(own, "within", "must be within %s of now")
	}
	return c.out
}

// rule adds a rule if it is given; message has a place for its value.
func (c *checks) rule(own *rules, op, message string) {
	arg := own.get(op)
	if list, ok := arg.([]any); arg == nil || ok && len(list) == 0 {
		return
	}
	if strings.Contains(message, "%") {
		message = fmt.Sprintf(message, text(arg, own.kind == "duration" || op == "within"))
	}
	c.add(Check{Op: op, Message: message, Arg: arg})
}

// flag adds a rule if it is switched on.
func (c *checks) flag(own *rules, op, message string) bool {
	on, _ := own.get(op).(bool)
	if on {
		c.add(Check{Op: op, Message: message})
	}
	return on
}

// add adds a check. Its rule is its Op unless it has another name.
func (c *checks) add(check Check) {
	if check.Rule == "" {
		check.Rule = check.Op
	}
	check.Rule = c.prefix + c.kind + "." + check.Rule
	c.out = append(c.out, check)
}

// text writes a value as protovalidate does.
func text(v any, duration bool) string {
	switch v := v.(type) {
	case float32:
		return floatText(float64(v))
	case float64:
		return floatText(v)
	case []any:
		var parts []string
		for _, e := range v {
			parts = append(parts, text(e, duration))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case []byte:
		return string(v)
	case Time:
		if duration {
			return strconv.FormatFloat(v.Duration().Seconds(), 'f', -1, 64) + "s"
		}
		return time.Unix(v.Seconds, int64(v.Nanos)).UTC().Format(time.RFC3339Nano)
	}
	return fmt.Sprint(v)
}

func floatText(v float64) string {
	switch {
	case math.IsInf(v, -1):
		return "-Infinity"
	case math.IsInf(v, 1):
		return "Infinity"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// Duration returns t as a duration; one that is too long is the longest.
func (t Time) Duration() time.Duration {
	const most = int64(math.MaxInt64 / time.Second)
	switch {
	case t.Seconds > most:
		return math.MaxInt64
	case t.Seconds < -most:
		return math.MinInt64
	}
	d := time.Duration(t.Seconds) * time.Second
	if sum := d + time.Duration(t.Nanos); (sum < d) == (t.Nanos < 0) {
		return sum
	}
	if t.Nanos < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// boundWords are what the bounds say.
var boundWords = map[string]string{"gt": "greater than ", "gte": "greater than or equal to ",
	"lt": "less than ", "lte": "less than or equal to "}

// bounds adds the rules lt, lte, gt and gte, which are one check.
func (c *checks) bounds(own *rules) {
	low, lowName := bound(own, "gt", "gte")
	high, highName := bound(own, "lt", "lte")
	for _, b := range []*Bound{low, high} {
		if b != nil && isNaN(b.Value) {
			c.fail("write a number", "a bound is not a number")
			return
		}
	}
	words := func(b *Bound, name string) string {
		return boundWords[name] + text(b.Value, own.kind == "duration")
	}
	check := Check{Op: "range", Low: low, High: high}
	switch {
	case low == nil && high == nil:
		return
	case low == nil:
		check.Rule, check.Message = highName, words(high, highName)
	case high == nil:
		check.Rule, check.Message = lowName, words(low, lowName)
	default:
		check.Rule = lowName + "_" + highName
		and := " and "
		if check.Outside = less(high.Value, low.Value); check.Outside {
			check.Rule += "_exclusive"
			and = " or "
		}
		check.Message = words(low, lowName) + and + words(high, highName)
	}
	check.Message = "must be " + check.Message
	c.add(check)
}

// bound returns the bound that is given under one of two names, and which.
func bound(own *rules, strict, inclusive string) (*Bound, string) {
	if v := own.get(strict); v != nil {
		return &Bound{Value: v}, strict
	}
	if v := own.get(inclusive); v != nil {
		return &Bound{Value: v, Inclusive: true}, inclusive
	}
	return nil, ""
}

func isNaN(v any) bool {
	switch v := v.(type) {
	case float32:
		return v != v
	case float64:
		return v != v
	}
	return false
}

// less compares two values of one type.
func less(a, b any) bool {
	switch a := a.(type) {
	case int64:
		return a < b.(int64)
	case uint64:
		return a < b.(uint64)
	case float32:
		return a < b.(float32)
	case float64:
		return a < b.(float64)
	case Time:
		b := b.(Time)
		x := time.Unix(a.Seconds, int64(a.Nanos))
		return x.Before(time.Unix(b.Seconds, int64(b.Nanos)))
	}
	return false
}

// pattern adds a pattern, unless it is none.
func (c *checks) pattern(own *rules, message string) {
	p, ok := own.get("pattern").(string)
	if !ok {
		return
	}
	if _, err := regexp.Compile(p); err != nil {
		c.fail("patterns are as RE2 has them: https://github.com/google/re2/wiki/Syntax",
			"the pattern is wrong: %v", err)
		return
	}
	c.rule(own, "pattern", message)
}
