package gremlincel

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
	"github.com/octopus-framework/octopus/gremlin/validate/rt"
)

// check is the check of one message. It implements rt.Message.
type check struct {
	plan     *messagePlan
	message  *dynamic.Reader
	standard rt.Message // checks the standard rules, nil: they are checked here

	c      *rt.Checker
	budget uint64 // what expressions may still cost
	err    error  // ends the check
}

// GremlinValidate implements rt.Message.
func (k *check) GremlinValidate(c *rt.Checker) {
	k.c = c
	if k.standard != nil {
		k.standard.GremlinValidate(c)
	}
	k.messageRules(k.plan, k.message, outermost())
	if failed, ok := k.err.(*rt.RuntimeError); ok {
		slices.Reverse(failed.Field)
	}
}

// wanted tells whether any of the rules are checked here.
func (k *check) wanted(rules kinds) bool { return rules.wanted(k.standard != nil) }

func (k *check) add(v rt.Violation) { k.c.Add([]rt.Violation{v}) }

// messageRules checks a message, which lies in a place.
func (k *check) messageRules(p *messagePlan, m *dynamic.Reader, in place) {
	if p.err != nil {
		k.err = p.err
		return
	}
	if len(p.programs) > 0 {
		k.programs(p.programs, func() ref.Val {
			return objectValue{Message: &object{r: m, in: in}}
		})
	}
	if k.standard == nil {
		k.sets(p, m)
	}
	for _, f := range p.fields {
		if k.err != nil {
			return
		}
		if k.wanted(f.kinds) {
			k.field(f, m, in)
		}
	}
}

// sets checks the rules about several fields.
func (k *check) sets(p *messagePlan, m *dynamic.Reader) {
	for _, s := range p.sets {
		set := make([]bool, len(s.fields))
		for i, f := range s.fields {
			set[i] = has(m, f)
		}
		k.c.CheckFields(s.required, s.names, set...)
	}
	for _, o := range p.oneofs {
		k.c.CheckOneof(slices.ContainsFunc(o.Fields, m.Has), o.Name)
	}
}

// field checks a field of m.
func (k *check) field(p *fieldPlan, m *dynamic.Reader, in place) {
	if p.err != nil {
		k.err = p.err
		return
	}
	if (p.required || p.ignore) && !has(m, p.field) {
		if p.required && k.standard == nil {
			k.c.Check(false, &p.name, "required", "value is required")
		}
		return
	}
	v := operand{field: p.field, owner: m, in: in}
	if !p.field.List() && p.field.Message != nil {
		v = k.nested(p.field, m, m.Message(p.field), in)
	}
	mark := k.c.Enter()
	k.value(&p.value, v)
	k.c.Leave(mark, &p.name)
	switch {
	case k.err != nil:
		k.failedIn(element(p.field))
	case p.value.items != nil && k.wanted(p.value.items.kinds):
		k.items(p, m, in)
	case p.value.keys != nil && k.wanted(p.value.keys.kinds.or(p.value.values.kinds)):
		k.entries(p, m, in)
	}
}

// items checks the elements of a list.
func (k *check) items(p *fieldPlan, m *dynamic.Reader, in place) {
	items, i := p.value.items, 0
	item := func(v operand) bool {
		mark := k.c.Enter()
		k.value(items, v)
		k.c.LeaveItem(mark, &p.name, i)
		if k.err != nil {
			k.failedIn(itemElement(p.field, i))
		}
		i++
		return k.err == nil
	}
	if p.field.Message != nil {
		for e := range m.Messages(p.field) {
			if !item(k.nested(p.field, m, e, in)) {
				return
			}
		}
		return
	}
	for s := range m.Each(p.field) {
		if !item(operand{field: p.field, element: true, scalar: s}) {
			return
		}
	}
}

// entries checks the entries of a map.
func (k *check) entries(p *fieldPlan, m *dynamic.Reader, in place) {
	keys, values := p.value.keys, p.value.values
	all := k.c.Enter()
	for _, e := range entries(m, p.field) {
		key := operand{field: p.field.Key(), element: true, scalar: e.Get(p.field.Key())}
		value := k.entryValue(p.field.Value(), e, in)
		mark := k.c.Enter()
		k.value(keys, key)
		k.c.ForKeys(mark)
		k.value(values, value)
		k.leaveEntry(mark, p, key.scalar)
		if k.err != nil {
			k.failedIn(entryElement(p.field, key.scalar))
			return
		}
	}
	k.c.LeaveMap(all)
}

func (k *check) entryValue(f *dynamic.Field, e *dynamic.Reader, in place) operand {
	if f.Message != nil {
		return k.nested(f, e, e.Message(f), in)
	}
	return operand{field: f, element: true, scalar: e.Get(f)}
}

// nested is message m in field f of owner, which lies in a place.
func (k *check) nested(f *dynamic.Field, owner, m *dynamic.Reader, in place) operand {
	in, err := in.enter(owner, f, m)
	if err != nil && k.err == nil {
		k.err = err
	}
	return operand{field: f, message: m, in: in}
}

