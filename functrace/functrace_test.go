package functrace

import (
	"os/exec"
	"regexp"
	"testing"
)

//go:noinline
func plainFunction(x int) int { return x*3 + 1 }

//go:noinline
func injectedFunction(x int) int {
	if Enabled {
		defer Trace()()
	}
	return x*3 + 1
}

// Without the tag the compiler makes the same instructions for a function with the injected
// statement as for one without it. Asserted on what it made, not on time.
func TestOffIsNothing(t *testing.T) {
	if Enabled {
		t.Skip("the tag is set")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m=2", "-o", t.TempDir(),
		"./testdata/off").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"plain", "injected"} {
		want := `can inline ` + name + ` with cost \d+ as: func\(int\) int \{ return x \* 3 \+ 1 \}`
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("%s is not inlined as its bare body:\n%s", name, out)
		}
	}
	bin := t.TempDir() + "/off"
	if out, err := exec.Command("go", "build", "-gcflags=-l", "-o", bin,
		"./testdata/off").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	code := func(name string) string {
		out, err := exec.Command("go", "tool", "objdump", "-s", `^main\.`+name+`$`, bin).Output()
		if err != nil {
			t.Fatal(err)
		}
		var text string
		for _, m := range regexp.MustCompile(`(?m)^\s+\S+\.go:\d+\s+0x[0-9a-f]+\s+([0-9a-f]+)\s`).FindAllSubmatch(out, -1) {
			text += string(m[1]) + "\n"
		}
		return text
	}
	if a, b := code("plain"), code("injected"); a == "" || a != b {
		t.Errorf("the instructions differ:\n%s\n%s", a, b)
	}
}

func TestOffDoesNothing(t *testing.T) {
	if Enabled {
		t.Skip("the tag is set")
	}
	if err := Start(Options{Path: "/no/such/folder/x"}); err != nil {
		t.Error(err)
	}
	if c := Chain(); c != nil {
		t.Error(c)
	}
	if s, err := Stop(); s != (Stats{}) || err != nil {
		t.Error(s, err)
	}
}

var sink int

// Compare the two in one run.
func BenchmarkOff(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			sink = plainFunction(sink)
		}
	})
	b.Run("injected", func(b *testing.B) {
		for b.Loop() {
			sink = injectedFunction(sink)
		}
	})
}
