package rt_test

import (
	stdjson "encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// TestDoubles compares with encoding/json, which writes the same form.
func TestDoubles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(v float64) {
		t.Helper()
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		for _, v := range []float64{v, -v} {
			want, _ := stdjson.Marshal(v)
			got, err := (&wkt.DoubleValue{Value: v}).MarshalJSON()
			if err != nil || string(got) != string(want) {
				t.Fatalf("%s, want %s (%v)", got, want, err)
			}
			var back wkt.DoubleValue
			if err := back.UnmarshalJSON(got); err != nil ||
				math.Float64bits(back.Value) != math.Float64bits(v) {
				t.Fatalf("%s is read as %v (%v)", got, back.Value, err)
			}
			f := float32(v)
			want, _ = stdjson.Marshal(f)
			got, err = (&wkt.FloatValue{Value: f}).MarshalJSON()
			if !math.IsInf(float64(f), 0) && (err != nil || string(got) != string(want)) {
				t.Fatalf("%s, want %s (%v)", got, want, err)
			}
			var single wkt.FloatValue
			if err := single.UnmarshalJSON(got); err != nil ||
				math.Float32bits(single.Value) != math.Float32bits(f) {
				t.Fatalf("%s is read as %v (%v)", got, single.Value, err)
			}
		}
	}
	for range 50_000 {
		check(math.Float64frombits(rng.Uint64()))
		check(rng.NormFloat64() * 1000)
		check(float64(rng.Int64N(1e15)) / math.Pow10(rng.IntN(20)))
		check(float64(rng.Int64()))
	}
	for exp := -330; exp < 310; exp++ {
		v, _ := strconv.ParseFloat("1e"+strconv.Itoa(exp), 64)
		check(v)
		check(math.Nextafter(v, 0))
		check(math.Nextafter(v, math.Inf(1)))
	}
	for _, v := range []float64{0, 5e-324, math.MaxFloat64, 1 << 24, 1<<24 + 1, 1 << 53, 1<<53 + 2,
		999999999999999, 1e15, 1e-6, 9.999999e-7} {
		check(v)
	}
}

func TestSixDigits(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", -1.5: "-1.5", 123456: "123456",
		1234567: "1234570", 0.1 + 0.2: "0.3", 1.0 / 3: "0.333333",
		2.0 / 3e8: "6.66667e-9", 999999.5: "1000000", 0.9999996: "1", 1e300: "1e+300",
		1.23456789e-300: "1.23457e-300", 52.520008: "52.52",
		1e21: "1e+21", 1.234567e20: "123457000000000000000", math.MaxFloat64: "1.79769e+308",
		5e-324: "4.94066e-324"} {
		got, err := jsonrt.Append(nil, &wkt.DoubleValue{Value: v}, jsonrt.Options{SixDigits: true})
		if err != nil || string(got) != want {
			t.Errorf("%v: %s, want %s (%v)", v, got, want, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		v := rng.ExpFloat64() * math.Pow10(rng.IntN(40)-20)
		text, _ := jsonrt.Append(nil, &wkt.DoubleValue{Value: v}, jsonrt.Options{SixDigits: true})
		back, err := strconv.ParseFloat(string(text), 64)
		if err != nil || math.Abs(back-v) > v*5.0001e-6 {
			t.Fatalf("%v is written as %s", v, text)
		}
	}
}

func TestIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 30_000 {
		v := rng.Uint64() >> rng.IntN(64)
		if i < 2000 {
			v = uint64(math.Pow10(i%20)) + uint64(i/20) - 50
		}
		if got, _ := (&wkt.UInt64Value{Value: v}).MarshalJSON(); string(got) != `"`+
			strconv.FormatUint(v, 10)+`"` {
			t.Fatalf("%d is written as %s", v, got)
		}
		if got,
			_ := (&wkt.Int32Value{Value: int32(v)}).MarshalJSON(); string(got) != strconv.Itoa(
			int(int32(v))) {
			t.Fatalf("%d is written as %s", int32(v), got)
		}
	}
	for text, want := range map[string]int64{`1e5`: 100000, `1.5e1`: 15, `"-12"`: -12, `100e-2`: 1,
		`0e999999999999`: 0, `-9223372036854775808`: math.MinInt64,
		`9223372036854775807`: math.MaxInt64, `0.00000001e8`: 1, `"\u0031"`: 1, `1.000`: 1} {
		var v wkt.Int64Value
		if err := v.UnmarshalJSON([]byte(text)); err != nil || v.Value != want {
			t.Errorf("%s is read as %d (%v)", text, v.Value, err)
		}
	}
	for _, text := range []string{`1.5`, `9223372036854775808`, `-9223372036854775809`, `1e19`,
		`1e-1`, `"1 "`, `" 1"`, `""`, `"1.5"`, `"0x1"`, `01`, `"01"`,
		`1e99999999999999999999`, `12345678901234567890123`, `true`, `null`} {
		var v wkt.Int64Value
		if err := v.UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is read as %d", text, v.Value)
		}
	}
}

