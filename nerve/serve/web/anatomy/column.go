package anatomy

import "strings"

// maxColumn bounds the values of a list that are shown in a column.
const maxColumn = 8

// Column is the value at a path of names or numbers, "user.geo.country" or "4.3";
// of a list the first values, with commas. It is empty where there is none.
func (t Tree) Column(path string) string {
	var values []string
	collect(t.Fields, strings.Split(path, "."), &values)
	if len(values) > maxColumn {
		values = append(values[:maxColumn], "…")
	}
	return strings.Join(values, ", ")
}

func collect(fields []Node, path []string, values *[]string) {
	for i := range fields {
		f := &fields[i]
		if len(*values) > maxColumn || f.Name != path[0] && number(f) != path[0] {
			continue
		}
		if len(path) > 1 {
			collect(f.Fields, path[1:], values)
			continue
		}
		*values = append(*values, unquoted(f.Text))
	}
}
