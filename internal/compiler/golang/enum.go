package golang

import (
	"slices"
	"strconv"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// enum prints an enum type, its values and their names.
func (p *printer) enum(e *schema.Enum) {
	n := p.names.enums[e]
	name := n.enum.name
	p.p()
	p.comment(e.Comment, " "+name+" is the enum "+e.FullName+".",
		deprecation(e.Deprecated, e.FullName))
	p.p("type ", name, " int32")
	p.p()
	p.p("// The values of ", name, ".")
	p.p("const (")
	for _, v := range e.Values {
		p.comment(v.Comment, "", deprecation(v.Deprecated, v.FullName))
		p.p(n.values[v], "\t", name, "\t= ", v.Number)
	}
	p.p(")")
	p.p()
	p.p("// ", name, "_name and ", name, "_value map numbers to names and back.")
	p.p("var (")
	p.p(name, "_name = map[int32]string{")
	for _, v := range firstNames(e) {
		p.p(v.Number, ":\t", strconv.Quote(v.Name), ",")
	}
	p.p("}")
	p.p(name, "_value = map[string]int32{")
	for _, v := range e.Values {
		p.p(strconv.Quote(v.Name), ":\t", v.Number, ",")
	}
	p.p("}")
	p.p(")")
	p.enumInfo(e, e.Closed)
	p.p()
	p.p("// Enum returns a pointer to a copy of x, for fields with presence.")
	p.p(oneLine("func (x "+name+") Enum() *"+name, "\t", "return &x"))
	p.p()
	p.p("// String returns the name of x, or the number where it has none.")
	p.p(oneLine("func (x "+name+") String() string", "\t", "return "+n.info+".NameOf(int32(x))"))
}

// enumInfo prints what describes an enum to the runtime.
func (p *printer) enumInfo(e *schema.Enum, closed bool) {
	n := p.names.enums[e]
	name := n.enum.name
	p.p()
	p.p("// ", n.info, " describes ", name, " to the runtime.")
	p.p("var ", n.info, " = ", p.runtime("EnumInfo"), "{")
	p.p("Name:\t", strconv.Quote(e.FullName), ",")
	if closed {
		p.p("Closed:\ttrue,")
	}
	p.p("Values: []", p.runtime("EnumValueInfo"), "{")
	byNumber := firstNames(e)
	slices.SortStableFunc(byNumber, func(a, b *schema.EnumValue) int {
		return int(int64(a.Number) - int64(b.Number))
	})
	for _, v := range byNumber {
		p.p("{Number: ", v.Number, ", Name: ", strconv.Quote(v.Name), "},")
	}
	p.p("},")
	if len(byNumber) != len(e.Values) {
		p.p("Aliases: []", p.runtime("EnumValueInfo"), "{")
		for _, v := range e.Values {
			if !slices.Contains(byNumber, v) {
				p.p("{Number: ", v.Number, ", Name: ", strconv.Quote(v.Name), "},")
			}
		}
		p.p("},")
	}
	p.p("}")
}

// firstNames returns the values of e without aliases: of each number the first name.
func firstNames(e *schema.Enum) []*schema.EnumValue {
	seen := map[int32]bool{}
	var vs []*schema.EnumValue
	for _, v := range e.Values {
		if !seen[v.Number] {
			seen[v.Number] = true
			vs = append(vs, v)
		}
	}
	return vs
}

// runtime returns a name of package gremlin/rt as this file writes it.
func (p *printer) runtime(name string) string { return p.use(rtPath) + "." + name }
