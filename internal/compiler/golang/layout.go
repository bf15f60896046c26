package golang

import (
	"math"
	"strings"
	"unicode/utf8"
)

// layout lays lines of Go out as gofmt would, so that nothing needs to be parsed for it; a test
// compares the two. It knows no Go, only these rules:
//
//   - A line that ends in a bracket indents those behind it, one that starts with a closing bracket
//     ends that. Labels of cases stand one to the left.
//   - A tab in a line ends a cell. The cells of adjacent lines are as wide as the widest, as in
//     text/tabwriter: names, types and values of declarations, keys and values of literals, code
//     and the comment behind it.
//
// A comment is one of the lines and has no cells.
type layout struct {
	out   []byte
	depth int

	// lines with cells that wait for the widths of those to come, without indentation
	rows [][]string
	keys keySizes
}

// text ends the layout and returns it.
func (l *layout) text() []byte {
	l.align()
	return l.out
}

// write adds lines, without the newline of the last.
func (l *layout) write(text string) {
	for more := true; more; {
		var line string
		line, text, more = strings.Cut(text, "\n")
		l.line(line)
	}
}

func (l *layout) line(s string) {
	code, cells := "", false
	if !strings.HasPrefix(s, "//") {
		code, _, _ = strings.Cut(s, "\t//")
		cells = strings.IndexByte(s, '\t') >= 0
	}
	if s == "" || s[0] == '}' || s[0] == ')' || !cells {
		l.align()
	}
	if s == "" {
		// one at a time, none at the start of a block
		if n := len(l.out); n < 2 || !strings.Contains("\n{(", string(l.out[n-2])) {
			l.out = append(l.out, '\n')
		}
		return
	}
	if s[0] == '}' || s[0] == ')' {
		l.depth--
	}
	if cells {
		row := strings.Split(s, "\t")
		if l.keys.breaks(row[0]) {
			l.align()
		}
		l.rows = append(l.rows, row)
	} else {
		l.indent(s)
		l.out = append(append(l.out, s...), '\n')
	}
	if strings.HasSuffix(code, "{") || strings.HasSuffix(code, "(") {
		l.align()
		l.depth++
		l.keys = keySizes{}
	}
}

func (l *layout) indent(s string) {
	depth := l.depth
	if strings.HasPrefix(s, "case ") || s == "default:" {
		depth--
	}
	for range depth {
		l.out = append(l.out, '\t')
	}
}

// align writes the rows that wait.
func (l *layout) align() {
	if len(l.rows) == 0 {
		return
	}
	pad(l.rows, 0)
	for _, row := range l.rows {
		l.indent(row[0])
		for _, cell := range row {
			l.out = append(l.out, cell...)
		}
		l.out = append(l.out, '\n')
	}
	l.rows = l.rows[:0]
}

// pad makes the cells of a column as wide as the widest of the rows above and below that have that
// column, then goes on to the next column of those rows. The last cell of a row needs no width.
func pad(rows [][]string, column int) {
	for len(rows) > 0 {
		n, width := 0, 0
		for n < len(rows) && len(rows[n]) > column+1 {
			width = max(width, utf8.RuneCountInString(rows[n][column]))
			n++
		}
		for _, row := range rows[:n] {
			row[column] += strings.Repeat(" ", width+1-utf8.RuneCountInString(row[column]))
		}
		if n > 0 {
			pad(rows[:n], column+1)
		}
		rows = rows[max(n, 1):]
	}
}

// keySizes decides where the values of a literal are no longer aligned, because a key is much
// longer or shorter than those before it in the alignment.
type keySizes struct {
	count float64
	logs  float64 // sum of the logarithms of their lengths
	last  int
}

// breaks notes the first cell of a row and tells whether the row starts a new alignment.
func (k *keySizes) breaks(cell string) (yes bool) {
	const (
		small = 40  // bytes; shorter keys are aligned whatever those before them
		most  = 2.5 // how many times the geometric mean of the keys before, or its inverse
	)
	key, ok := strings.CutSuffix(cell, ":")
	if !ok {
		return false
	}
	if k.count > 0 && (k.last > small || len(key) > small) {
		ratio := float64(len(key)) / math.Exp(k.logs/k.count)
		if yes = most*ratio <= 1 || most <= ratio; yes {
			*k = keySizes{}
		}
	}
	k.count, k.logs, k.last = k.count+1, k.logs+math.Log(float64(len(key))), len(key)
	return yes
}

// fill joins items with commas to lines of about a hundred bytes.
func fill(items []string) string {
	const enough = 100
	var b strings.Builder
	length := 0
	for i, item := range items {
		switch length += len(item); {
		case i == 0:
		case length > enough:
			b.WriteString(",\n")
			length = len(item)
		default:
			b.WriteString(", ")
		}
		b.WriteString(item)
	}
	return b.String()
}

// oneLine returns a function that is on one line if it is short enough. "; " separates the
// statements of its body. space stands between its head and body: a tab for a declaration, as those
// below one another have their bodies aligned; a blank for a literal.
func oneLine(head, space, body string) string {
	size := len(head) + len(body)
	if space == "\t" {
		size++ // gofmt counts the blank after func twice
	}
	switch long := size > 100; {
	case long && body == "":
		return head + " {\n}"
	case long:
		return head + " {\n" + strings.ReplaceAll(body, "; ", "\n") + "\n}"
	case body == "":
		return head + space + "{}"
	}
	return head + space + "{ " + body + " }"
}
