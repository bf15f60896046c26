package syntax

import "strings"

// Comments are those between two tokens, as protoc attaches them to declarations: without the
// marks of comments, line ends included.
type Comments struct {
	Trailing string   // belongs to what ends at the first token
	Detached []string // stands alone
	Leading  string   // belongs to what begins at the second token
}

// Comments returns the comments between a token and the one behind it. Those before the first
// token are behind NoToken.
func (f *File) Comments(t TokenID) Comments {
	start := int32(0)
	if t >= 0 {
		start = f.Tokens[t].End
	}
	if int(t)+1 >= len(f.Tokens) {
		return Comments{}
	}
	next := f.Tokens[t+1]
	gap := f.Text[start:next.Start]
	if strings.IndexByte(gap, '/') < 0 {
		return Comments{}
	}
	c := collector{gap: gap, toPrevious: t >= 0}
	if t >= 0 && c.sameLine() {
		return Comments{}
	}
	c.lines()
	text := f.TokenText(t + 1)
	if next.Kind == EOF || text == "}" || text == "]" || text == ")" {
		c.flush() // nothing begins with this token
	}
	if next.Kind != EOF && (t >= 0 && c.line == 0 || c.trailed && c.line == c.trailEnd) {
		c.detach()
	}
	if c.pending {
		c.out.Leading = c.buffer.String()
	}
	return c.out
}

// collector takes the comments out of a gap between tokens. One that was read is pending until it
// is clear to what it belongs.
type collector struct {
	gap        string // what is left of it
	line       int    // the line from which it is left, counted from that of the token before
	trailed    bool   // there was a comment in that line
	trailEnd   int    // the line in which it ended
	out        Comments
	buffer     strings.Builder
	pending    bool // there is a comment in buffer
	lineStyle  bool // it is one of lines
	toPrevious bool // the next comment may be of the token before
	trailing   bool // one was
	count      int  // comments that were not pending any more
}

// sameLine reads the comment in the line of the token before. It reports whether the next token
// is in the same line, without any comment.
func (c *collector) sameLine() (done bool) {
	c.blanks()
	switch {
	case strings.HasPrefix(c.gap, "//"):
		c.trailed, c.trailEnd = true, c.line
		c.lineComment()
	case strings.HasPrefix(c.gap, "/*"):
		c.blockComment()
		c.trailed, c.trailEnd = true, c.line
		c.blanks()
	case c.newline():
		return false
	default:
		return true
	}
	c.flush()
	return false
}

// lines reads the comments in the lines behind that of the token before.
func (c *collector) lines() {
	for c.blanks(); c.gap != ""; c.blanks() {
		switch {
		case strings.HasPrefix(c.gap, "//"):
			c.lineComment()
		case strings.HasPrefix(c.gap, "/*"):
			c.blockComment()
			c.blanks()
			c.newline() // this line is not blank
		case c.newline():
			c.flush()
			c.toPrevious = false
		default:
			return // text with errors
		}
	}
}

// blanks passes over white space inside of a line.
func (c *collector) blanks() { c.gap = strings.TrimLeft(c.gap, " \t\r\v\f") }

func (c *collector) newline() bool {
	rest, ok := strings.CutPrefix(c.gap, "\n")
	if ok {
		c.gap = rest
		c.line++
	}
	return ok
}

func (c *collector) lineComment() {
	if c.pending && !c.lineStyle {
		c.flush()
	}
	c.pending, c.lineStyle = true, true
	n := strings.IndexByte(c.gap, '\n') + 1
	if n == 0 {
		n = len(c.gap)
	} else {
		c.line++
	}
	c.buffer.WriteString(c.gap[len("//"):n])
	c.gap = c.gap[n:]
}

func (c *collector) blockComment() {
	c.flush()
	c.pending, c.lineStyle = true, false
	n := strings.Index(c.gap[2:], "*/")
	if n < 0 {
		c.gap = ""
		return
	}
	text := c.gap[2 : 2+n]
	c.gap = c.gap[n+len("/**/"):]
	for {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			c.buffer.WriteString(text)
			return
		}
		c.line++
		c.buffer.WriteString(text[:i+1])
		text = strings.TrimLeft(text[i+1:], " \t\r\v\f")
		// The star of a line is no part of the comment. That of the end was not in text.
		text = strings.TrimPrefix(text, "*")
	}
}

// flush puts the pending comment to its place, which is not the next token.
func (c *collector) flush() {
	if !c.pending {
		return
	}
	if c.toPrevious {
		c.out.Trailing = c.buffer.String()
		c.trailing, c.toPrevious = true, false
	} else {
		c.out.Detached = append(c.out.Detached, c.buffer.String())
	}
	c.buffer.Reset()
	c.pending = false
	c.count++
}

// detach takes a lone comment from both tokens.
func (c *collector) detach() {
	count := c.count
	if c.pending {
		count++
	}
	if count != 1 {
		return
	}
	if c.trailing {
		c.out.Detached = append([]string{c.out.Trailing}, c.out.Detached...)
		c.out.Trailing = ""
	}
	c.flush()
}
