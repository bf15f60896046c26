package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/oracle"
)

const querySchema = `edition = "2023";
package q;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/wrappers.proto";
enum Kind { KIND_NONE = 0; KIND_CARD = 1; }
message Item { string sku = 1; repeated double weights = 2; }
message Event {
  int64 amount = 1 [features.field_presence = IMPLICIT];
  uint64 big = 2;
  int32 small = 3;
  uint32 unsigned = 4;
  float f = 5;
  double d = 6;
  bool b = 7;
  string s = 8;
  bytes raw = 9;
  Kind kind = 10 [features.field_presence = IMPLICIT];
  google.protobuf.Timestamp time = 11;
  google.protobuf.Duration took = 12;
  google.protobuf.Int64Value wrapped = 13;
  Item item = 14;
  repeated Item items = 15;
  repeated int32 ints = 16;
  map<string, int32> labels = 17;
}
`

// queryQueue makes a queue of some events, and returns its folder and the flags that say what it
// holds.
func queryQueue(t *testing.T, events string) (dir string, flags []string) {
	t.Helper()
	dir = t.TempDir()
	proto := filepath.Join(dir, "q.proto")
	if err := os.WriteFile(proto, []byte(querySchema), 0o600); err != nil {
		t.Fatal(err)
	}
	flags = []string{"--proto", proto, "--type", "q.Event"}
	queue := filepath.Join(dir, "queue")
	args := append([]string{"append", queue, "--format", "json"}, flags...)
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(events), &out, &errs); code != exitcode.OK {
		t.Fatal(errs.String())
	}
	return queue, flags
}

func ask(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(""), &o, &e)
	return o.String(), e.String(), code
}

