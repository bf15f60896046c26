package golang

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
	"github.com/octopus-framework/octopus/internal/compiler/validate"
)

// validatePath is what generated code calls to check rules.
const validatePath = runtimePath + "/validate/rt"

// validation prints what checks the rules of a message, for its Message or its Reader.
type validation struct {
	*messageType
	rules    *validate.Message
	of       access
	patterns []string // regular expressions, each once
}

// validate prints the methods that check rules, if they are asked for.
func (t *messageType) validate() {
	if t.opts.Validate == nil {
		return
	}
	v := &validation{messageType: t, rules: t.opts.Validate.Of(t.msg)}
	v.of = ofMessage{t}
	v.methods(t.names.message.name, "m", "")
	v.of = ofReader{t}
	v.methods(t.names.reader.name, "r",
		"if err := r.CheckEncoding(); err != nil {\nreturn err\n}\n")
	if v.rules != nil {
		v.tables()
	}
}

// methods prints the methods of one type; first comes before the check of rules.
func (v *validation) methods(name, receiver, first string) {
	names := replacements{"NAME", name, "NIL", v.names.message.name, "FIRST", first, "SELF",
		receiver}
	if v.rules == nil {
		result := "nil"
		if first != "" {
			result = receiver + ".CheckEncoding()"
		}
		v.functions(append(names, "RESULT", result), []string{
			"Validate finds no broken rules: NIL has none, or in CEL only.",
			"func (SELF *NAME) Validate() error { return RESULT }",
		})
		return
	}
	rt := v.use(validatePath)
	v.functions(append(names, "RT", rt), []string{
		"Validate checks the rules of buf.validate for SELF and the messages in it. It returns a *validate.Error with all violations.",
		"func (SELF *NAME) Validate() error {\nFIRSTvar c RT.Checker\nSELF.GremlinValidate(&c)\nreturn c.Err()\n}",
	})
	v.p()
	v.p("// GremlinValidate is Validate within other messages. It is for generated code.")
	v.p("func (", receiver, " *", name, ") GremlinValidate(c *", rt, ".Checker) {")
	if v.recursive() {
		v.p("if c.TooDeep(&", v.names.table, ") {")
		v.p("return")
		v.p("}")
	}
	if len(v.rules.Oneofs)+len(v.rules.RequiredOneofs)+len(v.rules.Fields) > 0 {
		v.p(receiver, " = ", receiver, ".or()")
	}
	if len(v.rules.Fields) > 0 {
		v.p("f := &", v.names.fieldTable)
	}
	v.of.start(v)
	for _, set := range v.rules.Oneofs {
		v.fieldSet(set)
	}
	for _, o := range v.rules.RequiredOneofs {
		v.p("c.CheckOneof(", v.of.isSet(o), ", ", strconv.Quote(o.Name), ")")
	}
	for i, f := range v.rules.Fields {
		v.field(f, "&f["+strconv.Itoa(i)+"]")
	}
	v.p("}")
}

// tables prints what the checks refer to: how violations name fields, and patterns.
func (v *validation) tables() {
	if len(v.rules.Fields) > 0 {
		v.p()
		v.p("var ", v.names.fieldTable, " = [...]", v.check("Field"), "{")
		for _, f := range v.rules.Fields {
			entry := fmt.Sprintf("{Number: %d, Name: %q, Type: %d", f.Number, f.Name,
				descriptorType(f.Field))
			if f.IsMap() {
				entry += fmt.Sprintf(", KeyType: %d, ValueType: %d", descriptorType(f.MapKey),
					descriptorType(f.MapValue))
			}
			v.p(entry, "},")
		}
		v.p("}")
	}
	if len(v.patterns) == 0 {
		return
	}
	regexp := v.use("regexp")
	v.p()
	v.p("// ", v.names.patternTable, " are compiled when they are first needed.")
	v.p("var ", v.names.patternTable, " = [...]func() *", regexp, ".Regexp{")
	for _, pattern := range v.patterns {
		v.p(v.use("sync"), ".OnceValue(func() *", regexp, ".Regexp { return ", regexp,
			".MustCompile(", goQuote(pattern), ") }),")
	}
	v.p("}")
}

// check returns a name of the package that generated code calls to check rules.
func (v *validation) check(name string) string { return v.use(validatePath) + "." + name }

// descriptorKinds are the kinds by their numbers in descriptor.proto, messages and groups aside.
var descriptorKinds = []schema.Kind{0, schema.Double, schema.Float, schema.Int64, schema.Uint64,
	schema.Int32, schema.Fixed64, schema.Fixed32, schema.Bool, schema.String, 0, 0, schema.Bytes,
	schema.Uint32, schema.EnumKind, schema.Sfixed32, schema.Sfixed64, schema.Sint32, schema.Sint64}

