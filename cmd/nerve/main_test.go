package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

const testProto = `syntax = "proto3";
package bank;
message Deposit {
  string user = 1;
  int64 cents = 2;
  message Note { string text = 1; }
  repeated Note notes = 3;
}`

// command runs one command line and checks its exit code.
func command(t *testing.T, want int, input string, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if code := run(context.Background(), args, strings.NewReader(input), &o, &e); code != want {
		t.Fatalf("nerve %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code,
			want, o.String(), e.String())
	}
	return o.String(), e.String()
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Fatalf("%q is missing in:\n%s", part, text)
		}
	}
}

func TestAppendAndTail(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	out, _ := command(t, exitcode.OK, "one\ntwo\r\n\nfour", "append", dir)
	contains(t, out, "appended 4 records, 1 to 4")
	out, _ = command(t, exitcode.OK, "\x03abc\x00\x02de", "append", dir, "--format", "delimited",
		"--json")
	contains(t, out, `"first":5`, `"last":7`, `"records":3`)

	if out, _ = command(t, exitcode.OK, "", "tail", dir,
		"--bare"); out != "one\ntwo\n\nfour\nabc\n\nde\n" {
		t.Fatalf("tail: %q", out)
	}
	if out, _ = command(t, exitcode.OK, "", "tail", dir, "--bare", "--from", "5", "--limit", "1",
		"--format", "hex"); out != "616263\n" {
		t.Fatalf("tail: %q", out)
	}
	if out, _ = command(t, exitcode.OK, "", "tail", dir, "--bare", "-n", "2"); out != "\nde\n" {
		t.Fatalf("tail: %q", out)
	}
	if out, _ = command(t, exitcode.OK, "", "tail", dir, "--bare", "--since", "1h", "--limit",
		"2"); out != "one\ntwo\n" {
		t.Fatalf("tail: %q", out)
	}
	out, _ = command(t, exitcode.OK, "", "tail", dir, "--json", "--limit", "1", "-n", "100")
	var rec tailRecord
	if err := json.Unmarshal([]byte(out), &rec); err != nil || rec.ID != 1 ||
		string(rec.Data) != "one" || rec.Time.IsZero() {
		t.Fatalf("tail --json: %+v, %v", rec, err)
	}
	_, errs := command(t, exitcode.Failed, "", "tail", dir, "--from", "9")
	contains(t, errs, "record 9 does not exist yet")
	_, errs = command(t, exitcode.Failed, "\x05abc", "append", dir, "--format", "delimited")
	contains(t, errs, "input record 1", "unexpected EOF")
}

func TestSchema(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	file := filepath.Join(t.TempDir(), "bank.proto")
	if err := os.WriteFile(file, []byte(testProto), 0o644); err != nil {
		t.Fatal(err)
	}
	schema := []string{"--proto", file, "--type", "bank.Deposit"}
	input := `{"user":"ann","cents":"42","notes":[{"text":"x"}]}` + "\n" +
		`{"user":"bob"} {"cents":7}`
	out, _ := command(t, exitcode.OK, input, append([]string{"append", dir, "--format", "json"},
		schema...)...)
	contains(t, out, "appended 3 records")
	command(t, exitcode.OK, "\xff\xff", "append", dir)
	out, _ = command(t, exitcode.OK, "", append([]string{"tail", dir}, schema...)...)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 {
		t.Fatalf("tail: %q", out)
	}
	contains(t, strings.ReplaceAll(lines[0], " ", ""), `"user":"ann"`, `"cents":"42"`, `"text":"x"`)
	contains(t, lines[3], "ffff\t# ") // hex, and the reason
	out, _ = command(t, exitcode.OK, "", append([]string{"tail", dir, "--json", "--from", "4"},
		schema...)...)
	contains(t, out, `"hex":"ffff"`, `"error":`)
	out, _ = command(t, exitcode.OK, "", append([]string{"tail", dir, "--inspect", "--from", "1"},
		schema...)...)
	contains(t, out, `1 user (string) "ann"`, `text (string) "x"`, "malformed at offset 0")
	out, _ = command(t, exitcode.OK, "", "tail", dir, "--inspect", "--json", "--from", "1",
		"--limit", "1")
	contains(t, out, `"anatomy":{"size":`, `"text":"\"ann\""`)

	_, errs := command(t, exitcode.Usage, "", "tail", dir, "--proto", file,
		"--type", "bank.Nothing")
	contains(t, errs, "bank.Deposit", "bank.Deposit.Note")
	_, errs = command(t, exitcode.Failed, `{"nobody":1}`,
		append([]string{"append", dir, "--format", "json"}, schema...)...)
	contains(t, errs, "input record 1", "nobody")
	command(t, exitcode.Usage, "", "tail", dir, "--proto", file)
}

