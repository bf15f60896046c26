package gremlincel

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
	"github.com/octopus-framework/octopus/gremlin/validate/rt"
)

// standardRules adds the rules of the oneof "type" of FieldRules: what validate.proto has, written
// there as expressions, and what extensions of its messages add (predefined rules).
func (b *builder) standardRules(p *valuePlan, f *dynamic.Field, rules record, prefix rt.Path,
	single bool) error {
	member := rules.member("type")
	if member == nil {
		return nil
	}
	switch want := rulesOf(f, single); {
	case want == "":
		return fmt.Errorf("rules of %s are no rules for a field of type %s", member.Name,
			f.Message.Name)
	case want != member.Name:
		return fmt.Errorf("the field has rules of %s, and can have those of %s", member.Name, want)
	}
	m := rules.r.Message(member)
	set, err := b.ruleFields(m)
	if err != nil {
		return err
	}
	prefix = append(slices.Clone(prefix), element(member))
	this := anyFieldType(f)
	if single {
		if this = celtypes.ElementType(f); f.Message != nil && celtypes.Wrapped(f.Message) != nil {
			this = celtypes.ElementType(celtypes.Wrapped(f.Message))
		}
	}
	all := objectValue{Message: &object{r: m, in: outermost()}}
	for _, r := range set {
		programs, err := b.predefined(r.field, m.Type(), this)
		if err != nil {
			return err
		}
		for _, compiled := range programs {
			x := *compiled.program
			if strings.Contains(x.text, ".matches(") {
				known := &activation{rules: all, rule: r.value}
				ast := fold(compiled.env, compiled.ast, known)
				if x.cel, err = b.env.program(compiled.env, ast, &x); err != nil {
					return err
				}
			}
			x.path = append(slices.Clone(prefix), element(r.field))
			x.rules, x.rule = all, r.value
			p.programs = append(p.programs, &x)
		}
	}
	switch list := (record{m}); member.Name {
	case "any":
		p.anyIn = &anyRule{prefix: prefix, in: list.texts("in"), notIn: list.texts("not_in")}
	case "enum":
		if list.bool("defined_only") {
			p.enum = &enumRule{enum: f.Enum,
				path: append(slices.Clone(prefix), element(fieldNamed(m.Type(), "defined_only")))}
		}
	}
	return nil
}

// ruleValue is a rule that is set.
type ruleValue struct {
	field *dynamic.Field
	value ref.Val
}

// ruleFields returns the rules that are set in a message of rules, extensions behind the others.
func (b *builder) ruleFields(m *dynamic.Reader) (set []ruleValue, err error) {
	t := m.Type()
	for _, f := range t.Fields {
		if m.Has(f) {
			set = append(set, ruleValue{f, fieldValue(m, f, outermost())})
		}
	}
	all, _, err := payloads(m.Raw(), 0)
	if err != nil {
		return nil, err
	}
	extensions := map[uint32][]payload{}
	var numbers []uint32
	for _, p := range all {
		if t.Field(p.number) != nil {
			continue
		}
		if t.Extension(p.number) == nil {
			return nil, fmt.Errorf("%s has a rule with number %d, which the descriptors lack",
				t.Name, p.number)
		}
		if extensions[p.number] == nil {
			numbers = append(numbers, p.number)
		}
		extensions[p.number] = append(extensions[p.number], p)
	}
	for _, n := range numbers {
		f := t.Extension(n)
		v, err := extensionValue(f, extensions[n])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.FullName, err)
		}
		set = append(set, ruleValue{f, v})
	}
	return set, nil
}

// extensionValue is the value of an extension.
func extensionValue(f *dynamic.Field, all []payload) (ref.Val, error) {
	var list []ref.Val
	for _, p := range all {
		if f.Message != nil {
			if p.typ != protowire.BytesType {
				return nil, fmt.Errorf("it is a group, which no rule can be")
			}
			r, err := open(f.Message, p.bytes)
			if err != nil {
				return nil, err
			}
			list = append(list, messageValue(r, true, outermost()))
			continue
		}
		values, err := scalars(f, p)
		if err != nil {
			return nil, err
		}
		list = append(list, values...)
	}
	if f.Repeated {
		return types.NewRefValList(types.DefaultTypeAdapter, list), nil
	}
	if len(list) == 0 {
		return celtypes.Scalar(f, f.Default), nil
	}
	return list[len(list)-1], nil
}

// scalars are the values in a payload: several, if it is a packed list.
func scalars(f *dynamic.Field, p payload) (list []ref.Val, err error) {
	rest := p.bytes
	for packed := p.typ == protowire.BytesType && f.Kind < dynamic.String; ; {
		if packed && len(rest) == 0 {
			return list, nil
		}
		size := len(rest)
		if packed {
			if size = sizeOf(f.Kind, rest); size < 0 {
				return nil, protowire.ParseError(size)
			}
		}
		s, ok := dynamic.DecodeScalar(f.Kind, rest[:size])
		if !ok {
			return nil, fmt.Errorf("it has a value that is none of its type")
		}
		list = append(list, celtypes.Scalar(f, s))
		if rest = rest[size:]; !packed {
			return list, nil
		}
	}
}

// sizeOf returns how many bytes the first number of a packed list has, or the negative code of
// protowire.
func sizeOf(k dynamic.Kind, b []byte) int {
	switch k {
	case dynamic.Float, dynamic.Fixed32, dynamic.Sfixed32:
		return protowire.ConsumeFieldValue(1, protowire.Fixed32Type, b)
	case dynamic.Double, dynamic.Fixed64, dynamic.Sfixed64:
		return protowire.ConsumeFieldValue(1, protowire.Fixed64Type, b)
	}
	return protowire.ConsumeFieldValue(1, protowire.VarintType, b)
}

// predefinedRule is an expression of a rule, without the values that fields give it.
type predefinedRule struct {
	*program
	env *cel.Env
	ast *cel.Ast
}

// predefined compiles the expressions that a field of a message of rules has. This is the type of
// the values that it is for, the same for all values that can have the rule.
func (b *builder) predefined(f *dynamic.Field, rules *dynamic.Type,
	this *cel.Type) ([]predefinedRule, error) {
	if all, ok := b.standard[f]; ok {
		return all, nil
	}
	o, err := option(b.set, predefinedOption, f.Options)
	if err != nil {
		return nil, err
	}
	var all []*program
	for _, rule := range o.messages("cel") {
		all = append(all, newProgram(rule))
	}
	if len(all) == 0 && !f.Extension {
		var known bool
		if all, known = standardExpressions(rules.Name, f.Name); !known {
			return nil, fmt.Errorf("nothing says what the rule %s means: compile with a "+
				"validate.proto of protovalidate that does", f.FullName)
		}
	}
	var compiled []predefinedRule
	for _, x := range all {
		env, err := b.env.with(variable{"this", this},
			variable{"rules", cel.ObjectType(rules.Name)}, variable{"rule", anyFieldType(f)})
		if err != nil {
			return nil, err
		}
		x.standard = !f.Extension
		ast, err := b.env.check(env, x)
		if err != nil {
			return nil, wrap(f.FullName, err)
		}
		if x.cel, err = b.env.program(env, ast, x); err != nil {
			return nil, wrap(f.FullName, err)
		}
		compiled = append(compiled, predefinedRule{x, env, ast})
	}
	b.standard[f] = compiled
	return compiled, nil
}
