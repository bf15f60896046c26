package golang

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// compare prints Equal and Clone.
func (t *messageType) compare() {
	name := t.names.message.name
	t.p()
	t.p(
		"// Equal tells whether m and x have the same contents; NaN equals NaN, nil equals nil alone.")
	if t.recursive() {
		t.p("// A message that contains itself, or is nested deeper than ", t.runtime("MaxNesting"),
			", equals itself alone.")
	}
	t.startWalk("Equal", "x *"+name, "bool", "x, ")
	if t.recursive() {
		t.p("depth++")
	}
	var conds []string
	for _, f := range t.inWireOrder() {
		n := t.names.fields[f].field
		if f.Oneof != nil {
			n = t.names.oneofs[f.Oneof].field
			conds = append(conds, "!equal"+t.names.message.name+"_"+n+"(m."+n+", x."+n+
				t.depth(", depth")+")")
		} else {
			conds = append(conds, t.differs(f, "m."+n, "x."+n))
		}
	}
	t.p("switch {")
	if t.recursive() {
		t.p("case m == x, m == nil, x == nil, depth > ", t.runtime("MaxNesting"), ":")
	} else {
		t.p("case m == nil, x == nil:")
	}
	t.p("return m == x")
	if len(conds) != 0 {
		// Not an expression with ||, for which the compiler keeps the result of each operand: 950
		// bytes for a hundred fields.
		t.p("case ", fill(conds), ":")
		t.p("return false")
	}
	t.p("}")
	t.p("return ", t.runtime("EqualUnknown"), "(m.unknown, x.unknown)")
	t.p("}")
	for _, o := range t.msg.Oneofs {
		t.equalOneof(o)
	}
	t.p()
	t.p("// Clone returns a deep copy of m.")
	t.startWalk("Clone", "", "*"+name, "")
	t.ifNil("nil")
	t.goDeeper()
	t.p("c := *m")
	for _, f := range t.inWireOrder() {
		if f.Oneof != nil {
			t.cloneOneof(f.Oneof)
			continue
		}
		n := t.names.fields[f].field
		if y := t.cloned(f, "m."+n); y != "" {
			t.p("c.", n, " = ", y)
		}
	}
	t.p("return &c")
	t.p("}")
}

// elemOf returns the field of one value: that of a map's values, else f.
func elemOf(f *schema.Field) *schema.Field {
	if f.IsMap() {
		return f.MapValue
	}
	return f
}

func isFloat(f *schema.Field) bool { return f.Kind == schema.Float || f.Kind == schema.Double }

// differs returns a condition: x and y, values of field f, are different.
func (t *messageType) differs(f *schema.Field, x, y string) string {
	call := func(name string, more ...string) string {
		s := "!" + t.runtime(name) + "(" + x + ", " + y
		for _, m := range more {
			s += ", " + m
		}
		return s + ")"
	}
	switch elem := elemOf(f); {
	case t.std(elem) != nil:
		return t.stdDiffers(f, elem, x, y)
	case t.inCircle(f) && (f.IsMap() || f.Repeated):
		return call("Equal"+t.manyOf(f)+"At", "(*"+t.valueType(elem)+").equal", "depth")
	case f.IsMap():
		v := f.MapValue
		switch {
		case v.Kind == schema.MessageKind:
			return call("EqualMessageMap")
		case v.Kind == schema.Bytes:
			return call("EqualMapFunc", t.runtime("EqualBytes"))
		case isFloat(v):
			return call("EqualMapFunc", t.runtime("EqualFloat")+"["+t.valueType(v)+"]")
		}
		return call("EqualMap")
	case f.Repeated:
		switch {
		case f.Kind == schema.MessageKind && t.opts.PointerLists:
			return call("EqualListFunc", "(*"+t.valueType(f)+").Equal")
		case f.Kind == schema.MessageKind:
			return call("EqualMessages")
		case f.Kind == schema.Bytes:
			return call("EqualByteSlices")
		case isFloat(f):
			return call("EqualFloats")
		}
		return call("EqualList")
	case f.Kind == schema.MessageKind:
		return "!" + t.deeper(f, x, "Equal", "equal", y)
	case f.Kind == schema.Bytes && f.Presence && f.Oneof == nil:
		return "(" + x + " == nil) != (" + y + " == nil) || " + call("EqualBytes")
	case f.Kind == schema.Bytes:
		return call("EqualBytes")
	case t.isPointer(f) && isFloat(f):
		return call("EqualOptionalFloat")
	case t.isPointer(f):
		return call("EqualOptional")
	case isFloat(f):
		return call("EqualFloat")
	}
	return x + " != " + y
}

