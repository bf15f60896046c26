package options

import (
	"fmt"
	"strings"
	"testing"
)

// TestLong has files that are long in all directions. What is not linear in their length would not
// come to an end.
func TestLong(t *testing.T) {
	declarations := prelude(t)
	repeat := strings.Repeat
	var paths, bad, enum strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&paths, "extend M2 { optional M2 x%d = %d; }\n", i, i+1)
		fmt.Fprintf(&paths, "option (m2).(x%d).(x0).(x1).(x2) = {};", i)
		fmt.Fprintf(&bad, "option (m).x%d = 1;", i)
		fmt.Fprintf(&enum, "V%d = %d;", i, i)
	}
	const messageSet = "message M2 { extensions 1 to max; } " +
		"extend google.protobuf.FileOptions { optional M2 m2 = 60000; }"
	const extend = "extend google.protobuf.FileOptions { repeated Big big = 60000; }"
	for name, c := range map[string]struct {
		text string
		want int // errors
	}{
		"statements":     {repeat("option (ri) = 1;\n", 100_000), 0},
		"a list":         {"option (m) = { ri: [1" + repeat(", 1", 500_000) + "] };", 0},
		"messages":       {"option (m) = { " + repeat("rm {} ", 100_000) + " };", 0},
		"a map":          {"option (m) = { " + repeat("mp { key: 'a' } ", 50_000) + " };", 0},
		"strings":        {"option (s) = " + repeat("'a' ", 500_000) + ";", 0},
		"quoted strings": {"option (m) = { s: " + repeat("'a' ", 500_000) + "};", 0},
		"bad values":     {repeat("option (i) = x;\n", 20_000), 20_000},
		"bad names":      {bad.String(), 20_000},
		"bad enum values": {"enum Big { " + enum.String() + "} " + extend +
			repeat("option (big) = V30000x;\n", 20_000), 20_000},
		"braces": {"option (m) = " + repeat("{", 1_000_000) + ";", 1},
		"messages nested": {"option (m) = { m " + repeat("{ m ", 1_000_000) +
			repeat("}", 1_000_000) + " };", 1},
		"reserved fields nested": {"option (m) = { rsv " + repeat("{ m ", 1_000_000) +
			repeat("}", 1_000_000) + " };", 1},
		"parts of a name": {"option (m)" + repeat(".m", 500_000) + " = {};", 1},
		"names into a whole": {"option (m) = { m { m { " + repeat("rm {} ", 100_000) + "} } };" +
			repeat("option (m).m.m.rm = {};", 50_000), 0},
		"names of many fields": {messageSet + paths.String(), 0},
	} {
		text := declarations + c.text
		_, found := read(t, map[string]string{"a.proto": text}, Options{Paths: true})
		if len(found) != c.want {
			t.Errorf("%s: %d errors, want %d: %v", name, len(found), c.want,
				found[:min(len(found), 1)])
		}
	}
}
