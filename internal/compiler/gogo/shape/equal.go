package shape

import (
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// equal prints Equal, or VerboseEqual which says where the difference is.
func (p *printer) equal(m *message, verbose bool) {
	p.equalOf(m.goName.name, verbose, func() {
		p.enter(m)
		for _, x := range m.order {
			switch x := x.(type) {
			case *field:
				p.equalField(x, verbose)
			case *oneof:
				p.equalOneof(x, verbose)
			}
		}
		if len(m.ExtensionRanges) > 0 {
			if m.facts.ExtensionsMap {
				p.p("if err := this.gremlinCompareExtensions(that1); err != nil {")
				p.p(map[bool]string{true: "return err", false: "return false"}[verbose])
				p.p("}")
			} else {
				p.differ(verbose, "!"+p.use("bytes")+
					".Equal(this.XXX_extensions, that1.XXX_extensions)", "XXX_extensions")
			}
		}
		if m.facts.Unrecognized {
			p.differ(verbose, "!"+p.use("bytes")+
				".Equal(this.XXX_unrecognized, that1.XXX_unrecognized)", "XXX_unrecognized")
		}
	})
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.equalOf(f.wrapper, verbose, func() { p.equalField(f.member(), verbose) })
		}
	}
}

// equalOf prints the method of one type around what body prints.
func (p *printer) equalOf(name string, verbose bool, body func()) {
	p.p()
	if !verbose {
		p.p("// Equal tells whether that is a ",
			name, ", or a pointer to one, with the same fields.")
		p.p("func (this *", name, ") Equal(that interface{}) bool {")
		p.p("that1, ok := that.(*", name, ")")
		p.p("if !ok {")
		p.p("that2, ok := that.(", name, ")")
		p.p("if !ok {")
		p.p("return that == nil && this == nil")
		p.p("}")
		p.p("that1 = &that2")
		p.p("}")
		p.p("if that1 == nil || this == nil {")
		p.p("return that1 == nil && this == nil")
		p.p("}")
		body()
		p.p("return true")
		p.p("}")
		return
	}
	errorf := p.use("fmt") + ".Errorf"
	p.p("// VerboseEqual returns nil if that is a ", name,
		", or a pointer to one, with the same fields, and else says what differs.")
	p.p("func (this *", name, ") VerboseEqual(that interface{}) error {")
	p.p("if that == nil {")
	p.p("if this == nil {")
	p.p("return nil")
	p.p("}")
	p.p("return ", errorf, "(\"that == nil && this != nil\")")
	p.p("}")
	p.p("that1, ok := that.(*", name, ")")
	p.p("if !ok {")
	p.p("that2, ok := that.(", name, ")")
	p.p("if !ok {")
	p.p("return ", errorf, "(\"that is not of type *", name, "\")")
	p.p("}")
	p.p("that1 = &that2")
	p.p("}")
	p.p("switch {")
	p.p("case that1 == nil && this == nil:")
	p.p("return nil")
	p.p("case that1 == nil:")
	p.p("return ", errorf, "(\"that is type *", name, " but is nil && this != nil\")")
	p.p("case this == nil:")
	p.p("return ", errorf, "(\"that is type *", name, " but is not nil && this == nil\")")
	p.p("}")
	body()
	p.p("return nil")
	p.p("}")
}

// differ prints what happens under a condition that says that a field differs.
func (p *printer) differ(verbose bool, condition, name string) {
	p.p("if ", condition, " {")
	p.notEqual(verbose, name, "")
	p.p("}")
}

func (p *printer) notEqual(verbose bool, name, index string) {
	if !verbose {
		p.p("return false")
		return
	}
	errorf := p.use("fmt") + ".Errorf"
	if index == "" {
		p.p("return ", errorf, "(\"", name, " this(%v) Not Equal that(%v)\", this.", name,
			", that1.", name, ")")
		return
	}
	p.p("return ", errorf, "(\"", name, " this[%v](%v) Not Equal that[%v](%v)\", ", index,
		", this.", name, "[", index, "], ",
		index, ", that1.", name, "[", index, "])")
}

func (p *printer) equalOneof(o *oneof, verbose bool) {
	name := o.goName
	no := func(text string) {
		if verbose {
			p.p("return ", p.use("fmt"), ".Errorf(", strconv.Quote(text), ")")
		} else {
			p.p("return false")
		}
	}
	p.p("if that1.", name, " == nil {")
	p.p("if this.", name, " != nil {")
	no("this." + name + " != nil && that1." + name + " == nil")
	p.p("}")
	p.p("} else if this.", name, " == nil {")
	no("this." + name + " == nil && that1." + name + " != nil")
	if verbose {
		p.p("} else if err := this.", name, ".VerboseEqual(that1.", name, "); err != nil {")
		p.p("return err")
	} else {
		p.p("} else if !this.", name, ".Equal(that1.", name, ") {")
		p.p("return false")
	}
	p.p("}")
}

func (p *printer) equalField(f *field, verbose bool) {
	x, y := "this."+f.goName, "that1."+f.goName
	if !f.Repeated && !f.IsMap() {
		p.differ(verbose, p.unequal(f, x, y), f.goName)
		return
	}
	p.p("if len(", x, ") != len(", y, ") {")
	if verbose {
		p.p("return ", p.use("fmt"), ".Errorf(\"", f.goName, " this(%v) Not Equal that(%v)\", len(",
			x, "), len(", y, "))")
	} else {
		p.p("return false")
	}
	p.p("}")
	p.p("for i := range ", x, " {")
	value := f
	if f.IsMap() {
		value = f.value
		if value.class != scalar && !value.star || value.facts.CastType != "" {
			p.p("a, b := ", x, "[i], ", y, "[i]")
			p.p("if ", p.unequal(value, "a", "b"), " {")
			p.notEqual(verbose, f.goName, "i")
			p.p("}")
			p.p("}")
			return
		}
	}
	p.p("if ", p.unequal(value, x+"[i]", y+"[i]"), " {")
	p.notEqual(verbose, f.goName, "i")
	p.p("}")
	p.p("}")
}

// unequal returns the condition under which two values differ.
func (p *printer) unequal(f *field, x, y string) string {
	switch {
	case f.class == custom || f.isCustom():
		if f.star {
			return "(" + x + " == nil) != (" + y + " == nil) || " + x + " != nil && !" +
				x + ".Equal(*" + y + ")"
		}
		return "!" + x + ".Equal(" + y + ")"
	case f.class == nested:
		a, b := x, y
		if f.facts.CastType != "" {
			return "!" + p.methodsOf(f, a, f.star) + ".Equal(" + p.methodsOf(f, b, f.star) + ")"
		}
		if !f.star {
			b = "&" + b
		}
		return "!" + a + ".Equal(" + b + ")"
	case f.std == "Time" && f.star:
		return "(" + x + " == nil) != (" + y + " == nil) || " + x + " != nil && !" + x +
			".Equal(*" + y + ")"
	case f.std == "Time":
		return "!" + x + ".Equal(" + y + ")"
	case f.std == "Bytes" && f.star:
		return "(" + x + " == nil) != (" + y + " == nil) || " + x + " != nil && !" +
			p.use("bytes") + ".Equal(*" + x + ", *" + y + ")"
	case f.std == "Bytes" || f.class == scalar && f.Kind == schema.Bytes:
		return "!" + p.use("bytes") + ".Equal(" + x + ", " + y + ")"
	case f.star:
		return "!" + p.rt("EqualPointers") + "(" + x + ", " + y + ")"
	}
	return x + " != " + y
}
