package syntax

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/octopus-framework/octopus/compiler/report"
)

const (
	// maxMessages is how many messages may be in each other, groups and the entries of maps
	// included.
	maxMessages = 31
	// maxErrors is how many errors of one file are told.
	maxErrors = 100
)

// Parse reads the text of a file, whose import path is path. The paths of diagnostics are the same.
// It returns a tree in any case. Where there are errors, the tree has what could be read.
func Parse(path, text string) (*File, report.List) {
	f := &File{Path: path, Edition: Proto2}
	p := &parser{f: f, lastError: -1}
	f.Text = strings.TrimPrefix(text, "\ufeff")
	f.Indent = len(text) - len(f.Text)
	if len(text) > math.MaxInt32 {
		f.Text, f.Incomplete = "", true
		f.Tokens = []Token{{}}
		p.refuse(Span{}, "a file of more than 2 GiB")
		return f, p.found
	}
	scratch := scratches.Get().(*[]Token)
	l := lexer{text: f.Text, tokens: (*scratch)[:0], wrong: p.lexical}
	l.run()
	f.Tokens = list(l.tokens)
	if *scratch = l.tokens; cap(*scratch) <= maxScratch {
		scratches.Put(scratch)
	}
	p.misread = len(p.found)
	p.load()
	p.file()
	return f, p.found
}

// scratches keeps the memory in which tokens are collected before their number is known.
var scratches = sync.Pool{New: func() any { return new([]Token) }}

const maxScratch = 1 << 20

// parser reads the tokens of one file.
type parser struct {
	f     *File
	found report.List

	at   TokenID // the current token
	kind Kind    // its kind
	text string  // its text

	depth     int        // messages around the current token
	lastError int        // where the last error of the parser was, or -1
	misread   int        // errors of the lexer, which come first
	dropped   diagnostic // what is not told
	pkg       *Package
	optionIn  *Import // the first import of options

	decls   []Decl // those of the bodies around the current token, innermost last
	options []*Option
	parts   []OptionPart
	ranges  []NumberRange
	nodes
}

// nodes is where nodes come from.
type nodes struct {
	syntaxes   slab[Syntax]
	packages   slab[Package]
	imports    slab[Import]
	optionSlab slab[Option]
	lists      slab[Options]
	messages   slab[Message]
	fields     slab[Field]
	maps       slab[Map]
	oneofs     slab[Oneof]
	enums      slab[Enum]
	values     slab[EnumValue]
	extends    slab[Extend]
	extensions slab[Extensions]
	reserved   slab[Reserved]
	services   slab[Service]
	methods    slab[Method]
	bodies     slab[Body]
	empties    slab[Empty]
}

// load makes the token at p.at the current one.
func (p *parser) load() {
	t := p.f.Tokens[p.at]
	p.kind, p.text = t.Kind, p.f.Text[t.Start:t.End]
}

// next goes to the next token, unless the current one is the last.
func (p *parser) next() {
	if p.kind != EOF {
		p.at++
		p.load()
	}
}

// take passes over the current token if that is its text, and reports whether it was.
func (p *parser) take(text string) bool {
	if p.text == text {
		p.next()
		return true
	}
	return false
}

// from is the range from a token to the one before the current one.
func (p *parser) from(first TokenID) Range { return Range{first, p.at - 1} }

// expect passes over a symbol or word, or says that it is missing.
func (p *parser) expect(text string) bool {
	if p.take(text) {
		return true
	}
	p.missing(`"` + text + `"`)
	return false
}

// word passes over an identifier, or says that it is missing.
func (p *parser) word(what string) (TokenID, bool) {
	if p.kind == Ident {
		p.next()
		return p.at - 1, true
	}
	p.missing(what)
	return NoToken, false
}

// strings passes over string literals, or says that they are missing.
func (p *parser) strings(what string) (Range, bool) {
	first := p.at
	for p.kind == String {
		p.next()
	}
	if p.at > first {
		return p.from(first), true
	}
	p.missing(what)
	return None, false
}

// semicolon passes over the semicolon behind a declaration. Where it is missing at the end of a
// line, it is taken as if it stood there.
func (p *parser) semicolon(first TokenID) bool {
	if p.take(";") {
		return true
	}
	end := p.f.Tokens[p.at-1].End
	if p.kind != EOF && !strings.Contains(p.f.Text[end:p.f.Tokens[p.at].Start], "\n") {
		p.missing(`";"`)
		return false
	}
	p.report(Span{end, end + 1}, `expected ";" behind `+p.quote(Span{
		p.f.Tokens[first].Start, end}), `insert ";"`)
	return true
}

