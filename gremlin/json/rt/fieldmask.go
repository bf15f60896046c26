package rt

import (
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// FieldMask appends a google.protobuf.FieldMask: its paths in lowerCamelCase, joined by commas. A
// path that would not come back from it is an error.
func (e *Encoder) FieldMask(b []byte, paths []string) []byte {
	b = append(b, '"')
	for i, path := range paths {
		if i > 0 {
			b = append(b, ',')
		}
		if !isPath(path, '_') {
			return e.fail(b, rt.BadValue, "path that camelCase cannot give back")
		}
		for j := 0; j < len(path); j++ {
			c := path[j]
			if c == '_' {
				j++
				c = path[j] - ('a' - 'A')
			}
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// isPath tells whether path is one of names and dots. Behind an underscore must come a small
// letter, and capitals must not be, in the form where underscore is '_'; in camelCase, where
// underscore is 0, there are none.
func isPath(path string, underscore byte) bool {
	start := true
	for i := 0; i < len(path); i++ {
		c := path[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z' && underscore == 0, '0' <= c && c <= '9' &&
			!start:
			start = false
		case c == '_' && underscore == '_' && i+1 < len(path) && 'a' <= path[i+1] &&
			path[i+1] <= 'z':
			start = false
		case c == '.' && !start:
			start = true
		default:
			return false
		}
	}
	return !start
}

// FieldMask reads a google.protobuf.FieldMask.
func (d *Decoder) FieldMask(paths *[]string) {
	for path := range strings.SplitSeq(d.camelPaths(), ",") {
		if path != "" {
			*paths = append(*paths, d.text(string(appendSnake(nil, path))))
		}
	}
}

// wireMask reads a google.protobuf.FieldMask and appends its paths as fields.
func (d *Decoder) wireMask(b []byte, tag uint32) []byte {
	for path := range strings.SplitSeq(d.camelPaths(), ",") {
		if path != "" {
			var at int
			b, at = d.wire.Begin(b, tag)
			b = d.wire.End(appendSnake(b, path), at)
		}
	}
	return b
}

// camelPaths reads paths in camelCase with commas between; there may be none. The result is valid
// until the next call of content.
func (d *Decoder) camelPaths() string {
	d.next()
	at := d.off
	s := d.content()
	if s == "" {
		return ""
	}
	for path := range strings.SplitSeq(s, ",") {
		if !isPath(path, 0) {
			d.fail(rt.BadValue, at, "not a list of paths in camelCase")
			return ""
		}
	}
	return s
}

// appendSnake appends a path in the form with underscores.
func appendSnake(b []byte, path string) []byte {
	for i := range len(path) {
		c := path[i]
		if 'A' <= c && c <= 'Z' {
			b = append(b, '_')
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return b
}
