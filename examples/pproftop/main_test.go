package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/examples/pproftop/profile"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestLikePprof compares every function's flat samples with what `go tool pprof -top` prints.
func TestLikePprof(t *testing.T) {
	file, err := compilerProfile()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{file}
	shared, _ := filepath.Glob(filepath.Join("..", "..", "..", "shared", "corpora", "data", "pprof",
		"*"))
	if len(shared) == 0 {
		oracle.Missing(t, "shared", "no further profiles: ../shared is not there")
	}
	for _, file := range append(files, shared...) {
		b, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		var p profile.ProfileReader
		if err := p.Unmarshal(b); err != nil {
			t.Fatal(err)
		}
		if p.LenFunction() == 0 {
			continue // pprof shows files instead of functions, which this example is not about
		}
		t.Run(filepath.Base(file), func(t *testing.T) { likePprof(t, file) })
	}
}

func likePprof(t *testing.T, file string) {
	cmd := exec.Command("go", "tool", "pprof", "-symbolize=none", "-top", "-nodefraction=0",
		"-nodecount=1000000", file)
	cmd.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go tool pprof: %v", err)
	}
	_, table, found := strings.Cut(string(out), "cum%\n")
	if !found {
		t.Fatalf("unexpected output of pprof:\n%.500s", out)
	}
	want := map[string]float64{}
	for line := range strings.Lines(table) {
		f := strings.Fields(line)
		if len(f) < 6 {
			continue
		}
		flat, ok := number(f[0])
		if !ok {
			t.Fatalf("pprof prints %q, a unit that this test does not read", f[0])
		}
		name := strings.TrimSuffix(strings.TrimSuffix(strings.Join(f[5:], " "), " (inline)"),
			" (partial-inline)")
		if flat != 0 {
			want[name] += flat
		}
	}
	b, err := read(file)
	if err != nil {
		t.Fatal(err)
	}
	r, err := flat(b)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, row := range r.rows {
		if row.flat != 0 {
			got[row.name] = float64(row.flat)
			if r.unit == "nanoseconds" {
				got[row.name] /= 1e9
			}
		}
	}
	if len(want) < 5 {
		t.Fatalf("only %d functions in pprof's output:\n%.500s", len(want), out)
	}
	if len(got) != len(want) {
		t.Errorf("%d functions, pprof has %d", len(got), len(want))
	}
	for name, w := range want {
		// pprof prints three digits.
		if g, ok := got[name]; !ok || math.Abs(g-w) > 0.006*math.Max(1, w) {
			t.Errorf("%s: %v, pprof has %v", name, g, w)
		}
	}
	t.Logf("%d functions agree", len(want))
}

// number reads a flat value of pprof: "1.5s", "20ms", "0", "12".
func number(s string) (float64, bool) {
	for _, u := range []struct {
		suffix string
		factor float64
	}{{"ms", 1e-3}, {"mins", 60}, {"hrs", 3600}, {"s", 1}, {"", 1}} {
		if rest, ok := strings.CutSuffix(s, u.suffix); ok {
			x, err := strconv.ParseFloat(rest, 64)
			return x * u.factor, err == nil
		}
	}
	return 0, false
}

func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"cut": "\x0a\x05\x08", "empty": "",
		"gzip": "\x1f\x8b\x08rubbish"} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(os.Stdout, file, 10); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestWithoutJSON gives encoding/json messages whose code was generated without JSON.
func TestWithoutJSON(t *testing.T) {
	const want = "profile.Profile: generated without JSON: set json: true in gremlin.yaml, or run gremlin generate --json"
	for _, value := range []any{profile.Profile{}, &profile.Profile{}, profile.ProfileReader{},
		[]profile.Profile{{}}} {
		if text, err := json.Marshal(value); !errors.Is(err, gremlin.NoJSON) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%T: %s, %v", value, text, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"Sample":[]}`), &profile.Profile{}); !errors.Is(err,
		gremlin.NoJSON) {
		t.Error(err)
	}
}
