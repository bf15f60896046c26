package report

import (
	"strings"
	"testing"
)

func render(t *testing.T, text Text, l List) string {
	t.Helper()
	var b strings.Builder
	if err := text.Write(&b, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextUnderlinesTheRightColumns(t *testing.T) {
	src := "a\n\tUsr ✓ 世界 user = 1;\n\x1b[31mred\n"
	text := Text{Dir: "/w", Source: func(string) (string, bool) { return src, true }}
	for _, tc := range []struct {
		name string
		d    Diagnostic
		want string
	}{
		{"behind a tab", Diagnostic{File: "/w/p/a.proto", Line: 2, Column: 2, EndLine: 2,
			EndColumn: 5, Message: "m"},
			"p/a.proto:2:2: error: m\n    \tUsr ✓ 世界 user = 1;\n    \t^^^\n"},
		{"wide characters", Diagnostic{File: "/w/p/a.proto", Line: 2, Column: 8, EndLine: 2,
			EndColumn: 10, Message: "m"},
			"p/a.proto:2:8: error: m\n    \tUsr ✓ 世界 user = 1;\n    \t      ^^^^\n"},
		{"behind wide characters", Diagnostic{File: "/w/a", Line: 2, Column: 11, EndLine: 3,
			Message: "m", Severity: Warning},
			"a:2:11: warning: m\n    \tUsr ✓ 世界 user = 1;\n    \t           ^^^^^^^^^\n"},
		{"no end", Diagnostic{File: "a", Line: 1, Column: 1, Message: "m", Hint: "x\ny"},
			"a:1:1: error: m\n    a\n    ^\nhint: x\nhint: y\n"},
		{"no such line", Diagnostic{File: "a", Line: 99, Column: 1, Message: "m"},
			"a:99:1: error: m\n"},
		{"no such column", Diagnostic{File: "a", Line: 1, Column: 99, Message: "m"},
			"a:1:99: error: m\n    a\n     ^\n"},
		{"control characters", Diagnostic{File: "a", Line: 3, Column: 1, EndLine: 3, EndColumn: 2,
			Message: "m\nn\x1b"},
			"a:3:1: error: m n\ufffd\n    \ufffd[31mred\n    ^\n"},
		{"no position", Diagnostic{Message: "m"}, "error: m\n"},
		{"notes", Diagnostic{File: "a", Message: "m",
			Notes: []Note{{Message: "n"}, {File: "b", Line: 1, Column: 1}}},
			"a: error: m\nnote: n\nb:1:1: note:\n    a\n    ^\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := render(t, text, List{tc.d}); got != tc.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tc.want)
			}
		})
	}
}

func TestTextShowsAWindowOfALongLine(t *testing.T) {
	long := strings.Repeat("x", 5000) + "BAD" + strings.Repeat("y", 5000)
	got := render(t, Text{Source: func(string) (string, bool) { return long, true }},
		List{{File: "a", Line: 1, Column: 5001, EndLine: 1, EndColumn: 5004, Message: "m"}})
	lines := strings.Split(got, "\n")
	if len(lines[1]) != maxLine+4 {
		t.Errorf("source line has %d characters", len(lines[1]))
	}
	if at := strings.Index(lines[1], "BAD"); at < 0 || at != strings.Index(lines[2], "^^^") {
		t.Errorf("underline is off:\n%s", got)
	}
}

// TestPlaces compares with counting from the start, also what is shown of a line.
func TestPlaces(t *testing.T) {
	text := "a\n\n" + strings.Repeat("x\xff世", 400) + "\n\t" + strings.Repeat("y", markEvery) +
		"\n" + strings.Repeat("z", 2*markEvery-1) + "\r\nend"
	p := NewPlaces(text)
	line, column := 1, 1
	for i, r := range text {
		if l, c := p.Position(i); l != line || c != column {
			t.Fatalf("offset %d is %d:%d, got %d:%d", i, line, column, l, c)
		}
		rest, _, _ := strings.Cut(text[i:], "\n")
		want := []rune(rest)
		want = want[:min(len(want), maxLine)]
		if got := p.piece(line, column, maxLine); string(got) != string(want) {
			t.Fatalf("%d:%d has %q, got %q", line, column, string(want), string(got))
		}
		if column++; r == '\n' {
			line, column = line+1, 1
		}
	}
	if l, c := p.Position(len(text) + 1); l != line || c != column {
		t.Errorf("the end is %d:%d, got %d:%d", line, column, l, c)
	}
	for _, at := range [][2]int{{0, 1}, {1, 3}, {2, 1}, {line, column}, {line + 1, 1}} {
		if got := p.piece(at[0], at[1], 10); len(got) != 0 {
			t.Errorf("%v has %q", at, string(got))
		}
	}
}

func TestTextShowsTheEndOfALongLine(t *testing.T) {
	long := strings.Repeat("x", 5000) + "BAD" + strings.Repeat("y", 20) + " \t"
	got := render(t, Text{Source: func(string) (string, bool) { return long + "\nnext", true }},
		List{{File: "a", Line: 1, Column: 5001, EndLine: 1, EndColumn: 5004, Message: "m"},
			{File: "a", Line: 1, Column: 5001, EndLine: 2, EndColumn: 1, Message: "m"}})
	x := strings.Repeat("x", maxLine-23)
	shown := "    " + x + "BAD" + strings.Repeat("y", 20) + "\n    " + strings.Repeat(" ", len(x))
	if want := "a:1:5001: error: m\n" + shown + "^^^\na:1:5001: error: m\n" + shown +
		strings.Repeat("^", 23) + "\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestColourOnlyWhenAsked(t *testing.T) {
	l := List{{File: "a", Message: "m", Hint: "h"}}
	if got := render(t, Text{}, l); strings.Contains(got, "\x1b") {
		t.Errorf("colour without being asked: %q", got)
	}
	if got := render(t, Text{Color: true}, l); !strings.Contains(got,
		styleRed+"error:"+styleReset) {
		t.Errorf("no colour: %q", got)
	}
}

func TestSortedOrdersAndDropsDuplicates(t *testing.T) {
	l := List{
		{File: "b", Line: 1, Message: "x"},
		{File: "a", Line: 2, Message: "x"},
		{File: "a", Line: 1, Column: 5, Message: "x"},
		{File: "a", Line: 2, Message: "x"},
		{Message: "run"},
		{File: "a", Line: 2, Message: "x", Severity: Warning},
	}
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Severity.String()+" "+d.Error())
	}
	want := "error run|error a:1:5: x|error a:2: x|warning a:2: x|error b:1: x"
	if s := strings.Join(got, "|"); s != want {
		t.Errorf("got %s\nwant %s", s, want)
	}
	if n := l.Errors(); n != 5 {
		t.Errorf("Errors() = %d", n)
	}
}

func TestJSONIsOneObjectPerLine(t *testing.T) {
	var b strings.Builder
	err := WriteJSON(&b, List{
		{File: "a", Line: 1, Column: 2, EndLine: 1, EndColumn: 3, Message: "<m>", Hint: "h",
			Notes: []Note{{Message: "n"}}},
		{Severity: Warning, Message: "w"},
	})
	want := `{"severity":"error","file":"a","line":1,"column":2,"end_line":1,"end_column":3,"message":"<m>","hint":"h","notes":[{"message":"n"}]}
{"severity":"warning","message":"w"}
`
	if err != nil || b.String() != want {
		t.Errorf("got %v\n%s", err, b.String())
	}
}