// missing says that something else than the current token has to stand here.
func (p *parser) missing(what string) *diagnostic {
	return p.refuse(p.here(), fmt.Sprintf("expected %s, found %s", what, p.current()))
}

// here is where the current token stands.
func (p *parser) here() Span { return p.f.TokenSpan(p.at) }

// current is how messages name the current token.
func (p *parser) current() string {
	if p.kind == EOF {
		return "the end of the file"
	}
	if p.kind == String {
		return cut(p.text)
	}
	return p.quote(p.here())
}

// quote is a piece of the text in quotes, cut where it is long or a line ends.
func (p *parser) quote(s Span) string { return `"` + cut(p.f.Text[s.Start:s.End]) + `"` }

func cut(text string) string {
	const most = 40
	line, _, more := strings.Cut(text, "\n")
	if len(line) > most {
		line, more = line[:most], true
	}
	if more {
		line += "..."
	}
	return strings.ToValidUTF8(line, "\ufffd")
}

// diagnostic is one that was reported, to which hint and notes can be added. It is no Go error.
type diagnostic report.Diagnostic

// refuse reports an error and returns it, so that notes can be added.
func (p *parser) refuse(at Span, message string) *diagnostic {
	return p.report(at, message, "")
}

// report adds an error, unless there is one already that may be the reason: at the same place, or
// one of the lexer in the same line.
func (p *parser) report(at Span, message, hint string) *diagnostic {
	if int(at.Start) == p.lastError {
		return &p.dropped
	}
	p.lastError = int(at.Start)
	line, _ := p.f.Position(at.Start)
	if p.kind == EOF && p.misread > 0 || slices.ContainsFunc(p.found[:p.misread],
		func(d report.Diagnostic) bool { return d.Line == line }) {
		return &p.dropped
	}
	d := p.add(at, message, hint)
	if d == &p.dropped {
		p.at = TokenID(len(p.f.Tokens) - 1) // that is enough
		p.load()
		p.f.Incomplete = true
	}
	return d
}

// lexical adds an error of the lexer.
func (p *parser) lexical(start, end int, message, hint string) {
	p.add(Span{int32(start), int32(end)}, message, hint)
}

func (p *parser) add(at Span, message, hint string) *diagnostic {
	if len(p.found) > maxErrors {
		return &p.dropped
	}
	if len(p.found) == maxErrors {
		message, hint = "too many errors in this file: the rest is not told", ""
	}
	d := p.f.Diagnostic(at, message)
	d.Hint = hint
	p.found = append(p.found, d)
	return (*diagnostic)(&p.found[len(p.found)-1])
}

// skip goes behind a statement that could not be read: behind its semicolon or its block, or to
// the brace that ends the block it is in.
func (p *parser) skip() {
	for p.kind != EOF {
		switch {
		case p.take(";"):
			return
		case p.take("{"):
			p.skipBlock()
			return
		case p.text == "}":
			return
		}
		p.next()
	}
}

// skipBlock goes behind the brace that ends the block around the current token.
func (p *parser) skipBlock() {
	for open := 1; open > 0 && p.kind != EOF; p.next() {
		switch p.text {
		case "{":
			open++
		case "}":
			open--
		}
	}
}

// body reads the declarations between braces, each by statement, which reports whether it could be
// read. The body is what messages call it, behind that the name, if it has any.
func (p *parser) body(what string, name TokenID, statement func() bool) (Body, bool) {
	b := Body{Open: p.at, Close: NoToken}
	if !p.expect("{") {
		return b, false
	}
	start := len(p.decls)
	for p.text != "}" {
		if p.kind == EOF {
			if name != NoToken {
				what += " " + p.quote(p.f.TokenSpan(name))
			}
			d := p.refuse(p.here(), "the file ends in "+what+`: expected "}"`)
			d.Notes = append(d.Notes, p.f.Note(p.f.TokenSpan(b.Open), "this is still open"))
			p.decls = p.decls[:start]
			return b, false
		}
		switch text := p.text; {
		case statement():
		case text == "message" || text == "enum" || text == "export" || text == "local":
			p.f.Incomplete = true
			p.skip()
		default:
			p.skip()
		}
	}
	b.Close = p.at
	p.next()
	b.Decls = list(p.decls[start:])
	clear(p.decls[start:])
	p.decls = p.decls[:start]
	return b, true
}

// empty reads a semicolon on its own.
func (p *parser) empty() bool {
	e := p.empties.new()
	e.Range = Range{p.at, p.at}
	p.next()
	p.decls = append(p.decls, e)
	return true
}
