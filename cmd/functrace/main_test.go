package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/functrace/inject/rt"
	"github.com/octopus-framework/octopus/internal/oracle"
	"github.com/octopus-framework/octopus/internal/trace/report"
)

// tree writes files; the name of each is the key.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// functrace runs the command in a folder.
func functrace(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(dir)
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// checksum covers the names and contents of all files under dir.
func checksum(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fmt.Fprintln(h, name)
		if d.Type().IsRegular() {
			data, err := os.ReadFile(name)
			h.Write(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func goMod(module string) string { return "module " + module + "\n\ngo 1.21\n" }

const helloMain = "package main\n\nimport \"ex.test/a/lib\"\n\nfunc main() { lib.Hello() }\n"

// Each way in which a program can be laid out: it runs, its calls are shown, and nothing on the
// disk changes.
func TestLayouts(t *testing.T) {
	lib := "package lib\n\nfunc Hello() { println(\"hello\") }\n"
	tests := []struct {
		name  string
		files map[string]string
		env   []string
		dir   string
		args  []string
		want  string // in the tree; "" is lib.Hello
	}{
		{name: "module", files: map[string]string{"go.mod": goMod("ex.test/a"),
			"main.go": helloMain, "lib/lib.go": lib}},
		{name: "readonly", env: []string{"GOFLAGS=-mod=readonly"},
			files: map[string]string{"go.mod": goMod("ex.test/a"), "main.go": helloMain,
				"lib/lib.go": lib}},
		{name: "old go line", files: map[string]string{"go.mod": "module ex.test/a\n\ngo 1.15\n",
			"main.go": helloMain, "lib/lib.go": lib}},
		{name: "workspace", dir: "cmd", files: map[string]string{
			"go.work": "go 1.21\n\nuse (\n\t./cmd\n\t./a\n)\n", "cmd/go.mod": goMod("ex.test/cmd"),
			"cmd/main.go": helloMain,
			"a/go.mod":    goMod("ex.test/a"), "a/lib/lib.go": lib}},
		{name: "vendor", args: []string{"--pkg", "ex.test/a/..."}, files: map[string]string{
			"go.mod":  goMod("ex.test/v") + "\nrequire ex.test/a v1.0.0\n",
			"main.go": helloMain, "vendor/ex.test/a/lib/lib.go": lib,
			"vendor/modules.txt": "# ex.test/a v1.0.0\n## explicit; go 1.21\nex.test/a/lib\n"}},
		{name: "replaced dependency", args: []string{"--pkg", "ex.test/a/..."}, dir: "m",
			files: map[string]string{
				"m/go.mod": goMod("ex.test/m") +
					"\nrequire ex.test/a v1.0.0\n\nreplace ex.test/a => ../a\n",
				"m/main.go": helloMain, "a/go.mod": goMod("ex.test/a"), "a/lib/lib.go": lib}},
		{name: "no module", args: []string{"main.go"}, files: map[string]string{
			"main.go": "package main\n\nfunc main() { Hello() }\n\nfunc Hello() { println(\"hello\") }\n"}, want: "->main.Hello\n"},
		{name: "package named like a host folder",
			files: map[string]string{"go.mod": goMod("debug"),
				"main.go": strings.Replace(helloMain, "ex.test/a", "debug", 1), "lib/lib.go": lib},
			want: "->debug/lib.Hello\n"},
		{name: "overlay of the user", args: []string{"-overlay", "overlay.json"},
			files: map[string]string{
				"go.mod": goMod("ex.test/a"), "main.go": helloMain,
				"lib/lib.go": "package lib\n\nfunc Hello() { wrong() }\n", "other.txt": lib,
				"more.txt":     "package lib\n\nfunc init() { added() }\n\nfunc added() {}\n",
				"lib/gone.go":  "package lib\n\nfunc Hello() {}\n",
				"overlay.json": `{"Replace": {"lib/lib.go": "other.txt", "lib/more.go": "more.txt", "lib/gone.go": ""}}`}, want: "->ex.test/a/lib.added\n"},
		{name: "flags in the environment",
			env: []string{"GOFLAGS=-overlay=overlay.json -tags=special"}, files: map[string]string{
				"go.mod": goMod("ex.test/a"), "main.go": helloMain,
				"lib/lib.go": "//go:build special\n\npackage lib\n\nfunc Hello() { wrong() }\n",
				"other.txt":  lib, "overlay.json": `{"Replace": {"lib/lib.go": "other.txt"}}`}},
		{name: "another folder", args: []string{"-C", "m"},
			files: map[string]string{"m/go.mod": goMod("ex.test/a"), "m/main.go": helloMain,
				"m/lib/lib.go": lib}},
		{name: "build tags", args: []string{"-tags", "special"},
			files: map[string]string{"go.mod": goMod("ex.test/a"), "main.go": helloMain,
				"lib/other.go": "//go:build !special\n\npackage lib\n\nfunc Hello() { wrong() }\n",
				"lib/lib.go":   "//go:build special\n\n" + lib}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, e := range append(test.env, "GOPROXY=off", "GOWORK=") {
				k, v, _ := strings.Cut(e, "=")
				t.Setenv(k, v)
			}
			dir := tree(t, test.files)
			before := checksum(t, dir)
			if err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, _ error) error {
				if d.IsDir() {
					return os.Chmod(name, 0o555)
				}
				return os.Chmod(name, 0o444)
			}); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error {
					return os.Chmod(name, 0o755)
				})
			}()
			args := test.args
			if !strings.HasSuffix(strings.Join(args, " "), ".go") {
				args = append(args, ".")
			}
			code, _, stderr := functrace(t, filepath.Join(dir, test.dir),
				append([]string{"run"}, args...)...)
			if code != 0 || !strings.Contains(stderr, "hello\n") ||
				!strings.Contains(stderr, cmp.Or(test.want, "->ex.test/a/lib.Hello\n")) {
				t.Errorf("exit code %d, output:\n%s", code, stderr)
			}
			if checksum(t, dir) != before {
				t.Error("the files changed")
			}
			if !slices.Contains([]string{"module", "workspace", "vendor", "no module"}, test.name) {
				return
			}
			// Its goroutine ids and its clock are the fast ones.
			app := filepath.Join(t.TempDir(), "app")
			if code, _, stderr := functrace(t, filepath.Join(dir, test.dir),
				append([]string{"build", "-o", app}, args...)...); code != 0 {
				t.Fatal(stderr)
			}
			out, err := exec.Command("go", "tool", "nm", app).Output()
			if assembly := regexp.MustCompile(
				`(?m) T (debug|index)\.gword(\.abi0)?$`); err != nil ||
				slices.Contains([]string{"amd64", "arm64"}, runtime.GOARCH) &&
					!assembly.Match(out) {
				t.Errorf("the program has no assembly of package rt (%v)", err)
			}
		})
	}
}

