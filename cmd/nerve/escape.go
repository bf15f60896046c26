package main

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// escapeControls appends text without what a terminal obeys or shows as something
// else: control characters but tabs, changes of the direction of text, and bytes
// that are no UTF-8. They are written as \n, \r, \u001b or \xff, so that JSON stays
// JSON.
func escapeControls(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = fmt.Appendf(dst, `\x%02x`, text[0])
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case controls(r):
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = append(dst, text[:size]...)
		}
		text = text[size:]
	}
	return dst
}

// escapeLines is escapeControls that leaves the ends of lines, if text has some of
// its own.
func escapeLines(text []byte, lines bool) (out []byte) {
	if !lines {
		return escapeControls(nil, text)
	}
	for line := range bytes.Lines(text) {
		body := bytes.TrimSuffix(line, []byte("\n"))
		out = append(escapeControls(out, body), line[len(body):]...)
	}
	return out
}

// controls reports whether a character does something to a terminal or to the
// text around it.
func controls(r rune) bool {
	switch {
	case r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0: // C0, delete, C1
		return true
	case r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069,
		r == 0x061c, r == 0x2028, r == 0x2029: // direction, separators
		return true
	}
	return false
}
