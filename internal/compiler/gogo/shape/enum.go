package shape

import (
	"strconv"
)

// enum prints an enum with its methods.
func (p *printer) enum(e *enum) {
	name := e.goName.name
	if e.facts.Decl {
		p.p()
		p.comment(e.Comment.Leading)
		mark := ""
		if e.Deprecated {
			mark = " " + deprecated
		}
		p.p("type ", name, " int32", mark)
		p.p()
		p.p("const (")
		for _, v := range e.Values {
			p.comment(v.Comment.Leading)
			mark := ""
			if v.Deprecated {
				mark = " " + deprecated
			}
			p.p(p.names.valueName(e, v).name, " ", name, " = ", v.Number, mark)
		}
		p.p(")")
	}
	p.p()
	p.p("// ", name, "_name has the names by number.")
	p.p("var ", name, "_name = map[int32]string{")
	seen := map[int32]bool{}
	for _, v := range e.Values {
		if !seen[v.Number] {
			p.p(v.Number, ": ", strconv.Quote(v.Name), ",")
		}
		seen[v.Number] = true
	}
	p.p("}")
	p.p()
	p.p("// ", name, "_value has the numbers by name.")
	p.p("var ", name, "_value = map[string]int32{")
	for _, v := range e.Values {
		p.p(strconv.Quote(v.Name), ": ", v.Number, ",")
	}
	p.p("}")
	proto2 := !p.file.facts.Proto3
	if proto2 {
		p.p()
		p.p("// Enum returns a pointer to a copy of x.")
		p.p("func (x ", name, ") Enum() *", name, " {")
		p.p("return &x")
		p.p("}")
	}
	if e.facts.GoprotoStringer || e.facts.Stringer {
		p.p()
		p.p("// String returns the name of x, or its number when it has none.")
		p.p("func (x ", name, ") String() string {")
		p.p("return ", p.rt("EnumName"), "(", name, "_name, int32(x))")
		p.p("}")
	}
	if proto2 && !e.facts.GoprotoStringer {
		p.p()
		p.p("// MarshalJSON returns the name of x as JSON.")
		p.p("func (x ", name, ") MarshalJSON() ([]byte, error) {")
		p.p("return ", p.rt("MarshalJSONEnum"), "(", name, "_name, int32(x))")
		p.p("}")
	}
	if proto2 {
		p.p()
		p.p("// UnmarshalJSON reads the name or number of a value.")
		p.p("func (x *", name, ") UnmarshalJSON(data []byte) error {")
		p.p("v, err := ", p.rt("UnmarshalJSONEnum"), "(", name, "_value, data, ",
			strconv.Quote(name), ")")
		p.p("if err != nil {")
		p.p("return err")
		p.p("}")
		p.p("*x = ", name, "(v)")
		p.p("return nil")
		p.p("}")
	}
	if p.file.facts.MethodsOnly {
		return
	}
	p.p()
	p.p(
		"// EnumDescriptor returns the compressed descriptor of the file, and the place of the enum in it.")
	p.p("func (", name, ") EnumDescriptor() ([]byte, []int) {")
	p.p("return ", p.file.descriptorName(), ", []int{", ints(e.index), "}")
	p.p("}")
	if e.Enum.File.Package == "google.protobuf" && e.Name == "NullValue" {
		p.p("// XXX_WellKnownType names an enum with a JSON form of its own.")
		p.p("func (", name, ") XXX_WellKnownType() string { return ", strconv.Quote(e.Name), " }")
	}
}