// However a program ends, what it recorded is written, and the exit code is the program's.
func TestEndings(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/e"), "main.go": `package main

import (
	"log"
	"os"
	"syscall"
)

func work(how string) {
	inner()
	switch how {
	case "exit":
		os.Exit(7)
	case "fatal":
		log.Fatal("fatal")
	case "panic":
		panic("panic")
	case "goroutine":
		go func() { panic("in a goroutine") }()
		select {}
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "int":
		_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
		select {}
	case "term":
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM)
		select {}
	}
}

func inner() {}

func main() { work(os.Args[1]) }
`})
	t.Chdir(dir)
	var out, errs bytes.Buffer
	if code := run([]string{"build", "-o", "app", "."}, &out, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	for how, want := range map[string]struct {
		code    int
		outcome report.Outcome
	}{
		"return": {0, report.Returned}, "exit": {7, report.Unfinished},
		"fatal": {1, report.Unfinished}, "panic": {2, report.Panicked},
		"goroutine": {2, report.Unfinished}, "kill": {-1, report.Unfinished},
		"term": {-1, report.Unfinished},
		"int":  {-1, report.Unfinished},
	} {
		path := filepath.Join(dir, how+".functrace")
		cmd := exec.Command("./app", how)
		cmd.Env = append(os.Environ(), "FUNCTRACE="+path)
		output, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want.code {
			t.Errorf("%s: exit code %d, want %d\n%s", how, code, want.code, output)
		}
		procs, err := report.ReadFiles(path)
		if err != nil {
			t.Error(err)
			continue
		}
		var names []string
		procs[0].Walk(func(_ *report.Goroutine, c *report.Call, _ int) {
			names = append(names, c.Func.Name)
			if c.Func.Name == "main.work" && c.Outcome != want.outcome {
				t.Errorf("%s: work %s, want %s", how, c.Outcome, want.outcome)
			}
		})
		if got := strings.Join(names[:3], " "); got != "main.main main.work main.inner" {
			t.Errorf("%s: calls %s", how, got)
		}
	}
	if code := run([]string{"run", ".", "--", "exit"}, &out, &errs); code != 7 {
		t.Errorf("run exits with %d, the program with 7", code)
	}
}

func TestExample(t *testing.T) {
	rec := filepath.Join(t.TempDir(), "chains.functrace")
	code, _, stderr := functrace(t, "../..", "run", "-o", rec, "./examples/chains")
	if code != 0 {
		t.Fatal(stderr)
	}
	_, out, _ := functrace(t, ".", "report", rec)
	ids := regexp.MustCompile(`g\[\d+\]: ?`)
	got := ids.ReplaceAllString(out, "")
	// main may end between the goroutine's last statement, which main waits for, and its return.
	got = strings.ReplaceAll(got, "<-main.main.func1 [did not finish]", "<-main.main.func1")
	for _, n := range []string{"1", "2", "3"} {
		bad := ""
		if n == "2" {
			bad = " [returned an error]"
		}
		want := strings.ReplaceAll(`started by main.main
 ->main.main.func1
   ->main.A#
     ->main.B#
       ->main.C#
         ->main.D`+bad+`
       <-main.C#`+bad+`
     <-main.B#`+bad+`
   <-main.A#`+bad+`
 <-main.main.func1