// descriptorType returns the type of a field as descriptor.proto numbers it.
func descriptorType(f *schema.Field) int {
	switch {
	case f.Kind == schema.MessageKind && f.Delimited && !f.IsMap():
		return 10
	case f.Kind == schema.MessageKind:
		return 11
	}
	return slices.Index(descriptorKinds, f.Kind)
}

// fieldSet prints the check of a rule about several fields.
func (v *validation) fieldSet(set validate.FieldSet) {
	call := "c.CheckFields(" + strconv.FormatBool(set.Required) + ", " + strconv.Quote(set.Names())
	for _, f := range set.Fields {
		call += ", " + v.isPresent(f, v.of.value(f))
	}
	v.p(call, ")")
}

// isPresent returns a condition: f, whose value is x, is set, or where that is the same, not the
// zero value.
func (v *validation) isPresent(f *schema.Field, x string) string {
	if f.Presence {
		return v.of.has(v, f)
	}
	if f.Repeated || f.IsMap() {
		return v.of.size(f, x) + " != 0"
	}
	switch f.Kind {
	case schema.Float:
		return v.use("math") + ".Float32bits(" + x + ") != 0"
	case schema.Double:
		return v.use("math") + ".Float64bits(" + x + ") != 0"
	}
	return v.isNotZero(f, x)
}

// isNotZero returns a condition: x, one value of f, is not the zero value of its type.
func (v *validation) isNotZero(f *schema.Field, x string) string {
	switch f.Kind {
	case schema.Bool:
		return x
	case schema.String:
		return x + ` != ""`
	case schema.Bytes:
		return "len(" + x + ") != 0"
	case schema.EnumKind:
		return fmt.Sprintf("%s != %d", x, f.Enum.Values[0].Number)
	case schema.MessageKind:
		return v.of.notEmpty(f, x)
	}
	return x + " != 0"
}

// field prints the checks of a field; at is how violations name it.
func (v *validation) field(f *validate.Field, at string) {
	checked := hasChecks(f.Value)
	if x, init, cond := v.of.open(v, f); init != "" && checked {
		switch cond {
		case "":
			v.p("{")
			v.p(init)
		default:
			v.p("if ", init, "; ", cond, " {")
		}
		v.value(f.Field, f.Value, x, at, false)
		if f.Required {
			v.p("} else {")
			v.p("c.Required(false, ", at, ")")
		}
		v.p("}")
		return
	}
	if f.Required {
		v.p("c.Required(", v.isPresent(f.Field, v.of.value(f.Field)), ", ", at, ")")
	}
	if !checked {
		return
	}
	isList := f.Repeated && len(f.Value.Checks) == 0 // an empty one has nothing to be checked
	if isList || !f.IfSet && !f.Required {
		v.value(f.Field, f.Value, v.of.value(f.Field), at, false)
		return
	}
	v.p("if ", v.isPresent(f.Field, v.of.value(f.Field)), " {")
	v.value(f.Field, f.Value, v.of.value(f.Field), at, false)
	v.p("}")
}

func hasChecks(v *validate.Value) bool {
	return len(v.Checks) > 0 || v.Items != nil || v.Keys != nil || v.Values != nil || v.Message
}

// value prints the checks of x, a value of f. isElement tells that f is a list or map that x is
// from, and that Leave will name it.
func (v *validation) value(f *schema.Field, rules *validate.Value, x, at string, isElement bool) {
	if isElement {
		at = "nil"
	}
	list := f.Repeated && !isElement
	if rules.IfNotZero {
		v.p("if ", v.isNotZero(f, x), " {")
	}
	if len(rules.Checks) > 0 {
		of := x
		if f.Kind == schema.MessageKind && !f.IsMap() && !list {
			of = v.content(f, x, len(rules.Checks), isElement)
		}
		for _, check := range rules.Checks {
			v.p("c.Check(", v.condition(f, check, of, list), ", ", at, ", ",
				strconv.Quote(check.Rule), ", ", quoteText(check.Message), ")")
		}
	}
	switch {
	case rules.Message && isElement:
		v.p(x, ".GremlinValidate(c)")
	case rules.Message:
		v.p("n := c.Enter()")
		v.p(x, ".GremlinValidate(c)")
		v.p("c.Leave(n, ", at, ")")
	case rules.Items != nil:
		v.items(f, rules.Items, x, at)
	case rules.Keys != nil || rules.Values != nil:
		v.entries(f, rules, x, at)
	}
	if rules.IfNotZero {
		v.p("}")
	}
}

