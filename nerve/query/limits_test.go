package query_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/query"
)

// around puts text into so many layers of form.
func around(layers int, form, text string) string {
	for range layers {
		text = fmt.Sprintf(form, text)
	}
	return text
}

// deep nests a macro, with a variable of its own each time.
func deep(layers int, form string) string {
	text := "true"
	for i := range layers {
		text = fmt.Sprintf(form, i, text)
	}
	return text
}

// hostile are expressions over wideRecord that would take minutes or all memory.
var hostile = []struct {
	text  string
	bound query.Bound // 0: an error of the interpreter, see says
	says  string
}{
	{"ints.map(a, ints.map(b, ints)).size() > 0", query.RecordCost, "costs more"},
	{deep(8, "ints.all(x%d, %s)"), query.RecordCost, "costs more"},
	{around(12, "[%s].map(x, x + x)[0]", "long") + " == ''", query.RecordCost, "costs more"},
	{around(40, "[%s].map(x, x + x)[0]", "s") + " == ''", query.RecordCost, "costs more"},
	{around(40, "[%s].map(x, x + x)[0]", "raw") + " == b''", query.RecordCost, "costs more"},
	{around(40, "[%s].map(x, x + x)[0]", "ints") + ".size() > 0", query.RecordMemory, "bytes"},
	{"[" + around(40, "[%s].map(x, [x, x])[0]", "[1]") + "].exists(y, y == y)", 0, "compared"},
	{"[" + around(40, "[%s].map(x, [x, x])[0]", "[1]") + "].exists(y, y in [y])", 0, "compared"},
	{"[" + around(40, "[%s].map(x, {'k': x, 'l': x})[0]", "{'k': {}}") +
		"].exists(y, y != y)", 0, "compared"},
	{"ints.map(a, ints).map(b, b == ints).size() > 0", query.RecordCost, "costs more"},
	{"ints.exists(x, s.matches('^(a|aa)+$b'))", query.RecordCost, "costs more"},
	{"ints.exists(x, long.matches('^(a|aa)+$b'))", query.RecordCost, "costs more"},
	{"ints.exists(x, long.matches(s))", query.RecordCost, "costs more"},
	{"long.matches('^(a|aa|aaa){1,20}$b')", query.RecordCost, "costs more"}, // over columns
	{"ints.exists(x, s.matches(long))", 0, "longer than"},
	{"ints.exists(x, double(long) > 1.0)", query.RecordCost, "costs more"},
	{"ints.exists(x, size(long) == 1)", query.RecordCost, "costs more"},
	{"ints.exists(x, long + 'b' == '')", query.RecordCost, "costs more"},
	{"ints.exists(x, string(bytes(long)) == '')", query.RecordCost, "costs more"},
	{"expanded.exists(x, x > 5)", query.RecordMemory, "bytes"},
	{"ints.exists(x, time.getHours('Europe/Berlin') > 30)", query.RecordCost, "costs more"},
}

// wideRecord is a test.query.All with 20,000 ints, s and raw of 1,000 bytes, text of 1 MiB.
func wideRecord() []byte {
	var b, ints []byte
	for range 20_000 {
		ints = protowire.AppendVarint(ints, 1)
	}
	b = protowire.AppendBytes(protowire.AppendTag(b, 40, protowire.BytesType), ints)
	b = protowire.AppendString(protowire.AppendTag(b, 14, protowire.BytesType),
		strings.Repeat("a", 1000))
	b = protowire.AppendBytes(protowire.AppendTag(b, 15, protowire.BytesType), make([]byte, 1000))
	return protowire.AppendString(protowire.AppendTag(b, 31, protowire.BytesType),
		strings.Repeat("a", 1<<20))
}