`, "#", n)
		if !strings.Contains(got, want) {
			t.Errorf("the tree lacks\n%s\nit is\n%s", want, got)
		}
	}
	_, out, _ = functrace(t, ".", "report", "--func", "D", rec)
	if !regexp.MustCompile(
		`(?s)^1\. main\.main => main\.main\.func1 -> main\.A2 -> main\.B2 -> main\.C2 -> main\.D\n.*1 FAILED.*\n2\. .*A[13].*\n3\. .*A[13]`).MatchString(out) || strings.Count(out, "FAILED") != 1 {
		t.Errorf("report --func D:\n%s", out)
	}
	code, _, stderr = functrace(t, ".", "report", "--func", "Nothing", rec)
	if code != 1 || !strings.Contains(stderr, `no recorded function matches "Nothing"`) {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

// copyNamed finds lines that begin with the path of an instrumented copy. Behind the original's, in
// brackets, the compiler may name it.
var copyNamed = regexp.MustCompile(`(?m)^\s*[^\s\[]*functrace-\d`)

// Code that does not build: the compiler's error, with the original file and line.
func TestBrokenCode(t *testing.T) {
	for name, src := range map[string]string{
		"parse":        "package main\n\nfunc main() {\n\tx := \n}\n",
		"types":        "package main\n\nfunc main() {\n\tf()\n\tvar x int = \"a\"\n}\nfunc f() {}\n",
		"one line":     "package main\n\nfunc f() {}\nfunc g() {}\nfunc main() { undefined() }\n",
		"bare return":  "package main\n\nfunc main() { f() }\n\nfunc f() error { return }\n",
		"two files":    "package main\n\nfunc main() {}\n\nfunc other() {}\n",
		"lost package": "package main\n\n\n\nimport \"ex.test/no/such\"\n\nfunc main() { such.F() }\n",
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"go.mod": goMod("ex.test/b"), "main.go": src}
			if name == "two files" {
				files["more.go"] = "package main\n\nfunc other() {}\n"
			}
			dir := tree(t, files)
			before := checksum(t, dir)
			code, _, stderr := functrace(t, dir, "run", ".")
			if code == 0 || !strings.Contains(stderr, "main.go:5:") ||
				strings.Contains(stderr, "functrace__") || copyNamed.MatchString(stderr) {
				t.Errorf("exit code %d:\n%s", code, stderr)
			}
			if checksum(t, dir) != before {
				t.Error("files changed")
			}
			if name == "one line" && !strings.Contains(stderr, "main.go:5:15:") {
				t.Errorf("the column is not the original's: %s", stderr)
			}
		})
	}
	dir := tree(t, map[string]string{"a.go": "package a\nfunc f() {}\n",
		"b.go": "package a\nfunc {\n"})
	before := checksum(t, dir)
	if code, _, stderr := functrace(t, dir, "inject", "-w", "."); code != 1 ||
		!strings.Contains(stderr, "b.go:2:") {
		t.Errorf("inject: exit code %d: %s", code, stderr)
	}
	if checksum(t, dir) != before {
		t.Error("inject wrote files although one does not parse")
	}
}

func TestNoFunction(t *testing.T) {
	dir := tree(t, map[string]string{"go.mod": goMod("ex.test/n"),
		"main.go": "package main\n\nfunc main() {}\n"})
	for _, args := range [][]string{{"run", "--include", "Nothing", "."},
		{"run", "--pkg", "no/such/...", "."}, {"inject", "--include", "Nothing", "."}} {
		if code, _, stderr := functrace(t, dir, args...); code != 1 ||
			!strings.Contains(stderr, "no function is selected") {
			t.Errorf("%v: exit code %d: %s", args, code, stderr)
		}
	}
}

// Modules nobody here wrote: their tests pass when instrumented, the output parses, their files
// stay as they are.
func TestWellKnownModules(t *testing.T) {
	for _, mod := range []string{"github.com/tidwall/gjson@v1.18.0",
		"github.com/spf13/cobra@v1.9.1", "github.com/rs/zerolog@v1.34.0"} {
		t.Run(mod, func(t *testing.T) {
			cmd := exec.Command("go", "mod", "download", "-json", mod)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "GOWORK=off")
			out, err := cmd.Output()
			var info struct{ Dir string }
			if err != nil || json.Unmarshal(out, &info) != nil {
				oracle.Skip(t, "modules", fmt.Sprintf("%s is not to be had here: %v", mod, err))
			}
			t.Setenv("GOWORK", "off")
			dir := filepath.Join(t.TempDir(), "module")
			if err := os.CopyFS(dir, os.DirFS(info.Dir)); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error {
					return os.Chmod(name, 0o755)
				})
			}()
			before := checksum(t, dir)
			rec := filepath.Join(t.TempDir(), "calls.functrace")
			// Some tests of cobra expect that a read-only file cannot be written, which root can.
			// Those of gjson make some thirty million calls, of which a part is enough here; the
			// others are counted.
			t.Setenv(rt.EnvMaxBytes, "33554432")
			code, stdout, stderr := obedient(t, dir, "test", "-o", rec, ".")
			if code != 0 {
				if strings.Contains(stderr, "missing go.sum entry") ||
					strings.Contains(stderr, "dial tcp") {
					oracle.Skip(t, "modules", "its dependencies are not to be had here")
				}
				t.Fatalf("its tests fail when instrumented:\n%s\n%s", stdout, stderr)
			}
			if checksum(t, dir) != before {
				t.Error("its files changed")
			}
			procs, err := report.ReadFiles(rec)
			if err != nil {
				t.Fatal(err)
			}
			calls := 0
			procs[0].Walk(func(*report.Goroutine, *report.Call, int) { calls++ })
			if calls < 1000 || procs[0].Dropped > 0 != strings.Contains(mod, "gjson") {
				t.Errorf("%d calls were recorded, %d events dropped", calls, procs[0].Dropped)
			}
			t.Logf("%d calls, %d goroutines, %d dropped", calls, len(procs[0].Goroutines),
				procs[0].Dropped)
		})
	}
}
