package describe

import (
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// comment is the comments of one location.
type comment struct {
	leading, trailing string
	detached          []string
}

// gap reads the comments between two tokens as protoc does: what belongs to the one in front, to
// the one behind, and what stands on its own.
type gap struct {
	comment
	text string

	buffer    []byte
	has, line bool // there is a comment in buffer, and it is one of lines
	attach    bool // the comment may still belong to the token in front
	trailed   bool
	comments  int
}

// comments reads what lies behind a token; NoToken stands for the start of the file.
func (r *recorder) comments(behind syntax.TokenID) comment {
	start := int32(0)
	if behind >= 0 {
		start = r.tokens[behind].End
	}
	next := behind + 1
	text := r.text[start:r.tokens[next].Start]
	if strings.IndexByte(text, '/') < 0 {
		return comment{}
	}
	g := gap{text: text, attach: true, buffer: r.buffer[:0]}
	line := int32(-1)
	if behind >= 0 {
		line = r.places[behind].line
	}
	g.read(line, r.places[next].line, r.tokens[next].Kind == syntax.EOF,
		r.text[r.tokens[next].Start:r.tokens[next].End])
	r.buffer = g.buffer
	return g.comment
}

// read reads the gap behind a token in a line; line is -1 at the start of the file. The next token
// is in the line nextLine.
func (g *gap) read(line, nextLine int32, end bool, next string) {
	at := line // the current line
	ended := int32(-1)
	if line < 0 {
		g.attach, at = false, 0
	} else {
		g.space()
		switch g.start() {
		case lineComment:
			ended = at
			g.lineComment(&at)
			g.flush()
		case blockComment:
			g.blockComment(&at)
			ended = at
			g.space()
			g.flush()
		default:
			if !g.newline(&at) {
				return
			}
		}
	}
	for {
		g.space()
		switch g.start() {
		case lineComment:
			g.lineComment(&at)
			continue
		case blockComment:
			g.blockComment(&at)
			g.space()
			g.newline(&at)
			continue
		}
		if g.newline(&at) { // an empty line
			g.flush()
			g.attach = false
			continue
		}
		if end || next == "}" || next == "]" || next == ")" {
			g.flush() // there is nothing behind it in its scope
		}
		if !end && (line == nextLine || ended == nextLine) {
			g.detach()
		}
		if g.has {
			g.leading = string(g.buffer)
		}
		return
	}
}

type commentStart uint8

const (
	noComment commentStart = iota
	lineComment
	blockComment
)

// start passes over what a comment begins with.
func (g *gap) start() commentStart {
	if len(g.text) < 2 || g.text[0] != '/' {
		return noComment
	}
	var kind commentStart
	switch g.text[1] {
	case '/':
		kind = lineComment
	case '*':
		kind = blockComment
	default:
		return noComment
	}
	g.text = g.text[2:]
	return kind
}

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'
}

// space passes over white space up to the end of the line.
func (g *gap) space() {
	i := 0
	for i < len(g.text) && isBlank(g.text[i]) {
		i++
	}
	g.text = g.text[i:]
}

func (g *gap) newline(at *int32) bool {
	if g.text == "" || g.text[0] != '\n' {
		return false
	}
	g.text = g.text[1:]
	*at++
	return true
}

// lineComment reads a comment to the end of its line. Those that follow each other are one.
func (g *gap) lineComment(at *int32) {
	if g.has && !g.line {
		g.flush()
	}
	g.has, g.line = true, true
	n := strings.IndexByte(g.text, '\n') + 1
	if n == 0 {
		n = len(g.text)
	} else {
		*at++
	}
	g.buffer = append(g.buffer, g.text[:n]...)
	g.text = g.text[n:]
}

// blockComment reads a comment to its end, without the stars that its lines begin with.
func (g *gap) blockComment(at *int32) {
	if g.has {
		g.flush()
	}
	g.has, g.line = true, false
	for {
		i := strings.IndexAny(g.text, "*\n")
		if i < 0 { // a file with errors
			g.buffer, g.text = append(g.buffer, g.text...), ""
			return
		}
		if g.text[i] == '*' {
			if strings.HasPrefix(g.text[i+1:], "/") {
				g.buffer, g.text = append(g.buffer, g.text[:i]...), g.text[i+2:]
				return
			}
			g.buffer, g.text = append(g.buffer, g.text[:i+1]...), g.text[i+1:]
			continue
		}
		*at++
		g.buffer, g.text = append(g.buffer, g.text[:i+1]...), g.text[i+1:]
		g.space()
		if strings.HasPrefix(g.text, "*") {
			if g.text = g.text[1:]; strings.HasPrefix(g.text, "/") {
				g.text = g.text[1:]
				return
			}
		}
	}
}

// flush ends the comment in the buffer, which does not belong to the next token.
func (g *gap) flush() {
	if !g.has {
		return
	}
	if g.attach {
		g.trailing += string(g.buffer)
		g.trailed, g.attach = true, false
	} else {
		g.detached = append(g.detached, string(g.buffer))
	}
	g.buffer, g.has = g.buffer[:0], false
	g.comments++
}

// detach is called where both tokens are in one line: a single comment then belongs to none.
func (g *gap) detach() {
	count := g.comments
	if g.has {
		count++
	}
	if count != 1 {
		return
	}
	if g.trailed {
		g.detached = append([]string{g.trailing}, g.detached...)
		g.trailing = ""
	}
	g.flush()
}
