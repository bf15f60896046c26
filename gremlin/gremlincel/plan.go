package gremlincel

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types/ref"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/validate/rt"
)

// messagePlan is what is to be checked of messages of one type. It does not change once the plans
// of all types that it leads to are complete.
type messagePlan struct {
	typ      *dynamic.Type
	err      error      // why it cannot be checked
	programs []*program // expressions of the message as a whole
	sets     []fieldSet
	oneofs   []*dynamic.Oneof // one member of each must be set
	fields   []*fieldPlan
	kinds    kinds // kinds of the rules here and below
}

// kinds says which kinds of rules there are.
type kinds struct{ standard, cel bool }

func (k kinds) or(x kinds) kinds { return kinds{k.standard || x.standard, k.cel || x.cel} }

// wanted tells whether there is something to check; celOnly leaves out standard rules.
func (k kinds) wanted(celOnly bool) bool { return k.cel || k.standard && !celOnly }

// fieldSet is a rule of a message: at most one of the fields may be set.
type fieldSet struct {
	fields   []*dynamic.Field
	names    string // "a, b"
	required bool
}

// fieldPlan is what is to be checked of a field.
type fieldPlan struct {
	field    *dynamic.Field
	name     rt.Field // name of the field for violations
	err      error    // why it cannot be checked
	required bool
	ignore   bool // the rules where it is not set
	value    valuePlan
	kinds    kinds
}

// valuePlan is what is to be checked of a value: of a field, an element of a list, or a key or
// value of a map.
type valuePlan struct {
	programs []*program
	anyIn    *anyRule
	enum     *enumRule
	message  *messagePlan // plan of the message that is the value
	items    *valuePlan   // plan of the elements of a list
	keys     *valuePlan   // plan of the keys of a map
	values   *valuePlan
	ignore   bool // the rules of an element that is zero
	kinds    kinds
}

// settle finds out which rules plans lead to, around circles of types, too.
func settle(plans []*messagePlan) {
	for changed := true; changed; {
		changed = false
		for _, p := range plans {
			before := p.kinds
			p.settle()
			changed = changed || p.kinds != before
		}
	}
}

// settle goes by what the plans of other messages, or p itself, tell already: kinds only grow.
func (p *messagePlan) settle() {
	p.kinds = p.kinds.or(kinds{standard: len(p.sets)+len(p.oneofs) > 0, cel: len(p.programs) > 0})
	for _, f := range p.fields {
		f.value.settle()
		f.kinds = f.value.kinds
		f.kinds.standard = f.kinds.standard || f.required
		if f.err != nil {
			f.kinds = kinds{true, true}
		}
		p.kinds = p.kinds.or(f.kinds)
	}
	if p.err != nil {
		p.kinds = kinds{true, true}
	}
}

func (p *valuePlan) settle() {
	p.kinds = kinds{standard: p.anyIn != nil || p.enum != nil}
	for _, x := range p.programs {
		p.kinds = p.kinds.or(kinds{standard: x.standard, cel: !x.standard})
	}
	if p.message != nil {
		p.kinds = p.kinds.or(p.message.kinds)
	}
	for _, part := range []*valuePlan{p.items, p.keys, p.values} {
		if part != nil {
			part.settle()
			p.kinds = p.kinds.or(part.kinds)
		}
	}
}

// program is an expression with what it is evaluated for.
type program struct {
	id, message, text string
	cel               cel.Program
	standard          bool    // a rule of validate.proto itself
	path              rt.Path // path of the rule; none for a rule of a message
	// values of standard and predefined rules: all rules of the field, and this one
	rules, rule ref.Val
}

// anyRule is AnyRules: types that an Any may and may not have.
type anyRule struct {
	prefix    rt.Path
	in, notIn []string
}

// enumRule is defined_only of EnumRules.
type enumRule struct {
	path rt.Path
	enum *dynamic.Enum
}
