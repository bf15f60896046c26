package syntax

import "fmt"

// place is what a field stands in.
type place uint8

const (
	inMessage place = iota
	inOneof
	inExtend
)

// scalars are the words that are types of their own.
var scalars = map[string]bool{
	"double": true, "float": true, "uint64": true, "fixed64": true, "fixed32": true, "bool": true,
	"string": true, "group": true, "bytes": true, "uint32": true, "sfixed32": true,
	"sfixed64": true, "int32": true, "int64": true, "sint32": true, "sint64": true,
}

func (p *parser) message(first TokenID, visibility TokenID) bool {
	n := p.messages.new()
	n.Visibility = visibility
	p.next()
	ok := false
	if n.Name, ok = p.word("the name of a message"); !ok {
		return false
	}
	if n.Body, ok = p.messageBody(n.Name); !ok {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

// messageBody reads that of a message or group.
func (p *parser) messageBody(name TokenID) (Body, bool) {
	if !p.deeper(name) {
		return Body{}, false
	}
	defer func() { p.depth-- }()
	return p.body("message", name, p.messageStatement)
}

// deeper counts a message in another one, and says so if there are too many.
func (p *parser) deeper(name TokenID) bool {
	if p.depth == maxMessages {
		p.refuse(p.f.TokenSpan(name), fmt.Sprintf("messages are in each other more than %d times",
			maxMessages))
		return false
	}
	p.depth++
	return true
}

func (p *parser) messageStatement() bool {
	first := p.at
	visibility, ok := p.visibility()
	if !ok {
		return false
	}
	switch p.text {
	case ";":
		return p.empty()
	case "message":
		return p.message(first, visibility)
	case "enum":
		return p.enum(first, visibility)
	case "extensions":
		return p.extensionRanges()
	case "reserved":
		return p.reservedStatement(false)
	case "extend":
		return p.extend()
	case "option":
		return p.optionStatement()
	case "oneof":
		return p.oneof()
	}
	return p.field(inMessage)
}

func (p *parser) oneof() bool {
	n := p.oneofs.new()
	first := p.at
	p.next()
	ok := false
	if n.Name, ok = p.word("the name of a oneof"); !ok {
		return false
	}
	if n.Body, ok = p.body("oneof", n.Name, func() bool {
		if p.text == "option" {
			return p.optionStatement()
		}
		return p.field(inOneof)
	}); !ok {
		return false
	}
	n.Range = p.from(first)
	if len(n.Body.Decls) == 0 {
		p.refuse(p.f.TokenSpan(n.Body.Close), "a oneof without a field")
	}
	p.decls = append(p.decls, n)
	return true
}

func isLabel(word string) bool {
	return word == "optional" || word == "required" || word == "repeated"
}

func (p *parser) field(in place) bool {
	n := p.fields.new()
	first := p.at
	n.Label = NoToken
	if isLabel(p.text) {
		p.label(in)
		n.Label = p.at
		p.next()
		p.secondLabel()
	}
	if !p.fieldType(n, in) {
		return false
	}
	ok := false
	if n.Name, ok = p.word("the name of a field"); !ok {
		return false
	}
	if n.Number, ok = p.number("field", n.Name, false); !ok {
		return false
	}
	if p.text == "[" {
		if n.Options, ok = p.optionList(); !ok {
			return false
		}
	}
	if n.Type.Present() && p.f.TokenText(n.Type.First) == "group" {
		if !p.groupBody(n) {
			return false
		}
	} else if !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

// label says what is wrong with the current token, a label.
func (p *parser) label(in place) {
	switch {
	case in == inOneof:
		p.report(p.here(), fmt.Sprintf("a field of a oneof has no label %q", p.text), "remove it")
	case p.f.Edition < Edition2023:
	case p.text == "optional":
		p.report(p.here(), `there is no label "optional" in editions`, "remove it: fields have "+
			"presence unless features.field_presence says otherwise")
	case p.text == "required":
		p.report(p.here(), `there is no label "required" in editions`,
			"use features.field_presence = LEGACY_REQUIRED")
	}
}

// secondLabel refuses a label behind another one. A type may have the name of a label.
func (p *parser) secondLabel() {
	tokens := p.f.Tokens
	if !isLabel(p.text) || int(p.at)+2 >= len(tokens) || tokens[p.at+1].Kind != Ident ||
		tokens[p.at+2].Kind != Ident {
		return
	}
	hint := ""
	if first := p.f.TokenText(p.at - 1); first != p.text && p.text == "repeated" {
		hint = fmt.Sprintf("remove %q: a list is empty where there is none", first)
	}
	p.report(p.here(), "a field has one label", hint)
	p.next()
}

func (p *parser) fieldType(n *Field, in place) bool {
	n.Type = None
	start := p.at
	switch {
	case p.text == "map":
		p.next()
		if p.text == "<" {
			return p.mapType(n, start, in)
		}
		n.Type = p.from(start) // a message of that name
	case scalars[p.text]:
		if p.text == "group" && p.f.Edition >= Edition2023 {
			p.report(p.here(), "there are no groups in editions", "use a field of a message "+
				"type with features.message_encoding = DELIMITED")
		}
		p.next()
		n.Type = p.from(start)
	default:
		ok := false
		if n.Type, ok = p.userType("a field"); !ok {
			return false
		}
	}
	if n.Label == NoToken && in != inOneof && p.f.Edition == Proto2 {
		p.report(p.f.Span(n.Type), "a field of proto2 has a label", `put "optional", "required" `+
			`or "repeated" in front of the type`)
	}
	return true
}

func (p *parser) mapType(n *Field, start TokenID, in place) bool {
	at := Span{p.f.Tokens[start].Start, p.f.Tokens[start].End}
	switch {
	case in == inOneof:
		p.refuse(at, "a map cannot be in a oneof")
	case in == inExtend:
		p.refuse(at, "a map cannot be an extension")
	case n.Label != NoToken:
		p.report(p.f.TokenSpan(n.Label), "a map has no label", "remove it")
	}
	if !p.deeper(start) {
		return false
	}
	p.depth--
	m := p.maps.new()
	p.next()
	ok := false
	if m.Key, ok = p.anyType(); !ok || !p.expect(",") {
		return false
	}
	if m.Value, ok = p.anyType(); !ok || !p.expect(">") {
		return false
	}
	m.Range = p.from(start)
	n.Map = m
	return true
}

// anyType reads the type of a key or value.
func (p *parser) anyType() (Range, bool) {
	if !scalars[p.text] {
		return p.userType("a type")
	}
	if p.text == "group" {
		p.refuse(p.here(), "a map has no groups")
	}
	p.next()
	return Range{p.at - 1, p.at - 1}, true
}

func (p *parser) groupBody(n *Field) bool {
	if c := p.f.TokenText(n.Name)[0]; c < 'A' || c > 'Z' {
		p.refuse(p.f.TokenSpan(n.Name), "the name of a group begins with a capital letter")
	}
	if p.text != "{" {
		p.missing(`"{" and the fields of the group`)
		return false
	}
	b, ok := p.messageBody(n.Name)
	if !ok {
		return false
	}
	n.Group = p.bodies.new()
	*n.Group = b
	return true
}

// number reads what stands behind the name of a field or value: "=" and an integer.
func (p *parser) number(what string, name TokenID, signed bool) (Range, bool) {
	if p.text != "=" {
		p.report(p.f.TokenSpan(name), fmt.Sprintf("%s %q has no number", what,
			p.f.TokenText(name)), fmt.Sprintf(`add one: "%s = NUMBER"`, p.f.TokenText(name)))
		return None, false
	}
	p.next()
	return p.integer("a number", signed)
}

// integer reads one of 32 bits.
func (p *parser) integer(what string, signed bool) (Range, bool) {
	first := p.at
	if p.text == "-" {
		p.next()
		if !signed && p.kind == Integer {
			p.refuse(Span{p.f.Tokens[first].Start, p.f.Tokens[p.at].End},
				fmt.Sprintf("a number above 0 has to stand here, not %q", "-"+p.text))
			p.next()
			return p.from(first), true
		}
	}
	if p.kind != Integer {
		p.missing(what)
		return None, false
	}
	p.next()
	r := p.from(first)
	if _, ok := p.f.Int32(r); !ok {
		p.refuse(p.f.Span(r), fmt.Sprintf("number %s is out of range: it has to fit into 32 bits",
			p.f.Name(r)))
	}
	return r, true
}
