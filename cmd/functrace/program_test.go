package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/trace/report"
)

// Every form of go statement, of closure, of generic and of result that the rewriter treats in a
// way of its own.
const forms = `package main

import (
	"errors"
	"fmt"
	"os"
	"sync"
)

type T[K any] struct{ k K }

func (t *T[K]) Method(wg *sync.WaitGroup, ks ...K) { defer wg.Done(); leaf() }

type named struct{}

func (named) value(n int) (int, error) { leaf(); return n, nil }

func generic[A any](wg *sync.WaitGroup, a A) A { defer wg.Done(); leaf(); return a }

func leaf() {}

func plain(wg *sync.WaitGroup) { defer wg.Done(); leaf() }

var variable = func(wg *sync.WaitGroup) { plain(wg) }

func one() error { return errors.New("one") }
func two() (int, error) { return 0, errors.New("two") }
func three() (_ int, _ error) { return 0, errors.New("three") }
func four() (n int, err error) { err = errors.New("four"); return }
func five(error) (error, string) { return errors.New("not the last result"), "" }

func starts() {
	var wg sync.WaitGroup
	wg.Add(9)
	ch := make(chan int)
	go func() { defer wg.Done(); leaf() }()
	go func(n int) { defer wg.Done(); leaf() }(1)
	go plain(&wg)
	go variable(&wg)
	go generic(&wg, 1)
	go generic[string](&wg, "")
	go (&T[int]{}).Method(&wg, 1, 2)
	ks := []int{3}
	go new(T[int]).Method(&wg, ks...)
	noArgs := func() { plain(&wg) }
label:
	go noArgs()
	if len(ks) == 0 { goto label }
	go fmt.Fprint(os.Stderr, "")
	go close(ch)
	<-ch
	wg.Wait()
}

func main() {
	starts()
	one(); two(); three(); four(); five(nil)
	named{}.value(1)
	func() { func() { leaf() }() }()
	fmt.Println("done")
}
`

func TestForms(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/f"), "main.go": forms})
	rec := filepath.Join(t.TempDir(), "f.functrace")
	for _, flags := range [][]string{nil, {"--args"}, {"-race"}, {"-gcflags=-N -l"}} {
		args := append(append([]string{"run", "-o", rec}, flags...), ".")
		if code, out, stderr := functrace(t, dir, args...); code != 0 || out != "done\n" {
			t.Fatalf("%v: exit code %d\n%s%s", flags, code, out, stderr)
		}
		procs, err := report.ReadFiles(rec)
		if err != nil {
			t.Fatal(err)
		}
		outcomes := make(map[string]string)
		procs[0].Walk(func(g *report.Goroutine, c *report.Call, _ int) {
			outcomes[c.Func.Name] = c.Outcome.String() + " " + c.Error
		})
		errorText := func(s string) string {
			if len(flags) > 0 && flags[0] == "--args" {
				return s
			}
			return ""
		}
		for name, want := range map[string]string{
			"one":   "returned an error " + errorText("one"),
			"two":   "returned an error " + errorText("two"),
			"three": "returned an error " + errorText("three"),
			"four":  "returned an error " + errorText("four"),
			"five":  "returned ", "named.value": "returned ", "main.func1.1": "returned ",
			"generic[...]": "returned ", "(*T[...]).Method": "returned ",
		} {
			if got := outcomes["main."+name]; got != want {
				t.Errorf("%v: %s %q, want %q", flags, name, got, want)
			}
		}
		linked := 0
		for _, g := range procs[0].Goroutines {
			if g.From != nil && g.From.Func.Name == "main.starts" && len(g.Calls) > 0 {
				linked++
			}
		}
		if linked != 7 { // all but the two of generic functions
			t.Errorf("%v: %d goroutines are linked to starts, want 7", flags, linked)
		}
	}
}

