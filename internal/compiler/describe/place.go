package describe

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// tabWidth is what columns of tabs are multiples of in source info.
const tabWidth = 8

// position is where a token is, as source info has it: from 0, columns in bytes but for tabs.
type position struct{ line, column, end int32 }

// positions appends where the tokens of a file are.
func positions(out []position, f *syntax.File) []position {
	line, column, offset := int32(0), int32(f.Indent), int32(0)
	for _, t := range f.Tokens {
		gap := f.Text[offset:t.Start]
		if at := strings.LastIndexByte(gap, '\n'); at >= 0 {
			line += int32(strings.Count(gap[:at], "\n")) + 1
			column = 0
			gap = gap[at+1:]
		}
		column = advance(column, gap)
		end := column + t.End - t.Start
		if t.Kind == syntax.String {
			end = advance(column, f.Text[t.Start:t.End])
		}
		out = append(out, position{line, column, end})
		column, offset = end, t.End
	}
	return out
}

// advance returns the column behind a text without newlines.
func advance(column int32, text string) int32 {
	for i := range len(text) {
		if text[i] == '\t' {
			column += tabWidth - column%tabWidth
		} else {
			column++
		}
	}
	return column
}
