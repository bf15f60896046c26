package rt

import (
	"strconv"
	"unicode/utf8"
)

// position returns the line and column, in characters, of what comes behind prefix. Both count from
// 1.
func position(prefix string) (line, column int) {
	line, start := 1, 0
	for i := range len(prefix) {
		if prefix[i] == '\n' {
			line, start = line+1, i+1
		}
	}
	return line, utf8.RuneCountInString(prefix[start:]) + 1
}

// maxPath bounds paths: deeply nested text would make very long ones.
const maxPath = 200

// pathTo returns the path of the value or name that comes behind prefix, which is the start of
// JSON: user.tags[3].
func pathTo(prefix string) string {
	type level struct {
		name  string
		index int // -1 in an object
	}
	levels := make([]level, 1, 16)
	last := ""
	for i := 0; i < len(prefix); i++ {
		top := &levels[len(levels)-1]
		switch prefix[i] {
		case '{':
			levels = append(levels, level{index: -1})
		case '[':
			levels = append(levels, level{})
		case '}', ']':
			if len(levels) > 1 {
				levels = levels[:len(levels)-1]
			}
		case ',':
			if top.index >= 0 {
				top.index++
			}
			top.name = ""
		case ':':
			top.name = last
		case '"':
			start := i + 1
			for i++; i < len(prefix) && prefix[i] != '"'; i++ {
				if prefix[i] == '\\' {
					i++
				}
			}
			last = prefix[start:min(i, len(prefix))]
		}
	}
	path := ""
	for _, l := range levels[1:] {
		if len(path) > maxPath {
			return path + "..."
		}
		switch {
		case l.index >= 0:
			path += "[" + strconv.Itoa(l.index) + "]"
		case l.name != "" && path != "":
			path += "." + l.name[:min(len(l.name), maxPath)]
		case l.name != "":
			path = l.name[:min(len(l.name), maxPath)]
		}
	}
	return path
}