func TestTestCommand(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/t"),
		"main.go":         "package main\n\nfunc main() {}\n\nfunc double(n int) int { return 2 * n }\n",
		"main_test.go":    "package main\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif double(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n\nfunc TestOther(t *testing.T) { t.Fatal(\"run\") }\n",
		"sub/s.go":        "package sub\n\nfunc S() {}\n",
		"sub/s_x_test.go": "package sub_test\n\nimport (\n\t\"testing\"\n\n\t\"ex.test/t/sub\"\n)\n\nfunc TestS(t *testing.T) { sub.S() }\n",
	})
	code, _, stderr := functrace(t, dir, "test", "-run", "TestDouble|TestS", "./...")
	if code != 0 || !strings.Contains(stderr, "->ex.test/t.double\n") &&
		!strings.Contains(stderr, "->main.double\n") ||
		!strings.Contains(stderr, "->ex.test/t/sub.S\n") {
		t.Errorf("exit code %d:\n%s", code, stderr)
	}
	if code, stdout, _ := functrace(t, dir, "test", "."); code != 1 ||
		!strings.Contains(stdout, "main_test.go:11: run") {
		t.Errorf("failing test: exit code %d\n%s", code, stdout)
	}
	// Each flag of go test is one that go list does not know, or else is given to it.
	code, stdout, stderr := functrace(t, dir, "test", "-run", "TestDouble", "-v", "-short",
		"-failfast", "-fullpath", "-cover", "-coverprofile", "c.out",
		"-cpuprofile=cpu.out", "-blockprofilerate", "1", "-count", "1", "-timeout", "1m", "-vet",
		"off", "-parallel", "2", "-shuffle=on", ".")
	if code != 0 || !strings.Contains(stdout, "coverage: 100.0%") {
		t.Errorf("with flags: exit code %d\n%s%s", code, stdout, stderr)
	}
	if code, _, stderr := functrace(t, dir, "test", "--tests", "-run", "TestDouble",
		"."); code != 0 || !strings.Contains(stderr, "TestDouble\n") {
		t.Errorf("with test files: exit code %d\n%s", code, stderr)
	}
}

// Injected sources: build with the tag, run, read what was recorded; then remove gives the bytes
// back.
func TestInjectedProgram(t *testing.T) {
	root, err := filepath.Abs("../../functrace")
	if err != nil {
		t.Fatal(err)
	}
	src :=
		"package main\n\nimport \"os\"\n\nfunc work() {\n\tos.Exit(3)\n}\n\nfunc main() {\n\twork()\n}\n"
	dir := tree(t, map[string]string{"main.go": src,
		"go.mod": "module ex.test/i\n\ngo 1.25.6\n\nrequire github.com/octopus-framework/octopus/functrace v0.0.0\n\n" +
			"replace github.com/octopus-framework/octopus/functrace => " + root + "\n"})
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	if code, _, stderr := functrace(t, dir, "inject", "-w", "./..."); code != 0 {
		t.Fatal(stderr)
	}
	if out, err := exec.Command("go", "build", "-tags", "trace", "-o", "app",
		".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command("./app")
	cmd.Env = append(os.Environ(), "FUNCTRACE=x.functrace")
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("exit code %d", cmd.ProcessState.ExitCode())
	}
	if _, out, _ := functrace(t, dir, "report",
		"x.functrace"); !regexp.MustCompile(
		`->main\.main\n.*->main\.work \[did not finish\]\n`).MatchString(out) {
		t.Errorf("the tree is\n%s", out)
	}
	// run understands injected sources: it sets the tag and does not instrument twice.
	// Tags of the user do not get in the way.
	if code, _, stderr := functrace(t, dir, "run", "-tags", "other", "."); code != 3 ||
		strings.Count(stderr, "->main.work [did not finish]\n") != 1 {
		t.Errorf("run of injected sources: exit code %d\n%s", code, stderr)
	}
	// A function that is not injected is instrumented; both ways record into one file.
	added := filepath.Join(dir, "added.go")
	if err := os.WriteFile(added,
		[]byte("package main\n\nfunc init() { extra() }\n\nfunc extra() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, stderr := functrace(t, dir, "run", "."); strings.Count(stderr,
		"->main.work [did not finish]\n") != 1 || strings.Count(stderr, "->main.extra\n") != 1 {
		t.Errorf("run of partly injected sources:\n%s", stderr)
	}
	if err := os.Remove(added); err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := functrace(t, dir, "remove", "-w", "main.go"); code != 0 {
		t.Fatal(stderr)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "main.go")); err != nil || string(got) != src {
		t.Errorf("after remove:\n%s", got)
	}
}

