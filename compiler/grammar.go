package compiler

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/bufbuild/protocompile/experimental/ast"
	"github.com/bufbuild/protocompile/experimental/ir"
	"github.com/bufbuild/protocompile/experimental/seq"
	"github.com/bufbuild/protocompile/experimental/source"
	"github.com/bufbuild/protocompile/experimental/token"
	"github.com/bufbuild/protocompile/experimental/token/keyword"

	options "github.com/octopus-framework/octopus/compiler/oldoptions"
	"github.com/octopus-framework/octopus/compiler/report"
)

// checkGrammar finds what protoc refuses in the text of a file and protocompile does not: its
// parser reads more than the language, and leaves out some of what it cannot read, without a word.
func checkGrammar(src *Sources, f *ir.File) report.List {
	g := &grammar{translator: translator{src: src, places: map[*source.File]*report.Places{}}}
	file := f.AST().Stream().File
	if s := f.AST().Syntax(); !s.IsZero() && !s.Equals().IsZero() {
		g.gap(file.Span(s.KeywordToken().Span().End, s.Equals().Span().Start))
		g.gap(file.Span(s.Equals().Span().End, s.Value().Span().Start))
	}
	for i := range f.AST().Imports() {
		at := i.ImportPath().Span()
		path, _ := options.Strings(file.Text(), at.Start)
		if original, _ := options.Strings(src.original(f.Path()), at.Start); path != original {
			g.refuse(at, fmt.Sprintf("expected an import path that is UTF-8, found %q", original))
		}
	}
	for t := range f.AST().Stream().All() {
		if text := t.Text(); t.Kind() == token.String && text[0] != '"' && text[0] != '\'' {
			g.refuse(t.Span(), "a string begins with a quotation mark")
		}
		if t.Kind() != token.Number {
			continue
		}
		if text := t.Text(); len(text) > 1 && text[0] == '0' && fraction.MatchString(text) {
			g.refuse(t.Span(), "a hexadecimal or octal number is an integer")
		}
	}
	g.declarations(f.AST().Decls(), file.Span(0, len(file.Text())), inFile)
	for x := range seq.Values(f.AllExtensions()) {
		if isLite(f) && !isLite(x.Container().Context()) {
			g.refuse(x.AST().Name().Span(),
				"an extension of a message that is not lite is declared in a file that is")
		}
	}
	for m := range f.AllMembers() {
		if v := m.PseudoOptions().Default; !v.IsZero() && m.Element().IsEnum() &&
			!v.ValueAST().AsLiteral().IsZero() {
			g.refuse(v.ValueAST().Span(), "a default of an enum is the name of a value")
		}
	}
	return g.found
}

// isLite tells whether a file asks for code without descriptors.
func isLite(f *ir.File) bool {
	for v := range f.Options().Fields() {
		if v.Field().Name() == "optimize_for" {
			return v.AsEnum().Name() == "LITE_RUNTIME"
		}
	}
	return false
}

// maxMessages is how many messages may be in each other.
const maxMessages = 31

// place is where a declaration stands.
type place int

const (
	inFile place = iota // or anything else that has no fields
	inMessage
	inOneof
	inExtend
)

// statements are the words that begin something else than a field in a message; label are those in
// front of a type.
var (
	label      = regexp.MustCompile(`^(?:optional|repeated|required)\b`)
	statements = regexp.MustCompile(`^(?:message|enum|extend|extensions|reserved|option|oneof)\b`)
	special    = regexp.MustCompile(
		`^(?:group\b|map\s*\.)`) // types that are none, whatever stands in front of them
	fraction  = regexp.MustCompile(`(?i)^(?:0x(?:[0-9a-f]*[.p]|$)|0[0-9]+[.e])`)
	noInteger = regexp.MustCompile(`(?i)\b(?:[0-9]+[.e]|\.[0-9])`)
)

type grammar struct {
	translator
	found report.List
	depth int // messages around what is looked at
}

func (g *grammar) refuse(at source.Span, message string) {
	d := report.Diagnostic{File: at.Path(), Message: message}
	d.Line, d.Column = g.position(at.File, at.Start)
	d.EndLine, d.EndColumn = g.position(at.File, at.End)
	g.found = append(g.found, d)
}

