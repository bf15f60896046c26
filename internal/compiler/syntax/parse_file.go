package syntax

import (
	"fmt"

	"github.com/octopus-framework/octopus/compiler/report"
)

// file reads all statements.
func (p *parser) file() {
	if p.text == "syntax" || p.text == "edition" {
		if !p.syntax() {
			p.f.Incomplete = true
			return // without it nobody knows what the rest means
		}
	} else if p.kind != EOF {
		d := p.add(Span{}, "there is no syntax or edition: the file is read as proto2",
			`begin it with edition = "2024"; or syntax = "proto2";`)
		d.Severity, d.Line, d.Column, d.EndLine, d.EndColumn = report.Warning, 0, 0, 0, 0
	}
	for p.kind != EOF {
		if p.statement() {
			continue
		}
		p.f.Incomplete = true
		p.skip()
		if p.text == "}" {
			p.report(p.here(), `"}" that ends nothing`, "remove it")
			p.next()
		}
	}
	p.f.Decls = list(p.decls)
}

func (p *parser) syntax() bool {
	n := p.syntaxes.new()
	first := p.at
	n.Keyword = p.at
	p.next()
	if !p.expect("=") {
		return false
	}
	ok := false
	if n.Value, ok = p.strings("a string"); !ok || !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	value, at := p.f.String(n.Value), p.f.Span(n.Value)
	switch {
	case p.f.TokenText(n.Keyword) == "syntax" && value == "proto2":
	case p.f.TokenText(n.Keyword) == "syntax" && value == "proto3":
		p.f.Edition = Proto3
	case p.f.TokenText(n.Keyword) == "syntax":
		d := p.report(at, fmt.Sprintf("syntax %q is not known", value),
			`write "proto2" or "proto3"`)
		if value == "2023" || value == "2024" {
			d.Hint = fmt.Sprintf("write edition = %q", value)
		}
		return false
	case value == "2023":
		p.f.Edition = Edition2023
	case value == "2024":
		p.f.Edition = Edition2024
	default:
		d := p.report(at, fmt.Sprintf("edition %q is not known", value),
			`write "2023" or "2024", which are those that are known`)
		if value == "proto2" || value == "proto3" {
			d.Hint = fmt.Sprintf("write syntax = %q", value)
		}
		return false
	}
	return true
}

// statement reads one that may stand outside of all braces.
func (p *parser) statement() bool {
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
	case "service":
		return p.service()
	case "extend":
		return p.extend()
	case "import":
		return p.imported()
	case "package":
		return p.packaged()
	case "option":
		return p.optionStatement()
	case "syntax", "edition":
		p.report(p.here(), fmt.Sprintf("%q has to be the first statement of the file", p.text),
			"move it up")
		return false
	}
	d := p.missing("a declaration, such as a message")
	d.Hint = p.misspelt("message", "enum", "service", "extend", "import", "package", "option")
	return false
}

// misspelt returns a hint if the current token is much like one of the words that may stand here.
func (p *parser) misspelt(words ...string) string {
	if p.kind == Ident {
		for _, w := range words {
			if report.EditDistance(p.text, w, 3) < 3 {
				return `did you mean "` + w + `"?`
			}
		}
	}
	return ""
}

// visibility reads the word export or local in front of a type; before edition 2024 both are words
// like others.
func (p *parser) visibility() (TokenID, bool) {
	if p.text != "export" && p.text != "local" || p.f.Edition < Edition2024 {
		return NoToken, true
	}
	p.next()
	if p.text == "message" || p.text == "enum" {
		return p.at - 1, true
	}
	if p.text == "export" || p.text == "local" {
		p.report(p.here(), "a type has one visibility", "remove one of the words")
		return NoToken, false
	}
	p.refuse(p.f.TokenSpan(p.at-1), p.quote(p.f.TokenSpan(p.at-1))+
		" stands in front of a message or an enum only")
	return NoToken, false
}

func (p *parser) packaged() bool {
	n := p.packages.new()
	first := p.at
	p.next()
	ok := false
	if n.Name, ok = p.dotted("a package name"); !ok || !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	if p.pkg != nil {
		d := p.report(p.f.Span(n.Range), "a file has one package", "remove one of the statements")
		d.Notes = append(d.Notes, p.f.Note(p.f.Span(p.pkg.Range), "it is declared here"))
		return true
	}
	p.pkg = n
	p.decls = append(p.decls, n)
	return true
}

