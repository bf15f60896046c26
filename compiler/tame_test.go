package compiler

import "testing"

func TestTame(t *testing.T) {
	for text, want := range map[string]string{
		`import """b.proto" '''';`:           `import   "b.proto"   '';`,
		`reserved "a""", "", '';`:            `reserved "a""", "", '';`,
		`"\ud83d\ude00." "\ud83d" '\\ud83d'`: "\"\U0001f600.\"         \"??????\" '\\\\ud83d'",
		`"\U0001f600 \U00110000 \U0000d83d"`: `"\U0001f600 ?????????? ??????????"`,
		"// \xff \"\"\" \\ud83d\n\xff":       "// ? \"\"\" \\ud83d\n\xff",
		"/* \xff */ 'a\\'\xff'":              "/* ? */ 'a\\'?'",
		`message A { int32 a = 1; }`:         `message A { int32 a = 1; }`,
	} {
		got := tame(text)
		if got != want {
			t.Errorf("%s\nis   %s\nwant %s", text, got, want)
		}
		if len(got) != len(text) {
			t.Errorf("%s has %d bytes, tamed %d", text, len(text), len(got))
		}
	}
}
