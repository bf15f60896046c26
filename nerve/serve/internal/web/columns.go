package web

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octopus-framework/octopus/gremlin/anatomy"
)

// maxListed bounds the values of a list that are shown in a column.
const maxListed = 8

// columnAt is the value of a message at a path of names or numbers,
// "user.geo.country" or "4.3"; of a list the first values, with commas. It is empty
// where there is none.
func columnAt(tree *anatomy.Tree, path string) string {
	var values []string
	collect(tree.Nodes, strings.Split(path, "."), &values)
	if len(values) > maxListed {
		values = append(values[:maxListed], "…")
	}
	return strings.Join(values, ", ")
}

func collect(nodes []anatomy.Node, path []string, values *[]string) {
	for i := range nodes {
		n := &nodes[i]
		if len(*values) > maxListed ||
			n.Name != path[0] && strconv.FormatUint(uint64(n.Number), 10) != path[0] {
			continue
		}
		switch {
		case len(path) > 1:
			collect(n.Children, path[1:], values)
		case len(n.Children) > 0 && n.Children[0].Number == 0: // a packed list
			for j := range n.Children[:min(len(n.Children), maxListed+1)] {
				*values = append(*values, plainValue(&n.Children[j]))
			}
		default:
			*values = append(*values, plainValue(n))
		}
	}
}

// plainValue is a value as a table shows it: texts without quotes, enums by name.
func plainValue(n *anatomy.Node) string {
	if s, err := strconv.Unquote(n.Text); err == nil {
		return s
	}
	if n.Kind == "enum" {
		name, _, _ := strings.Cut(n.Text, " (")
		return name
	}
	return n.Text
}

// printable reports whether bytes are text without control characters but for tabs
// and ends of lines.
func printable(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n <= 1 || r < ' ' && r != '\n' && r != '\t' && r != '\r' ||
			r == 0x7f {
			return false
		}
		b = b[n:]
	}
	return true
}