func (p *parser) imported() bool {
	n := p.imports.new()
	first := p.at
	p.next()
	n.Modifier = NoToken
	if p.kind == Ident {
		switch p.text {
		case "option":
			if p.f.Edition < Edition2024 {
				p.refuse(p.here(), `"import option" needs edition 2024`)
			}
		case "weak":
			if p.f.Edition >= Edition2024 {
				p.report(p.here(), `"import weak" is not in edition 2024`,
					`"import option" may be what is meant`)
			}
		case "public":
		default:
			p.missing("a string with the path of a file")
			return false
		}
		n.Modifier = p.at
		p.next()
	}
	ok := false
	if n.Path, ok = p.strings("a string with the path of a file"); !ok || !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	switch {
	case p.f.TokenText(n.Modifier) == "option":
		if p.optionIn == nil {
			p.optionIn = n
		}
	case p.optionIn != nil:
		d := p.report(p.f.Span(n.Range), `an import behind one of options`,
			`put it before all "import option"`)
		d.Notes = append(d.Notes, p.f.Note(p.f.Span(p.optionIn.Range), "the first of them"))
	}
	p.decls = append(p.decls, n)
	return true
}

// dotted reads words with points between them.
func (p *parser) dotted(what string) (Range, bool) {
	first := p.at
	if _, ok := p.word(what); !ok {
		return None, false
	}
	for p.take(".") {
		if _, ok := p.word("a name behind the point"); !ok {
			return None, false
		}
	}
	return p.from(first), true
}

// userType reads the name of a message or enum.
func (p *parser) userType(what string) (Range, bool) {
	if scalars[p.text] {
		p.refuse(p.here(), fmt.Sprintf("expected %s, found the type %q", what, p.text))
		p.next()
		return Range{p.at - 1, p.at - 1}, true
	}
	first := p.at
	p.take(".")
	if _, ok := p.dotted(what); !ok {
		return None, false
	}
	return p.from(first), true
}

func (p *parser) extend() bool {
	n := p.extends.new()
	first := p.at
	p.next()
	ok := false
	if n.Extendee, ok = p.userType("the name of a message"); !ok {
		return false
	}
	field := func() bool { return p.field(inExtend) }
	if n.Body, ok = p.body("an extend block", NoToken, field); !ok {
		return false
	}
	n.Range = p.from(first)
	if len(n.Body.Decls) == 0 {
		p.refuse(p.f.TokenSpan(n.Body.Close), "an extend block without a field")
	}
	p.decls = append(p.decls, n)
	return true
}

func (p *parser) service() bool {
	n := p.services.new()
	first := p.at
	p.next()
	ok := false
	if n.Name, ok = p.word("the name of a service"); !ok {
		return false
	}
	if n.Body, ok = p.body("service", n.Name, func() bool {
		switch p.text {
		case ";":
			return p.empty()
		case "option":
			return p.optionStatement()
		case "rpc":
			return p.method()
		}
		p.missing(`"rpc" or "option"`).Hint = p.misspelt("rpc", "option")
		return false
	}); !ok {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

func (p *parser) method() bool {
	n := p.methods.new()
	first := p.at
	p.next()
	ok := false
	if n.Name, ok = p.word("the name of a method"); !ok {
		return false
	}
	if n.ClientStreams, n.Input, ok = p.streamed(); !ok || !p.expect("returns") {
		return false
	}
	if n.ServerStreams, n.Output, ok = p.streamed(); !ok {
		return false
	}
	if p.text == "{" {
		b, ok := p.body("the options of method", n.Name, func() bool {
			switch p.text {
			case ";":
				return p.empty()
			case "option":
				return p.optionStatement()
			}
			p.missing(`"option"`)
			return false
		})
		if !ok {
			return false
		}
		n.Body = p.bodies.new()
		*n.Body = b
	} else if !p.semicolon(first) {
		return false
	}
	n.Range = p.from(first)
	p.decls = append(p.decls, n)
	return true
}

// streamed reads the type of a method's message, in parentheses.
func (p *parser) streamed() (stream TokenID, r Range, ok bool) {
	if stream = NoToken; !p.expect("(") {
		return stream, None, false
	}
	if p.take("stream") {
		stream = p.at - 1
	}
	if r, ok = p.userType("the name of a message"); !ok {
		return stream, None, false
	}
	return stream, r, p.expect(")")
}
