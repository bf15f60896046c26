package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/rivo/uniseg"
)

// maxLine is the number of characters of a source line that are shown: generated .proto files have
// lines of megabytes.
const maxLine = 160

// Text writes diagnostics for people:
//
//	shop/v1/deposit.proto:4:3: error: type "Usr" is not defined
//	      Usr user = 1;
//	      ^^^
//	hint: did you mean "User"?
//
// The zero value is useful; it shows no source lines.
type Text struct {
	// Dir is the folder that shown paths are relative to, so that an editor opens them on a click.
	// Files outside it and an empty Dir give the paths as they are.
	Dir string
	// Color uses terminal colours.
	Color bool
	// Source returns the text of a file named in a diagnostic, or false. nil shows no source lines.
	Source func(file string) (string, bool)

	places map[string]*Places // places by file; nil for a file that has no text
}

const (
	styleBold   = "\x1b[1m"
	styleRed    = "\x1b[1;31m"
	styleYellow = "\x1b[1;33m"
	styleCyan   = "\x1b[1;36m"
	styleReset  = "\x1b[0m"
)

// Write writes the diagnostics in the order given. It returns the first error of w.
func (t Text) Write(w io.Writer, l List) error {
	t.places = map[string]*Places{}
	var b strings.Builder
	for _, d := range l {
		style := styleRed
		if d.Severity == Warning {
			style = styleYellow
		}
		if p := position(t.rel(d.File), d.Line, d.Column); p != "" {
			b.WriteString(t.paint(styleBold, p+":") + " ")
		}
		b.WriteString(t.paint(style, d.Severity.String()+":") + " " +
			t.paint(styleBold, clean(d.Message)) + "\n")
		t.snippet(&b, style, d.File, d.Line, d.Column, d.EndLine, d.EndColumn)
		for _, n := range d.Notes {
			if p := position(t.rel(n.File), n.Line, n.Column); p != "" {
				b.WriteString(p + ": ")
			}
			b.WriteString(t.paint(styleCyan, "note:"))
			if n.Message != "" {
				b.WriteString(" " + clean(n.Message))
			}
			b.WriteByte('\n')
			t.snippet(&b, styleCyan, n.File, n.Line, n.Column, n.EndLine, n.EndColumn)
		}
		for hint := range strings.SplitSeq(d.Hint, "\n") {
			if hint != "" {
				b.WriteString(t.paint(styleCyan, "hint:") + " " + clean(hint) + "\n")
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// snippet writes the source line of a position and a line that underlines the place.
func (t Text) snippet(b *strings.Builder, style, file string, line, column, endLine,
	endColumn int) {
	if t.Source == nil || line <= 0 || column <= 0 {
		return
	}
	p, ok := t.places[file]
	if !ok {
		if text, ok := t.Source(file); ok {
			p = NewPlaces(text)
		}
		t.places[file] = p
	}
	if p == nil {
		return
	}
	before := max(0, column-1-maxLine) // characters of the line that are too far away to be shown
	chars := p.piece(line, before+1, 2*maxLine+1)
	if len(chars) <= 2*maxLine {
		chars = []rune(strings.TrimRight(string(chars), " \t\r"))
	}
	start := min(column-1-before, len(chars))
	end := len(chars) // a place that goes on in the next line is underlined to the end of this one
	if endLine <= line {
		end = min(max(endColumn-1-before, start), len(chars))
	}
	if before+len(chars) > maxLine { // show the piece around the place
		from := max(0, min(start-maxLine/4, len(chars)-maxLine))
		chars = chars[from:min(from+maxLine, len(chars))]
		start, end = start-from, min(end-from, len(chars))
	}
	for i, r := range chars {
		chars[i] = visible(r)
	}

	// The lead of the underline keeps tabs as they are, so that it lines up whatever a tab is worth
	// to the terminal.
	lead := strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, string(chars[:start]))
	lead += strings.Repeat(" ",
		max(0, uniseg.StringWidth(string(chars[:start]))-uniseg.StringWidth(lead)))
	mark := strings.Repeat("^", max(1, uniseg.StringWidth(string(chars[start:end]))))
	if len(chars) == 0 {
		return
	}
	fmt.Fprintf(b, "    %s\n    %s%s\n", string(chars), lead, t.paint(style, mark))
}

func (t Text) paint(style, s string) string {
	if !t.Color {
		return s
	}
	return style + s + styleReset
}

// rel returns the path as a compiler started in t.Dir shows it.
func (t Text) rel(file string) string {
	if t.Dir == "" || !filepath.IsAbs(file) {
		return clean(file)
	}
	// A path that has to climb more than it names is harder to read than the absolute one.
	rel, err := filepath.Rel(t.Dir, file)
	if err != nil || strings.HasPrefix(rel, filepath.Join("..", "..", "..")) {
		return clean(file)
	}
	return clean(rel)
}

// position formats a place; parts that are unknown are left out.
func position(file string, line, column int) string {
	switch {
	case line <= 0:
		return file
	case column <= 0:
		return fmt.Sprintf("%s:%d", file, line)
	}
	return fmt.Sprintf("%s:%d:%d", file, line, column)
}

// clean keeps text from the sources from steering the terminal or breaking the one-line form.
func clean(s string) string { return strings.Map(visible, s) }

func visible(r rune) rune {
	switch {
	case r == '\t':
		return r
	case r == '\n':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return unicode.ReplacementChar
	}
	return r
}
