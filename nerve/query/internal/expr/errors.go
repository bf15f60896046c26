package expr

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Error says what is wrong with a text, and where.
type Error struct {
	Text    string // all of it
	Offset  int    // the offset in bytes
	Message string
	Hint    string // what may be meant, or what to do; may be empty
}

// Error returns the message with line, column and hint.
func (e *Error) Error() string {
	line, column, _ := e.place()
	s := fmt.Sprintf("line %d, column %d: %s", line, column, e.Message)
	if line == 1 {
		s = fmt.Sprintf("column %d: %s", column, e.Message)
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Position returns line and column, in characters, both from 1.
func (e *Error) Position() (line, column int) {
	line, column, _ = e.place()
	return line, column
}

// Caret returns the line that is wrong, and below it a caret under the place.
func (e *Error) Caret() string {
	_, column, text := e.place()
	return text + "\n" + strings.Repeat(" ", column-1) + "^"
}

func (e *Error) place() (line, column int, text string) {
	at := min(max(e.Offset, 0), len(e.Text))
	begin := strings.LastIndexByte(e.Text[:at], '\n') + 1
	text, _, _ = strings.Cut(e.Text[begin:], "\n")
	line = 1 + strings.Count(e.Text[:at], "\n")
	return line, 1 + utf8.RuneCountInString(e.Text[begin:at]), strings.ReplaceAll(text, "\t", " ")
}

// nearest returns the hint `did you mean ...?`, or "" if no name is close to name.
func nearest(name string, names []string) string {
	limit := max(2, len(name)/3)
	best, found := limit+1, ""
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n), best); d < best {
			best, found = d, n
		}
	}
	if found == "" {
		return ""
	}
	return "did you mean " + found + "?"
}

// distance is the number of letters to change, add, leave out or swap with the next that make a b,
// or limit if it is at least that.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j]+cost, last[j+1]+1, row[j]+1)
			if before != nil && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return min(last[len(b)], limit)
}
