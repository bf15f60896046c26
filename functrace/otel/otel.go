// Package otel turns recorded chains of calls into OpenTelemetry spans: one span for each call,
// with the times of the recording, whose parent is its caller or the call that started its
// goroutine; a call that has neither begins a trace. It is a module of its own, so that only its
// users depend on OpenTelemetry.
package otel

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/octopus-framework/octopus/internal/trace/report"
)

// The attributes of a span. The code ones are those of the semantic conventions.
const (
	FunctionName = attribute.Key("code.function.name")
	FilePath     = attribute.Key("code.file.path")
	LineNumber   = attribute.Key("code.line.number")
	GoroutineID  = attribute.Key("functrace.goroutine")
	Arguments    = attribute.Key("functrace.arguments")
	Outcome      = attribute.Key("functrace.outcome")
)

// Traceparent returns the traceparent of the span in a context, "" if there is none. It is for
// functrace.SetTraceparent.
func Traceparent(ctx context.Context) string {
	s := trace.SpanContextFromContext(ctx)
	if !s.IsValid() {
		return ""
	}
	return "00-" + s.TraceID().String() + "-" + s.SpanID().String() + "-" + s.TraceFlags().String()
}

// Options choose what is exported. The zero value exports everything.
type Options struct {
	// MaxSpans bounds the number of spans; 0 means DefaultMaxSpans. Calls above it are left out.
	MaxSpans int
}

// DefaultMaxSpans bounds an export unless Options say otherwise.
const DefaultMaxSpans = 1_000_000

// ErrLimit says that MaxSpans was reached.
var ErrLimit = errors.New("functrace: the limit of spans was reached, calls were left out")

// Export reads recordings and makes spans of all calls in them, with a tracer of the caller, who
// also flushes its provider. Paths name files, each with the recording of one process or several in
// a row, or folders of files named *.functrace. Export stops early when ctx is done and returns the
// number of spans it made.
func Export(ctx context.Context, tracer trace.Tracer, o Options,
	paths ...string) (spans int, err error) {
	procs, err := report.ReadFiles(paths...)
	if err != nil {
		return 0, err
	}
	return export(ctx, tracer, o, procs)
}

// export makes the spans of processes.
func export(ctx context.Context, tracer trace.Tracer, o Options,
	procs []*report.Process) (spans int, err error) {
	e := &exporter{tracer: tracer, left: o.MaxSpans, made: make(map[*report.Call]trace.SpanContext)}
	if e.left <= 0 {
		e.left = DefaultMaxSpans
	}
	limit := e.left
	for _, p := range procs {
		for _, g := range p.Goroutines {
			for _, c := range g.Calls {
				if err := e.call(ctx, p, g, c); err != nil {
					return limit - e.left, err
				}
			}
		}
	}
	return limit - e.left, nil
}

type exporter struct {
	tracer trace.Tracer
	left   int
	made   map[*report.Call]trace.SpanContext
}

// call makes the span of a call and those inside it; its depth is that of the recorded calls.
func (e *exporter) call(ctx context.Context, p *report.Process, g *report.Goroutine,
	c *report.Call) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if e.left == 0 {
		return ErrLimit
	}
	e.left--
	options := []trace.SpanStartOption{
		trace.WithTimestamp(p.Start.Add(c.Start)),
		trace.WithAttributes(FunctionName.String(c.Func.Name), FilePath.String(c.Func.File),
			LineNumber.Int(c.Func.Line),
			GoroutineID.Int64(int64(g.ID)), Outcome.String(c.Outcome.String())),
	}
	if c.Parent == nil {
		if from, ok := e.made[g.From]; ok {
			ctx = trace.ContextWithSpanContext(ctx, from)
		} else {
			options = append(options, trace.WithNewRoot())
		}
	}
	if c.Args != "" {
		options = append(options, trace.WithAttributes(Arguments.String(c.Args)))
	}
	inner, span := e.tracer.Start(ctx, c.Func.Name, options...)
	e.made[c] = span.SpanContext()
	if c.Outcome.Bad() {
		span.SetStatus(codes.Error, c.Error)
	}
	var err error
	for _, i := range c.Calls {
		if err = e.call(inner, p, g, i); err != nil {
			break
		}
	}
	span.End(trace.WithTimestamp(p.Start.Add(c.End)))
	return err
}
