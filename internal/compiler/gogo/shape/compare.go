package shape

import (
	"slices"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// compare prints Compare.
func (p *printer) compare(m *message) {
	p.compareOf(m.goName.name, func() {
		p.enter(m)
		for _, x := range m.order {
			switch x := x.(type) {
			case *field:
				p.compareField(x)
			case *oneof:
				p.compareOneof(m, x)
			}
		}
		if len(m.ExtensionRanges) > 0 {
			if m.facts.ExtensionsMap {
				p.returnUnlessZero("this.gremlinOrderExtensions(that1)")
			} else {
				p.returnUnlessZero(p.use("bytes") +
					".Compare(this.XXX_extensions, that1.XXX_extensions)")
			}
		}
		if m.facts.Unrecognized {
			p.returnUnlessZero(p.use("bytes") +
				".Compare(this.XXX_unrecognized, that1.XXX_unrecognized)")
		}
	})
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.compareOf(f.wrapper, func() { p.compareField(f.member()) })
		}
	}
}

func (p *printer) compareOf(name string, body func()) {
	p.p()
	p.p("// Compare returns a number below, equal to or above zero. What is no ",
		name, " comes first.")
	p.p("func (this *", name, ") Compare(that interface{}) int {")
	p.p("that1, ok := that.(*", name, ")")
	p.p("if !ok {")
	p.p("that2, ok := that.(", name, ")")
	p.p("if !ok {")
	p.p("if that == nil && this == nil {")
	p.p("return 0")
	p.p("}")
	p.p("return 1")
	p.p("}")
	p.p("that1 = &that2")
	p.p("}")
	p.p("switch {")
	p.p("case that1 == nil && this == nil:")
	p.p("return 0")
	p.p("case that1 == nil:")
	p.p("return 1")
	p.p("case this == nil:")
	p.p("return -1")
	p.p("}")
	body()
	p.p("return 0")
	p.p("}")
}

func (p *printer) returnUnlessZero(expr string) {
	p.p("if c := ", expr, "; c != 0 {")
	p.p("return c")
	p.p("}")
}

// compareOneof prints the comparison of a oneof: members in the order of their declaration, unset
// first.
func (p *printer) compareOneof(m *message, o *oneof) {
	p.p("{")
	for _, side := range []string{"this", "that1"} {
		p.p(side, "Member := -1")
		p.p("switch ", side, ".", o.goName, ".(type) {")
		for _, f := range o.fields {
			p.p("case *", f.wrapper, ":")
			p.p(side, "Member = ", slices.Index(m.fields, f))
		}
		p.p("}")
	}
	p.returnUnlessZero(p.rt("Compare") + "(thisMember, that1Member)")
	p.p("if this.", o.goName, " != nil {")
	p.returnUnlessZero("this." + o.goName + ".Compare(that1." + o.goName + ")")
	p.p("}")
	p.p("}")
}

func (p *printer) compareField(f *field) {
	x, y := "this."+f.goName, "that1."+f.goName
	if !f.Repeated && !f.IsMap() {
		p.returnUnlessZero(p.ordering(f, x, y))
		return
	}
	p.returnUnlessZero(p.rt("Compare") + "(len(" + x + "), len(" + y + "))")
	p.p("for i := range ", x, " {")
	value := f
	if f.IsMap() {
		value = f.value
		if value.class != scalar && !value.star || value.facts.CastType != "" {
			p.p("a, b := ", x, "[i], ", y, "[i]")
			p.returnUnlessZero(p.ordering(value, "a", "b"))
			p.p("}")
			return
		}
	}
	p.returnUnlessZero(p.ordering(value, x+"[i]", y+"[i]"))
	p.p("}")
}

// ordering returns a call that compares two values.
func (p *printer) ordering(f *field, x, y string) string {
	switch {
	case f.isCustom() && f.star:
		return p.rt("CompareCustom") + "(" + x + ", " + y + ", func() int { return " + x +
			".Compare(*" + y + ") })"
	case f.isCustom():
		return x + ".Compare(" + y + ")"
	case f.class == nested:
		if f.facts.CastType != "" {
			return p.methodsOf(f, x, f.star) + ".Compare(" + p.methodsOf(f, y, f.star) + ")"
		}
		if !f.star {
			y = "&" + y
		}
		return x + ".Compare(" + y + ")"
	case f.std == "Time" && f.star:
		return p.rt("CompareCustom") + "(" + x + ", " + y + ", func() int { return " + x +
			".Compare(*" + y + ") })"
	case f.std == "Time":
		return x + ".Compare(" + y + ")"
	case f.std == "Bytes" && f.star:
		return p.rt("CompareCustom") + "(" + x + ", " + y + ", func() int { return " +
			p.use("bytes") + ".Compare(*" + x + ", *" + y + ") })"
	case f.std == "Bytes" || f.class == scalar && f.Kind == schema.Bytes:
		return p.use("bytes") + ".Compare(" + x + ", " + y + ")"
	}
	name := "Compare"
	if f.class == scalar && f.Kind == schema.Bool || f.std == "Bool" {
		name = "CompareBool"
	}
	if f.star {
		name += "Pointers"
	}
	return p.rt(name) + "(" + x + ", " + y + ")"
}