func TestOptions(t *testing.T) {
	m := &wkt.Type{Name: "a\"\n\x01é", Oneofs: []string{"x", "y"}, Syntax: 1,
		SourceContext: &wkt.SourceContext{},
		Fields:        []wkt.Field{{TypeUrl: "u", Kind: 3}}}
	for _, c := range []struct {
		o    jsonrt.Options
		want string
	}{
		{jsonrt.Options{},
			`{"name":"a\"\n\u0001é","fields":[{"kind":"TYPE_INT64","typeUrl":"u"}],"oneofs":["x","y"],"sourceContext":{},"syntax":"SYNTAX_PROTO3"}`},
		{jsonrt.Options{ProtoNames: true, EnumNumbers: true},
			`{"name":"a\"\n\u0001é","fields":[{"kind":3,"type_url":"u"}],"oneofs":["x","y"],"source_context":{},"syntax":1}`},
		{jsonrt.Options{EmitDefaults: true},
			`{"name":"a\"\n\u0001é","fields":[{"kind":"TYPE_INT64","cardinality":"CARDINALITY_UNKNOWN","number":0,"name":"","typeUrl":"u","oneofIndex":0,"packed":false,"options":[],"jsonName":"","defaultValue":""}],"oneofs":["x","y"],"options":[],"sourceContext":{"fileName":""},"syntax":"SYNTAX_PROTO3","edition":""}`},
		{jsonrt.Options{Indent: "  "},
			"{\n  \"name\": \"a\\\"\\n\\u0001é\",\n  \"fields\": [\n    {\n      \"kind\": \"TYPE_INT64\",\n      \"typeUrl\": \"u\"\n    }\n  ],\n  \"oneofs\": [\n    \"x\",\n    \"y\"\n  ],\n  \"sourceContext\": {},\n  \"syntax\": \"SYNTAX_PROTO3\"\n}"},
	} {
		got, err := m.AppendJSON(nil, c.o)
		if err != nil || string(got) != c.want {
			t.Errorf("%+v: %s\nwant %s (%v)", c.o, got, c.want, err)
		}
		var r wkt.TypeReader
		if err := r.Unmarshal(m.Marshal()); err != nil {
			t.Fatal(err)
		}
		if got, err := r.AppendJSON(nil, c.o); err != nil || string(got) != c.want {
			t.Errorf("%+v: the Reader gives %s\nwant %s (%v)", c.o, got, c.want, err)
		}
		var back wkt.Type
		if err := jsonrt.Unmarshal(got, &back, jsonrt.Options{}); err != nil || !back.Equal(m) {
			t.Errorf("%s is read as %v (%v)", got, &back, err)
		}
	}
	if got, _ := jsonrt.Append(nil, &wkt.UInt64Value{Value: math.MaxUint64},
		jsonrt.Options{Int64AsNumber: true}); string(got) != "18446744073709551615" {
		t.Errorf("%s", got)
	}
	if got, err := (*wkt.TypeReader)(nil).AppendJSON(nil, jsonrt.Options{}); string(got) != "{}" ||
		err != nil {
		t.Errorf("a nil Reader is %s (%v)", got, err)
	}
	if got, err := (*wkt.Type)(nil).AppendJSON(nil, jsonrt.Options{}); string(got) != "{}" ||
		err != nil {
		t.Errorf("a nil Message is %s (%v)", got, err)
	}
}

