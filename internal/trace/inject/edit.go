package inject

import (
	"slices"
	"strings"
)

// edit replaces the bytes from off to end by text.
type edit struct {
	off, end int
	text     string
}

type edits []edit

func (e *edits) insert(off int, text string)       { *e = append(*e, edit{off, off, text}) }
func (e *edits) replace(off, end int, text string) { *e = append(*e, edit{off, end, text}) }

// apply returns src with the edits, which must not overlap. Those at one place keep their order.
func (e edits) apply(src []byte) []byte {
	slices.SortStableFunc(e, func(a, b edit) int { return a.off - b.off })
	var out strings.Builder
	done := 0
	for _, x := range e {
		out.Write(src[done:x.off])
		out.WriteString(x.text)
		done = x.end
	}
	out.Write(src[done:])
	return []byte(out.String())
}

// restOfLine looks at what follows a place in src. If that is only space and comments which end on
// the same line, it returns the offset of the line's end, where "\n" or "\r\n" stands, and ok.
func restOfLine(src []byte, off int) (end int, ok bool) {
	for off < len(src) {
		rest := string(src[off:])
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			off++
		case rest[0] == '\n' || strings.HasPrefix(rest, "\r\n"):
			return off, true
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return 0, false
			}
			return off + len(strings.TrimSuffix(rest[:n], "\r")), true
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 || strings.Contains(rest[:n], "\n") {
				return 0, false
			}
			off += n + 2
		default:
			return 0, false
		}
	}
	return 0, false
}

// newline returns the line ending at off, which restOfLine found.
func newline(src []byte, off int) string {
	if src[off] == '\r' {
		return "\r\n"
	}
	return "\n"
}
