package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// TestNothingIsMadeByMistake names folders that have no queue: only append makes
// one.
func TestNothingIsMadeByMistake(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mistyped")
	for _, args := range [][]string{
		{"trim", dir, "--below", "1"}, {"trim", dir, "--before", "1h"},
		{"consumers", dir, "--remove", "a"},
		{"tail", dir}, {"consumers", dir}, {"stats", dir}, {"verify", dir}, {"repair", dir},
		{"repair", dir, "--yes"},
	} {
		_, errs := command(t, exitcode.Failed, "", args...)
		contains(t, errs, "nerve: ", "mistyped")
		if _, err := os.Stat(dir); err == nil {
			t.Fatalf("nerve %s made %s", strings.Join(args, " "), dir)
		}
	}
	command(t, exitcode.Usage, "", "trim", dir, "--before", "yesterday")
	command(t, exitcode.Usage, "", "consumers", dir, "--remove", "")
}

// TestErrorsNameTheProgramOnce looks at errors from the system, from the library
// and of usage.
func TestErrorsNameTheProgramOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitcode.Failed, []string{"append", dir, "--file", "missing"}},
		{exitcode.Failed, []string{"append", dir, "--format", "delimited"}},
		{exitcode.Failed, []string{"stats", dir + "2"}},
		{exitcode.Usage, []string{"append", dir, "--compress", "gz"}},
		{exitcode.Usage, []string{"tail"}},
	} {
		_, errs := command(t, c.code, "\xff", c.args...)
		if !strings.HasPrefix(errs, "nerve: ") || strings.Count(errs, "nerve: ") != 1 ||
			strings.Contains(errs, "seglog: ") {
			t.Errorf("nerve %s: %q", strings.Join(c.args, " "), errs)
		}
	}
}

// TestLongLine appends a line that is no record: it must not be collected in
// memory to its end.
func TestLongLine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	endless := &countingReader{}
	var out, errs bytes.Buffer
	in := io.MultiReader(strings.NewReader("first\n"), endless)
	code := run(context.Background(), []string{"append", dir}, in, &out, &errs)
	if code != exitcode.Failed {
		t.Fatalf("exit code %d", code)
	}
	contains(t, errs.String(), "input record 2", "8388608")
	contains(t, out.String(), "appended 1 records")
	if endless.n > 4*seglog.DefaultMaxRecord {
		t.Errorf("%d bytes were read", endless.n)
	}
	longest := strings.Repeat("x", seglog.DefaultMaxRecord)
	for _, end := range []string{"", "\n", "\r\n"} {
		text, _ := command(t, exitcode.OK, longest+end, "append", dir)
		contains(t, text, "appended 1 records")
	}
}

// countingReader yields 64 MiB without the end of a line.
type countingReader struct{ n int }

func (r *countingReader) Read(p []byte) (int, error) {
	if r.n >= 64<<20 {
		return 0, errors.New("read to the end")
	}
	for i := range p {
		p[i] = 'x'
	}
	r.n += len(p)
	return len(p), nil
}

// TestInterrupt ends commands whose input never comes, or that have nothing to do.
func TestInterrupt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	in, feed := io.Pipe()
	defer feed.Close()
	ctx, interrupt := context.WithCancelCause(context.Background())
	var out, errs bytes.Buffer
	done := make(chan int)
	go func() { done <- run(ctx, []string{"append", dir}, in, &out, &errs) }()
	if _, err := io.WriteString(feed, "one\ntwo\nhalf"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Millisecond) {
		if log, err := seglog.Open(dir, seglog.Options{ReadOnly: true}); err == nil {
			_, last := log.Bounds()
			log.Close()
			if last == 2 {
				break
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the lines are not appended")
		}
	}
	interrupt(errors.New("stopped by hand"))
	select {
	case code := <-done:
		if code != exitcode.Failed {
			t.Errorf("exit code %d", code)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("append waits for its input")
	}
	contains(t, errs.String(), "stopped by hand")
	contains(t, out.String(), "appended 2 records, 1 to 2")
	text, _ := command(t, exitcode.OK, "", "tail", dir, "--bare")
	if text != "one\ntwo\n" {
		t.Errorf("appended %q", text)
	}

	for _, args := range [][]string{{"verify", dir}, {"repair", dir}, {"bench", t.TempDir()}} {
		if code := run(ctx, args, nil, io.Discard, io.Discard); code != exitcode.Failed {
			t.Errorf("nerve %s, interrupted: exit code %d", args[0], code)
		}
	}
}

// TestForeignFile verifies and repairs a queue beside a file that only has the name
// of a segment.
func TestForeignFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	command(t, exitcode.OK, "one\n", "append", dir)
	name := "00000000000000000900.seg"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("another program"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"verify", dir}, {"stats", dir}, {"repair", dir, "--yes"}} {
		want := exitcode.OK
		if args[0] == "verify" {
			want = exitcode.Failed
		}
		out, _ := command(t, want, "", args...)
		contains(t, out, name, "nothing of one in it")
	}
	out, _ := command(t, exitcode.OK, "", "verify", dir)
	contains(t, out, "records 1 good", "no damage")
	if aside, err := filepath.Glob(filepath.Join(dir, name+".damaged-*")); err != nil ||
		len(aside) != 1 {
		t.Errorf("the file was not kept: %v, %v", aside, err)
	}
}

// TestEmptyRecordsAsJSON tells a record without content from a missing field.
func TestEmptyRecordsAsJSON(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	command(t, exitcode.OK, "\n", "append", dir)
	for format, field := range map[string]string{"raw": "data", "hex": "hex"} {
		out, _ := command(t, exitcode.OK, "", "tail", dir, "--json", "--format", format)
		var fields map[string]any
		if err := json.Unmarshal([]byte(out), &fields); err != nil || fields[field] != "" ||
			len(fields) != 3 {
			t.Errorf("%s: %s, %v", format, out, err)
		}
	}
}
