package anatomy

import (
	"strconv"
	"strings"
)

// PrintOptions say how a tree is printed; the zero value is useful.
type PrintOptions struct {
	// Color marks faults, notes and offsets for a terminal.
	Color bool
	// Columns is how many bytes of a field are printed in hexadecimal at most; 0 is 12.
	Columns int
}

// defaultColumns is PrintOptions.Columns when it is 0.
const defaultColumns = 12

// Append appends the tree as text to dst, a line for each node: the offset, the bytes of tag,
// length and value in hexadecimal, and what they mean, indented by their depth. b is what Of was
// given.
// The text has no control characters but the ends of lines, and, with Color, those of colours.
func (t *Tree) Append(dst, b []byte, o PrintOptions) []byte {
	p := printer{dst: dst, b: b, o: o}
	if p.o.Columns <= 0 {
		p.o.Columns = defaultColumns
	}
	p.digits = max(4, len(strconv.FormatInt(int64(len(b)), 16)))
	p.nodes(t.Nodes, 0)
	if t.Cut {
		p.note("... not all is shown: the limits are 100,000 fields and 100 levels")
	}
	if t.Fault != nil {
		p.fault(t.Fault)
	}
	if t.Error != "" && (t.Fault == nil || t.Type != "") {
		p.note("error: " + t.Error)
	}
	return p.dst
}

type printer struct {
	dst    []byte
	b      []byte
	o      PrintOptions
	digits int // number of digits of an offset
}

// The colours.
const (
	dim   = "\x1b[2m"
	red   = "\x1b[31m"
	amber = "\x1b[33m"
	plain = "\x1b[0m"
)

func (p *printer) color(c, s string) {
	if p.o.Color {
		p.dst = append(append(append(p.dst, c...), escape(s)...), plain...)
	} else {
		p.dst = append(p.dst, escape(s)...)
	}
}

// note prints a line about all of the tree.
func (p *printer) note(s string) {
	p.color(red, s)
	p.dst = append(p.dst, '\n')
}

func (p *printer) fault(f *Fault) {
	s := "malformed at offset " + strconv.Itoa(f.Offset) + " (0x" +
		strconv.FormatInt(int64(f.Offset), 16) + ")"
	if f.Path != "" {
		s += ", " + f.Path
	}
	p.note(s + ": " + f.Reason)
	if f.Offset < len(p.b) {
		p.line(f.Offset, f.Offset, len(p.b), 0)
		p.color(red, "<- here")
		p.dst = append(p.dst, '\n')
	}
}

// line starts a line: the offset, and the bytes [from, to), of which those before split stand
// apart.
func (p *printer) line(from, split, to, level int) {
	offset := strconv.FormatInt(int64(from), 16)
	p.color(dim, strings.Repeat("0", p.digits-len(offset))+offset)
	p.dst = append(p.dst, "  "...)
	const hex = "0123456789abcdef"
	column := 0
	for i := from; i < to && column < p.o.Columns; i++ {
		if i == split && i > from {
			p.dst = append(p.dst, ' ')
		}
		p.dst = append(p.dst, hex[p.b[i]>>4], hex[p.b[i]&15], ' ')
		column++
	}
	pad := 3*(p.o.Columns-column) + 3
	if split <= from || split >= to || split-from >= p.o.Columns {
		pad++
	}
	if to-from > p.o.Columns {
		p.dst = append(p.dst, ".."...)
		pad -= 2
	}
	p.dst = append(p.dst, strings.Repeat(" ", pad+2*level)...)
}

func (p *printer) nodes(nodes []Node, level int) {
	for i := range nodes {
		n := &nodes[i]
		to := n.End
		if len(n.Children) > 0 || n.Cut {
			to = n.Value
		}
		p.line(n.Tag, n.Value, max(to, n.Value), level)
		p.what(n)
		p.dst = append(p.dst, '\n')
		p.nodes(n.Children, level+1)
		if n.Next > n.End {
			p.line(n.End, n.Next, n.Next, level)
			p.dst = append(p.dst, "end of group\n"...)
		}
	}
}

// what prints the meaning of a node.
func (p *printer) what(n *Node) {
	var words []string
	if n.Number != 0 {
		words = append(words, strconv.Itoa(int(n.Number)))
	}
	if n.Name != "" {
		words = append(words, n.Name)
	}
	if kind := n.Kind; n.Number != 0 {
		if kind == "" {
			kind = n.Wire
		}
		if n.Type != "" {
			kind += " " + n.Type
		}
		words = append(words, "("+kind+")")
	}
	s := strings.Join(words, " ")
	if n.Text != "" {
		s = strings.TrimPrefix(s+" "+n.Text, " ")
	}
	if n.Guess {
		s += " or a message:"
	}
	p.dst = append(p.dst, escape(s)...)
	for _, note := range []string{n.Note, cutNote(n)} {
		if note != "" {
			p.color(amber, "  # "+note)
		}
	}
	if n.Fault != nil && len(n.Children) == 0 {
		p.color(red, "  # "+n.Fault.Reason)
	}
}

func cutNote(n *Node) string {
	if n.Cut {
		return "not looked into"
	}
	return ""
}

// escape replaces what a terminal would take for a command; names of a hostile schema may have it.
func escape(s string) string {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			q := strconv.QuoteToGraphic(s)
			return q[1 : len(q)-1]
		}
	}
	return s
}