// TestHostileExpressions comes to a bound: in steps, bytes of values, and bytes allocated.
func TestHostileExpressions(t *testing.T) {
	s := loadSchema(t, "testdata", "all.proto", "test.query.All")
	rec := nerve.Record{ID: 1, Data: wideRecord()}
	numbers := protowire.AppendBytes(protowire.AppendTag(nil, 41, protowire.BytesType),
		make([]byte, 3_000_000))
	for _, c := range hostile {
		rec := rec
		if strings.HasPrefix(c.text, "expanded") {
			rec.Data = numbers
		}
		text := strings.ReplaceAll(c.text, "long", "text")
		f, err := query.CompileFilter(s.typ, text)
		if err != nil {
			t.Errorf("%.60s: %v", c.text, err)
			continue
		}
		m := f.Matcher(0)
		before := allocated()
		found, err := m.Match(t.Context(), rec)
		made := allocated() - before
		stats := m.Stats()
		if found || err != nil || stats.Errors != 1 ||
			!strings.Contains(stats.FirstErrorText, c.says) {
			t.Errorf("%.60s: %v, %v, %+v", c.text, found, err, stats)
		}
		// Values are counted before they are made, but not what cel-go has beside them.
		if made > 512<<20 || m.Spent() > 4<<20 {
			t.Errorf("%.60s: %d bytes allocated, %d steps", c.text, made, m.Spent())
		}
		t.Logf("%10d bytes, %8d steps: %.60s", made, m.Spent(), c.text)

		log := memlog.New(memlog.Options{})
		var b nerve.Batch
		b.Append(rec.Data)
		if _, err := log.Append(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		_, _, err = tryRun(t.Context(), s, log, query.Query{Where: text, Strict: true})
		var strict *query.RecordError
		var limit *query.LimitError
		if !errors.As(err, &strict) || errors.As(err, &limit) != (c.bound != 0) ||
			limit != nil && limit.Bound != c.bound {
			t.Errorf("%.60s: %v of a strict query, want bound %d", c.text, err, c.bound)
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// TestContextEndsEvaluation: one that would go to its bound makes few steps when nobody waits.
func TestContextEndsEvaluation(t *testing.T) {
	s := loadSchema(t, "testdata", "all.proto", "test.query.All")
	reason := errors.New("nobody waits")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	var b nerve.Batch
	b.Append(wideRecord())
	b.First = 1
	for _, text := range []string{deep(8, "ints.all(x%d, %s)"),
		"ints.map(a, ints.map(b, a + b)).size() > 0", "ints.all(x, true)", "s.matches('a*')"} {
		f, err := query.CompileFilter(s.typ, text)
		if err != nil {
			t.Fatal(err)
		}
		m := f.Matcher(0)
		for rec := range b.All() {
			found, err := m.Match(ctx, rec)
			if found || !errors.Is(err, reason) || m.Spent() > 10_000 {
				t.Errorf("%s: %v, %v, %d steps", text, found, err, m.Spent())
			}
		}
		if found, err := m.Select(ctx, &b, nil); len(found) > 0 || !errors.Is(err, reason) {
			t.Errorf("%s: %v, %v", text, found, err)
		}
	}
}

// TestCostOfAllRecords bounds a query and a matcher as a whole.
func TestCostOfAllRecords(t *testing.T) {
	s, log := children(t, 20_000)
	for _, where := range []string{"nums.exists(n, n > 200)", "name.matches('^(x|y)+$')"} {
		for _, q := range []query.Query{
			{Where: where}, {Where: where, Order: []string{"id"}},
			{Where: where, Select: []string{"count()"}}, {Select: []string{where + " as x"}},
			{Select: []string{"count()"}, By: []string{where}},
		} {
			q.Cost = 5000
			_, stats, err := tryRun(t.Context(), s, log, q)
			var limit *query.LimitError
			if !errors.As(err, &limit) || limit.Bound != query.TotalCost || limit.Limit != 5000 ||
				stats.Errors > 0 {
				t.Errorf("%+v: %v, %+v", q, err, stats)
			}
			q.Cost = 5_000_000
			if _, _, err = tryRun(t.Context(), s, log, q); err != nil {
				t.Errorf("%+v: %v", q, err)
			}
		}
		f, err := query.CompileFilter(s.typ, where)
		if err != nil {
			t.Fatal(err)
		}
		m := f.Matcher(5000)
		for id := nerve.ID(1); err == nil && id < 20_000; id++ {
			_, err = m.Match(t.Context(), nerve.Record{ID: id, Data: []byte{4 << 3, 1, 4 << 3, 2}})
		}
		if limit := (*query.LimitError)(nil); !errors.As(err, &limit) || m.Spent() > 6000 {
			t.Errorf("%v after %d steps", err, m.Spent())
		}
	}
}

// TestResultsOfExpressionsAreBounded: each record's result may be long, all of them together not.
func TestResultsOfExpressionsAreBounded(t *testing.T) {
	s := loadSchema(t, "testdata", "all.proto", "test.query.All")
	log := memlog.New(memlog.Options{})
	var b nerve.Batch
	for range 100 {
		b.Append(protowire.AppendString(protowire.AppendTag(nil, 14, protowire.BytesType),
			strings.Repeat("a", 10_000)))
	}
	if _, err := log.Append(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	_, _, err := tryRun(t.Context(), s, log, query.Query{Select: []string{"s + s + s as x"},
		Memory: 1 << 20})
	var limit *query.LimitError
	if !errors.As(err, &limit) || limit.Bound != query.ResultMemory {
		t.Error(err)
	}
}
