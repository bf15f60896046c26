package otel

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/octopus-framework/octopus/internal/trace/report"
)

func process() *report.Process {
	d := &report.Call{Func: &report.Func{Name: "main.D"}, Start: 30, End: 40,
		Outcome: report.Failed, Error: "boom", Args: "-2"}
	a := &report.Call{Func: &report.Func{Name: "main.A", File: "a.go", Line: 3}, Start: 20, End: 50,
		Calls: []*report.Call{d}}
	d.Parent = a
	root := &report.Call{Func: &report.Func{Name: "main.main"}, Start: 10, End: 60}
	return &report.Process{Start: time.Unix(100, 0), Goroutines: []*report.Goroutine{
		{ID: 1, Calls: []*report.Call{root}},
		{ID: 7, From: root, Calls: []*report.Call{a}},
	}}
}

func TestExport(t *testing.T) {
	recorder := tracetest.NewSpanRecorder()
	provider := sdk.NewTracerProvider(sdk.WithSpanProcessor(recorder))
	n, err := export(context.Background(), provider.Tracer("test"), Options{},
		[]*report.Process{process()})
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	spans := make(map[string]sdk.ReadOnlySpan)
	for _, s := range recorder.Ended() {
		spans[s.Name()] = s
	}
	root, a, d := spans["main.main"], spans["main.A"], spans["main.D"]
	if root == nil || a == nil || d == nil {
		t.Fatalf("spans: %v", spans)
	}
	if d.Parent().SpanID() != a.SpanContext().SpanID() ||
		d.SpanContext().TraceID() != a.SpanContext().TraceID() {
		t.Error("D is not a child of A")
	}
	if a.Parent().SpanID() != root.SpanContext().SpanID() ||
		a.SpanContext().TraceID() != root.SpanContext().TraceID() {
		t.Errorf("A is not a child of the call that started its goroutine: %v", a.Parent())
	}
	if d.Status().Code != codes.Error || d.Status().Description != "boom" ||
		a.Status().Code != codes.Unset {
		t.Errorf("status of D %v, of A %v", d.Status(), a.Status())
	}
	if start := time.Unix(100, 30); !d.StartTime().Equal(start) || d.EndTime().Sub(start) != 10 {
		t.Errorf("D lasts from %v to %v", d.StartTime(), d.EndTime())
	}
	attributes := make(map[string]string)
	for _, kv := range append(d.Attributes(), a.Attributes()...) {
		attributes[string(kv.Key)] += kv.Value.String() + " "
	}
	if attributes["functrace.arguments"] != "-2 " ||
		attributes["code.function.name"] != "main.D main.A " {
		t.Errorf("attributes %v", attributes)
	}
}

func TestExportLimits(t *testing.T) {
	tracer := sdk.NewTracerProvider().Tracer("test")
	if n, err := export(context.Background(), tracer, Options{MaxSpans: 2},
		[]*report.Process{process()}); n != 2 || !errors.Is(err, ErrLimit) {
		t.Errorf("%d spans, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if n, err := export(ctx, tracer, Options{}, []*report.Process{process()}); n != 0 ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("%d spans, %v", n, err)
	}
}

func TestTraceparent(t *testing.T) {
	if got := Traceparent(context.Background()); got != "" {
		t.Errorf("a context without a span has %q", got)
	}
	ctx, span := sdk.NewTracerProvider().Tracer("test").Start(context.Background(), "x")
	defer span.End()
	want := "00-" + span.SpanContext().TraceID().String() + "-" +
		span.SpanContext().SpanID().String() + "-01"
	if got := Traceparent(ctx); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
