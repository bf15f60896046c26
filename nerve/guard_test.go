package nerve_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// text makes a string of the bytes of a record, as generated Readers do.
func text(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// misuse keeps what is valid for a moment only, in each of the ways to read a queue, and returns
// what became of it.
func misuse(t *testing.T, log nerve.Log) string {
	q := nerve.New(log, nerve.Options{})
	defer q.Close()
	for i := range 3 {
		if _, err := q.Append(t.Context(), []byte(fmt.Sprintf("service%d", i))); err != nil {
			t.Fatal(err)
		}
	}
	var kept []string
	read := 0
	c, err := q.Consumer("typed", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range nerve.Typed[textReader](t.Context(), c) {
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, text(item.Value.data))
		if read++; read == 3 {
			break
		}
	}
	kept = kept[:2] // the last one is still valid
	d, err := q.Consumer("batches", nerve.ConsumerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	cursor, err := q.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, next := range []func(*nerve.Batch) error{
		func(b *nerve.Batch) error { return d.Next(t.Context(), b) },
		func(b *nerve.Batch) error { return cursor.Next(t.Context(), b) },
	} {
		var b nerve.Batch
		if err := next(&b); err != nil {
			t.Fatal(err)
		}
		for rec := range b.All() {
			if !strings.HasPrefix(text(rec.Data), "service") {
				t.Errorf("a record reads as %q while it is valid", rec.Data)
			}
			kept = append(kept, text(rec.Data))
		}
		if b.Last() < 3 {
			err = next(&b)
		} else if err = d.Seek(nerve.StartOldest()); err == nil {
			_ = cursor.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%q", kept)
}

// TestGuard keeps strings of records too long: with the guard that is seen at once, and without it
// nothing is changed.
func TestGuard(t *testing.T) {
	logs := map[string]func() (nerve.Log, error){
		"memlog": func() (nerve.Log, error) { return memlog.New(memlog.Options{}), nil },
		"seglog": func() (nerve.Log, error) {
			return seglog.Open(t.TempDir(), seglog.Options{NoSpare: true})
		},
	}
	if which := os.Getenv("GUARD_CHILD"); which != "" {
		log, err := logs[which]()
		if err != nil {
			t.Fatal(err)
		}
		t.Log(misuse(t, log))
		return
	}
	for name := range logs {
		for _, mode := range []string{"1", "pages"} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestGuard$", "-test.v")
			cmd.Env = append(os.Environ(), "GREMLIN_GUARD="+mode, "GUARD_CHILD="+name)
			out, err := cmd.CombinedOutput()
			crashed := err != nil && (strings.Contains(string(out), "unexpected fault address") ||
				strings.Contains(string(out), "SIGSEGV"))
			switch {
			case mode == "pages" && runtime.GOOS == "linux":
				if !crashed {
					t.Errorf("%s, %s: it did not crash: %v\n%s", name, mode, err, out)
				}
			case err != nil || strings.Contains(string(out), `"service`):
				t.Errorf("%s, %s: kept strings are as they were: %v\n%s", name, mode, err, out)
			case strings.Count(string(out), `RELE`) < 4:
				t.Errorf("%s, %s: kept strings do not say so:\n%s", name, mode, out)
			}
		}
	}
}
