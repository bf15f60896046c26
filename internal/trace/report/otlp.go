package report

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/internal/trace/report/otlp"
)

// spansAtOnce is how many spans are encoded together.
const spansAtOnce = 512

// writeOTLP writes OpenTelemetry's TracesData, which a collector takes at /v1/traces: a span for
// each call, whose parent is its caller or the call that started its goroutine. A call that neither
// has begins a trace, unless the recording has the id of the trace that its request belongs to. All
// ids are made of the recording, so that they are the same each time. TracesData may be written in
// pieces, and is.
func writeOTLP(b *bufio.Writer, procs []*Process) error {
	for _, p := range procs {
		w := otlpWriter{b: b, p: p, spans: make(map[*Call]spanID)}
		w.seed = sha256.Sum256([]byte(p.Start.UTC().Format(time.RFC3339Nano) + p.Program))
		for _, g := range p.Goroutines {
			for _, c := range g.Calls {
				w.call(c, w.parentOf(g, c))
			}
		}
		if err := w.flush(); err != nil {
			return err
		}
	}
	return nil
}

// spanID is a span with the trace that it belongs to.
type spanID struct{ trace, span []byte }

type otlpWriter struct {
	b     *bufio.Writer
	p     *Process
	seed  [32]byte
	made  uint64           // ids
	spans map[*Call]spanID // spans of calls that were written, or started goroutines
	batch []otlp.Span
	err   error
}

// id makes an id of n bytes.
func (w *otlpWriter) id(n int) []byte {
	w.made++
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(w.seed[:], w.made))
	return sum[:n]
}

// of returns the ids of the span of a call.
func (w *otlpWriter) of(c *Call, parent spanID) spanID {
	s, ok := w.spans[c]
	if !ok {
		parent = c.remote(parent)
		s = spanID{parent.trace, w.id(8)}
		if s.trace == nil {
			s.trace = w.id(16)
		}
		w.spans[c] = s
	}
	return s
}

// remote returns the span in another process that the request of c comes from, or else the parent.
func (c *Call) remote(parent spanID) spanID {
	if s := c.request(); s.trace != nil {
		return s
	}
	return parent
}

// request is what the traceparent of c says, which anybody may have sent: nothing if it is not one.
func (c *Call) request() spanID {
	parts := strings.Split(c.Trace, "-")
	if len(parts) < 4 || len(parts[1]) != 32 || len(parts[2]) != 16 {
		return spanID{}
	}
	trace, err := hex.DecodeString(parts[1])
	span, err2 := hex.DecodeString(parts[2])
	if err != nil || err2 != nil {
		return spanID{}
	}
	return spanID{trace, span}
}

// traceID is the id of the trace that c belongs to, in hex; "" if it is not known.
func (c *Call) traceID() string { return hex.EncodeToString(c.request().trace) }

// parentOf returns the span of the call that started the goroutine of a root call. That call may
// stand in a goroutine that is not written yet.
func (w *otlpWriter) parentOf(g *Goroutine, c *Call) spanID {
	if g.From == nil {
		return spanID{}
	}
	return w.find(g.FromGoroutine, g.From, MaxGoroutineLinks)
}

// find returns the span of a call, and makes those of the calls that lead to it.
func (w *otlpWriter) find(g *Goroutine, c *Call, links int) spanID {
	if s, ok := w.spans[c]; ok {
		return s
	}
	var parent spanID
	switch {
	case c.Parent != nil:
		parent = w.find(g, c.Parent, links)
	case g.From != nil && links > 0:
		parent = w.find(g.FromGoroutine, g.From, links-1)
	}
	return w.of(c, parent)
}

// call writes a call and those in it; its depth is that of the recorded calls.
func (w *otlpWriter) call(c *Call, parent spanID) {
	s := w.of(c, parent)
	parent = c.remote(parent)
	begin := w.p.Start.UnixNano()
	span := otlp.Span{TraceId: s.trace, SpanId: s.span, ParentSpanId: parent.span,
		Name: c.Func.Name, Kind: otlp.Span_SPAN_KIND_INTERNAL,
		StartTimeUnixNano: uint64(begin + int64(c.Start)),
		EndTimeUnixNano:   uint64(begin + int64(c.End)),
		Attributes: []otlp.KeyValue{textAttribute("code.function.name", c.Func.Name),
			textAttribute("code.file.path", c.Func.File),
			numberAttribute("code.line.number", int64(c.Func.Line))}}
	for _, note := range c.notes() {
		span.Attributes = append(span.Attributes, textAttribute("functrace."+note.name, note.text))
	}
	if c.Outcome.Bad() {
		span.Status = &otlp.Status{Code: otlp.Status_STATUS_CODE_ERROR, Message: c.Error}
	}
	if w.batch = append(w.batch, span); len(w.batch) == spansAtOnce {
		if err := w.flush(); err != nil {
			w.err = err
		}
	}
	for _, inner := range c.Calls {
		w.call(inner, s)
	}
}

// flush writes the spans that wait.
func (w *otlpWriter) flush() error {
	if len(w.batch) == 0 || w.err != nil {
		return w.err
	}
	data := otlp.TracesData{ResourceSpans: []otlp.ResourceSpans{{
		Resource: &otlp.Resource{Attributes: []otlp.KeyValue{
			textAttribute("service.name", w.p.Program),
			numberAttribute("process.pid", int64(w.p.PID))}},
		ScopeSpans: []otlp.ScopeSpans{{Scope: &otlp.Scope{Name: "functrace"}, Spans: w.batch}},
	}}}
	_, err := w.b.Write(data.Marshal())
	w.batch = w.batch[:0]
	return err
}

func textAttribute(key, value string) otlp.KeyValue {
	return otlp.KeyValue{Key: key, Value: &otlp.AnyValue{Value: &otlp.AnyValue_StringValue{
		StringValue: value}}}
}

func numberAttribute(key string, value int64) otlp.KeyValue {
	return otlp.KeyValue{Key: key, Value: &otlp.AnyValue{Value: &otlp.AnyValue_IntValue{
		IntValue: value}}}
}