func (t *messageType) equalOneof(o *schema.Oneof) {
	n := t.names.oneofs[o]
	t.p()
	t.p("func equal", t.names.message.name, "_", n.field, "(x, y ", n.iface,
		t.depth(", depth int"), ") bool {")
	t.p("switch x := x.(type) {")
	for _, f := range o.Fields {
		fn := t.names.fields[f]
		t.p("case *", fn.wrapper, ":")
		t.p("y, ok := y.(*", fn.wrapper, ")")
		t.p("return ok && (x == y || x != nil && y != nil && ",
			negate(t.differs(f, "x."+fn.field, "y."+fn.field)), ")")
	}
	t.p("}")
	t.p("return y == nil")
	t.p("}")
}

// negate returns the opposite of a condition of differs.
func negate(cond string) string {
	switch {
	case strings.Contains(cond, " || "):
		return "!(" + cond + ")"
	case cond[0] == '!':
		return cond[1:]
	}
	return strings.Replace(cond, " != ", " == ", 1)
}

// cloned returns an expression for a deep copy of x, the value of f; empty when the shallow copy is
// one.
func (t *messageType) cloned(f *schema.Field, x string) string {
	call := func(name string, more ...string) string {
		s := t.runtime(name) + "(" + x
		for _, m := range more {
			s += ", " + m
		}
		return s + ")"
	}
	switch elem := elemOf(f); {
	case t.std(elem) != nil:
		return t.stdCloned(f, elem, x)
	case t.inCircle(f) && (f.IsMap() || f.Repeated):
		return call("Clone"+t.manyOf(f)+"At", "(*"+t.valueType(elem)+").clone", "depth")
	case f.IsMap():
		switch v := f.MapValue; v.Kind {
		case schema.MessageKind:
			return call("CloneMessageMap")
		case schema.Bytes:
			return call("CloneMapFunc", t.runtime("CloneBytes"))
		}
		return call("CloneMap")
	case f.Repeated:
		switch {
		case f.Kind == schema.MessageKind && t.opts.PointerLists:
			return call("CloneListFunc", "(*"+t.valueType(f)+").Clone")
		case f.Kind == schema.MessageKind:
			return call("CloneMessages")
		case f.Kind == schema.Bytes:
			return call("CloneByteSlices")
		}
		return call("CloneList")
	case f.Kind == schema.MessageKind:
		return t.deeper(f, x, "Clone", "clone", "")
	case f.Kind == schema.Bytes:
		return call("CloneBytes")
	case t.isPointer(f):
		return call("CloneOptional")
	case f.Kind == schema.String:
		return call("CloneString")
	}
	return ""
}

func (t *messageType) cloneOneof(o *schema.Oneof) {
	n := t.names.oneofs[o]
	t.p("switch a := m.", n.field, ".(type) {")
	for _, f := range o.Fields {
		fn := t.names.fields[f]
		y := t.cloned(f, "a."+fn.field)
		if y == "" {
			y = "a." + fn.field
		}
		t.p("case *", fn.wrapper, ":")
		t.p("if a != nil {")
		t.p("c.", n.field, " = &", fn.wrapper, "{", fn.field, ": ", y, "}")
		t.p("}")
	}
	t.p("}")
}
