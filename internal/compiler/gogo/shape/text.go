package shape

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// The text of String and GoString is that of gogo's code, to the byte: tests and logs of users
// compare it.

// stringer prints String of a message with the option stringer.
func (p *printer) stringer(m *message) {
	name, join := m.goName.name, p.use("strings")+".Join"
	sprintf := p.use("fmt") + ".Sprintf(\"%v\", "
	p.p()
	p.p("// String returns the fields of m as Go would write them.")
	p.p("func (this *", name, ") String() string {")
	p.p("if this == nil {")
	p.p("return \"nil\"")
	p.p("}")
	p.enter(m)
	order := p.textOrder(m)
	for _, x := range order {
		if f, ok := x.(*field); ok && f.Repeated && f.Kind == schema.MessageKind && !f.isCustom() {
			p.listText(f)
		}
	}
	for _, x := range order {
		if f, ok := x.(*field); ok && f.IsMap() {
			p.mapText(f, "%v: %v,")
		}
	}
	p.p("return ", join, "([]string{`&", name, "{`,")
	for _, x := range order {
		switch x := x.(type) {
		case *oneof:
			text := sprintf + "this." + x.goName + ")"
			if canContainItself(m) {
				text = p.rt("Text") + "(this." + x.goName + ")"
			}
			p.p("`", x.goName, ":` + ", text, " + `,`,")
		case *field:
			p.p("`", x.goName, ":` + ", p.fieldText(x), " + `,`,")
		}
	}
	switch {
	case len(m.ExtensionRanges) > 0 && !p.file.opts.hasGogo():
		p.p("`XXX_extensions:` + ", sprintf, "this.XXX_extensions) + `,`,")
	case len(m.ExtensionRanges) > 0:
		p.p("`XXX_", map[bool]string{true: "InternalExtensions",
			false: "extensions"}[m.facts.ExtensionsMap],
			":` + this.gremlinExtensionsText() + `,`,")
	}
	if m.facts.Unrecognized {
		p.p("`XXX_unrecognized:` + ", sprintf, "this.XXX_unrecognized) + `,`,")
	}
	p.p("`}`,")
	p.p("}, \"\")")
	p.p("}")
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.p()
			p.p("// String returns the member as Go would write it.")
			p.p("func (this *", f.wrapper, ") String() string {")
			p.p("if this == nil {")
			p.p("return \"nil\"")
			p.p("}")
			text := sprintf + "this." + f.goName + ")"
			if f.Kind == schema.MessageKind {
				text = p.renamed(f, p.ofMessage(f, text, "this."+f.goName))
			}
			p.p("return `&", f.wrapper, "{` + `", f.goName, ":` + ", text, " + `,` + `}`")
			p.p("}")
		}
	}
}

// printsText tells whether String is generated: where an option asks for it, and where there is no
// library to print the text format.
func (p *printer) printsText(m *message) bool {
	if own := m.file.opts.OwnString; own != nil && own(m.FullName) {
		return false
	}
	return m.facts.Stringer || m.facts.GoprotoStringer && m.file.opts.Registry == RegistryNone
}

// textOrder returns fields and oneofs in the order of String: by number where the message has a
// generated Marshal, which sorted them.
func (p *printer) textOrder(m *message) []any {
	if !m.facts.Marshaler {
		return m.order
	}
	var order []any
	seen := map[*oneof]bool{}
	for _, f := range byNumber(m.fields) {
		if f.oneof == nil {
			order = append(order, f)
		} else if !seen[f.oneof] {
			seen[f.oneof] = true
			order = append(order, f.oneof)
		}
	}
	return order
}

// messageName returns the name of a nested message's type as the file writes it, and its last part.
func (p *printer) messageName(f *field) (qualified, last string) {
	qualified = p.plainNameOf(f.Field)
	return qualified, qualified[strings.LastIndexByte(qualified, '.')+1:]
}

// plainNameOf returns a type's name with the package name that gogo's code would know it by;
// nothing is imported.
func (p *printer) plainNameOf(f *schema.Field) string {
	n := p.names.messages[f.Message].goName
	if n.path == p.file.path {
		return n.name
	}
	return cleanName(n.path[strings.LastIndexByte(n.path, '/')+1:]) + "." + n.name
}

// hasStringer tells whether gogo's code calls String of a nested message itself, which it does for
// those that stand at the top level of the same file.
func (p *printer) hasStringer(f *field) bool {
	m := p.names.messages[f.Message]
	return m.file == p.file && m.Parent == nil && m.Name == m.goName.name && p.printsText(m)
}

// ofMessage returns an expression for the text of a message x, the value of f: that, or a call
// without package fmt if the message can contain itself and its code is ours. Package fmt goes on
// where String panics.
func (p *printer) ofMessage(f *field, text, x string) string {
	m := p.names.messages[f.Message]
	if f.star && m.facts != nil && p.printsText(m) && canContainItself(m) {
		return p.rt("Text") + "(" + x + ")"
	}
	return text
}