// TestMapOrder writes a map often: the entries must always come in the order of their keys.
func TestMapOrder(t *testing.T) {
	m := &wkt.Struct{Fields: map[string]wkt.Value{}}
	for _, k := range []string{"b", "a", "", "é", "aa", "B"} {
		m.Fields[k] = wkt.Value{Kind: &wkt.Value_StringValue{StringValue: k}}
	}
	for range 50 {
		if got,
			err := m.MarshalJSON(); string(
			got) != `{"":"","B":"B","a":"a","aa":"aa","b":"b","é":"é"}` {
			t.Fatalf("%s (%v)", got, err)
		}
	}
}

// TestAny goes both ways through Anys of all forms.
func TestAny(t *testing.T) {
	o := jsonrt.Options{Types: &rt.Types{Messages: []rt.Type{(*wkt.Duration)(nil), (*wkt.Type)(nil),
		(*wkt.Any)(nil), (*wkt.Empty)(nil)}}}
	for _, text := range []string{`{}`, `{"@type":"t/google.protobuf.Duration","value":"1.500s"}`,
		`{"@type":"t/google.protobuf.Type"}`,
		`{"@type":"t/google.protobuf.Type","name":"x","syntax":"SYNTAX_EDITIONS"}`,
		`{"@type":"t/google.protobuf.Empty","value":{}}`,
		`{"@type":"t/google.protobuf.Any","value":{"@type":"t/google.protobuf.Type","oneofs":["a"]}}`} {
		var m wkt.Any
		if err := jsonrt.Unmarshal([]byte(text), &m, o); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := m.AppendJSON(nil, o); err != nil || string(got) != text {
			t.Errorf("%s: %s (%v)", text, got, err)
		}
		if wire, err := wkt.Any_JSONToWire(nil, []byte(text), o); err != nil ||
			string(wire) != string(m.Marshal()) {
			t.Errorf("%s: %x, want %x (%v)", text, wire, m.Marshal(), err)
		}
	}
}

// TestStrings compares with encoding/json: every byte at every place of strings of all lengths, in
// UTF-8 and not.
func TestStrings(t *testing.T) {
	const text = "Some text, which is longer than what is looked at in one go: \u00e9t\u00e9, \u65e5\u672c, \U0001f600 and then more of it, ASCII"
	check := func(s string) {
		t.Helper()
		got, err := (&wkt.StringValue{Value: s}).MarshalJSON()
		if !utf8.ValidString(s) {
			if err == nil {
				t.Fatalf("%q is written as %s", s, got)
			}
			return
		}
		var back string
		if err != nil || stdjson.Unmarshal(got, &back) != nil || back != s {
			t.Fatalf("%q is written as %s (%v)", s, got, err)
		}
		var m wkt.StringValue
		if err := m.UnmarshalJSON(got); err != nil || m.Value != s {
			t.Fatalf("%s is read as %q (%v)", got, m.Value, err)
		}
	}
	for n := range len(text) {
		check(text[:n])
		check(text[n:])
		for _, c := range []string{"\"", "\\", "\n", "\x00", "\x1f", "\x7f", "\x80", "\xc3",
			"\u00e9", "\u2028", "\U0001f600"} {
			check(text[:n] + c)
			check(text[:n] + c + text[n:])
			check(text[:n/2] + c + text[n/2:n])
		}
	}
	for c := range 256 {
		check(string([]byte{byte(c)}))
		check("12345678" + string([]byte{byte(c)}) + "12345678")
	}
}
