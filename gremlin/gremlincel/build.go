package gremlincel

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
	"github.com/octopus-framework/octopus/gremlin/validate/rt"
)

// builder makes plans. It is for one goroutine.
type builder struct {
	set      *dynamic.Schema
	env      *environment
	plans    map[*dynamic.Type]*messagePlan
	fresh    []*messagePlan                      // since the last settle
	standard map[*dynamic.Field][]predefinedRule // the expressions of a rule, by its field
}

// plan returns the plan of t; those that it leads to are made, too.
func (b *builder) plan(t *dynamic.Type) *messagePlan {
	if p := b.plans[t]; p != nil {
		return p
	}
	p := &messagePlan{typ: t}
	b.plans[t] = p
	b.fresh = append(b.fresh, p)
	rules, err := option(b.set, messageOption, t.Options)
	if err == nil {
		err = b.message(p, rules)
	}
	if err != nil {
		p.err = wrap(t.Name, err)
		return p
	}
	together := map[string]bool{}
	for _, s := range p.sets {
		for _, f := range s.fields {
			together[f.Name] = true
		}
	}
	for _, f := range t.Fields {
		p.fields = append(p.fields, b.field(f, together[f.Name]))
	}
	return p
}

// wrap makes a *CompileError of what is wrong with the rules of a message or field.
func wrap(name string, err error) error {
	if e, ok := err.(*CompileError); ok {
		if e.Name == "" {
			e.Name = name
		}
		return e
	}
	return &CompileError{Name: name, Detail: err.Error()}
}

// message adds the rules of a message as a whole, and those of its oneofs.
func (b *builder) message(p *messagePlan, rules record) (err error) {
	this := cel.ObjectType(p.typ.Name)
	if p.programs, err = b.expressions(rules, this, nil); err != nil {
		return err
	}
	for i := range p.programs {
		p.programs[i].path = nil // violations of messages name none
	}
	for _, o := range rules.messages("oneof") {
		s := fieldSet{required: o.bool("required")}
		names := o.texts("fields")
		if len(names) == 0 {
			return fmt.Errorf("a oneof rule without fields")
		}
		for _, name := range names {
			f := fieldNamed(p.typ, name)
			if f == nil {
				return fmt.Errorf("a oneof rule names %q, which is no field", name)
			}
			if slices.Contains(s.fields, f) {
				return fmt.Errorf("a oneof rule names %s twice", name)
			}
			s.fields = append(s.fields, f)
		}
		s.names = strings.Join(names, ", ")
		p.sets = append(p.sets, s)
	}
	for _, o := range p.typ.Oneofs {
		rules, err := option(b.set, oneofOption, o.Options)
		if err != nil {
			return err
		}
		if rules.bool("required") {
			p.oneofs = append(p.oneofs, o)
		}
	}
	return nil
}

// expressions compiles the fields cel_expression and cel of rules for a type of this.
func (b *builder) expressions(rules record, this *cel.Type, prefix rt.Path) (all []*program,
	err error) {
	add := func(list string, i int, x *program) error {
		env, err := b.env.with(variable{"this", this})
		if err != nil {
			return err
		}
		if err = b.env.compile(env, x); err != nil {
			return err
		}
		e := element(fieldNamed(rules.r.Type(), list))
		e.Subscript, e.Value = rt.Index, uint64(i)
		x.path = append(slices.Clone(prefix), e)
		all = append(all, x)
		return nil
	}
	for i, text := range rules.texts("cel_expression") {
		if err := add("cel_expression", i, &program{id: text, text: text}); err != nil {
			return nil, err
		}
	}
	for i, rule := range rules.messages("cel") {
		if err := add("cel", i, newProgram(rule)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// newProgram reads a buf.validate.Rule.
func newProgram(rule record) *program {
	return &program{id: rule.text("id"), message: rule.text("message"),
		text: rule.text("expression")}
}

// field makes the plan of a field. Together tells that a oneof rule of the message names it: then
// it may be left out whatever its rules say.
func (b *builder) field(f *dynamic.Field, together bool) *fieldPlan {
	p := &fieldPlan{field: f, name: fieldName(f)}
	rules, err := option(b.set, fieldOption, f.Options)
	if err != nil {
		p.err = wrap(f.FullName, err)
		return p
	}
	ignore := rules.bits("ignore")
	if ignore == ignoreAlways {
		return p
	}
	p.required = rules.bool("required")
	p.ignore = f.Presence || ignore == ignoreIfZero || together && !rules.has("ignore")
	if err := b.value(&p.value, f, rules, nil, false); err != nil {
		p.err = wrap(f.FullName, err)
	}
	return p
}

// value adds the rules of a value. Item tells that it is an element of a list, or a key or value of
// a map; then prefix is the path of its rules.
func (b *builder) value(p *valuePlan, f *dynamic.Field, rules record, prefix rt.Path,
	item bool) (err error) {
	ignore := rules.bits("ignore")
	if ignore == ignoreAlways {
		return nil
	}
	p.ignore = item && ignore == ignoreIfZero
	single := item || !f.List()
	this := celtypes.FieldType(f)
	if item {
		this = celtypes.ElementType(f)
	}
	if p.programs, err = b.expressions(rules, this, prefix); err != nil {
		return err
	}
	if single && f.Message != nil {
		if p.message = b.plan(f.Message); p.message.err != nil {
			return p.message.err
		}
	}
	if err := b.standardRules(p, f, rules, prefix, single); err != nil {
		return err
	}
	switch {
	case single:
		return nil
	case f.Kind == dynamic.Map:
		rules := rules.message("map")
		p.keys, p.values = new(valuePlan), new(valuePlan)
		err := b.value(p.keys, f.Key(), rules.message("keys"), b.path("map", "keys"), true)
		if err != nil {
			return err
		}
		return b.value(p.values, f.Value(), rules.message("values"), b.path("map", "values"), true)
	}
	p.items = new(valuePlan)
	return b.value(p.items, f, rules.message("repeated").message("items"),
		b.path("repeated", "items"), true)
}

// path returns the path of a field of buf.validate.FieldRules.
func (b *builder) path(names ...string) (path rt.Path) {
	t := b.set.Message(rulesPackage + "FieldRules")
	for _, name := range names {
		if t == nil {
			return nil // there are no rules in the set
		}
		f := fieldNamed(t, name)
		if f == nil {
			return nil
		}
		path, t = append(path, element(f)), f.Message
	}
	return path
}
