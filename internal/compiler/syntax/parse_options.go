package syntax

import "fmt"

// optionStatement reads one that begins with the word option.
func (p *parser) optionStatement() bool {
	first := p.at
	p.next()
	n, ok := p.option()
	if !ok || !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

// optionList reads those in brackets.
func (p *parser) optionList() (*Options, bool) {
	n := p.lists.new()
	first := p.at
	p.next()
	p.options = p.options[:0]
	for {
		o, ok := p.option()
		if !ok {
			return nil, false
		}
		p.options = append(p.options, o)
		if !p.take(",") {
			break
		}
	}
	n.List = list(p.options)
	if !p.expect("]") {
		return nil, false
	}
	n.Range = p.from(first)
	return n, true
}

// option reads a name, "=" and a value.
func (p *parser) option() (*Option, bool) {
	n := p.optionSlab.new()
	first := p.at
	p.parts = p.parts[:0]
	for {
		part, ok := p.optionPart()
		if !ok {
			return nil, false
		}
		p.parts = append(p.parts, part)
		if !p.take(".") {
			break
		}
	}
	n.Name = list(p.parts)
	if !p.expect("=") || !p.value(&n.Value) {
		return nil, false
	}
	n.Range = p.from(first)
	return n, true
}

// optionPart reads a word, or the name of an extension in parentheses.
func (p *parser) optionPart() (OptionPart, bool) {
	first := p.at
	if !p.take("(") {
		t, ok := p.word("the name of an option")
		return OptionPart{Range: Range{t, t}, Name: Range{t, t}}, ok
	}
	part := OptionPart{Extension: true}
	inner := p.at
	p.take(".")
	if _, ok := p.dotted("the name of an extension"); !ok {
		return part, false
	}
	part.Name = p.from(inner)
	ok := p.expect(")")
	part.Range = p.from(first)
	return part, ok
}

func (p *parser) value(v *Value) bool {
	first := p.at
	v.Negative, v.Literal = NoToken, None
	if p.take("-") {
		v.Negative = first
	}
	start := p.at
	switch p.kind {
	case Ident:
		if v.Negative != NoToken && p.text != "inf" && p.text != "nan" {
			p.missing(`a number, "inf" or "nan" behind "-"`)
			return false
		}
		v.Kind = IdentValue
	case Integer:
		if _, ok := ParseInteger(p.text); !ok && p.text[0] == '0' {
			p.refuse(p.here(), fmt.Sprintf("number %s is out of range: it has more than 64 bits",
				p.text))
		}
		v.Kind = IntegerValue
	case Float:
		v.Kind = FloatValue
	case String:
		if v.Negative != NoToken {
			p.report(p.f.TokenSpan(first), `"-" in front of a string`, "remove it")
			return false
		}
		v.Kind = StringValue
		v.Literal, _ = p.strings("")
		v.Range = p.from(first)
		return true
	default:
		if p.text != "{" {
			p.missing("a value")
			return false
		}
		return p.aggregate(v, first)
	}
	p.next()
	v.Literal = p.from(start)
	v.Range = p.from(first)
	return true
}

// aggregate reads what is between braces. Only braces are looked at: the rest is text format.
func (p *parser) aggregate(v *Value, first TokenID) bool {
	v.Kind = AggregateValue
	open := p.at
	p.next()
	for depth := 1; ; p.next() {
		switch {
		case p.kind == EOF:
			d := p.refuse(p.here(), `the file ends in the value of an option: expected "}"`)
			d.Notes = append(d.Notes, p.f.Note(p.f.TokenSpan(open), "this is still open"))
			return false
		case p.text == "{":
			depth++
		case p.text == "}":
			depth--
		}
		if depth == 0 {
			break
		}
	}
	if p.at > open+1 {
		v.Literal = Range{open + 1, p.at - 1}
	}
	p.next()
	v.Range = p.from(first)
	return true
}
