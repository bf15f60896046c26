package golang

import "testing"

func TestPackageName(t *testing.T) {
	for in, want := range map[string]string{"shop": "shop", "a.b-c": "a_b_c", "9x": "_9x",
		"func": "_func", "\u00e4": "___", "_": "___", "": "__", "_x": "_x"} {
		if got := packageName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