func events(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"amount":%d,"kind":%d`, i*7-50, i%3)
		if i%2 == 0 {
			fmt.Fprintf(&b, `,"big":"%d","small":%d,"unsigned":%d,"f":%d.25,"d":%de-3,"b":%v`,
				uint64(1<<63)+uint64(i), -i, uint32(1<<31)+uint32(i), i, i, i%4 == 0)
			fmt.Fprintf(&b, `,"s":"größe %d","raw":"AAEC","time":"2026-01-01T00:00:%02d.000000001Z"`,
				i, i%60)
			fmt.Fprintf(&b, `,"took":"%d.5s","wrapped":"%d","item":{"sku":"x"}`, i, i)
		}
		if i%3 == 0 {
			fmt.Fprintf(&b, `,"items":[{"sku":"a","weights":[1,2.5]},{"sku":"b%d"}],"ints":[1,%d]`,
				i, i)
			b.WriteString(`,"labels":{"k":1,"j":2}`)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// TestArrowAndParquet reads what is written back by pyarrow and duckdb, and compares it row by
// row with the JSON lines of the same query.
func TestArrowAndParquet(t *testing.T) {
	if !hasColumnFormats {
		oracle.Skip(t, "arrow", "built without -tags arrow; make test-servers has it")
	}
	python, err := filepath.Abs("../../.tools/python-query/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(python); err != nil {
		oracle.Skip(t, "pyarrow", "no pyarrow and duckdb here; make tools-query installs them")
	}
	queue, flags := queryQueue(t, events(500))
	fields := "record.id, amount, big, small, unsigned, f, d, b, s, raw, kind, time, took, wrapped," +
		" item.sku, items[*].sku, items[*].weights[*], ints, labels, item, amount * 2 as twice"
	query := append([]string{"query", queue, "--select", fields}, flags...)
	text, errs, code := ask(t, append(query, "--format", "jsonl")...)
	if code != exitcode.OK {
		t.Fatal(errs)
	}
	want := normal(t, text)
	if len(want) != 500 {
		t.Fatalf("%d rows", len(want))
	}
	for _, reader := range []string{"arrow", "parquet", "duckdb"} {
		format := strings.Replace(reader, "duckdb", "parquet", 1)
		file := filepath.Join(t.TempDir(), "out."+format)
		_, errs, code := ask(t, append(query, "-o", file)...)
		if code != exitcode.OK {
			t.Fatal(errs)
		}
		if format == "parquet" && !strings.Contains(errs, "duckdb -c") {
			t.Errorf("no line for DuckDB: %q", errs)
		}
		out, err := exec.Command(python, "testdata/readback.py", reader, file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		got := normal(t, string(out))
		if len(got) != len(want) {
			t.Fatalf("%s: %d rows, want %d", reader, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%s: row %d:\n%s\nwant\n%s", reader, i, got[i], want[i])
			}
		}
	}
}

// normal brings lines of JSON into one form: times and durations in microseconds, which is what
// duckdb has; base64 as hex is; messages as they are.
func normal(t *testing.T, text string) (rows []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		row := map[string]any{}
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		if err := dec.Decode(&row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		for name, v := range row {
			row[name] = normalValue(name, v)
		}
		out, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, string(out))
	}
	return rows
}

func normalValue(name string, v any) any {
	s, isText := v.(string)
	n, isNumber := v.(json.Number)
	switch {
	case v == nil:
		return nil
	case name == "kind" && isNumber: // a number without a name, which a text column has as digits
		return n.String()
	case name == "time" && isText:
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			return err.Error()
		}
		return at.UnixMicro()
	case name == "took" && isText:
		d, err := time.ParseDuration(s)
		if err != nil {
			return err.Error()
		}
		return d.Nanoseconds()
	case name == "time" && isNumber:
		at, _ := n.Int64()
		if at > 1e17 {
			at /= 1000
		}
		return at
	case name == "raw" && isText:
		return strings.Replace(s, "AAEC", "000102", 1)
	case (name == "labels" || name == "item") && isText:
		var inner any
		if json.Unmarshal([]byte(s), &inner) != nil {
			return s
		}
		return inner
	case isNumber:
		f, err := n.Float64()
		if err == nil && !strings.HasPrefix(name, "big") {
			return f
		}
		return n.String()
	}
	if list, isList := v.([]any); isList {
		for i := range list {
			list[i] = normalValue(name, list[i])
		}
	}
	if object, isObject := v.(map[string]any); isObject {
		for k := range object {
			if x, is := object[k].(json.Number); is {
				object[k], _ = x.Float64()
			}
		}
	}
	return v
}

func TestQueryCommand(t *testing.T) {
	queue, flags := queryQueue(t, events(100)+"")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"count(), sum(amount) by kind where amount > 0"},
			`{"kind":"KIND_NONE","count()":31,"sum(amount)":10168}` + "\n"},
		{[]string{"count() by kind order -count limit 1", "--format", "csv"},
			"kind,count()\nKIND_NONE,34\n"},
		{[]string{"--select", "items[].sku", "--inner", "--limit", "2", "--format", "table"},
			"items[].sku\na\nb0\n"},
		{[]string{"--where", `labels["k"] == 1 && record.id <= 3`, "--select", "record.id"},
			`{"record.id":1}` + "\n"},
		{[]string{"count()", "--explain"}, "records   1 to 100 (100)\n"},
	} {
		out, errs, code := ask(t, append(append([]string{"query", queue}, c.args...), flags...)...)
		if code != exitcode.OK || !strings.HasPrefix(out, c.want) {
			t.Errorf("%q: %d %s%s\nwant %s", c.args, code, out, errs, c.want)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"sum(amuont)"}, "did you mean amount?\n  amuont\n  ^\n"},
		{[]string{"count()", "--where", "kind == CRAD"}, "did you mean CARD?"},
		{[]string{"count() where b", "--where", "b"}, "say it once"},
		{[]string{"count()", "--format", "xml"}, "there are table, jsonl, csv, arrow and parquet"},
		{[]string{"count()", "--memory", "lots"}, "no size like 256MiB"},
	} {
		_, errs, code := ask(t, append(append([]string{"query", queue}, c.args...), flags...)...)
		if code != exitcode.Usage || !strings.Contains(errs, c.want) {
			t.Errorf("%q: %d %s\nwant %s", c.args, code, errs, c.want)
		}
	}
	if !hasColumnFormats {
		_, errs, code := ask(t, append([]string{"query", queue, "count()", "--format", "parquet"},
			flags...)...)
		if code != exitcode.Usage || !strings.Contains(errs, "go install -tags arrow") {
			t.Errorf("parquet: %d %s", code, errs)
		}
	}
	args := []string{"tail", queue, "--where", "kind == CARD && amount > 0", "-n", "2", "--bare"}
	out, errs, code := ask(t, append(args, flags...)...)
	cards := strings.Count(out, "KIND_CARD")
	if code != exitcode.OK || strings.Count(out, "\n") != 2 || cards != 2 {
		t.Errorf("%d %s%s", code, out, errs)
	}
}

// TestQueryWithoutType asks a queue of which nothing is known.
func TestQueryWithoutType(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "queue")
	command(t, exitcode.OK, "one\nthree\n\xff\n", "append", queue)
	for question, want := range map[string]string{
		"count()":                              `{"count()":3}`,
		"count(), sum(record.size) as s":       `{"count()":3,"s":9}`,
		"record.id where record.size > 4":      `{"record.id":2}`,
		"count() by record.time > now as x":    `{"x":false,"count()":3}`,
		"record.size as n order -n limit 1":    `{"n":5}`,
		"where record.id == 3 && size('') < 1": `"data":"/w=="}`,
	} {
		out, errs, code := ask(t, "query", queue, question, "--format", "jsonl")
		if code != exitcode.OK || !strings.HasSuffix(out, want+"\n") || errs != "" {
			t.Errorf("%s: %s%s\nwant %s", question, out, errs, want)
		}
	}
	for _, question := range []string{"sum(amount)", "amount", "items[].sku",
		"count() where amount > 3"} {
		_, errs, code := ask(t, "query", queue, question)
		if code != exitcode.Usage || !strings.Contains(errs, "no known type") ||
			!strings.Contains(errs, "record.size") || !strings.Contains(errs, "--proto FILE") {
			t.Errorf("%s: %d %s", question, code, errs)
		}
	}
	_, errs, code := ask(t, "query", queue, "count()", "--type", "a.B")
	if code != exitcode.Usage || !strings.Contains(errs, "--proto FILE") {
		t.Errorf("%d %s", code, errs)
	}
	out, errs, code := ask(t, "tail", queue, "--where", "record.size == 5", "--bare")
	if code != exitcode.OK || out != "three\n" {
		t.Errorf("%d %s%s", code, out, errs)
	}
	_, errs, code = ask(t, "tail", queue, "--where", "amount == 5")
	if code != exitcode.Usage || !strings.Contains(errs, "no known type") {
		t.Errorf("%d %s", code, errs)
	}
}
