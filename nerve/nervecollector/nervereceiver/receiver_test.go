package nervereceiver_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/nervecollector/nerveexporter"
	"github.com/octopus-framework/octopus/nerve/nervecollector/nervereceiver"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/work/deadletter"
)

var ctx = context.Background()

// sink is the pipeline behind a receiver: it notes bodies of logs, and refuses what it is told to.
type sink struct {
	refuse func(body string, attempt int) error

	mu       sync.Mutex
	got      []string
	attempts map[string]int
	changed  chan struct{}
}

func newSink(refuse func(string, int) error) *sink {
	return &sink{refuse: refuse, attempts: map[string]int{}, changed: make(chan struct{}, 1)}
}

func (s *sink) consume(_ context.Context, l plog.Logs) error {
	body := l.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0).Body().Str()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts[body]++
	if s.refuse != nil {
		if err := s.refuse(body, s.attempts[body]); err != nil {
			return err
		}
	}
	s.got = append(s.got, body)
	select {
	case s.changed <- struct{}{}:
	default:
	}
	return nil
}

// wait waits until the bodies have come.
func (s *sink) wait(t *testing.T, want ...string) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		s.mu.Lock()
		got := slices.Clone(s.got)
		s.mu.Unlock()
		if len(got) >= len(want) {
			if !slices.Equal(got, want) {
				t.Fatalf("came %q, want %q", got, want)
			}
			return
		}
		select {
		case <-s.changed:
		case <-late:
			t.Fatalf("came %q, want %q", got, want)
		}
	}
}

func logsOf(body string) plog.Logs {
	l := plog.NewLogs()
	l.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty().Body().
		SetStr(body)
	return l
}

// export starts an exporter; the test ends it.
func export(t *testing.T, queue string, change func(*nerveexporter.Config)) exporter.Logs {
	t.Helper()
	f := nerveexporter.NewFactory()
	c := f.CreateDefaultConfig().(*nerveexporter.Config)
	c.Queue = queue
	if change != nil {
		change(c)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	e, err := f.CreateLogs(ctx, exporter.Settings{ID: component.NewID(f.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings()}, c)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, e)
	return e
}

// receive starts a receiver; the test ends it.
func receive(t *testing.T, queue, name string, s *sink,
	change func(*nervereceiver.Config)) receiver.Logs {
	t.Helper()
	f := nervereceiver.NewFactory()
	c := f.CreateDefaultConfig().(*nervereceiver.Config)
	c.Queue, c.Consumer, c.MaxBackoff = queue, name, 100*time.Millisecond
	if change != nil {
		change(c)
	}
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	next, err := consumer.NewLogs(s.consume)
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.CreateLogs(ctx, receiver.Settings{ID: component.NewID(f.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings()}, c, next)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, r)
	return r
}

func begin(t *testing.T, c component.Component) {
	t.Helper()
	if err := c.Start(ctx, componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Shutdown(ctx); err != nil {
			t.Error(err)
		}
	})
}

