package syntax

import (
	"strings"
	"sync"

	"github.com/octopus-framework/octopus/compiler/report"
)

// TokenText returns the text of a token; that of NoToken is empty.
func (f *File) TokenText(t TokenID) string {
	if t < 0 {
		return ""
	}
	k := f.Tokens[t]
	return f.Text[k.Start:k.End]
}

// Name returns a run of tokens without what lies between them: a name, mostly. It does not
// allocate where nothing lies between them.
func (f *File) Name(r Range) string {
	if !r.Present() {
		return ""
	}
	n := 0
	for _, t := range f.Tokens[r.First : r.Last+1] {
		n += int(t.End - t.Start)
	}
	if start, end := f.Tokens[r.First].Start, f.Tokens[r.Last].End; int(end-start) == n {
		return f.Text[start:end]
	}
	var b strings.Builder
	b.Grow(n)
	for t := r.First; t <= r.Last; t++ {
		b.WriteString(f.TokenText(t))
	}
	return b.String()
}

// Span returns where a run of tokens stands, from the start of the first to the end of the last.
// That of None is the start of the file.
func (f *File) Span(r Range) Span {
	if !r.Present() {
		return Span{}
	}
	return Span{f.Tokens[r.First].Start, f.Tokens[r.Last].End}
}

// TokenSpan returns where a token stands; NoToken is at the start of the file.
func (f *File) TokenSpan(t TokenID) Span { return f.Span(Range{t, t}) }

// String returns the value of the string literals in a run of tokens, which may be any bytes.
func (f *File) String(r Range) string {
	if !r.Present() {
		return ""
	}
	if r.First == r.Last {
		return Unquote(f.TokenText(r.First))
	}
	var b strings.Builder
	for t := r.First; t <= r.Last; t++ {
		b.WriteString(Unquote(f.TokenText(t)))
	}
	return b.String()
}

// Int32 returns the number that a run of tokens is: an integer, maybe behind a minus. It reports
// whether it has 32 bits; for those of a file without errors it always has.
func (f *File) Int32(r Range) (v int32, ok bool) {
	if !r.Present() {
		return 0, false
	}
	n, ok := ParseInteger(f.TokenText(r.Last))
	if r.First < r.Last {
		return int32(-n), ok && n <= 1<<31
	}
	return int32(n), ok && n < 1<<31
}

// lazyPlaces is the index of lines, made when the first place is asked for.
type lazyPlaces struct {
	once  sync.Once
	index *report.Places
}

// Position returns the line and column of an offset, both from 1, columns counted in characters as
// diagnostics have them.
func (f *File) Position(offset int32) (line, column int) {
	f.places.once.Do(func() { f.places.index = report.NewPlaces(f.Text) })
	return f.places.index.Position(int(offset))
}

// Diagnostic returns an error at a place of the file. Its path is the import path.
func (f *File) Diagnostic(at Span, message string) report.Diagnostic {
	n := f.Note(at, message)
	return report.Diagnostic{File: n.File, Line: n.Line, Column: n.Column, EndLine: n.EndLine,
		EndColumn: n.EndColumn, Message: message}
}

// Note returns a remark about a place of the file.
func (f *File) Note(at Span, message string) report.Note {
	n := report.Note{File: f.Path, Message: message}
	n.Line, n.Column = f.Position(at.Start)
	n.EndLine, n.EndColumn = f.Position(at.End)
	return n
}
