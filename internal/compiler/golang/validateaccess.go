package golang

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
	"github.com/octopus-framework/octopus/internal/compiler/validate"
)

// access says how checks of rules get at fields.
type access interface {
	// start prints what checks need at the start of a function.
	start(v *validation)
	// isSet returns a condition: a member of o is set.
	isSet(o *schema.Oneof) string
	// has returns a condition: f, which has presence, is set.
	has(v *validation, f *schema.Field) string
	// value returns the value of f where it is set. If it is better to bind it, open returns how,
	// and the value then; cond is empty where that needs no condition.
	value(f *schema.Field) string
	open(v *validation, f *validate.Field) (value, init, cond string)
	// size returns how many elements f has, whose value is x, and whole all of them as a slice.
	size(f *schema.Field, x string) string
	whole(f *schema.Field) string
	// each prints the head of a loop over x, the value of the list f, with variables i, v and n,
	// and next the end of a round.
	each(v *validation, f *schema.Field, x string)
	next(v *validation)
	// notEmpty returns a condition: x, an element that is a message, has a field that is set.
	notEmpty(f *schema.Field, x string) string
	// std returns what is in x, a type of Go that stands for a message.
	std(f *schema.Field, x string, isElement bool) string
}

// ofMessage gets at the fields of a Message m.
type ofMessage struct{ t *messageType }

func (a ofMessage) field(f *schema.Field) string { return "m." + a.t.names.fields[f].field }

func (ofMessage) start(*validation) {}

func (a ofMessage) isSet(o *schema.Oneof) string {
	return "m." + a.t.names.oneofs[o].field + " != nil"
}

func (a ofMessage) has(v *validation, f *schema.Field) string {
	switch {
	case f.Oneof != nil:
		return v.check("IsMember") + "[*" + a.t.names.fields[f].wrapper + "](m." +
			a.t.names.oneofs[f.Oneof].field + ")"
	case f.Kind == schema.MessageKind:
		return a.t.isSet(f, a.field(f))
	}
	return a.field(f) + " != nil"
}

func (a ofMessage) value(f *schema.Field) string {
	if a.t.isPointer(f) {
		return "*" + a.field(f)
	}
	return a.field(f)
}

func (a ofMessage) open(_ *validation, f *validate.Field) (value, init, cond string) {
	if f.Oneof == nil {
		return "", "", ""
	}
	n, of := a.t.names.fields[f.Field], a.t.names.oneofs[f.Oneof].field
	cond = "ok && x != nil"
	if a.t.std(f.Field) != nil {
		cond += " && x." + n.field + " != nil"
	}
	return "x." + n.field, "x, ok := m." + of + ".(*" + n.wrapper + ")", cond
}

func (ofMessage) size(_ *schema.Field, x string) string { return "len(" + x + ")" }

func (a ofMessage) whole(f *schema.Field) string { return a.field(f) }

func (a ofMessage) each(v *validation, f *schema.Field, x string) {
	if f.Kind == schema.MessageKind && !a.t.opts.PointerLists && a.t.std(f) == nil {
		v.p("for i := range ", x, " {")
		v.p("n, v := c.Enter(), &", x, "[i]")
		return
	}
	v.p("for i, v := range ", x, " {")
	if a.t.opts.PointerLists && a.t.std(f) != nil {
		v.p("if v == nil {")
		v.p("continue")
		v.p("}")
	}
	v.p("n := c.Enter()")
}

func (ofMessage) next(*validation) {}

func (a ofMessage) notEmpty(f *schema.Field, x string) string {
	return a.t.withMethods(f, x) + ".Size() != 0"
}

func (a ofMessage) std(f *schema.Field, x string, isElement bool) string {
	isPointer := !a.t.isStdValue(f) && (!isElement || f.Repeated && a.t.opts.PointerLists)
	if isPointer && f.Message.Name != "Timestamp" { // of which methods are called
		return "*" + x
	}
	return x
}

// ofReader gets at the fields of a Reader r, which is well-formed. A map is collected, because the
// later of two entries with one key counts.
type ofReader struct{ t *messageType }

func (a ofReader) start(v *validation) {
	for _, f := range v.rules.Fields {
		if f.Value.Items != nil {
			v.p("var i int")
			return
		}
	}
}

func (a ofReader) isSet(o *schema.Oneof) string {
	n := a.t.names.oneofs[o]
	return "r." + n.which + "() != " + n.caseUnset
}

func (a ofReader) has(_ *validation, f *schema.Field) string {
	return "r." + a.t.names.fields[f].has + "()"
}

func (a ofReader) value(f *schema.Field) string {
	n := a.t.names.fields[f]
	if f.Repeated {
		return "r." + n.values + "()"
	}
	return "r.Get" + n.field + "()"
}

func (a ofReader) open(v *validation, f *validate.Field) (value, init, cond string) {
	switch {
	case f.Repeated:
		return "", "", ""
	case f.Kind == schema.MessageKind && !f.IsMap() && a.t.std(f.Field) == nil:
		return "u", "u := new(" + a.t.readerType(f.Field) + ")",
			"r." + a.t.names.fields[f.Field].into + "(u)"
	}
	if f.IfSet || f.Required {
		cond = v.isPresent(f.Field, "x")
	} else if !f.IsMap() && len(f.Value.Checks) == 1 {
		check := v.condition(f.Field, f.Value.Checks[0], "\x00", false)
		if strings.Count(check, "\x00") == 1 {
			return "", "", ""
		}
	}
	return "x", "x := " + a.value(f.Field), cond
}

func (a ofReader) size(f *schema.Field, x string) string {
	if f.IsMap() {
		return "len(" + x + ")"
	}
	return "r." + a.t.names.fields[f].count + "()"
}

func (a ofReader) whole(f *schema.Field) string {
	return "r.Get" + a.t.names.fields[f].field + "()"
}

func (a ofReader) each(v *validation, _ *schema.Field, x string) {
	v.p("i = 0")
	v.p("for v := range ", x, " {")
	v.p("n := c.Enter()")
}

func (ofReader) next(v *validation) { v.p("i++") }

func (a ofReader) notEmpty(f *schema.Field, x string) string {
	if a.t.std(f) != nil {
		return a.t.pointerMethods(f, "&"+x) + ".Size() != 0"
	}
	// The encoding may have fields with their zero values.
	return "len(" + x + ".Raw()) != 0 && " + x + ".ToMessage().Size() != 0"
}

func (ofReader) std(_ *schema.Field, x string, _ bool) string { return x }