// quoteText returns s as a Go literal: in quotes, unless it is easier to read in others.
func quoteText(s string) string {
	if quoted := strconv.Quote(s); len(quoted) == len(s)+2 {
		return quoted
	}
	return goQuote(s)
}

// items prints the checks of the elements of a list.
func (v *validation) items(f *schema.Field, rules *validate.Value, x, at string) {
	v.of.each(v, f, x)
	v.value(f, rules, "v", at, true)
	v.p("c.LeaveItem(n, ", at, ", i)")
	v.of.next(v)
	v.p("}")
}

// entries prints the checks of the keys and values of a map.
func (v *validation) entries(f *schema.Field, rules *validate.Value, x, at string) {
	v.p("if ", v.of.size(f, x), " != 0 {")
	v.p("l := c.Enter()")
	if rules.Values != nil {
		v.p("for k, v := range ", x, " {")
	} else {
		v.p("for k := range ", x, " {")
	}
	v.p("n := c.Enter()")
	if rules.Keys != nil {
		v.value(f.MapKey, rules.Keys, "k", at, true)
		v.p("c.ForKeys(n)")
	}
	if rules.Values != nil {
		v.value(f.MapValue, rules.Values, "v", at, true)
	}
	leave, key := "Int", "int64(k)"
	switch f.MapKey.Kind {
	case schema.String:
		leave, key = "String", "k"
	case schema.Bool:
		leave, key = "Bool", "k"
	case schema.Uint32, schema.Uint64, schema.Fixed32, schema.Fixed64:
		leave, key = "Uint", "uint64(k)"
	}
	v.p("c.Leave", leave, "(n, ", at, ", ", key, ")")
	v.p("}")
	v.p("c.LeaveMap(l)")
	v.p("}")
}

// content returns what the checks of a message in google/protobuf are about: the value of a
// wrapper, a time, the paths of a mask. If several ask for a time it is read once.
func (v *validation) content(f *schema.Field, x string, checks int, isElement bool) string {
	if v.std(f) != nil {
		return v.of.std(f, x, isElement)
	}
	var of string
	switch f.Message.FullName {
	case "google.protobuf.Any":
		return x + ".GetTypeUrl()"
	case "google.protobuf.FieldMask":
		return x + ".GetPaths()"
	case "google.protobuf.Timestamp":
		of = x + ".AsTime()"
	case "google.protobuf.Duration":
		of = x + ".AsDuration()"
	default:
		return x + ".GetValue()"
	}
	if checks == 1 {
		return of
	}
	v.p("d := ", of)
	return "d"
}

// condition returns the condition that a rule asks for, about x.
func (v *validation) condition(f *schema.Field, check validate.Check, x string,
	list bool) string {
	kind := f.Kind
	if f.IsMap() || list {
		if check.Op == "unique" {
			x = v.of.whole(f)
			if kind == schema.Bytes {
				return v.check("AreUniqueBytes") + "(" + x + ")"
			}
			return v.check("IsUnique") + "(" + x + ")"
		}
		return size(v.of.size(f, x), check)
	}
	if kind == schema.MessageKind {
		switch f.Message.FullName {
		case "google.protobuf.Any":
			return v.isIn(check, x)
		case "google.protobuf.FieldMask":
			return v.maskCondition(check, x)
		case "google.protobuf.Timestamp", "google.protobuf.Duration":
			return v.timeCondition(f, check, x)
		}
		kind = f.Message.Fields[0].Kind
	}
	switch kind {
	case schema.String:
		return v.textCondition(check, x)
	case schema.Bytes:
		return v.bytesCondition(check, x)
	}
	switch check.Op {
	case "const":
		if on, ok := check.Arg.(bool); ok {
			if on {
				return x
			}
			return "!" + x
		}
		return x + " == " + v.constant(check.Arg)
	case "in", "not_in":
		return v.isIn(check, x)
	case "finite":
		return v.check("IsFinite") + "(" + x + ")"
	case "defined_only":
		return definedValues(f.Enum, x)
	}
	return ranged(check, func(op string, bound any) string {
		return x + " " + op + " " + v.constant(bound)
	})
}

// size returns the condition that a rule about a size asks for.
func size(x string, check validate.Check) string {
	n := check.Arg.(uint64)
	if n > math.MaxInt32 && !strings.Contains(x, ".Len(") {
		x = "uint64(" + x + ")"
	}
	op := " == "
	switch {
	case strings.HasPrefix(check.Op, "min_"):
		op = " >= "
	case strings.HasPrefix(check.Op, "max_"):
		op = " <= "
	}
	return x + op + strconv.FormatUint(n, 10)
}