func TestConsumersStatsTrim(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	command(t, exitcode.OK, strings.Repeat("line\n", 100), "append", dir)
	log, err := seglog.Open(dir, seglog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = log.SavePointers(context.Background(),
		[]nerve.Pointer{{Name: "slow", ID: 30, Hold: true}, {Name: "done", ID: 100}})
	if err != nil {
		t.Fatal(err)
	}
	_, errs := command(t, exitcode.Failed, "", "trim", dir, "--below", "50")
	contains(t, errs, "open for writing elsewhere")
	log.Close()

	out, _ := command(t, exitcode.OK, "", "consumers", dir)
	contains(t, out, "NAME", "slow", "30", "70")
	out, _ = command(t, exitcode.OK, "", "consumers", dir, "--json")
	var list []consumerInfo
	if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 2 ||
		list[0].Lag != 0 || list[1].Lag != 70 || *list[1].LagBytes == 0 {
		t.Fatalf("%s: %v", out, err)
	}
	out, _ = command(t, exitcode.OK, "", "trim", dir, "--below", "50")
	contains(t, out, "trimmed 30 records; the first is now 31")
	command(t, exitcode.OK, "", "consumers", dir, "--remove", "slow")
	_, errs = command(t, exitcode.Failed, "", "consumers", dir, "--remove", "slow")
	contains(t, errs, `no consumer "slow"`)
	out, _ = command(t, exitcode.OK, "", "trim", dir, "--before", "0s", "--json")
	contains(t, out, `"first":101`)
	out, _ = command(t, exitcode.OK, "", "stats", dir, "--json")
	var info logInfo
	if err := json.Unmarshal([]byte(out), &info); err != nil || info.Records != 0 ||
		info.First != 101 || info.Consumers != 1 || !info.Closed {
		t.Fatalf("%s: %v", out, err)
	}
	command(t, exitcode.OK, "", "stats", dir)
	command(t, exitcode.Usage, "", "trim", dir)
}

func TestVerifyAndRepair(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "log")
	log, err := seglog.Open(dir, seglog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var batch nerve.Batch
	for range 100 {
		batch.Append([]byte("some line of text"))
	}
	for range 3 {
		if _, err := log.Append(context.Background(), &batch); err != nil {
			t.Fatal(err)
		}
	}
	log.Close()
	out, _ := command(t, exitcode.OK, "", "verify", dir)
	contains(t, out, "records 300 good, batches 3, segments 1", "no damage")
	segment := filepath.Join(dir, "00000000000000000001.seg")
	b, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(segment, b, 0o644); err != nil {
		t.Fatal(err)
	}
	out, _ = command(t, exitcode.Failed, "", "verify", dir)
	contains(t, out, "records 200 good", "damaged at offset", "(records 101 to 200)")
	_, errs := command(t, exitcode.Failed, "", "tail", dir, "--from", "95", "--bare")
	contains(t, errs, "records 101 to 200")
	out, _ = command(t, exitcode.Failed, "", "tail", dir, "--from", "95", "--bare", "--skip-damage")
	if n := strings.Count(out, "\n"); n != 106 {
		t.Fatalf("tail --skip-damage printed %d lines, want 106", n)
	}
	out, _ = command(t, exitcode.OK, "", "repair", dir)
	contains(t, out, "nothing was changed")
	command(t, exitcode.Failed, "", "verify", dir)
	out, _ = command(t, exitcode.OK, "", "repair", dir, "--yes")
	contains(t, out, "repaired")
	out, _ = command(t, exitcode.OK, "", "verify", dir)
	contains(t, out, "records 101 to 200 were given up", "no damage")
	aside, err := filepath.Glob(segment + ".damaged-*")
	if err != nil || len(aside) != 1 {
		t.Fatalf("%v, %v", aside, err)
	}
	if kept, err := os.ReadFile(aside[0]); err != nil || !bytes.Equal(kept, b) {
		t.Fatalf("the damaged file was not kept as it was: %v", err)
	}
	out, _ = command(t, exitcode.OK, "", "repair", dir, "--yes")
	contains(t, out, "nothing to repair")
}

func TestBench(t *testing.T) {
	dir := t.TempDir()
	out, _ := command(t, exitcode.OK, "", "bench", dir, "--records", "2000",
		"--batch", "100", "--json")
	contains(t, out, `"op":"append"`, `"op":"read"`, `"msgs_per_s"`, `"p99_us"`)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Fatalf("bench left %v behind, %v", left, err)
	}
	command(t, exitcode.Usage, "", "bench", dir, "--sync", "sometimes")
}

func TestUsage(t *testing.T) {
	out, _ := command(t, exitcode.OK, "", "--help")
	contains(t, out, "append", "tail", "consumers", "stats", "verify", "repair", "trim", "bench",
		"Exit codes")
	for _, args := range [][]string{{"frobnicate"}, {"tail"}, {"tail", "a", "b"},
		{"tail", "x", "--nothing"}, {"append", "x", "--format", "xml"}} {
		_, errs := command(t, exitcode.Usage, "", args...)
		contains(t, errs, "Run 'nerve", "--help")
	}
	_, errs := command(t, exitcode.Failed, "", "stats", t.TempDir())
	contains(t, errs, "no queue in this folder")
}
