// Package otlp_test holds JSON with hex digits for ids to the collector's own reading and writing
// of OTLP/JSON.
package otlp_test

import (
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

func traceID(r *rand.Rand) (id pcommon.TraceID) {
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	return id
}

func spanID(r *rand.Rand) (id pcommon.SpanID) {
	for i := range id {
		id[i] = byte(r.Uint32())
	}
	return id
}

// attributes adds a value of each kind.
func attributes(r *rand.Rand, a pcommon.Map) {
	a.PutInt("int", -int64(r.Uint64()>>1))
	a.PutDouble("double", r.NormFloat64())
	a.PutBool("bool", true)
	a.PutEmptyBytes("bytes").FromRaw([]byte{0xfb, 0xff, byte(r.Uint32())}) // stays base64
	a.PutEmptySlice("list").AppendEmpty().SetStr("x")
	a.PutEmptyMap("map").PutStr("k", "v")
}

// traces makes traces of n spans with everything that OTLP has for them.
func traces(r *rand.Rand, n int) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.SetSchemaUrl("https://example.com/schema")
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("lib")
	ss.Scope().SetVersion("1.2")
	for i := range n {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(traceID(r))
		s.SetSpanID(spanID(r))
		if i%2 == 1 {
			s.SetParentSpanID(spanID(r))
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
		attributes(r, s.Attributes())
		e := s.Events().AppendEmpty()
		e.SetName("event")
		e.SetTimestamp(pcommon.Timestamp(r.Uint64()))
		l := s.Links().AppendEmpty()
		l.SetTraceID(traceID(r))
		l.SetSpanID(spanID(r))
	}
	return td
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
