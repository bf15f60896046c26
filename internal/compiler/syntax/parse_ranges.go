package syntax

import "math"

func (p *parser) extensionRanges() bool {
	n := p.extensions.new()
	first := p.at
	p.next()
	ok := false
	if n.Ranges, ok = p.numberRanges("a number or a range", false); !ok {
		return false
	}
	for _, r := range n.Ranges {
		for _, side := range []Range{r.Start, r.End} {
			if v, ok := p.f.Int32(side); ok && v == math.MaxInt32 {
				p.refuse(p.f.Span(side), "number "+p.f.Name(side)+" is too high for a field")
			}
		}
	}
	if p.text == "[" {
		if n.Options, ok = p.optionList(); !ok {
			return false
		}
	}
	if !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

// reservedStatement reads numbers or names; in an enum numbers may be negative.
func (p *parser) reservedStatement(inEnum bool) bool {
	n := p.reserved.new()
	first := p.at
	p.next()
	editions := p.f.Edition >= Edition2023
	ok := false
	switch p.kind {
	case String:
		if editions {
			p.report(p.here(), "a name that is reserved is a word in editions, not a string",
				"remove the quotation marks")
		}
		for {
			r, ok := p.strings("a name in quotation marks")
			if !ok {
				return false
			}
			n.Names = append(n.Names, r)
			if !p.take(",") {
				break
			}
		}
	case Ident:
		if !editions {
			p.report(p.here(), "a name that is reserved is a string, unless in editions",
				"put it into quotation marks")
		}
		for {
			t, ok := p.word("a name")
			if !ok {
				return false
			}
			n.Names = append(n.Names, Range{t, t})
			if !p.take(",") {
				break
			}
		}
	default:
		if n.Ranges, ok = p.numberRanges("a number, a range or a name", inEnum); !ok {
			return false
		}
	}
	if !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

// numberRanges reads numbers and ranges with commas between them.
func (p *parser) numberRanges(what string, signed bool) ([]NumberRange, bool) {
	p.ranges = p.ranges[:0]
	for {
		r := NumberRange{End: None}
		first := p.at
		ok := false
		if r.Start, ok = p.integer(what, signed); !ok {
			return nil, false
		}
		if p.take("to") {
			if p.text == "max" {
				r.End = Range{p.at, p.at}
				p.next()
			} else if r.End, ok = p.integer(`a number or "max"`, signed); !ok {
				return nil, false
			}
		}
		r.Range = p.from(first)
		p.ranges = append(p.ranges, r)
		if !p.take(",") {
			return list(p.ranges), true
		}
		what = "a number or a range"
	}
}

func (p *parser) enum(first TokenID, visibility TokenID) bool {
	n := p.enums.new()
	n.Visibility = visibility
	p.next()
	ok := false
	if n.Name, ok = p.word("the name of an enum"); !ok {
		return false
	}
	if n.Body, ok = p.body("enum", n.Name, func() bool {
		switch p.text {
		case ";":
			return p.empty()
		case "option":
			return p.optionStatement()
		case "reserved":
			return p.reservedStatement(true)
		}
		return p.enumValue()
	}); !ok {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

func (p *parser) enumValue() bool {
	n := p.values.new()
	first := p.at
	ok := false
	if n.Name, ok = p.word("the name of a value"); !ok {
		return false
	}
	if n.Number, ok = p.number("value", n.Name, true); !ok {
		return false
	}
	if p.text == "[" {
		if n.Options, ok = p.optionList(); !ok {
			return false
		}
	}
	if !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}
