package otlp_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	logsv1 "github.com/octopus-framework/octopus/conformance/otlp/internal/gen/opentelemetry/proto/logs/v1"
	metricsv1 "github.com/octopus-framework/octopus/conformance/otlp/internal/gen/opentelemetry/proto/metrics/v1"
	tracev1 "github.com/octopus-framework/octopus/conformance/otlp/internal/gen/opentelemetry/proto/trace/v1"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
)

// logs makes n log records with everything that OTLP has for them.
func logs(r *rand.Rand, n int) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.SetSchemaUrl("https://example.com/schema")
	rl.Resource().Attributes().PutStr("service.name", "shop")
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName("lib")
	attributes(r, sl.Scope().Attributes())
	for i := range n {
		l := sl.LogRecords().AppendEmpty()
		l.SetTimestamp(pcommon.Timestamp(r.Uint64()))
		l.SetObservedTimestamp(pcommon.Timestamp(r.Uint64()))
		l.SetSeverityNumber(plog.SeverityNumber(i % 25))
		l.SetSeverityText("Info")
		l.SetFlags(plog.LogRecordFlags(r.Uint32()))
		l.SetDroppedAttributesCount(uint32(i))
		l.SetEventName("paid")
		if i%3 > 0 {
			l.SetTraceID(traceID(r))
			l.SetSpanID(spanID(r))
		}
		attributes(r, l.Attributes())
		switch i % 4 {
		case 0:
			l.Body().SetStr("said \"hello\" to \u65e5\u672c")
		case 1:
			attributes(r, l.Body().SetEmptyMap())
		case 2:
			l.Body().SetEmptyBytes().FromRaw([]byte{0xff, 0})
		}
	}
	return ld
}

// metrics makes n metrics of each kind.
func metrics(r *rand.Rand, n int) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.SetSchemaUrl("https://example.com/schema")
	rm.Resource().Attributes().PutStr("service.name", "shop")
	sm := rm.ScopeMetrics().AppendEmpty()
	sm.Scope().SetName("lib")
	metric := func(name string) pmetric.Metric {
		m := sm.Metrics().AppendEmpty()
		m.SetName(name)
		m.SetUnit("By")
		m.SetDescription("how much")
		m.Metadata().PutStr("from", "test")
		return m
	}
	now := func() pcommon.Timestamp { return pcommon.Timestamp(r.Uint64()) }
	exemplar := func(list pmetric.ExemplarSlice, i int) {
		e := list.AppendEmpty()
		e.SetTimestamp(now())
		e.SetTraceID(traceID(r))
		e.SetSpanID(spanID(r))
		attributes(r, e.FilteredAttributes())
		if i%2 == 0 {
			e.SetIntValue(-int64(r.Uint64() >> 1))
		} else {
			e.SetDoubleValue(r.NormFloat64())
		}
	}
	number := func(list pmetric.NumberDataPointSlice, i int) {
		p := list.AppendEmpty()
		p.SetStartTimestamp(now())
		p.SetTimestamp(now())
		p.SetFlags(pmetric.DataPointFlags(i % 2))
		attributes(r, p.Attributes())
		exemplar(p.Exemplars(), i)
		switch i % 3 {
		case 0:
			p.SetIntValue(math.MinInt64 + int64(i))
		case 1:
			p.SetDoubleValue(math.Inf(1 - 2*(i%2)))
		}
	}
	for i := range n {
		number(metric("gauge").SetEmptyGauge().DataPoints(), i)
		sum := metric("sum").SetEmptySum()
		sum.SetIsMonotonic(i%2 == 0)
		sum.SetAggregationTemporality(pmetric.AggregationTemporality(i % 3))
		number(sum.DataPoints(), i+1)

		hs := metric("histogram").SetEmptyHistogram()
		hs.SetAggregationTemporality(pmetric.AggregationTemporalityDelta)
		h := hs.DataPoints().AppendEmpty()
		h.SetTimestamp(now())
		h.SetCount(r.Uint64())
		h.BucketCounts().FromRaw([]uint64{0, r.Uint64(), math.MaxUint64})
		h.ExplicitBounds().FromRaw([]float64{-1, 0.1})
		exemplar(h.Exemplars(), i)
		if i%2 == 0 {
			h.SetSum(0) // is there, and zero
			h.SetMin(-0.5)
			h.SetMax(math.Inf(1))
		}

		es := metric("exponential").SetEmptyExponentialHistogram()
		es.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
		e := es.DataPoints().AppendEmpty()
		e.SetStartTimestamp(now())
		e.SetCount(3)
		e.SetScale(int32(-i))
		e.SetZeroCount(1)
		e.SetZeroThreshold(1e-9)
		e.SetSum(r.NormFloat64())
		e.Positive().SetOffset(-7)
		e.Positive().BucketCounts().FromRaw([]uint64{1, math.MaxUint64})
		e.Negative().BucketCounts().FromRaw([]uint64{2})
		exemplar(e.Exemplars(), i)

		s := metric("summary").SetEmptySummary().DataPoints().AppendEmpty()
		s.SetCount(r.Uint64())
		s.SetSum(r.NormFloat64())
		q := s.QuantileValues().AppendEmpty()
		q.SetQuantile(0.99)
		q.SetValue(float64(i))
	}
	return md
}