func send(t *testing.T, e exporter.Logs, bodies ...string) {
	t.Helper()
	for _, b := range bodies {
		if err := e.ConsumeLogs(ctx, logsOf(b)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFanOut has two receivers of one queue: each gets all of it, one of them after it was stopped.
func TestFanOut(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "{signal}")
	e := export(t, queue, nil)
	send(t, e, "a", "b")
	one, two := newSink(nil), newSink(nil)
	receive(t, queue, "one", one, nil)
	stopped := receive(t, queue, "two", two, nil)
	two.wait(t, "a", "b")
	if err := stopped.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	send(t, e, "c")
	one.wait(t, "a", "b", "c")
	two.wait(t, "a", "b")
	receive(t, queue, "two", two, nil)
	two.wait(t, "a", "b", "c")
}

// TestStart has new names begin at a time, at the oldest and at the latest record.
func TestStart(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "{signal}")
	e := export(t, queue, nil)
	send(t, e, "old")
	for start, want := range map[string][]string{
		"oldest": {"old", "new"}, "2020-01-01T00:00:00Z": {"old", "new"}, "latest": {"new"},
	} {
		s := newSink(nil)
		name := strings.NewReplacer(":", "", "-", "").Replace(start)
		receive(t, queue, name, s, func(c *nervereceiver.Config) { c.Start = start })
		defer func() { s.wait(t, want...) }()
	}
	send(t, e, "new")
}

// TestRefused tries again what the pipeline refuses for now, in order, and puts aside what it
// refuses for good and what is not OTLP.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	queue, dead := filepath.Join(dir, "{signal}"), filepath.Join(dir, "dead-{signal}")
	e := export(t, queue, nil)
	send(t, e, "a", "later", "never", "b")
	s := newSink(func(body string, attempt int) error {
		switch {
		case body == "later" && attempt < 4:
			return errors.New("not now")
		case body == "never":
			return consumererror.NewPermanent(errors.New("not this"))
		}
		return nil
	})
	r := receive(t, queue, "one", s, func(c *nervereceiver.Config) { c.DeadLetters = dead })
	s.wait(t, "a", "later", "b")
	if err := r.Shutdown(ctx); err != nil {
		t.Fatal(err)
	}
	log, err := seglog.Open(filepath.Join(dir, "dead-logs"), seglog.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, last := log.Bounds(); last != 1 {
		t.Fatalf("there are %d dead letters, want 1", last)
	}
	cursor, err := log.Read(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer cursor.Close()
	var b nerve.Batch
	if err := cursor.Next(ctx, &b); err != nil {
		t.Fatal(err)
	}
	for rec := range b.All() {
		letter := deadletter.NewDeadLetterReader()
		if err := letter.Unmarshal(rec.Data); err != nil {
			t.Fatal(err)
		}
		l, err := (&plog.ProtoUnmarshaler{}).UnmarshalLogs(letter.GetData())
		if err != nil || l.LogRecordCount() != 1 {
			t.Errorf("the dead letter has %d records: %v", l.LogRecordCount(), err)
		}
	}
}

// TestSignals sends metrics and traces through queues of their own.
func TestSignals(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "{signal}")
	ef, rf := nerveexporter.NewFactory(), nervereceiver.NewFactory()
	ec := ef.CreateDefaultConfig().(*nerveexporter.Config)
	rc := rf.CreateDefaultConfig().(*nervereceiver.Config)
	ec.Queue, rc.Queue, rc.Consumer = queue, queue, "one"
	es := exporter.Settings{ID: component.NewID(ef.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings()}
	rs := receiver.Settings{ID: component.NewID(rf.Type()),
		TelemetrySettings: componenttest.NewNopTelemetrySettings()}
	came := make(chan string, 2)

	m := pmetric.NewMetrics()
	m.ResourceMetrics().AppendEmpty().ScopeMetrics().AppendEmpty().Metrics().AppendEmpty().
		SetName("requests")
	me, err := ef.CreateMetrics(ctx, es, ec)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, me)
	nextMetrics, err := consumer.NewMetrics(func(_ context.Context, m pmetric.Metrics) error {
		came <- m.ResourceMetrics().At(0).ScopeMetrics().At(0).Metrics().At(0).Name()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	mr, err := rf.CreateMetrics(ctx, rs, rc, nextMetrics)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, mr)
	if err := me.ConsumeMetrics(ctx, m); err != nil {
		t.Fatal(err)
	}
	if got := <-came; got != "requests" {
		t.Errorf("came %q", got)
	}

	tr := ptrace.NewTraces()
	tr.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("GET")
	te, err := ef.CreateTraces(ctx, es, ec)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, te)
	nextTraces, err := consumer.NewTraces(func(_ context.Context, tr ptrace.Traces) error {
		came <- tr.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Name()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	trr, err := rf.CreateTraces(ctx, rs, rc, nextTraces)
	if err != nil {
		t.Fatal(err)
	}
	begin(t, trr)
	if err := te.ConsumeTraces(ctx, tr); err != nil {
		t.Fatal(err)
	}
	if got := <-came; got != "GET" {
		t.Errorf("came %q", got)
	}
}

// TestFull has an exporter wait for room that a receiver makes.
func TestFull(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "{signal}")
	e := export(t, queue, func(c *nerveexporter.Config) { c.MaxBytes, c.Fsync = 1<<20, "never" })
	s := newSink(nil)
	receive(t, queue, "one", s, nil)
	var want []string
	for i := range 40 { // twice of what there is room for
		want = append(want, strings.Repeat(string(rune('a'+i%26)), 50_000))
	}
	send(t, e, want...)
	s.wait(t, want...)
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		change func(*nerveexporter.Config, *nervereceiver.Config)
		want   string
	}{
		{func(e *nerveexporter.Config, _ *nervereceiver.Config) { e.Queue = "" }, "queue is empty"},
		{func(e *nerveexporter.Config, _ *nervereceiver.Config) { e.Queue = "x" }, "{signal}"},
		{func(e *nerveexporter.Config, _ *nervereceiver.Config) { e.Queue = "http://x/{signal}" },
			"nerve:// and nerves://"},
		{func(e *nerveexporter.Config, _ *nervereceiver.Config) { e.Fsync = "often" },
			"use always, interval or never"},
		{func(e *nerveexporter.Config, _ *nervereceiver.Config) { e.WhenFull = "drop_oldest" },
			"use block or refuse"},
		{func(e *nerveexporter.Config, _ *nervereceiver.Config) { e.Compression = "gzip" },
			"use none, s2, zstd or lz4"},
		{func(e *nerveexporter.Config, _ *nervereceiver.Config) { e.MaxBytes = 1 },
			"at least 1048576"},
		{func(_ *nerveexporter.Config, r *nervereceiver.Config) { r.Consumer = "" },
			"consumer is empty"},
		{func(_ *nerveexporter.Config, r *nervereceiver.Config) { r.Consumer = "a/b" }, "a/b"},
		{func(_ *nerveexporter.Config, r *nervereceiver.Config) { r.Start = "now" }, "use oldest"},
		{func(_ *nerveexporter.Config, r *nervereceiver.Config) { r.Workers = 0 }, "at least 1"},
		{func(_ *nerveexporter.Config, r *nervereceiver.Config) { r.DeadLetters = r.Queue },
			"name another one"},
	} {
		e := nerveexporter.NewFactory().CreateDefaultConfig().(*nerveexporter.Config)
		r := nervereceiver.NewFactory().CreateDefaultConfig().(*nervereceiver.Config)
		e.Queue, r.Queue, r.Consumer = "q/{signal}", "q/{signal}", "one"
		if err := errors.Join(e.Validate(), r.Validate()); err != nil {
			t.Fatal(err)
		}
		c.change(e, r)
		err := errors.Join(e.Validate(), r.Validate())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want something of %q", err, c.want)
		}
	}
}