// renamed returns an expression: a message's text with its type qualified.
func (p *printer) renamed(f *field, text string) string {
	qualified, last := p.messageName(f)
	return p.use("strings") + ".Replace(" + text + ", " + strconv.Quote(last) + ", " +
		strconv.Quote(qualified) + ", 1)"
}

// listText prints a variable with the text of a list of messages.
func (p *printer) listText(f *field) {
	_, last := p.messageName(f)
	star := ""
	if f.star {
		star = "*"
	}
	text := p.use("fmt") + ".Sprintf(\"%v\", f)"
	if p.hasStringer(f) {
		text = "f.String()"
	} else {
		text = p.ofMessage(f, text, "f")
	}
	switch {
	case f.star:
		text = p.renamed(f, text)
	case p.hasStringer(f):
		text = p.use("strings") + ".Replace(" + p.renamed(f, text) + ", `&`, ``, 1)"
	}
	name := "repeatedStringFor" + f.goName
	p.p(name, " := \"[]", star, last, "{\"")
	p.p("for _, f := range this.", f.goName, " {")
	p.p(name, " += ", text, " + \",\"")
	p.p("}")
	p.p(name, " += \"}\"")
}

// mapText prints a variable with the text of a map, sorted by key.
func (p *printer) mapText(f *field, format string) {
	keyType := scalarTypes[f.MapKey.Kind]
	keys, name := "keysFor"+f.goName, "mapStringFor"+f.goName
	p.p(keys, " := make([]", keyType, ", 0, len(this.", f.goName, "))")
	p.p("for k := range this.", f.goName, " {")
	cast := f.key.facts.CastType != ""
	if cast {
		p.p(keys, " = append(", keys, ", ", keyType, "(k))")
	} else {
		p.p(keys, " = append(", keys, ", k)")
	}
	p.p("}")
	if f.MapKey.Kind == schema.Bool {
		p.p(p.rt("SortBools"), "(", keys, ")")
	} else {
		p.p(p.use("slices"), ".Sort(", keys, ")")
	}
	p.p(name, " := ", strconv.Quote(p.mapType(f)+"{"))
	p.p("for _, k := range ", keys, " {")
	index := "k"
	if cast {
		index = p.typ(f.key) + "(k)"
	}
	p.p(name, " += ", p.use("fmt"), ".Sprintf(", strconv.Quote(format), ", k, this.", f.goName, "[",
		index, "])")
	p.p("}")
	p.p(name, " += \"}\"")
}

// fieldText returns an expression: the text of a field in String.
func (p *printer) fieldText(f *field) string {
	value := p.use("fmt") + ".Sprintf(\"%v\", this." + f.goName + ")"
	switch {
	case f.IsMap():
		return "mapStringFor" + f.goName
	case f.Kind == schema.MessageKind && !f.isCustom() && f.Repeated:
		return "repeatedStringFor" + f.goName
	case f.Kind == schema.MessageKind && !f.isCustom():
		if p.hasStringer(f) {
			value = "this." + f.goName + ".String()"
		} else {
			value = p.ofMessage(f, value, "this."+f.goName)
		}
		value = p.renamed(f, value)
		if !f.facts.Nullable {
			value = p.use("strings") + ".Replace(" + value + ", `&`, ``, 1)"
		}
		return value
	case f.facts.Nullable && !f.Repeated && (!f.proto3 || f.isSynthetic()):
		return "valueToString" + p.file.local + "(this." + f.goName + ")"
	}
	return value
}

// goString prints GoString.
func (p *printer) goString(m *message) {
	name := m.goName.name
	p.p()
	p.p("// GoString returns m as Go source.")
	p.p("func (this *", name, ") GoString() string {")
	p.p("if this == nil {")
	p.p("return \"nil\"")
	p.p("}")
	p.enter(m)
	p.p("s := make([]string, 0, ", len(m.fields)+4, ")")
	p.p("s = append(s, \"&", p.file.pkg, ".", name, "{\")")
	sprintf := p.use("fmt") + ".Sprintf(\"%#v\", "
	add := func(label, text string) {
		p.p("s = append(s, \"", label, ": \" + ", text, " + \",\\n\")")
	}
	for _, x := range m.order {
		switch x := x.(type) {
		case *oneof:
			p.p("if this.", x.goName, " != nil {")
			add(x.goName, sprintf+"this."+x.goName+")")
			p.p("}")
		case *field:
			p.goStringField(x, sprintf, add)
		}
	}
	if len(m.ExtensionRanges) > 0 {
		if m.facts.ExtensionsMap {
			add("XXX_InternalExtensions", "extensionToGoString"+p.file.local+"(this)")
		} else {
			p.p("if this.XXX_extensions != nil {")
			add("XXX_extensions", sprintf+"this.XXX_extensions)")
			p.p("}")
		}
	}
	if m.facts.Unrecognized {
		p.p("if this.XXX_unrecognized != nil {")
		p.p("s = append(s, \"XXX_unrecognized:\" + ", sprintf, "this.XXX_unrecognized) + \",\\n\")")
		p.p("}")
	}
	p.p("s = append(s, \"}\")")
	p.p("return ", p.use("strings"), ".Join(s, \"\")")
	p.p("}")
	for _, o := range m.oneofs {
		for _, f := range o.fields {
			p.p()
			p.p("// GoString returns the member as Go source.")
			p.p("func (this *", f.wrapper, ") GoString() string {")
			p.p("if this == nil {")
			p.p("return \"nil\"")
			p.p("}")
			p.p("return `&", p.file.pkg, ".", f.wrapper, "{` + `", f.goName, ":` + ", sprintf,
				"this.", f.goName, ") + `}`")
			p.p("}")
		}
	}
}