// gap refuses what is between two declarations, or between parts of one, unless it is white space
// and comments.
func (g *grammar) gap(between source.Span) {
	text := between.Text()
	if rest := options.Skip(strings.TrimPrefix(text, "\ufeff")); rest != "" {
		start := between.Start + len(text) - len(rest)
		g.refuse(between.File.Span(start, start+1), "unexpected "+quote(rest))
	}
}

// declarations checks those in a body, or in a file, and what they hold. There are at most
// MaxNesting levels of them.
func (g *grammar) declarations(decls seq.Inserter[ast.DeclAny], body source.Span, in place) {
	before := body.Start
	for d := range seq.Values(decls) {
		at := d.Span()
		if at.Start > before {
			g.gap(body.File.Span(before, at.Start))
		}
		before = max(before, at.End)
		switch {
		case !d.AsDef().IsZero():
			g.definition(d.AsDef(), in)
		case !d.AsRange().IsZero():
			r := d.AsRange()
			if r.Ranges().Len() == 0 {
				g.refuse(at, quote(r.KeywordToken().Text())+" of nothing")
			}
			for e := range seq.Values(r.Ranges()) {
				if r.IsExtensions() && !e.AsPath().IsZero() {
					g.refuse(e.Span(), "expected a number or a range, found "+
						quote(e.Span().Text()))
				}
				g.integer(e)
			}
		case !d.AsEmpty().IsZero() && (in == inOneof || in == inExtend):
			g.refuse(at, `unexpected ";"`)
		}
	}
	g.gap(body.File.Span(before, max(before, body.End)))
}

// integer refuses numbers with a fraction or an exponent.
func (g *grammar) integer(e ast.ExprAny) {
	text := e.Span().Text()
	if !strings.ContainsAny(text, ".eE") || text[0] == '"' || text[0] == '\'' {
		return
	}
	if noInteger.MatchString(stringOrComment.ReplaceAllString(text, " ")) {
		g.refuse(e.Span(), "expected an integer")
	}
}

func (g *grammar) definition(d ast.DeclDef, in place) {
	inner, visibilities := inFile, 0
	for p := range d.Prefixes() {
		if k := p.Prefix(); k == keyword.Export || k == keyword.Local {
			if visibilities++; visibilities > 1 {
				g.refuse(p.PrefixToken().Span(), "a type has one visibility")
			}
		}
	}
	switch kind := d.Classify(); kind {
	case ast.DefKindMessage, ast.DefKindGroup:
		inner = inMessage
		if g.depth++; g.depth == maxMessages+1 {
			g.refuse(d.Name().Span(), fmt.Sprintf("messages are in each other more than %d times",
				maxMessages))
		}
		defer func() { g.depth-- }()
	case ast.DefKindOneof:
		inner = inOneof
	case ast.DefKindExtend:
		inner = inExtend
	case ast.DefKindField:
		g.fieldType(d.Type(), in)
		g.integer(d.Value())
	case ast.DefKindEnumValue:
		if name := d.Name().Span().Text(); name == "option" || name == "reserved" {
			g.refuse(d.Name().Span(), quote(name)+" is not read as a name here")
		}
		g.integer(d.Value())
	case ast.DefKindMethod:
		for _, list := range []ast.TypeList{d.Signature().Inputs(), d.Signature().Outputs()} {
			for t := range seq.Values(list) {
				if t.Span().Text() == "stream" {
					g.refuse(t.Span(), `expected a type after "stream"`)
				}
			}
		}
	}
	if b := d.Body(); !b.IsZero() {
		g.declarations(b.Decls(), inside(b.Span()), inner)
	}
}

// inside is a body without its braces.
func inside(braces source.Span) source.Span {
	return braces.File.Span(braces.Start+1, max(braces.Start+1, braces.End-1))
}

// fieldType refuses types that protoc reads as something else: a message may be called like a
// keyword, but the name of its field's type must not come first then.
func (g *grammar) fieldType(t ast.TypeAny, in place) {
	text := t.RemovePrefixes().Span().Text()
	switch bare := t.AsPrefixed().IsZero(); {
	case special.MatchString(text), bare && label.MatchString(text), bare && in == inMessage &&
		statements.MatchString(text):
		g.refuse(t.Span(), quote(text)+" is not read as a type here")
	}
}

// quote puts the first line of a text into quotes.
func quote(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return `"` + line + `"`
}
