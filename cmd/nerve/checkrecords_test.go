package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
)

const spanProto = `syntax = "proto2";
package trace;
message Span {
  required string name = 1;
  optional bytes id = 2;
  repeated Span child = 3;
  map<string, bytes> links = 4;
  optional bytes body = 5;
}
`

func writeSpanProto(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "span.proto")
	if err := os.WriteFile(file, []byte(spanProto), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAppendChecksDelimited: with a type, bytes that are no such message do not get into the queue.
func TestAppendChecksDelimited(t *testing.T) {
	proto, dir := writeSpanProto(t), filepath.Join(t.TempDir(), "q")
	schema := []string{"--proto", proto, "--type", "trace.Span"}
	args := append([]string{"append", dir, "--format", "delimited"}, schema...)
	good, bad := "\x03\n\x01a", "\x08\n\x01a\x1a\x03\n\x05b" // a child whose name is cut off
	lacking := "\x07\n\x01a\x1a\x02\x12\x00"
	out, errs := command(t, exitcode.Failed, good+bad+good, args...)
	contains(t, out, "appended 1 records")
	contains(t, errs, "input record 2", "child[0].name", "offset")
	_, errs = command(t, exitcode.Failed, lacking, args...)
	contains(t, errs, "input record 1", "child[0].name", "required")
	out, _ = command(t, exitcode.OK, good+bad+lacking, "append", dir, "--format", "delimited")
	contains(t, out, "appended 3 records")

	out, _ = command(t, exitcode.OK, "", "verify", dir)
	contains(t, out, "records 4 good", "no damage")
	verify := append([]string{"verify", dir}, schema...)
	out, _ = command(t, exitcode.Failed, "", verify...)
	contains(t, out, "records that are a trace.Span: 2 of 4", "record 3: ", "child[0].name",
		"record 4: ", "required")
	out, _ = command(t, exitcode.Failed, "", append(verify, "--json")...)
	contains(t, out, `"checked":4`, `"refused":2`, `"id":3`)
	_, errs = command(t, exitcode.Usage, "", "verify", "nerve://127.0.0.1:1/q")
	contains(t, errs, "without --proto and --type there is nothing to verify")
	_, errs = command(t, exitcode.Usage, "a\n", append([]string{"append", dir, "--format", "lines"},
		schema...)...)
	contains(t, errs, "json and delimited")
}

// TestHexFields: fields that JSON has in hex digits, both ways.
func TestHexFields(t *testing.T) {
	proto, dir := writeSpanProto(t), filepath.Join(t.TempDir(), "q")
	args := func(command string, more ...string) []string {
		return append([]string{command, dir, "--proto", proto, "--type", "trace.Span",
			"--hex", "trace.*.id", "--hex", "trace.Span.links"}, more...)
	}
	text := `{"name":"a","id":"0a0b","child":[{"name":"b","id":"ff"}],"links":{"k":"c0ffee"},` +
		`"body":"AQI="}`
	command(t, exitcode.OK, text, args("append")...)
	if out, _ := command(t, exitcode.OK, "", args("tail", "--bare")...); out != text+"\n" {
		t.Errorf("read %s", out)
	}
	out, _ := command(t, exitcode.OK, "", "tail", dir, "--bare", "--proto", proto,
		"--type", "trace.Span")
	contains(t, out, `"id":"Cgs="`, `"k":"wP/u"`)
	_, errs := command(t, exitcode.Failed, `{"name":"a","id":"0a0"}`, args("append")...)
	contains(t, errs, "an odd number of hex digits", "id")
	_, errs = command(t, exitcode.Usage, "", args("tail", "--hex", "trace.Span.name")...)
	contains(t, errs, `--hex: no field of type bytes has a full name that matches`, "trace.Span.name")
}