// ranged returns the condition that bounds ask for.
func ranged(check validate.Check, compare func(op string, bound any) string) string {
	var conds []string
	for _, b := range []struct {
		bound *validate.Bound
		op    string
	}{{check.Low, ">"}, {check.High, "<"}} {
		if b.bound == nil {
			continue
		}
		if b.bound.Inclusive {
			b.op += "="
		}
		conds = append(conds, compare(b.op, b.bound.Value))
	}
	if check.Outside {
		return strings.Join(conds, " || ")
	}
	return strings.Join(conds, " && ")
}

// isIn returns the condition that in or not_in asks for.
func (v *validation) isIn(check validate.Check, x string) string {
	call := v.check("In") + "(" + x
	for _, e := range check.Arg.([]any) {
		call += ", " + v.constant(e)
	}
	if check.Op == "not_in" {
		return "!" + call + ")"
	}
	return call + ")"
}

// constant returns the value of a rule as an expression.
func (v *validation) constant(value any) string {
	switch value := value.(type) {
	case float32:
		s, _ := v.floatLiteral(float64(value), 32)
		return s
	case float64:
		s, _ := v.floatLiteral(value, 64)
		return s
	case string:
		return strconv.Quote(value)
	case []byte:
		return strconv.Quote(string(value))
	}
	return fmt.Sprint(value)
}

// definedValues returns a condition: x is a value that the enum has.
func definedValues(e *schema.Enum, x string) string {
	var numbers []int32
	for _, value := range e.Values {
		numbers = append(numbers, value.Number)
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	var conds []string
	for len(numbers) > 0 {
		n := 1
		for n < len(numbers) && numbers[n]-1 == numbers[n-1] {
			n++
		}
		cond := fmt.Sprintf("%s == %d", x, numbers[0])
		if n > 1 {
			cond = fmt.Sprintf("%s >= %d && %s <= %d", x, numbers[0], x, numbers[n-1])
		}
		conds = append(conds, cond)
		numbers = numbers[n:]
	}
	return strings.Join(conds, " || ")
}

// maskCondition returns the condition for the paths of a FieldMask.
func (v *validation) maskCondition(check validate.Check, x string) string {
	paths, ok := check.Arg.([]string)
	if list, isList := check.Arg.([]any); isList && !ok {
		for _, p := range list {
			paths = append(paths, p.(string))
		}
	}
	list := "[]string{"
	for i, p := range paths {
		if i > 0 {
			list += ", "
		}
		list += strconv.Quote(p)
	}
	list += "}"
	switch check.Op {
	case "const":
		return v.use("slices") + ".Equal(" + x + ", " + list + ")"
	case "in":
		return v.check("CoversAll") + "(" + list + ", " + x + ")"
	}
	return v.check("CoversNone") + "(" + list + ", " + x + ")"
}

// timeCondition returns the condition for a Timestamp or Duration.
func (v *validation) timeCondition(f *schema.Field, check validate.Check, x string) string {
	switch check.Op {
	case "lt_now":
		return "!" + x + ".After(c.Now())"
	case "gt_now":
		return "!" + x + ".Before(c.Now())"
	case "within":
		return "c.IsWithin(" + x + ", " + v.duration(check.Arg.(validate.Time)) + ")"
	}
	compare := func(op string, bound any) string {
		t := bound.(validate.Time)
		if f.Message.Name == "Duration" {
			return x + " " + op + " " + v.duration(t)
		}
		return fmt.Sprintf("%s.Compare(%s.Unix(%d, %d)) %s 0", x, v.use("time"), t.Seconds, t.Nanos,
			op)
	}
	switch check.Op {
	case "const":
		return compare("==", check.Arg)
	case "in", "not_in": // of Durations
		call := v.check("In") + "(" + x
		for _, e := range check.Arg.([]any) {
			call += ", " + v.duration(e.(validate.Time))
		}
		if check.Op == "not_in" {
			call = "!" + call
		}
		return call + ")"
	}
	return ranged(check, compare)
}

// duration returns a constant of type time.Duration.
func (v *validation) duration(t validate.Time) string {
	d := t.Duration()
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"},
		{time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d != 0 && d%unit.size == 0 {
			if d == unit.size {
				return v.use("time") + "." + unit.name
			}
			return fmt.Sprintf("%d*%s.%s", d/unit.size, v.use("time"), unit.name)
		}
	}
	return strconv.FormatInt(int64(d), 10)
}
