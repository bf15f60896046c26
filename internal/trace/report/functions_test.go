package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// calls makes calls one after the other: each lasts as long as the calls in it and a microsecond.
func calls(list ...*Call) []*Call {
	var place func(list []*Call, at time.Duration) time.Duration
	place = func(list []*Call, at time.Duration) time.Duration {
		for _, c := range list {
			c.Start = at
			c.End = place(c.Calls, at) + time.Microsecond
			at = c.End
		}
		return at
	}
	place(list, 0)
	return list
}

func call(name string, inner ...*Call) *Call {
	c := &Call{Func: &Func{Name: "example.com/shop/" + name, File: name + ".go", Line: 7},
		Calls: inner}
	for _, i := range inner {
		i.Parent = c
	}
	return c
}

func failed(c *Call, text string) *Call {
	c.Outcome, c.Error = Failed, text
	return c
}

func process(list ...*Call) []*Process {
	return []*Process{{Program: "p", Goroutines: []*Goroutine{{ID: 1, Calls: calls(list...)}}}}
}

func TestFunctions(t *testing.T) {
	procs := process(
		call("a.Run", call("a.step"), call("a.step"), failed(call("a.step"), "no")),
		// recursive: its total is that of the outermost
		call("a.Walk", call("a.Walk", call("a.Walk"))),
	)
	list, err := Functions(procs, "failed")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteFunctions(&b, list); err != nil {
		t.Fatal(err)
	}
	want := `  calls  total  self  p50  p99  failed  function
      3    3µs   3µs  1µs  1µs       1  example.com/shop/a.step
      1    4µs   1µs  4µs  4µs       0  example.com/shop/a.Run
      3    3µs   3µs  2µs  3µs       0  example.com/shop/a.Walk
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	for order, first := range map[string]string{"calls": "a.Walk", "total": "a.Run",
		"self": "a.Walk",
		"p50":  "a.Run", "p99": "a.Run", "name": "a.Run"} {
		list, err := Functions(procs, order)
		if err != nil || ShortName(list[0].Name) != first {
			t.Errorf("by %s %s is first, want %s (%v)", order, list[0].Name, first, err)
		}
	}
	if _, err := Functions(procs, "colour"); err == nil || !strings.Contains(err.Error(), "p99") {
		t.Errorf("an unknown order: %v", err)
	}
}

func TestShortName(t *testing.T) {
	for name, want := range map[string]string{
		"main.main": "main.main", "example.com/a/b.(*T).M": "b.(*T).M", "b.F[...]": "b.F[...]",
		"example.com/a/b.F[example.com/c.T]": "b.F[example.com/c.T]", "a/b.G.func1": "b.G.func1",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("ShortName(%q) is %q, want %q", name, got, want)
		}
	}
}

func TestTree(t *testing.T) {
	list := func() []*Process {
		return process(call("a.Run",
			call("a.get", call("a.leaf")), call("a.get", call("a.leaf")),
			call("a.get", call("a.leaf")),
			failed(call("a.get", call("a.leaf")), "no"),
			call("a.leaf"), call("a.leaf"),
		))
	}
	for _, test := range []struct {
		name string
		o    WriteOptions
		want string
	}{
		{"folded", WriteOptions{}, `g[01]:  ->example.com/shop/a.Run
g[01]:    ->example.com/shop/a.get x 3
g[01]:      ->example.com/shop/a.leaf
g[01]:    <-example.com/shop/a.get
g[01]:    ->example.com/shop/a.get
g[01]:      ->example.com/shop/a.leaf
g[01]:    <-example.com/shop/a.get [returned an error] no
g[01]:    ->example.com/shop/a.leaf x 2
g[01]:  <-example.com/shop/a.Run
`},
		{"at least 2µs, slowest first", WriteOptions{Durations: true, SlowestFirst: true,
			MinDuration: 2 * time.Microsecond}, `g[01]:  ->example.com/shop/a.Run
g[01]:    ->example.com/shop/a.get x 3
g[01]:    <-example.com/shop/a.get 6µs
g[01]:    ->example.com/shop/a.get
g[01]:    <-example.com/shop/a.get 2µs [returned an error] no
g[01]:  <-example.com/shop/a.Run 11µs
`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, list(), Tree, test.o); err != nil || b.String() != test.want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, &b, test.want)
			}
		})
	}
	var b bytes.Buffer
	err := Write(&b, list(), Tree, WriteOptions{Unfolded: true})
	if n := strings.Count(b.String(), "->"); err != nil || n != 11 {
		t.Errorf("%v, %d calls unfolded, want 11:\n%s", err, n, &b)
	}
}

func TestDiff(t *testing.T) {
	good := process(call("a.Run", call("a.parse"), call("a.load", call("a.open")),
		call("a.old", call("a.older"))))
	bad := process(call("a.Run", call("a.parse"), call("a.parse"),
		failed(call("a.load", failed(call("a.open"), "no such file")), "no such file"),
		call("a.new", call("a.newer"))))
	var b bytes.Buffer
	if err := WriteDiff(&b, Diff(good, bad)); err != nil {
		t.Fatal(err)
	}
	want := `1. FAILS NOW: example.com/shop/a.Run -> example.com/shop/a.load -> example.com/shop/a.open
   calls 1, now 1; failed 0, now 1; total 1µs, now 1µs
   error: no such file
2. NEW: example.com/shop/a.Run -> example.com/shop/a.new
   calls 0, now 1; failed 0, now 0; total 0s, now 2µs
3. GONE: example.com/shop/a.Run -> example.com/shop/a.old
   calls 1, now 0; failed 0, now 0; total 2µs, now 0s
4. CALLED ANOTHER NUMBER OF TIMES: example.com/shop/a.Run -> example.com/shop/a.parse
   calls 1, now 2; failed 0, now 0; total 1µs, now 2µs
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	b.Reset()
	err := WriteDiff(&b, Diff(good, good))
	if want := "every chain was called and failed as often in both\n"; err != nil ||
		b.String() != want {
		t.Errorf("a recording and itself: %v %s", err, &b)
	}
	if list := Diff(bad, good); len(list) == 0 || list[0].Kind != FailsNoMore {
		t.Errorf("the other way round: %v", list)
	}
}

