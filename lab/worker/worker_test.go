package worker

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ask sends requests to a server and returns its answers.
func ask(t *testing.T, i Impl, requests ...Request) []Answer {
	t.Helper()
	var in, out bytes.Buffer
	for _, r := range requests {
		if err := json.NewEncoder(&in).Encode(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := serve(&in, &out, i); err != nil {
		t.Fatal(err)
	}
	var answers []Answer
	for lines := json.NewDecoder(&out); lines.More(); {
		var a Answer
		if err := lines.Decode(&a); err != nil {
			t.Fatal(err)
		}
		answers = append(answers, a)
	}
	if len(answers) != len(requests) {
		t.Fatalf("%d answers to %d requests", len(answers), len(requests))
	}
	return answers
}

// length sums the lengths of messages, and allocates once for each.
func length(in Input) Loop {
	var kept []byte
	return func(n int, p *Probe) (sum uint64) {
		for k := range n {
			b := in.Data[k%len(in.Data)]
			kept = make([]byte, 64)
			sum += uint64(len(b))
			if p != nil {
				p.Begin()
				p.Str(1, -1, string(b))
			}
		}
		_ = kept
		return sum
	}
}

func broken(Input) Loop { return func(int, *Probe) uint64 { panic("it is broken") } }

func TestServe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "messages")
	if err := os.WriteFile(file, []byte("\x03abc\x00\x05defgh"), 0o666); err != nil {
		t.Fatal(err)
	}
	a := ask(t, Impl{Name: "one", Types: map[string]map[string]Op{"M": {ReadAll: length, Append: broken}}},
		Request{Cmd: "list"},
		Request{Cmd: "load", Workload: "w", Type: "M", File: file},
		Request{Cmd: "check", Workload: "w", Op: ReadAll, Listing: true},
		Request{Cmd: "calibrate", Workload: "w", Op: ReadAll, Ns: 1e6},
		Request{Cmd: "run", Workload: "w", Op: ReadAll, Iterations: 1000, Goroutines: 2, BallastMiB: 1},
		Request{Cmd: "check", Workload: "w", Op: Append},
		Request{Cmd: "run", Workload: "w", Op: Append, Iterations: 1, Goroutines: 2},
		Request{Cmd: "check", Workload: "v", Op: ReadAll},
		Request{Cmd: "check", Workload: "w", Op: "write"},
		Request{Cmd: "chekc"},
	)
	if l := a[0].Listed; l == nil || l.Name != "one" || strings.Join(l.Types["M"], " ") != "append readall" {
		t.Errorf("list: %+v", a[0])
	}
	want := []string{`0.1 = "abc"`, `2.1 = "defgh"`}
	if a[2].Sum != 8 || Difference(a[2].Lines, want) != "" || a[2].Values == 0 {
		t.Errorf("check: %+v", a[2])
	}
	if a[3].Iterations < 10 || a[3].Iterations%3 != 0 {
		t.Errorf("calibrate: %+v", a[3])
	}
	if a[4].Ns <= 0 || a[4].Allocs < 0.99 || a[4].Allocs > 1.2 || a[4].Bytes < 63 || a[4].Bytes > 90 {
		t.Errorf("run: %+v", a[4])
	}
	for i, text := range map[int]string{5: "it is broken", 6: "it is broken", 7: "these are: [w]", 8: "there are: append, readall",
		9: "there are: list, load"} {
		if !strings.Contains(a[i].Error, text) {
			t.Errorf("answer %d: %+v, want an error with %q", i, a[i], text)
		}
	}
}

func TestProbe(t *testing.T) {
	list := func(do func(p *Probe)) *Probe {
		p := &Probe{Listing: true}
		p.Begin()
		do(p)
		return p
	}
	entry := func(p *Probe, key string, v uint64) { p.Key(7, key); p.Num(2, -1, v); p.Leave() }
	one := list(func(p *Probe) { entry(p, "a", 1); entry(p, "b", 2); p.Num(1, -1, 5) })
	same := list(func(p *Probe) { p.Num(1, -1, 5); entry(p, "b", 2); entry(p, "a", 1); p.Str(3, -1, "") })
	if one.Sum != same.Sum || Difference(one.Lines, same.Lines) != "" {
		t.Errorf("another order is another result: %v, %v", one.Lines, same.Lines)
	}
	for name, other := range map[string]*Probe{
		"value":   list(func(p *Probe) { entry(p, "a", 1); entry(p, "b", 3); p.Num(1, -1, 5) }),
		"swapped": list(func(p *Probe) { entry(p, "a", 2); entry(p, "b", 1); p.Num(1, -1, 5) }),
		"field":   list(func(p *Probe) { entry(p, "a", 1); entry(p, "b", 2); p.Num(2, -1, 5) }),
		"missing": list(func(p *Probe) { entry(p, "a", 1); p.Num(1, -1, 5) }),
		"more":    list(func(p *Probe) { entry(p, "a", 1); entry(p, "b", 2); p.Num(1, -1, 5); p.In(9, -1); p.Leave() }),
		"zero":    list(func(p *Probe) { entry(p, "a", 1); entry(p, "b", 2); p.Num(1, -1, 5); p.Num(8, 0, 0) }),
	} {
		if other.Sum == one.Sum || Difference(other.Lines, one.Lines) == "" {
			t.Errorf("%s: not told apart: %v", name, other.Lines)
		}
	}
}
