package query_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/format"
)

// run answers a query and returns the result as JSON lines.
func run(t testing.TB, s schema, src query.Source, q query.Query) (string, query.Stats) {
	t.Helper()
	text, stats, err := tryRun(t.Context(), s, src, q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return text, stats
}

func tryRun(ctx context.Context, s schema, src query.Source, q query.Query) (
	string, query.Stats, error,
) {
	plan, err := query.Compile(s.typ, q)
	if err != nil {
		return "", query.Stats{}, err
	}
	result, err := plan.Run(ctx, src)
	if err != nil {
		return "", query.Stats{}, err
	}
	var out bytes.Buffer
	w := format.New("jsonl", &out, result.Columns(), format.Options{})
	for b, err := range result.Batches() {
		if err != nil {
			return "", result.Stats(), err
		}
		if err := w.Write(b); err != nil {
			return "", result.Stats(), err
		}
	}
	return out.String(), result.Stats(), w.Close()
}

// children makes a log of n messages of test.query.Child, appended in batches of different sizes,
// and some records that are none.
func children(t testing.TB, n int) (schema, nerve.Log) {
	t.Helper()
	s := loadSchema(t, "testdata", "all.proto", "test.query.Child")
	log := memlog.New(memlog.Options{})
	r := rand.New(rand.NewPCG(5, 5))
	var b nerve.Batch
	for i := range n {
		var data []byte
		data = binary.AppendUvarint(append(data, 1<<3), uint64(r.IntN(1000)))
		data = append(data, 2<<3|2, 2, 'n', byte('a'+r.IntN(3)))
		for range r.IntN(3) {
			data = append(data, 4<<3, byte(r.IntN(100)))
		}
		data = append(data, 7<<3, byte(r.IntN(4)))
		if r.IntN(1000) == 0 {
			data = append(data, 0xff)
		}
		b.Append(data)
		if b.Len() == 1+r.IntN(3000) || i == n-1 {
			if _, err := log.Append(t.Context(), &b); err != nil {
				t.Fatal(err)
			}
			b.Reset()
		}
	}
	return s, log
}

var questions = []string{
	"count(), sum(id), avg(id), min(id), max(name) by name",
	"sum(double(id) / 3.0), first(id), last(id), distinct(id) by id % 10, color",
	"quantile(id, 0.9), top(name, 2), count() by color",
	"sum(nums[]), count() by nums[]",
	"record.id, id, name, nums[*] where id == 7",
	"record.id, nums[] where nums[] > 97 && name != 'na'",
	"id, name order -id, name limit 10",
	"count(), sum(id) by id having sum(id) > 5000 order -sum limit 7",
	"count() where id / (id - 7) == 1",
	"count() by bucket(record.time, duration('1ns')) == record.time",
	"count() where nums.exists(n, n > 90)",
}

// TestResultsDoNotDependOnWorkers compares results for different numbers of workers, sizes of
// batches and ways to split a query into parts.
func TestResultsDoNotDependOnWorkers(t *testing.T) {
	records, questions := 140_000, questions
	if testing.Short() { // as the race detector runs it: two workers have something to do
		records, questions = 70_000, questions[:3]
	}
	s, log := children(t, records)
	for _, text := range questions {
		q, err := query.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		q.Now = time.Unix(1, 0)
		q.Workers = 1
		want, stats := run(t, s, log, q)
		if stats.Records != int64(records) || stats.Undecodable == 0 || want == "" {
			t.Errorf("%s: %+v, %q", text, stats, want)
		}
		for _, c := range []struct{ workers, rows int }{{2, 0}, {3, 1000}, {1, 77}, {7, 4096}} {
			q.Workers, q.BatchRows = c.workers, c.rows
			got, found := run(t, s, log, q)
			if got != want {
				t.Errorf("%s: %d workers, batches of %d: %.300s\nwant %.300s", text, c.workers,
					c.rows, got, want)
			}
			if q.Limit == 0 && found != stats {
				t.Errorf("%s: %d workers: %+v, want %+v", text, c.workers, found, stats)
			}
		}
	}
}

// TestGroupsLikeMaps compares groups with those that a few lines with a map make.
func TestGroupsLikeMaps(t *testing.T) {
	s, log := children(t, 20_000)
	got, _ := run(t, s, log, query.Query{By: []string{"name"},
		Select: []string{"sum(id)", "count()", "max(id)"}, Where: "color == RED || id > 990"})
	type group struct{ sum, count, most int64 }
	groups := map[string]*group{}
	rows, _ := run(t, s, log, query.Query{Select: []string{"name", "id", "color"}})
	for line := range strings.Lines(rows) {
		var name, color string
		var id int64
		fields := strings.NewReplacer(`{"name":"`, "", `","id":`, " ",
			`,"color":`, " ", `"`, "", "}", "")
		if _, err := fmt.Sscan(fields.Replace(line), &name, &id, &color); err != nil {
			t.Fatal(err, line)
		}
		if color != "COLOR_RED" && id <= 990 {
			continue
		}
		if groups[name] == nil {
			groups[name] = &group{}
		}
		g := groups[name]
		g.sum, g.count, g.most = g.sum+id, g.count+1, max(g.most, id)
	}
	want := ""
	for _, name := range []string{"na", "nb", "nc"} {
		g := groups[name]
		want += fmt.Sprintf(`{"name":%q,"sum(id)":%d,"count()":%d,"max(id)":%d}`+"\n", name, g.sum,
			g.count, g.most)
	}
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestMemoryLimit(t *testing.T) {
	s, log := children(t, 5000)
	for _, q := range []query.Query{
		{By: []string{"record.id"}, Select: []string{"count()"}},
		{Select: []string{"record.id"}, Order: []string{"record.id"}},
		{Select: []string{"top(record.id, 3)"}},
		{Select: []string{"count()"}, By: []string{"string(record.id)"}},
	} {
		q.Memory = 30_000
		_, _, err := tryRun(t.Context(), s, log, q)
		var limit *query.MemoryError
		if !errors.As(err, &limit) || limit.Limit != 30_000 {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func TestStrictAndContext(t *testing.T) {
	s, log := children(t, 5000)
	_, _, err := tryRun(t.Context(), s, log, query.Query{Select: []string{"count()"}, Strict: true,
		Workers: 1})
	var bad *query.RecordError
	_, stats := run(t, s, log, query.Query{Select: []string{"count()"}})
	if !errors.As(err, &bad) || bad.ID != stats.FirstUndecodable {
		t.Errorf("%v, want record %d", err, stats.FirstUndecodable)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	_, _, err = tryRun(ctx, s, log, query.Query{Select: []string{"count()"}, BatchRows: 10,
		Progress: func(query.Stats) { cancel(stop) }})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
}

// TestBounds tells that conditions on ids and times are looked up and not searched for.
func TestBounds(t *testing.T) {
	s, log := children(t, 20_000)
	for where, want := range map[string]int64{
		"record.id > 100 && id >= 0 && record.id <= 200": 100,
		"500 == record.id":                                1,
		"record.time > now && record.id > 0":              0,
		"record.id < 11 || id == 3":                       20_000,
		"record.time < timestamp('1990-01-01T00:00:00Z')": 0,
	} {
		_, stats := run(t, s, log, query.Query{Select: []string{"count()"}, Where: where})
		if stats.Records != want {
			t.Errorf("%s: %d records looked at, want %d", where, stats.Records, want)
		}
	}
	_, stats := run(t, s, log, query.Query{Select: []string{"count()"}, From: 5, To: 9})
	if stats.Records != 5 {
		t.Errorf("%d records from 5 to 9", stats.Records)
	}
}

// TestFile reads the same records from a file, and looks at damaged ones.
func TestFile(t *testing.T) {
	s, log := children(t, 20_000)
	var file []byte
	cur, err := log.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	for b.Len() == 0 || b.Last() < 20_000 {
		if err := cur.Next(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		for r := range b.All() {
			file = append(binary.AppendUvarint(file, uint64(len(r.Data))), r.Data...)
		}
	}
	f, err := query.NewFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"count(), sum(id) by name", "record.id, id where record.id > 19990"} {
		q, _ := query.Parse(text)
		want, _ := run(t, s, log, q)
		if got, _ := run(t, s, f, q); got != want {
			t.Errorf("%s: %s\nwant %s", text, got, want)
		}
	}
	for cut := len(file) - 20; cut < len(file); cut++ {
		_, err := query.NewFile(bytes.NewReader(file[:cut]), int64(cut))
		var damage *query.DelimitedError
		if err != nil && !errors.As(err, &damage) {
			t.Error(err)
		}
	}
}

// TestErrors are what is said about questions that make no sense.
func TestErrors(t *testing.T) {
	s := loadSchema(t, "testdata", "all.proto", "test.query.All")
	for text, want := range map[string]string{
		"i23": `column 1: test.query.All has no field, and no enum of it a value, i23; ` +
			`did you mean i32?`,
		"child.nmae == 'x'": "column 7: test.query.Child has no field nmae; did you mean name?",
		"color == RDE":      "column 10: test.query.Color has no value RDE; did you mean RED?",
		"color == 'RED'": "column 10: an enum is compared with a string; " +
			"write RED without quotes",
		"sze(s) > 1":             "column 1: there is no function sze; did you mean size?",
		"i32 + 1":                "column 1: a condition is true or false, this is an int",
		"i32 > ":                 "column 7: the expression ends where a value is expected",
		"s == 1":                 "column 3: operator == does not take string and int",
		"children[].nam == 'a'":  "column 12: test.query.Child has no field nam; did you mean name?",
		"children[*].name == ''": "column 1: a list of all elements has no value in an expression",
		"children[].id > 1 && ints[] > 2": "children[].id and ints[] have a row for each element of " +
			"different lists",
		strings.Repeat("!", 20_000) + "b":                            "longer than 16 KiB",
		strings.Repeat("(", 300) + "b" + strings.Repeat(")", 300):    "recursion limit",
		"s.matches('" + strings.Repeat("(a{1,100}){1,10}", 3) + "')": "",
	} {
		_, err := query.CompileFilter(s.typ, text)
		if want == "" {
			continue
		}
		var e *query.Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), want) {
			t.Errorf("%.60s: %v\nwant %s", text, err, want)
		} else if !strings.HasSuffix(e.Caret(), "^") {
			t.Errorf("%.60s: %s", text, e.Caret())
		}
	}
	for text, want := range map[string]string{
		"sum(s)":                       "sum takes numbers, not string",
		"quantile(i32)":                "quantile takes 2 arguments; write quantile(amount, 0.99)",
		"i32, count()":                 "i32 is neither an aggregate nor in by",
		"count() by children[*].id":    "groups cannot be by a list",
		"count() by i32 order -cnt":    "the result has no column cnt",
		"count() by by i32":            "there is nothing behind by",
		"count() limit x":              "a limit is a number of rows",
		"i32 having i32 > 1":           "having is for groups",
		"count() by i32 having i == 1": "nothing is called i",
	} {
		q, err := query.Parse(text)
		if err == nil {
			_, err = query.Compile(s.typ, q)
		}
		var e *query.Error
		if !errors.As(err, &e) || !strings.Contains(e.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}

// TestReadingAllocatesNothing counts the allocations of a batch: there is none for each record.
func TestReadingAllocatesNothing(t *testing.T) {
	s, log := children(t, 4000)
	cur, err := log.Read(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var b nerve.Batch
	if err := cur.Next(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	f, err := query.CompileFilter(s.typ, "id > 500 && name.startsWith('n') && color == RED")
	if err != nil {
		t.Fatal(err)
	}
	m := f.Matcher(0)
	var found []nerve.Record
	found = mustSelect(t, m, &b, found[:0])
	allocations := testing.AllocsPerRun(20, func() { found = mustSelect(t, m, &b, found[:0]) })
	if allocations > 40 {
		t.Errorf("%v allocations for %d records", allocations, b.Len())
	}
}

// TestFollow yields a bucket when it is over.
func TestFollow(t *testing.T) {
	s, log := children(t, 100)
	q, _ := query.Parse("count() by bucket(record.time, duration('1ms'))")
	plan, err := query.Compile(s.typ, q)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	result, err := plan.Follow(ctx, log)
	if err != nil {
		t.Fatal(err)
	}
	// Records are appended until a bucket is over, however quick the clock is.
	go func() {
		for ctx.Err() == nil {
			var b nerve.Batch
			b.Append([]byte{1 << 3, 7})
			if _, err := log.Append(ctx, &b); err != nil {
				return
			}
		}
	}()
	buckets, last := 0, int64(0)
	for b, err := range result.Batches() {
		if err != nil {
			t.Fatal(err)
		}
		for i := range b.Rows {
			if at := b.Columns[0].Ints[i]; at <= last || at%1e6 != 0 || b.Columns[1].Ints[i] < 1 {
				t.Errorf("bucket %d after %d", at, last)
			}
			last = b.Columns[0].Ints[i]
		}
		if buckets += b.Rows; buckets >= 3 {
			stop()
		}
	}
	if buckets < 3 {
		t.Errorf("%d buckets", buckets)
	}
	for _, text := range []string{"count() by id", "id order id"} {
		q, _ := query.Parse(text)
		plan, err := query.Compile(s.typ, q)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := plan.Follow(ctx, log); err == nil {
			t.Errorf("%s can be followed", text)
		}
	}
}