// message is a generated Message or Reader, as far as the signals below need it.
type message interface {
	gremlin.Message
	Unmarshal([]byte) error
	UnmarshalJSON([]byte) error
	AppendJSON([]byte, json.Options) ([]byte, error)
}

type reader interface {
	Unmarshal([]byte) error
	AppendJSON([]byte, json.Options) ([]byte, error)
}

// signal is one kind of what OTLP sends: what the collector writes for the same data, how it reads
// JSON, again as its binary form, and our types.
type signal struct {
	binary, text []byte
	fromJSON     func(text []byte) (binary []byte, err error)
	message      func() message
	reader       reader
	toWire       func(dst, text []byte, o json.Options) ([]byte, error)
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func signals(seed uint64) map[string]signal {
	r := rand.New(rand.NewPCG(seed, 1))
	td, ld, md := traces(r, 50), logs(r, 50), metrics(r, 12)
	return map[string]signal{
		"traces": {
			binary: must(new(ptrace.ProtoMarshaler).MarshalTraces(td)),
			text:   must(new(ptrace.JSONMarshaler).MarshalTraces(td)),
			fromJSON: func(text []byte) ([]byte, error) {
				td, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(text)
				if err != nil {
					return nil, err
				}
				return new(ptrace.ProtoMarshaler).MarshalTraces(td)
			},
			message: func() message { return new(tracev1.TracesData) },
			reader:  tracev1.NewTracesDataReader(), toWire: tracev1.TracesData_JSONToWire,
		},
		"logs": {
			binary: must(new(plog.ProtoMarshaler).MarshalLogs(ld)),
			text:   must(new(plog.JSONMarshaler).MarshalLogs(ld)),
			fromJSON: func(text []byte) ([]byte, error) {
				ld, err := new(plog.JSONUnmarshaler).UnmarshalLogs(text)
				if err != nil {
					return nil, err
				}
				return new(plog.ProtoMarshaler).MarshalLogs(ld)
			},
			message: func() message { return new(logsv1.LogsData) },
			reader:  logsv1.NewLogsDataReader(), toWire: logsv1.LogsData_JSONToWire,
		},
		"metrics": {
			binary: must(new(pmetric.ProtoMarshaler).MarshalMetrics(md)),
			text:   must(new(pmetric.JSONMarshaler).MarshalMetrics(md)),
			fromJSON: func(text []byte) ([]byte, error) {
				md, err := new(pmetric.JSONUnmarshaler).UnmarshalMetrics(text)
				if err != nil {
					return nil, err
				}
				return new(pmetric.ProtoMarshaler).MarshalMetrics(md)
			},
			message: func() message { return new(metricsv1.MetricsData) },
			reader:  metricsv1.NewMetricsDataReader(), toWire: metricsv1.MetricsData_JSONToWire,
		},
	}
}

// TestFromTheCollector: its JSON says the same as its binary form, and that has nothing that our
// schema does not know.
func TestFromTheCollector(t *testing.T) {
	for name, s := range signals(1) {
		want, got, direct := s.message(), s.message(), s.message()
		if err := want.Unmarshal(s.binary); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		known := gremlin.TextOptions{}.Append(nil, want)
		if !bytes.Equal(gremlin.TextOptions{Unknown: true}.Append(nil, want), known) {
			t.Errorf("%s: the collector has fields that the schema does not", name)
		}
		if err := got.UnmarshalJSON(s.text); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := gremlin.Diff(want, got); d != "" {
			t.Errorf("%s: the collector's JSON and its binary form differ: %s", name, d)
		}
		wire, err := s.toWire(nil, s.text, json.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := direct.Unmarshal(wire); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := gremlin.Diff(want, direct); d != "" {
			t.Errorf("%s: JSON to bytes differs: %s", name, d)
		}
	}
}

// TestToTheCollector: it reads from our JSON what it has written itself.
func TestToTheCollector(t *testing.T) {
	for name, s := range signals(3) {
		m := s.message()
		if err := m.Unmarshal(s.binary); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := s.reader.Unmarshal(s.binary); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for from, write := range map[string]func([]byte, json.Options) ([]byte, error){
			"message": m.AppendJSON, "reader": s.reader.AppendJSON} {
			text, err := write(nil, json.Options{EnumNumbers: true})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if got, err := s.fromJSON(text); err != nil {
				t.Errorf("%s from a %s: the collector refuses: %v", name, from, err)
			} else if !bytes.Equal(got, s.binary) {
				t.Errorf("%s from a %s: the collector reads something else", name, from)
			}
		}
	}
}