func (k *check) leaveEntry(mark int, p *fieldPlan, key dynamic.Scalar) {
	switch p.field.Key().Kind {
	case dynamic.Bool:
		k.c.LeaveBool(mark, &p.name, key.Bits != 0)
	case dynamic.String:
		k.c.LeaveString(mark, &p.name, key.Text)
	case dynamic.Uint32, dynamic.Uint64, dynamic.Fixed32, dynamic.Fixed64:
		k.c.LeaveUint(mark, &p.name, key.Bits)
	default:
		k.c.LeaveInt(mark, &p.name, int64(key.Bits))
	}
}

// operand is a value that is checked: a message, a field of owner that is none, or a scalar that is
// an element of a list or map.
type operand struct {
	field   *dynamic.Field
	message *dynamic.Reader
	owner   *dynamic.Reader
	in      place // place of the message or owner
	element bool
	scalar  dynamic.Scalar
}

// value is what an expression calls this.
func (v operand) value() ref.Val {
	switch {
	case v.message != nil:
		return messageValue(v.message, true, v.in)
	case v.element:
		return celtypes.Scalar(v.field, v.scalar)
	}
	return fieldValue(v.owner, v.field, v.in)
}

func (v operand) isZero() bool {
	if v.message != nil {
		return isEmpty(v.message)
	}
	return isZero(v.scalar)
}

// value checks a value.
func (k *check) value(p *valuePlan, v operand) {
	if k.err != nil || p.ignore && v.isZero() {
		return
	}
	if len(p.programs) > 0 {
		k.programs(p.programs, v.value)
	}
	if k.standard == nil {
		if p.anyIn != nil {
			k.anyRule(p.anyIn, v.message)
		}
		if p.enum != nil {
			k.enumRule(p.enum, v)
		}
	}
	if p.message != nil && k.err == nil && k.wanted(p.message.kinds) {
		k.messageRules(p.message, v.message, v.in)
	}
}

// anyRule checks AnyRules.
func (k *check) anyRule(p *anyRule, m *dynamic.Reader) {
	url := m.Get(m.Type().Field(1)).Text
	broken := func(name string, number int32, message string) {
		rule := rt.Element{Name: name, Number: number, Type: descriptorTypes[dynamic.String]}
		k.add(rt.Violation{RuleID: "any." + name, Message: message,
			Rule: append(slices.Clone(p.prefix), rule)})
	}
	if len(p.in) > 0 && !slices.Contains(p.in, url) {
		broken("in", 2, "type URL must be in the allow list")
	}
	if slices.Contains(p.notIn, url) {
		broken("not_in", 3, "type URL must not be in the block list")
	}
}

// enumRule checks defined_only.
func (k *check) enumRule(p *enumRule, v operand) {
	s := v.scalar
	if !v.element {
		s = v.owner.Get(v.field)
	}
	if _, ok := p.enum.NameOf(int32(s.Bits)); !ok {
		k.add(rt.Violation{RuleID: "enum.defined_only", Rule: p.path,
			Message: "value must be one of the defined enum values"})
	}
}

// failedIn says that the error, if there is one, lies in what e stands for.
func (k *check) failedIn(e rt.Element) {
	if failed, ok := k.err.(*rt.RuntimeError); ok {
		failed.Field = append(failed.Field, e) // from the inside out, see GremlinValidate
	}
}

// programs evaluates expressions for a value, which is made when the first of them needs it.
func (k *check) programs(all []*program, value func() ref.Val) {
	var names *activation
	for _, p := range all {
		if p.standard && k.standard != nil || k.err != nil {
			continue
		}
		if names == nil {
			names = &activation{check: k, this: value()}
		}
		names.rules, names.rule = p.rules, p.rule
		result, details, err := p.cel.Eval(names)
		if err == nil {
			err = k.spend(details)
		}
		if err != nil {
			k.err = &rt.RuntimeError{RuleID: p.id, Detail: err.Error()}
			return
		}
		v := rt.Violation{Rule: p.path, RuleID: p.id, Message: p.message}
		switch r := result.(type) {
		case types.String:
			if r == "" {
				continue
			}
			v.Message = strings.Clone(string(r)) // it may be a string of the message
		case types.Bool:
			if r {
				continue
			}
			if v.Message == "" {
				v.Message = strconv.Quote(p.text) + " returned false"
			}
		default:
			k.err = &rt.RuntimeError{RuleID: p.id,
				Detail: "it is a " + r.Type().TypeName() + ", and must be a bool or string"}
			return
		}
		k.add(v)
	}
}

// spend counts what an expression has cost.
func (k *check) spend(d *cel.EvalDetails) error {
	cost := d.ActualCost()
	switch {
	case cost == nil: // a standard rule, which is cheap for messages of any length
	case *cost > k.budget:
		return errBudget
	default:
		k.budget -= *cost
	}
	return nil
}

var errBudget = errors.New("the expressions for the message cost too much together")

// activation is the values of the names in an expression.
type activation struct {
	check             *check
	this, rules, rule ref.Val
}

// ResolveName implements interpreter.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	switch name {
	case "this":
		return a.this, a.this != nil
	case "rules":
		return a.rules, a.rules != nil
	case "rule":
		return a.rule, a.rule != nil
	case "now":
		if a.check == nil {
			return nil, false // while it is compiled
		}
		return types.Timestamp{Time: a.check.c.Now().UTC()}, true
	}
	return nil, false
}

// Parent implements interpreter.Activation.
func (a *activation) Parent() interpreter.Activation { return nil }
