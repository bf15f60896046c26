package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	shopv1 "github.com/octopus-framework/octopus/examples/deposits/shop/v1"
)

func TestRun(t *testing.T) {
	const n = 5000
	want := newTotals()
	gen := newGenerator()
	for i := range n {
		d := gen.event(i)
		want.add(d.Type, d.User.Id, d.Amount)
	}
	file := filepath.Join(t.TempDir(), "events")
	if err := writeEvents(file, n); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func([]byte) (totals, error){
		"Reader": totalsByReader, "Message": totalsByMessage} {
		got, err := read(log)
		if err != nil || !got.equal(want) {
			t.Errorf("%s: the totals differ from those of the events written (error %v)", name, err)
		}
		if _, err := read(log[:len(log)-1]); err == nil {
			t.Errorf("%s: no error for a file that is cut off", name)
		}
	}
	var out strings.Builder
	if err := run(&out, n, file); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "the same both ways") {
		t.Errorf("unexpected output:\n%s", out.String())
	}
}

// TestPrintJSON reads what -json prints back: it must be the same events.
func TestPrintJSON(t *testing.T) {
	var out strings.Builder
	if err := printJSON(&out, 20); err != nil {
		t.Fatal(err)
	}
	gen := newGenerator()
	lines := strings.SplitAfter(out.String(), "\n")
	for i, line := range lines[:20] {
		var got shopv1.Deposit
		if err := got.UnmarshalJSON([]byte(line)); err != nil || !got.Equal(gen.event(i)) {
			t.Errorf("event %d is printed as %s (error %v)", i, line, err)
		}
	}
	if len(lines) != 21 || lines[20] != "" {
		t.Errorf("%d lines, want 20", len(lines)-1)
	}
}

// TestReaderDoesNotAllocate is what the example's figures claim.
func TestReaderDoesNotAllocate(t *testing.T) {
	gen := newGenerator()
	var log []byte
	for i := range 100 {
		b := gen.event(i).Marshal()
		log = append(append(log, byte(len(b)&0x7f|0x80), byte(len(b)>>7)), b...)
	}
	tot := newTotals()
	if _, err := totalsByReader(log); err != nil {
		t.Fatal(err)
	}
	got := testing.AllocsPerRun(20, func() {
		if x, err := totalsByReader(log); err != nil || len(x.user) == 0 {
			t.Fatal(err)
		}
	})
	want := testing.AllocsPerRun(20, func() { tot = newTotals(); tot.add(1, 2, 3) })
	if got > want {
		t.Errorf("%v allocations for 100 messages, of which the map has %v", got, want)
	}
}