// TestPprof lets the tool of the Go distribution read a profile.
func TestPprof(t *testing.T) {
	file := filepath.Join(t.TempDir(), "calls.pb.gz")
	var b bytes.Buffer
	if err := Write(&b, []*Process{exampleProcess()}, Pprof, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "pprof", "-sample_index=calls", "-traces", file)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	got := strings.Join(strings.Fields(string(out)), " ")
	for _, want := range []string{
		"1 main.D main.B2 main.A2 main.main", // over the go statement
		"1 main.setup main.main",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the profile lacks %q:\n%s", want, out)
		}
	}
}

// alikeGoroutines is a program whose goroutines look alike but for some: another chain started
// them, or their calls differ.
func alikeGoroutines() *Process {
	serve := call("web.Serve")
	main := &Goroutine{ID: 1, Calls: calls(serve)}
	p := &Process{Program: "p", Goroutines: []*Goroutine{main}}
	for i := range uint64(9) {
		g := &Goroutine{ID: 10 + i, ParentID: 1, From: serve, FromGoroutine: main,
			Calls: calls(call("web.handle", call("web.log")))}
		switch {
		case i%3 == 1: // between two that look alike
			g.Calls = calls(call("web.read"))
		case i == 5:
			failed(g.Calls[0].Calls[0], "full")
		case i == 8:
			g.From, g.FromGoroutine = nil, nil
		}
		p.Goroutines = append(p.Goroutines, g)
	}
	return p
}

// TestAlikeGoroutines: goroutines that look alike are written once, with their number, wherever
// they are.
func TestAlikeGoroutines(t *testing.T) {
	p := alikeGoroutines()
	var b bytes.Buffer
	if err := Write(&b, []*Process{p}, Tree, WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	want := `g[01]:  ->example.com/shop/web.Serve
g[10] x 4: started by g[01]: example.com/shop/web.Serve
g[10]:  ->example.com/shop/web.handle
g[10]:    ->example.com/shop/web.log
g[10]:  <-example.com/shop/web.handle
g[11] x 3: started by g[01]: example.com/shop/web.Serve
g[11]:  ->example.com/shop/web.read
g[15]: started by g[01]: example.com/shop/web.Serve
g[15]:  ->example.com/shop/web.handle
g[15]:    ->example.com/shop/web.log [returned an error] full
g[15]:  <-example.com/shop/web.handle
g[18]: started by g[01]
g[18]:  ->example.com/shop/web.handle
g[18]:    ->example.com/shop/web.log
g[18]:  <-example.com/shop/web.handle
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &b, want)
	}
	b.Reset()
	if err := Write(&b, []*Process{p}, Tree, WriteOptions{Unfolded: true}); err != nil ||
		strings.Count(b.String(), ": started by g[01]") != 9 {
		t.Errorf("unfolded, not all of 9 goroutines are written: %v\n%s", err, &b)
	}
}
