package rules_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/conformance/rules/every"
	"github.com/octopus-framework/octopus/gremlin/validate"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

var now = time.Unix(1_700_000_000, 0)

// valid returns a message that keeps every rule at the time now.
func valid() *every.Every {
	text := every.Text{Len: "äß", Range: "a", LenBytes: "abcd", RangeBytes: "a", Const: "c",
		Pattern: "p", Affixes: "amz", Lists: "a", Email: "a@b", Hostname: "a.b", Ip: "::1",
		Ipv4: "1.2.3.4", Ipv6: "::1", Uri: "a:b", UriRef: "../b", Address: "a",
		Uuid: "00000000-0000-0000-0000-000000000000", Tuuid: strings.Repeat("a", 32),
		IpWithPrefixlen: "1.2.3.4/8", IpPrefix: "1.0.0.0/8", HostAndPort: "a:1",
		Ulid: strings.Repeat("0", 26), Fqn: "a.B", DotFqn: ".a", HeaderName: "a b",
		HeaderValue: "", Wrapper: &wkt.StringValue{Value: "w"}}
	fixed := uint32(4)
	return &every.Every{
		Text: &text,
		Numbers: []every.Numbers{{Range: 1, Outside: -10, Const: math.MaxUint64, Lists: 1.5,
			Low: math.Copysign(0, -1), Yes: true, Color: every.Color_COLOR_RED, Optional: &fixed,
			Wrapper: &wkt.DoubleValue{Value: 2}}},
		Lists: &every.Lists{Unique: []string{"a", "b"}, UniqueBytes: [][]byte{{1}, {}},
			Skipping: []float64{0, 2}, Times: []wkt.Timestamp{{Seconds: 6}},
			Mask: &wkt.FieldMask{Paths: []string{"a", "b.c.d"}},
			Same: &wkt.FieldMask{Paths: []string{"a"}}, Any: &wkt.Any{TypeUrl: "x/a.B"}},
		Maps: &every.Maps{Text: map[string]every.Text{"a": text}, Signed: map[int32]string{1: ""},
			Unsigned: map[uint64]string{0: "a"}, Truth: map[bool]string{true: ""}},
		Times: &every.Times{Now: &wkt.Timestamp{Seconds: now.Unix()},
			Later: &wkt.Timestamp{Seconds: now.Unix()}, Range: &wkt.Timestamp{Seconds: 1},
			RangeOf: &wkt.Duration{Seconds: 9, Nanos: 4}, Lists: &wkt.Duration{Nanos: 5}},
		One: &every.Every_Must{Must: "m"},
	}
}