func TestInjectRefuses(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/r"),
		"main.go": "package main\n\nfunc main() {\n\tundefined()\n}\n"})
	before := checksum(t, dir)
	if code, _, stderr := functrace(t, dir, "inject", "-w", "."); code != 1 ||
		!strings.Contains(stderr, "main.go:4:2: undefined: undefined") {
		t.Errorf("code that does not build: exit code %d\n%s", code, stderr)
	}
	if checksum(t, dir) != before {
		t.Error("files changed")
	}
}

// A module that does not require functrace: inject says so, and with which command it will.
func TestInjectSaysRequirement(t *testing.T) {
	t.Setenv("GOWORK", "off")
	t.Setenv("GOPROXY", "off")
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/r"),
		"main.go": "package main\n\nfunc main() {\n}\n"})
	code, _, stderr := functrace(t, dir, "inject", "-w", ".")
	if code != 0 || !strings.Contains(stderr, "go.mod does not require") ||
		!strings.Contains(stderr, "\tgo get github.com/octopus-framework/octopus/functrace\n") {
		t.Errorf("exit code %d\n%s", code, stderr)
	}
	if code, _, stderr := functrace(t, dir, "inject", "-w", "."); code != 0 || stderr != "" {
		t.Errorf("again: exit code %d\n%s", code, stderr)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"top"}, 2, "functrace top"}, {[]string{"top", "no-such-file"}, 1, "no-such-file"},
		{[]string{"diff", "one"}, 2, "functrace diff [flags] good bad"},
		{nil, 0, "functrace run"}, {[]string{"help"}, 0, "functrace report"},
		{[]string{"nonsense"}, 2, `unknown command "nonsense"`},
		{[]string{"report"}, 2, "recording"},
		{[]string{"report", "no-such-file"}, 1, "no-such-file"}, {[]string{"view"}, 2, "view"},
		{[]string{"inject"}, 2, "inject"}, {[]string{"run", "--min-lines"}, 2, "needs a value"},
		{[]string{"run", "-overlay=no-such-file"}, 1, "no-such-file"},
		{[]string{"run", "-h"}, 0, "-include"},
		{[]string{"run", "--format", "nonsense", "."}, 2, "nonsense"},
	} {
		var out bytes.Buffer
		if code := run(test.args, &out, &out); code != test.code ||
			!strings.Contains(out.String(), test.want) {
			t.Errorf("%v: exit code %d, want %d; output lacks %q:\n%s", test.args, code, test.code,
				test.want, &out)
		}
	}
}

func TestView(t *testing.T) {
	dir := t.TempDir()
	rec, page := filepath.Join(dir, "c.functrace"), filepath.Join(dir, "c.html")
	if code, _, stderr := functrace(t, "../..", "run", "-o", rec, "./examples/chains"); code != 0 {
		t.Fatal(stderr)
	}
	if code, _, stderr := functrace(t, dir, "view", "-o", page, rec); code != 0 {
		t.Fatal(stderr)
	}
	html, err := os.ReadFile(page)
	if err != nil || !bytes.Contains(html, []byte(`"main.C2"`)) ||
		bytes.Contains(html, []byte("/*RECORDING*/")) {
		t.Errorf("the page lacks the calls (%v)", err)
	}
	for _, outside := range []string{"http://", "https://", "src="} {
		if bytes.Contains(html, []byte(outside)) {
			t.Errorf("the page is not self-contained: it has %q", outside)
		}
	}
}
