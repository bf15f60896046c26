package gremlinconnect_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"connectrpc.com/connect/v2"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect"
	"github.com/octopus-framework/octopus/gremlin/gremlinconnect/internal/shop"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

var codecs = []connect.StableCodec{gremlinconnect.NewCodec(nil), gremlinconnect.NewJSONCodec(nil)}

func decode(c connect.Codec, text string, v any) error {
	return c.UnmarshalRead(context.Background(), bytes.NewBufferString(text), v)
}

func encode(t *testing.T, c connect.Codec, v any) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.MarshalWrite(t.Context(), &b, v); err != nil {
		t.Errorf("%s of %T: %v", c.Name(), v, err)
	}
	return b.String()
}

// TestForeign hands messages of protobuf-go to connect's codecs.
func TestForeign(t *testing.T) {
	for _, c := range codecs {
		var got durationpb.Duration
		if err := decode(c, encode(t, c, durationpb.New(90e9)), &got); err != nil ||
			got.Seconds != 90 {
			t.Errorf("%s: %v, %v", c.Name(), &got, err)
		}
		if err := c.MarshalWrite(t.Context(), io.Discard, 7); err == nil {
			t.Errorf("%s sends a number", c.Name())
		}
	}
}

// TestRoundTrip sends Messages and Readers and reads them as both, from buffers and other readers.
func TestRoundTrip(t *testing.T) {
	m := shop.Deposit{Id: "7", Amount: -3, User: &shop.User{Id: "é"}}
	var sent shop.DepositReader
	if err := sent.Unmarshal(m.Marshal()); err != nil {
		t.Fatal(err)
	}
	for _, c := range codecs {
		for _, v := range []any{&m, &sent} {
			text := encode(t, c, v)
			for _, src := range []io.Reader{bytes.NewBufferString(text),
				iotest.OneByteReader(strings.NewReader(text))} {
				var r shop.DepositReader
				if err := c.UnmarshalRead(t.Context(), src, &r); err != nil ||
					r.GetAmount() != -3 || r.GetUser().GetId() != "é" {
					t.Errorf("%s of %T: %v, %v", c.Name(), v, &r, err)
				}
			}
			var back shop.Deposit
			if err := decode(c, text, &back); err != nil ||
				!bytes.Equal(back.Marshal(), m.Marshal()) {
				t.Errorf("%s of %T: %v, %v", c.Name(), v, &back, err)
			}
		}
		if err := c.UnmarshalRead(t.Context(), iotest.ErrReader(io.ErrUnexpectedEOF),
			&sent); err != io.ErrUnexpectedEOF {
			t.Errorf("%s: an error of reading became %v", c.Name(), err)
		}
		for _, empty := range []any{(*shop.Deposit)(nil), (*shop.DepositReader)(nil)} {
			if got := encode(t, c, empty); got != "" && got != "{}" {
				t.Errorf("%s of a nil %T: %q", c.Name(), empty, got)
			}
		}
	}
}

// TestOwns changes the buffer that a Reader came from, as connect does when it uses it for the next
// message.
func TestOwns(t *testing.T) {
	m := shop.Deposit{Id: "seven"}
	for _, c := range codecs {
		text := []byte(encode(t, c, &m))
		var r shop.DepositReader
		if err := c.UnmarshalRead(t.Context(), bytes.NewBuffer(text), &r); err != nil {
			t.Fatal(err)
		}
		id := r.GetId()
		for i := range text {
			text[i] = 'x'
		}
		if id != "seven" || r.GetId() != "seven" {
			t.Errorf("%s: the Reader reads %q from a buffer of connect", c.Name(), id)
		}
	}
}

// TestStable encodes a map again and again.
func TestStable(t *testing.T) {
	m := shop.GetRequest{Tags: map[string]int64{}}
	for i := range int64(50) {
		m.Tags[strings.Repeat("k", int(i))] = i
	}
	for _, c := range codecs {
		var first bytes.Buffer
		for range 20 {
			var b bytes.Buffer
			if err := c.MarshalWriteStable(t.Context(), &b, &m); err != nil {
				t.Fatal(err)
			}
			if first.Len() == 0 {
				first = b
			}
			if b.String() != first.String() {
				t.Fatalf("%s: two encodings of one message", c.Name())
			}
		}
		if c.IsBinary() != (c.Name() == "proto") {
			t.Errorf("%s: binary is %t", c.Name(), c.IsBinary())
		}
	}
}

