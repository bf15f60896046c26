package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// What more input may cost, in statements and in bytes that are allocated: one more level of
// messages around the same bytes (today up to 240 and 480); one more level that a Reader opens for
// JSON, which it looks through from 64 others (2400 and 410); one more byte of hostile text, which
// 36 readings share (240 and 550). What is done once a level and byte would cost a hundred thousand
// a level, and thousands a byte.
var limits = map[string]struct{ steps, bytes int }{
	"nested":  {500, 1000},
	"opened":  {5000, 1000},
	"hostile": {500, 1000},
}

// steps is what something cost in its small and in its large size.
type steps struct {
	sizes, statements, bytes [2]int
}

// TestStepsAreLinear counts the statements that encoding, decoding, checking and JSON execute, and
// the bytes that they allocate, below few levels of messages and below many, and for hostile texts
// of a small and a large size.
func TestStepsAreLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much code")
	}
	all := countSteps(t)
	if len(all) < 40 {
		t.Errorf("only %d things were counted", len(all))
	}
	for name, s := range all {
		group, _, _ := strings.Cut(name, "/")
		limit := limits[group]
		more := s.sizes[1] - s.sizes[0]
		t.Logf("%s: %.1f statements and %.1f bytes for each more", name,
			float64(s.statements[1]-s.statements[0])/float64(more),
			float64(s.bytes[1]-s.bytes[0])/float64(more))
		if s.statements[1] == 0 {
			t.Errorf("%s: nothing was counted", name)
		}
		if got := s.statements[1] - s.statements[0]; got > limit.steps*more {
			t.Errorf("%s: %d statements for size %d, %d for %d: more than %d for each",
				name, s.statements[0], s.sizes[0], s.statements[1], s.sizes[1], limit.steps)
		}
		if got := s.bytes[1] - s.bytes[0]; got > limit.bytes*more {
			t.Errorf("%s: %d bytes for size %d, %d for %d: more than %d for each",
				name, s.bytes[0], s.sizes[0], s.bytes[1], s.sizes[1], limit.bytes)
		}
	}
}

// countSteps builds and runs internal/steps and reads what it counted.
func countSteps(t *testing.T) map[string]*steps {
	t.Helper()
	const module = "github.com/octopus-framework/octopus"
	covered := []string{module + "/gremlin/...", module + "/conformance/internal/gen/...",
		module + "/conformance/internal/steps"}
	dir := t.TempDir()
	program := filepath.Join(dir, "steps")
	run(t, "go", "build", "-o", program, "-tags", "purego,count", "-cover", "-covermode=atomic",
		"-coverpkg="+strings.Join(covered, ","), "./internal/steps")
	counters := filepath.Join(dir, "counters")
	cmd := exec.Command(program, counters)
	cmd.Env = append(cmd.Environ(), "GOCOVERDIR="+dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	covdata, err := exec.Command("go", "tool", "-n", "covdata").Output() // built if need be
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*steps{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			t.Fatalf("steps prints %q", line)
		}
		i := 1
		s := all[f[0]]
		if s == nil {
			s, i = new(steps), 0
			all[f[0]] = s
		}
		s.sizes[i], s.bytes[i] = number(t, f[1]), number(t, f[2])
		s.statements[i] = statements(t, strings.TrimSpace(string(covdata)),
			filepath.Join(counters, f[0], strconv.Itoa(i)))
	}
	return all
}

// statements adds up the counters in dir, except those of internal/steps itself.
func statements(t *testing.T, covdata, dir string) (sum int) {
	t.Helper()
	out, err := exec.Command(covdata, "textfmt", "-i", dir, "-o", "/dev/stdout").Output()
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var file string
		var count, times int
		if n, err := fmt.Sscan(lines.Text(), &file, &count, &times); n != 3 || err != nil {
			continue // the line with the mode
		}
		if !strings.Contains(file, "/internal/steps/") {
			sum += count * times
		}
	}
	return sum
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
