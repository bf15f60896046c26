package query_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/query"
)

// logOf makes a log of messages given as JSON.
func logOf(t testing.TB, s schema, texts ...string) nerve.Log {
	t.Helper()
	var b nerve.Batch
	for _, text := range texts {
		m := dynamicpb.NewMessage(s.desc)
		if err := protojson.Unmarshal([]byte(text), m); err != nil {
			t.Fatal(err)
		}
		data, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		b.Append(data)
	}
	log := memlog.New(memlog.Options{})
	if _, err := log.Append(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	return log
}

// TestListsBelowRows asks for lists of the elements that rows stand for: they have no rows of
// their own.
func TestListsBelowRows(t *testing.T) {
	s := loadSchema(t, "testdata", "nested.proto", "test.nested.R")
	log := logOf(t, s,
		`{"id":"r1","spans":[{"name":"a","tags":["t1","t2"],"nums":[1,2,3],`+
			`"attributes":[{"key":"k","n":1},{"key":"l","n":2}],"labels":{"x":1,"y":2},`+
			`"events":[{"at":1,"words":["v","w"]},{"at":2}]},{"name":"b","tags":["t3"]}]}`,
		`{"id":"r2"}`)
	for text, want := range map[string]string{
		"spans[].name, spans[].tags": `{"spans[].name":"a","spans[].tags":["t1","t2"]}
{"spans[].name":"b","spans[].tags":["t3"]}
{"spans[].name":null,"spans[].tags":null}
`,
		"spans[].tags[*] as t": `{"t":["t1","t2"]}
{"t":["t3"]}
{"t":null}
`,
		"spans[].attributes as a": `{"a":[{"key":"k","n":"1"},{"key":"l","n":"2"}]}
{"a":[]}
{"a":null}
`,
		"spans[].attributes[*].key as k, id": `{"k":["k","l"],"id":"r1"}
{"k":[],"id":"r1"}
{"k":null,"id":"r2"}
`,
		"spans[].labels as l": `{"l":{"x":"1","y":"2"}}
{"l":{}}
{"l":null}
`,
		"spans[].events[].at as at, spans[].events[].words as w, spans[].tags as t": `{"at":1,"w":["v","w"],"t":["t1","t2"]}
{"at":2,"w":[],"t":["t1","t2"]}
{"at":null,"w":null,"t":["t3"]}
{"at":null,"w":null,"t":null}
`,
		"spans[].tags as t, spans[].nums[] as n": `{"t":["t1","t2"],"n":1}
{"t":["t1","t2"],"n":2}
{"t":["t1","t2"],"n":3}
{"t":["t3"],"n":null}
{"t":null,"n":null}
`,
		"spans[].name as n, spans[*].events[*].words as w": `{"n":"a","w":[[["v","w"],[]],[]]}
{"n":"b","w":[[["v","w"],[]],[]]}
{"n":null,"w":[]}
`,
		"count(), count(spans[].tags) as c": `{"count()":3,"c":2}
`,
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := tryRun(t.Context(), s, log, q)
		if err != nil || got != want {
			t.Errorf("%s: %v\n%swant\n%s", text, err, got, want)
		}
	}
}

// TestCallsOverRows calls functions on elements that rows stand for: in columns as in conditions.
func TestCallsOverRows(t *testing.T) {
	s := loadSchema(t, "testdata", "nested.proto", "test.nested.R")
	log := logOf(t, s,
		`{"id":"r1","spans":[{"name":"ab","tags":["t1","t2"],"nums":[1,2,3],"labels":{"x":1},`+
			`"attributes":[{"key":"k","n":1}]},{"name":"b","tags":["t3"]}]}`, `{"id":"r2"}`)
	for text, want := range map[string]string{
		"size(spans[].name) as x":                     "2 1 null",
		"size( spans[].name ) + 1 as x":               "3 2 null",
		"spans[].name.size() as x":                    "2 1 null",
		"spans[].name.startsWith('a') as x":           "true false null",
		"size(spans[].tags) as x":                     "2 1 null",
		"spans[].tags.size() as x":                    "2 1 null",
		"spans[].tags[0].endsWith('1') as x":          "true false null",
		"'t3' in spans[].tags as x":                   "false true null",
		"spans[].tags.exists(t, t == 't2') as x":      "true false null",
		"spans[].attributes.exists(a, a.n == 1) as x": "true false null",
		"'x' in spans[].labels as x":                  "true false null",
		"double(spans[].nums[]) / 2.0 as x":           "0.5 1 1.5 null null",
		"sum(double(spans[].nums[])) as x":            "6",
		"max(size(spans[].tags)) as x":                "2",
		"count() as x by size(spans[].tags)":          "1 1 1",
		"spans[].name as x where size(spans[].tags) == 1 && spans[].name.startsWith('b')": `"b"`,
		"string(spans[].nums[0]) + spans[].name as x":                                     `"1ab" null null`,
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out, stats, err := tryRun(t.Context(), s, log, q)
		var got []string
		for line := range strings.Lines(out) {
			_, x, _ := strings.Cut(strings.TrimSpace(line), `"x":`)
			got = append(got, strings.TrimSuffix(x, "}"))
		}
		if strings.Join(got, " ") != want || err != nil || stats.Errors != 0 {
			t.Errorf("%s: %q, %v, %+v; want %s", text, got, err, stats, want)
		}
	}
	q, _ := query.Parse("lower(spans[].name)")
	if _, _, err := tryRun(t.Context(), s, log, q); err == nil ||
		!strings.Contains(err.Error(), "there is no function lower") {
		t.Error(err)
	}
}

// TestMixedNumbers computes with numbers of different types, of records and of results.
func TestMixedNumbers(t *testing.T) {
	s := loadSchema(t, "testdata", "all.proto", "test.query.All")
	log := logOf(t, s, `{"i32":3,"d":1.5,"u64":"4"}`, `{"i32":4,"d":2.5,"u64":"18446744073709551615"}`)
	for text, want := range map[string]string{
		"sum(d) / count() as x":               "2",
		"sum(d) * 2 / count() - 1 as x":       "3",
		"sum(i32) / 2.0 as x":                 "3.5",
		"count() / sum(d) as x":               "0.5",
		"max(u64) as m, min(u64) - 5 as x":    "-1",
		"sum(u64 > 5u ? 0u : u64) / 2 as x":   "2",
		"i32 * 1.5 as x":                      "4.5 6",
		"2 * d + i32 as x":                    "6 9",
		"i32 + u64 as x":                      "7 null", // which is counted
		"count() as x having sum(d) * 2 >= 8": "2",
	} {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		out, stats, err := tryRun(t.Context(), s, log, q)
		var got []string
		for line := range strings.Lines(out) {
			_, x, _ := strings.Cut(strings.TrimSpace(line), `"x":`)
			got = append(got, strings.TrimSuffix(x, "}"))
		}
		if strings.Join(got, " ") != want || err != nil || (stats.Errors > 0) != (text[0] == 'i' &&
			strings.Contains(want, "null")) {
			t.Errorf("%s: %q, %v, %+v; want %s", text, got, err, stats, want)
		}
	}
	for _, text := range []string{"s + 1", "i32 % 2.0", "sum(d) + max(s)"} {
		q, _ := query.Parse(text)
		if _, _, err := tryRun(t.Context(), s, log, q); err == nil {
			t.Errorf("%s is computed", text)
		}
	}
}