func TestValid(t *testing.T) {
	m := valid()
	if err := validate.Check(m, validate.Options{Now: now}); err != nil {
		t.Fatal(err)
	}
	m.Times.Now, m.Times.Later = nil, nil
	if n := testing.AllocsPerRun(50, func() {
		if err := m.Validate(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestEachRule breaks rules one by one and asks for exactly that violation.
func TestEachRule(t *testing.T) {
	for _, c := range []struct {
		breaking func(m *every.Every)
		want     string
	}{
		{func(m *every.Every) { m.Text.Len = "abc" }, "text.len string.len"},
		{func(m *every.Every) { m.Text.Len = "ä" }, "text.len string.len"},
		{func(m *every.Every) { m.Text.Range = "" }, "text.range string.min_len"},
		{func(m *every.Every) { m.Text.RangeBytes = "ääß" }, "text.range_bytes string.max_bytes"},
		{func(m *every.Every) { m.Text.Lists = "c" },
			"text.lists string.in, text.lists string.not_in"},
		{func(m *every.Every) { m.Text.Affixes = "x" }, "text.affixes string.prefix, " +
			"text.affixes string.suffix, text.affixes string.contains, text.affixes string.not_contains"},
		{func(m *every.Every) { m.Text.Email = "" }, "text.email string.email_empty"},
		{func(m *every.Every) { m.Text.HeaderName = "\n" },
			"text.header_name string.well_known_regex.header_name"},
		{func(m *every.Every) { m.Text.Wrapper = &wkt.StringValue{} },
			"text.wrapper string.min_len"},
		{func(m *every.Every) { m.Numbers[0].Range = 10 }, "numbers[0].range int32.gte_lt"},
		{func(m *every.Every) { m.Numbers[0].Outside = 10 },
			"numbers[0].outside sint64.gt_lte_exclusive"},
		{func(m *every.Every) { m.Numbers[0].Lists = float32(math.NaN()) },
			"numbers[0].lists float.in, numbers[0].lists float.finite"},
		{func(m *every.Every) { m.Numbers[0].Low = math.NaN() }, "numbers[0].low double.gt"},
		{func(m *every.Every) { m.Numbers[0].Low = 0 }, "numbers[0].low required"},
		{func(m *every.Every) { m.Numbers[0].Yes = false }, "numbers[0].yes bool.const"},
		{func(m *every.Every) { m.Numbers[0].Color = 2 }, "numbers[0].color enum.defined_only"},
		{func(m *every.Every) { m.Numbers[0].Color = 3 }, "numbers[0].color enum.not_in"},
		{func(m *every.Every) { *m.Numbers[0].Optional = 3 }, "numbers[0].optional fixed32.gt"},
		{func(m *every.Every) { m.Numbers = nil }, "numbers repeated.min_items"},
		{func(m *every.Every) { m.Lists = nil }, "lists required"},
		{func(m *every.Every) { m.Lists.Unique[1] = "a" }, "lists.unique repeated.unique"},
		{func(m *every.Every) { m.Lists.Unique = slices.Repeat([]string{"a"}, 40) },
			"lists.unique repeated.unique"},
		{func(m *every.Every) { m.Lists.UniqueBytes = slices.Repeat([][]byte{nil}, 40) },
			"lists.unique_bytes repeated.unique"},
		{func(m *every.Every) { m.Lists.Skipping[1] = 0.5 }, "lists.skipping[1] double.gt"},
		{func(m *every.Every) { m.Lists.Times[0].Seconds = 5 }, "lists.times[0] timestamp.gt"},
		{func(m *every.Every) { m.Lists.Mask.Paths[0] = "a.b" }, "lists.mask field_mask.not_in"},
		{func(m *every.Every) { m.Lists.Mask.Paths[0] = "ab" }, "lists.mask field_mask.in"},
		{func(m *every.Every) { m.Lists.Same.Paths = nil }, "lists.same field_mask.const"},
		{func(m *every.Every) { m.Lists.Any.TypeUrl = "x/a.C" }, "lists.any any.not_in"},
		{func(m *every.Every) { m.Maps.Text[""] = m.Maps.Text["a"] },
			`maps.text[""] (key) string.min_len`},
		{func(m *every.Every) { m.Maps.Signed = map[int32]string{-1: "", -2: ""} },
			"maps.signed[-2] (key) int32.gt, maps.signed[-1] (key) int32.gt"},
		{func(m *every.Every) { m.Maps.Unsigned[math.MaxUint64] = "" },
			"maps.unsigned[18446744073709551615] string.min_len"},
		{func(m *every.Every) { m.Maps.Truth[false] = "" },
			"maps.truth[false] (key) bool.const"},
		{func(m *every.Every) { m.Times.Now.Seconds += 61 },
			"times.now timestamp.lt_now, times.now timestamp.within"},
		{func(m *every.Every) { m.Times.Later.Seconds-- }, "times.later timestamp.gt_now"},
		{func(m *every.Every) { m.Times.RangeOf.Nanos = 5 }, "times.range_of duration.gte_lt"},
		{func(m *every.Every) { m.Times.Lists.Nanos = 6 }, "times.lists duration.in"},
		{func(m *every.Every) { m.One = nil }, "one required"},
		{func(m *every.Every) { m.One = &every.Every_Must{} }, "every.must string.min_len"},
		{func(m *every.Every) { m.Text = nil }, " message.oneof"},
		{func(m *every.Every) { m.Text, m.Bytes = nil, &every.Bytes{Ip: []byte("12345")} },
			"bytes.len bytes.len, bytes.range bytes.min_len, bytes.const bytes.const, " +
				"bytes.pattern bytes.pattern, bytes.affixes bytes.prefix, bytes.affixes bytes.suffix, " +
				"bytes.affixes bytes.contains, bytes.lists bytes.in, bytes.ip bytes.ip, " +
				"bytes.ipv4 bytes.ipv4_empty, bytes.uuid bytes.uuid_empty"},
		{func(m *every.Every) { m.Required = &every.Required{} }, "required.member required, " +
			"required.text required, required.bytes required, required.float required, " +
			"required.color required, required.bool required, required.list required"},
	} {
		m := valid()
		c.breaking(m)
		var broken *validate.Error
		if err := validate.Check(m, validate.Options{Now: now}); !errors.As(err, &broken) {
			t.Errorf("%s: got %v", c.want, err)
			continue
		}
		var got []string
		for _, v := range broken.Violations {
			key := ""
			if v.ForKey {
				key = " (key)"
			}
			got = append(got, v.Field.String()+key+" "+v.RuleID)
		}
		want := strings.Replace(c.want, "every.must", "must", 1)
		if s := strings.Join(got, ", "); s != want {
			t.Errorf("got %s\nwant %s", s, want)
		}
		var r every.EveryReader
		if err := r.Unmarshal(m.Marshal()); err != nil {
			t.Fatal(err)
		}
		if err := validate.Check(&r, validate.Options{Now: now}); err == nil ||
			err.Error() != broken.Error() {
			t.Errorf("a Reader says %v, the Message %v", err, broken)
		}
	}
}

// TestReaders checks encodings that a Message would not be written as.
func TestReaders(t *testing.T) {
	var r every.EveryReader
	for in, want := range map[string]string{
		"\x2a\x0a\x0a\x08\x0a\x01a\x12\x03\x0a\x01z": "len",
		"\x2a\x02\x0a\x10":                           "malformed protobuf",
		"\x0a\x03\x0a\x01\xff":                       "invalid UTF-8",
		"\x0a\x04\x0a\x02ab\x0a\x05\x4a\x03a@b":      "must be at least 1",
	} {
		if err := r.Unmarshal([]byte(in)); err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{r.Validate(), validate.Check(&r, validate.Options{})} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: got %v, want %q", in, err, want)
			}
		}
	}
	// two entries with one key are one
	var maps every.MapsReader
	if err := maps.Unmarshal([]byte("\x1a\x04\x08\x01\x12\x00\x1a\x05\x08\x01\x12\x01a")); err != nil {
		t.Fatal(err)
	}
	if err := maps.Validate(); err == nil ||
		err.Error() != "validation error: text: map must be at least 1 entries" {
		t.Errorf("got %v", err)
	}
}

func TestPatternOfBytesThatAreNoText(t *testing.T) {
	var failed *validate.RuntimeError
	err := (&every.Bytes{Pattern: []byte{0xff}}).Validate()
	if !errors.As(err, &failed) || failed.RuleID != "bytes.pattern" {
		t.Errorf("got %v", err)
	}
}

// TestEncodedViolations looks at the bytes of a buf.validate.Violations.
func TestEncodedViolations(t *testing.T) {
	m := valid()
	m.Maps.Signed = map[int32]string{-1: ""}
	var broken *validate.Error
	if !errors.As(validate.Check(m, validate.Options{Now: now}), &broken) {
		t.Fatal("no violation")
	}
	got := broken.AppendViolations(nil)
	for _, part := range []string{"\x12\x08int32.gt", "\x1a\x16must be greater than 0", "\x20\x01",
		"\x0a\x0a\x08\x05\x12\x04maps\x18\x0b",
		"\x08\x02\x12\x06signed\x18\x0b\x20\x05\x28\x09\x40\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if !bytes.Contains(got, []byte(part)) {
			t.Errorf("%q does not have %q", got, part)
		}
	}
}
