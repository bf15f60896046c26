// Package otlp_test holds JSON with hex digits for ids to the collector's own reading and writing
// of OTLP/JSON.
package otlp_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	tracev1 "github.com/octopus-framework/octopus/conformance/otlp/internal/gen/opentelemetry/proto/trace/v1"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/json"
)

// traces makes traces of n spans with everything that OTLP has for them.
func traces(r *rand.Rand, n int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.SetSchemaUrl("https://example.com/schema")
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("lib")
	ss.Scope().SetVersion("1.2")
	traceID := func() (id pcommon.TraceID) {
		for i := range id {
			id[i] = byte(r.Uint32())
		}
		return id
	}
	spanID := func() (id pcommon.SpanID) {
		for i := range id {
			id[i] = byte(r.Uint32())
		}
		return id
	}
	for i := range n {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(traceID())
		s.SetSpanID(spanID())
		if i%2 == 1 {
			s.SetParentSpanID(spanID())
		}
		s.SetName(fmt.Sprintf("GET /%d", i))
		s.SetKind(ptrace.SpanKind(i % 6))
		s.SetStartTimestamp(pcommon.Timestamp(r.Uint64()))
		s.SetEndTimestamp(pcommon.Timestamp(r.Uint64()))
		s.TraceState().FromRaw("a=b")
		s.SetFlags(r.Uint32())
		s.Status().SetCode(ptrace.StatusCode(i % 3))
		s.Status().SetMessage("why")
		s.SetDroppedAttributesCount(uint32(i))
		a := s.Attributes()
		a.PutInt("int", -int64(r.Uint64()>>1))
		a.PutDouble("double", r.NormFloat64())
		a.PutBool("bool", true)
		a.PutEmptyBytes("bytes").FromRaw([]byte{0xfb, 0xff, byte(i)}) // stays base64
		a.PutEmptySlice("list").AppendEmpty().SetStr("x")
		a.PutEmptyMap("map").PutStr("k", "v")
		e := s.Events().AppendEmpty()
		e.SetName("event")
		e.SetTimestamp(pcommon.Timestamp(r.Uint64()))
		l := s.Links().AppendEmpty()
		l.SetTraceID(traceID())
		l.SetSpanID(spanID())
	}
	return td
}

// encoding returns what the collector sends of td in binary.
func encoding(t *testing.T, td ptrace.Traces) []byte {
	t.Helper()
	b, err := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFromTheCollector(t *testing.T) {
	td := traces(rand.New(rand.NewPCG(1, 2)), 50)
	text, err := new(ptrace.JSONMarshaler).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	var want, got tracev1.TracesData
	if err := want.Unmarshal(encoding(t, td)); err != nil {
		t.Fatal(err)
	}
	if err := got.UnmarshalJSON(text); err != nil {
		t.Fatal(err)
	}
	if d := gremlin.Diff(&want, &got); d != "" {
		t.Errorf("the collector's JSON and its binary form differ: %s", d)
	}
	wire, err := tracev1.TracesData_JSONToWire(nil, text, json.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var direct tracev1.TracesData
	if err := direct.Unmarshal(wire); err != nil {
		t.Fatal(err)
	}
	if d := gremlin.Diff(&want, &direct); d != "" {
		t.Errorf("JSON to bytes differs: %s", d)
	}
	if id := got.ResourceSpans[0].ScopeSpans[0].Spans[0].TraceId; len(id) != 16 {
		t.Errorf("a trace id has %d bytes", len(id))
	}
}

func TestToTheCollector(t *testing.T) {
	td := traces(rand.New(rand.NewPCG(3, 4)), 50)
	want := encoding(t, td)
	var m tracev1.TracesData
	if err := m.Unmarshal(want); err != nil {
		t.Fatal(err)
	}
	r := tracev1.NewTracesDataReader()
	if err := r.Unmarshal(want); err != nil {
		t.Fatal(err)
	}
	o := json.Options{EnumNumbers: true}
	for name, write := range map[string]func([]byte, json.Options) ([]byte, error){
		"message": m.AppendJSON, "reader": r.AppendJSON} {
		text, err := write(nil, o)
		if err != nil {
			t.Fatal(err)
		}
		back, err := new(ptrace.JSONUnmarshaler).UnmarshalTraces(text)
		if err != nil {
			t.Fatalf("%s: the collector refuses: %v", name, err)
		}
		if got := encoding(t, back); !bytes.Equal(got, want) {
			t.Errorf("%s: the collector reads something else", name)
		}
	}
}

// TestBadIDs checks that what is not hex is refused, with its path, and not read as base64.
func TestBadIDs(t *testing.T) {
	for text, why := range map[string]string{
		`"AAAAAAAAAAAAAAAAAAAAAA=="`: "not hex digits", `"abc"`: "an odd number of hex digits",
		`"0g"`: "not hex digits", `"@@"`: "not hex digits", `"é"`: "not hex digits", `17`: "",
	} {
		line := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":` + text + `}]}]}]}`
		var m tracev1.TracesData
		err := m.UnmarshalJSON([]byte(line))
		var e *gremlin.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), why) ||
			!strings.Contains(err.Error(), "traceId") {
			t.Errorf("%s: %v", text, err)
		}
		_, wireErr := tracev1.TracesData_JSONToWire(nil, []byte(line), json.Options{})
		if wireErr == nil || wireErr.Error() != err.Error() {
			t.Errorf("%s: %v, to bytes %v", text, err, wireErr)
		}
	}
	for _, text := range []string{`"00fF"`, `""`, `null`} {
		var m tracev1.Span
		if err := m.UnmarshalJSON([]byte(`{"spanId":` + text + `}`)); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if text == `"00fF"` && string(m.SpanId) != "\x00\xff" {
			t.Errorf("%s is %q", text, m.SpanId)
		}
	}
}
