package report

import (
	"sort"
	"unicode/utf8"
)

// Places converts between offsets in a text and its lines and columns, in a time that does not
// depend on how long the lines are: text that was generated may be one line of megabytes, with
// thousands of diagnostics.
type Places struct {
	text  string
	marks []mark // marks at the start of every line, and in long lines every markEvery characters
}

type mark struct{ line, column, offset int }

const markEvery = 256

// NewPlaces looks at a text once.
func NewPlaces(text string) *Places {
	p := &Places{text: text, marks: []mark{{1, 1, 0}}}
	line, column := 1, 1
	for i, r := range text {
		if column%markEvery == 0 {
			p.marks = append(p.marks, mark{line, column, i})
		}
		if column++; r == '\n' {
			line, column = line+1, 1
			p.marks = append(p.marks, mark{line, column, i + 1})
		}
	}
	return p
}

// Position returns the line and column of an offset, both from 1; columns are counted in
// characters.
func (p *Places) Position(offset int) (line, column int) {
	offset = min(max(offset, 0), len(p.text))
	m := p.marks[sort.Search(len(p.marks), func(i int) bool {
		return p.marks[i].offset > offset
	})-1]
	return m.line, m.column + utf8.RuneCountInString(p.text[m.offset:offset])
}

// piece returns the characters of a line from a column on, at most n of them.
func (p *Places) piece(line, column, n int) []rune {
	k := sort.Search(len(p.marks), func(i int) bool {
		m := p.marks[i]
		return m.line > line || m.line == line && m.column > column
	}) - 1
	if k < 0 || p.marks[k].line != line {
		return nil
	}
	var out []rune
	at := p.marks[k].column
	for _, r := range p.text[p.marks[k].offset:] {
		if r == '\n' || len(out) == n {
			break
		}
		if at >= column {
			out = append(out, r)
		}
		at++
	}
	return out
}