func (p *printer) goStringField(f *field, sprintf string, add func(label, text string)) {
	x := "this." + f.goName
	nullable := f.facts.Nullable
	switch {
	case f.IsMap():
		p.mapText(f, "%#v: %#v,")
		p.p("if ", x, " != nil {")
		add(f.goName, "mapStringFor"+f.goName)
		p.p("}")
	case f.class == nested:
		if nullable || f.Repeated {
			p.p("if ", x, " != nil {")
		}
		switch {
		case nullable:
			add(f.goName, sprintf+x+")")
		case f.Repeated:
			p.p("vs := make([]", p.typ(f), ", len(", x, "))")
			p.p("copy(vs, ", x, ")")
			add(f.goName, sprintf+"vs)")
		default:
			add(f.goName, p.use("strings")+".Replace("+x+".GoString(), `&`, ``, 1)")
		}
		if nullable || f.Repeated {
			p.p("}")
		}
	default:
		proto3 := f.proto3 && !f.isSynthetic()
		if !proto3 && (nullable || f.Repeated) {
			p.p("if ", x, " != nil {")
		}
		if nullable && !f.Repeated && !proto3 {
			t := strings.NewReplacer("*", "", "[]", "").Replace(p.typ(f))
			add(f.goName, "valueToGoString"+p.file.local+"("+x+", "+strconv.Quote(t)+")")
		} else {
			add(f.goName, sprintf+x+")")
		}
		if !proto3 && (nullable || f.Repeated) {
			p.p("}")
		}
	}
}

// textHelpers prints the functions that String and GoString call.
func (p *printer) textHelpers() {
	stringer, goString := false, false
	for m := range p.file.schema.AllMessages() {
		x := p.names.messages[m]
		stringer, goString = stringer || p.printsText(x), goString || x.facts.GoString
	}
	if stringer {
		p.p()
		p.p("func valueToString", p.file.local, "(v interface{}) string {")
		p.p("rv := ", p.use("reflect"), ".ValueOf(v)")
		p.p("if rv.IsNil() {")
		p.p("return \"nil\"")
		p.p("}")
		p.p("return ", p.use("fmt"), ".Sprintf(\"*%v\", ", p.use("reflect"),
			".Indirect(rv).Interface())")
		p.p("}")
	}
	if goString {
		p.p()
		p.p("func valueToGoString", p.file.local, "(v interface{}, typ string) string {")
		p.p("rv := ", p.use("reflect"), ".ValueOf(v)")
		p.p("if rv.IsNil() {")
		p.p("return \"nil\"")
		p.p("}")
		p.p("pv := ", p.use("reflect"), ".Indirect(rv).Interface()")
		p.p("return ", p.use("fmt"),
			".Sprintf(\"func(v %v) *%v { return &v } ( %#v )\", typ, typ, pv)")
		p.p("}")
	}
}

// plainXXX prints the methods that libraries look for, as far as they need no library.
func (p *printer) plainXXX(m *message) {
	name := m.goName.name
	if m.facts.Unmarshaler {
		p.p()
		p.p("// XXX_Unmarshal is for libraries.")
		p.p("func (m *", name, ") XXX_Unmarshal(b []byte) error { return m.Unmarshal(b) }")
	}
	if m.facts.Marshaler && (m.facts.Sizer || m.facts.ProtoSizer) {
		p.p()
		p.p("// XXX_Marshal is for libraries.")
		p.p("func (m *", name, ") XXX_Marshal(b []byte, deterministic bool) ([]byte, error) {")
		p.intoCapacity(m)
		p.p("}")
		p.p()
		p.p("// XXX_Size is for libraries.")
		p.p("func (m *", name, ") XXX_Size() int { return m.", m.sizer(), "() }")
	}
}