// TestChecks sends nested messages that are malformed.
func TestChecks(t *testing.T) {
	const nested = "\x1a\x03\x0a\x05a" // user is cut off
	deep, shallow := gremlinconnect.NewCodec(nil),
		gremlinconnect.NewCodec(nil, gremlinconnect.WithShallow())
	var r shop.DepositReader
	if err := decode(deep, nested, &r); err == nil || !strings.Contains(err.Error(), "user") ||
		len(r.Raw()) != 0 {
		t.Errorf("deep: %v, %q left", err, r.Raw())
	}
	if err := decode(shallow, nested, &r); err != nil || r.CheckEncoding() == nil {
		t.Errorf("shallow: %v", err)
	}
	var m shop.Deposit
	if err := decode(shallow, nested, &m); err == nil || m.User != nil {
		t.Errorf("a Message: %v, %v", err, &m)
	}
	limited := gremlinconnect.NewCodec(nil, gremlinconnect.WithMemoryLimit(10))
	if err := decode(limited, "\x0a\x20"+strings.Repeat("x", 32), &m); err == nil {
		t.Error("a Message beyond the limit is read")
	}
	var broken shop.DepositReader
	_ = broken.Unmarshal([]byte("\x0a\x05a"))
	for _, c := range codecs {
		if err := c.MarshalWrite(t.Context(), io.Discard, &broken); err == nil ||
			!strings.Contains(err.Error(), "cannot be sent") {
			t.Errorf("%s: a malformed Reader is sent: %v", c.Name(), err)
		}
	}
}

// TestTypes writes and reads an Any whose type is named, and one whose type is not.
func TestTypes(t *testing.T) {
	named := gremlinconnect.NewJSONCodec(nil,
		gremlinconnect.WithTypes(&gremlin.Types{Messages: []gremlin.Type{(*shop.Deposit)(nil)}}))
	a := wkt.Any{TypeUrl: "type.googleapis.com/shop.v1.Deposit",
		Value: (&shop.Deposit{Id: "7"}).Marshal()}
	const want = `{"@type":"type.googleapis.com/shop.v1.Deposit","id":"7"}`
	if got := encode(t, named, &a); got != want {
		t.Error(got)
	}
	var r wkt.AnyReader
	if err := decode(named, want, &r); err != nil || r.GetTypeUrl() != a.TypeUrl {
		t.Errorf("%v, %v", &r, err)
	}
	if err := gremlinconnect.NewJSONCodec(nil).MarshalWrite(t.Context(), io.Discard,
		&a); err == nil || !strings.Contains(err.Error(), "shop.v1.Deposit") {
		t.Errorf("an unknown type is written: %v", err)
	}
}

// TestVerdicts compares what is accepted and what comes out with connect's codecs, which serve
// protobuf-go's types of the same schema.
func TestVerdicts(t *testing.T) {
	for _, text := range []string{`{}`, ``, `null`, `[]`, `{"fields": {"a": null}}`, `{"a": 1}`,
		`{"a": {"b": [1, "x", true, null]}}`,
		`{"a": 1, "a": 2}`, `{"a": 1}{}`, `{"a": NaN}`, ` {"\u00e9": 1e400}`, `{"a": "\ud800"}`} {
		var want structpb.Struct
		var got wkt.StructReader
		foreign, ours := decode(codecs[1], text, &want), decode(codecs[1], text, &got)
		if (foreign == nil) != (ours == nil) {
			t.Errorf("%q: connect's codec says %v, this one %v", text, foreign, ours)
		} else if ours == nil {
			var back structpb.Struct
			if err := decode(codecs[0], string(got.Raw()), &back); err != nil ||
				back.String() != want.String() {
				t.Errorf("%q: %v, not %v; %v", text, &back, &want, err)
			}
		}
	}
	for _, text := range []string{"", "\x0a\x01a", "\x0a\x01\xff", "\x0a\x02a", "\x12\x00",
		"\x13\x14", "\x13", "\x0a\x01a\x12\x02\x08\x01", "\x00\x00", "\x07"} {
		var want anypb.Any
		var got wkt.AnyReader
		if foreign, ours := decode(codecs[0], text, &want),
			decode(codecs[0], text, &got); (foreign == nil) != (ours == nil) {
			t.Errorf("%q: connect's codec says %v, this one %v", text, foreign, ours)
		}
	}
}
