package rt_test

import (
	"errors"
	"strings"
	"testing"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

var valid = []string{`0`, `-0`, `-0.5e+10`, `1E5`, `""`, `"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\"`,
	"\"\x7f\"", `[]`, `{}`, ` [ 1 , null ] `,
	`{"a":{"b":[true,false]}}`, "\t\r\n1", `{"":0}`, `{"a":1,"a":2}`, `"é日本"`, `1e999`}

var invalid = []string{``, ` `, `01`, `-`, `+1`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `NaN`, `tru`,
	`True`, `nul`, `"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`,
	"\"\n\"", "\"\x00\"", `[`, `[1`, `[1,]`, `[,1]`, `[1 2]`, `]`, `{`, `{"a"`, `{"a":`, `{"a":1`,
	`{"a":1,}`, `{,}`, `{1:1}`, `{a:1}`, `{"a" 1}`,
	`{'a':1}`, `1 2`, `[]]`, `{}}`, `// c` + "\n1", "\xef\xbb\xbf1", "\"\xff\"", "\"\xc0\xaf\"",
	"\"\xed\xa0\x80\"", `"\ud800"`, `"\udc00"`,
	`"\ud800\u0041"`, `"\ud800\n"`, "1\x00", "\v1", "[1]\u00a0"}

func TestCheck(t *testing.T) {
	for _, text := range valid {
		if err := jsonrt.Check([]byte(text), jsonrt.Options{}); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range invalid {
		if err := jsonrt.Check([]byte(text), jsonrt.Options{}); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	for _, text := range valid {
		for i := range len(text) {
			_ = jsonrt.Check([]byte(text[:i]), jsonrt.Options{}) // must not panic
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		m    jsonrt.Message
		text string
		o    jsonrt.Options
		want string
		code rt.Code
	}{
		{&wkt.Type{}, `{"name":"x","fields":[{"number":1},{"number":"x"}]}`, jsonrt.Options{},
			`google.protobuf.Type: fields[1].number: not a number at line 1, column 46`,
			rt.BadValue},
		{&wkt.Type{}, "{\n  \"name\": \"é\",\n  \"é\": 1}", jsonrt.Options{},
			`google.protobuf.Type: unknown field "é" at line 3, column 3`, rt.UnknownName},
		{&wkt.Type{}, `{"name":"x","name":"y"}`, jsonrt.Options{},
			`google.protobuf.Type: field set twice at line 1, column 13`, rt.Duplicate},
		// A map is filled when all of it has been read, but the first error counts.
		{&wkt.Struct{}, `{"a":1,"b":2,"a":3,"b":4,"c":x}`, jsonrt.Options{},
			`google.protobuf.Struct: key set twice at line 1, column 14`, rt.Duplicate},
		{&wkt.Struct{}, `{"a":1,"b":2,"a":[x]}`, jsonrt.Options{},
			`google.protobuf.Struct: a[0]: 'x' where a value should be at line 1, column 19`,
			rt.BadSyntax},
		{&wkt.Type{}, `{"syntax":"SYNTAX"}`, jsonrt.Options{},
			`google.protobuf.Type: syntax: unknown enum value "SYNTAX" at line 1, column 11`,
			rt.UnknownName},
		{&wkt.Type{}, `{"name":"x"`, jsonrt.Options{},
			`google.protobuf.Type: name: the end where a comma or '}' should be at line 1, column 12`, rt.BadSyntax},
		{&wkt.Type{}, `{"name":5}`, jsonrt.Options{},
			`google.protobuf.Type: name: a number where a string should be at line 1, column 9`,
			rt.BadSyntax},
		{&wkt.Type{}, "{\"name\":\"\xff\"}", jsonrt.Options{},
			`google.protobuf.Type: name: invalid UTF-8 at line 1, column 10`, rt.InvalidUTF8},
		{&wkt.Type{}, `{"name":"x""fields":[]}`, jsonrt.Options{},
			`google.protobuf.Type: name: '"' where a comma or '}' should be at line 1, column 12`,
			rt.BadSyntax},
		{&wkt.Struct{}, `{"a":{"b":[1,[2,"\ud800"]]}}`, jsonrt.Options{},
			`google.protobuf.Struct: a.b[1][1]: bad escape at line 1, column 18`, rt.BadSyntax},
		{&wkt.Struct{}, `{"a":[[[]]]}`, jsonrt.Options{MaxDepth: 3},
			`google.protobuf.Struct: a[0][0]: messages nested too deeply at line 1, column 8`,
			rt.TooDeep},
		{&wkt.Struct{}, `{"a":"b"}`, jsonrt.Options{MaxSize: 8},
			`google.protobuf.Struct: text larger than 8 bytes at offset 0`, rt.TooLarge},
		{&wkt.Timestamp{}, `"2024-02-30T00:00:00Z"`, jsonrt.Options{},
			`google.protobuf.Timestamp: not a timestamp of the form 2006-01-02T15:04:05.999999999Z at line 1, column 1`, rt.BadValue},
		{&wkt.Any{}, `{"@type":"x/y"}`, jsonrt.Options{},
			`google.protobuf.Any: @type: Options.Types do not have "x/y" at line 1, column 10`,
			rt.UnknownName},
	} {
		err := jsonrt.Unmarshal([]byte(c.text), c.m, c.o)
		if err == nil || err.Error() != c.want || !errors.Is(err, c.code) {
			t.Errorf("%s: %v\nwant %s", c.text, err, c.want)
		}
		if len(c.m.Marshal()) != 0 {
			t.Errorf("%s: the message is not empty after an error", c.text)
		}
	}
	m := &wkt.Type{Fields: []wkt.Field{{Name: "a"}, {Name: "\xff"}}}
	b, err := m.AppendJSON([]byte("kept"), jsonrt.Options{})
	if string(b) != "kept" || err == nil ||
		err.Error() != "google.protobuf.Type: fields[1].name: invalid UTF-8" {
		t.Errorf("%s, %v", b, err)
	}
}

// TestHostile reads texts that are made to take long: message and tables must agree on them, and
// errors be short. How many steps they take is counted by TestStepsAreLinear in module conformance.
func TestHostile(t *testing.T) {
	const n = 1 << 18
	for name, text := range map[string]string{
		"arrays":         strings.Repeat("[", n),
		"objects":        strings.Repeat(`{"a":`, n/5),
		"digits":         strings.Repeat("9", n),
		"zeros":          "0." + strings.Repeat("0", n) + "1e" + strings.Repeat("0", n) + "5",
		"exponent":       "1e" + strings.Repeat("9", n),
		"escapes":        `"` + strings.Repeat(`\u00e9`, n/6) + `"`,
		"slashes":        `"` + strings.Repeat(`\\`, n/2) + `"`,
		"open string":    `"` + strings.Repeat("a", n),
		"spaces":         strings.Repeat(" ", n),
		"commas":         "[" + strings.Repeat(",", n),
		"same name":      "{" + strings.Repeat(`"a":1,`, n/6) + `"a":1}`,
		"nested anys":    strings.Repeat(`{"value":`, n/20) + strings.Repeat(`,"@type":"x"}`, n/20),
		"long name":      `{"` + strings.Repeat("a", n) + `":1}`,
		"quoted digits":  `"` + strings.Repeat("1", n) + `"`,
		"quoted escapes": `"` + strings.Repeat(`\u0031`, n/6) + `"`,
	} {
		known := &rt.Types{Messages: []rt.Type{(*wkt.Any)(nil)}}
		for _, m := range []jsonrt.Message{&wkt.Value{}, &wkt.Any{}, &wkt.Int64Value{},
			&wkt.DoubleValue{}, &wkt.Type{}, &wkt.Timestamp{},
			&wkt.Duration{}, &wkt.BytesValue{}, &wkt.FieldMask{}} {
			for _, discard := range []bool{false, true} {
				o := jsonrt.Options{DiscardUnknown: discard, Types: known}
				err := jsonrt.Unmarshal([]byte(text), m, o)
				if _, terr := jsonrt.ToWire(nil, []byte(text),
					m.GremlinTable().Reader.(jsonrt.Type).GremlinJSON(),
					o); (err == nil) != (terr == nil) {
					t.Errorf("%s: %v of the message, %v of the tables", name, err, terr)
				}
				if err != nil && len(err.Error()) > 1000 {
					t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
				}
			}
		}
	}
}

// TestRepeatedKeys compares the two ways to read a map: which key is the first that was there
// before, whatever stands behind it.
func TestRepeatedKeys(t *testing.T) {
	long := `"` + strings.Repeat("x", 5000) + `"`
	for _, text := range []string{
		`{"a":1,"b":2,"a":3,"b":4}`, `{"b":1,"a":2,"b":3,"a":4}`, `{"a":1,"b":2,"b":3,"a":4,"c":x}`,
		`{"a":1,"a":x}`, `{"a":1,"\u0061":2}`,
		`{"":1,"":2}`, `{"a":` + long + `,"b":[` + long + `],"a":1}`,
		`{"a":{"x":1},"b":{"x":1,"y":2}}`, `{"a":{"x":1},"b":{"x":1,"x":2},"a":3}`,
		`{` + long + `:1,"a":` + long + `,` + long + `:2}`, `{"b":1,"a":2,"aa":3,"ab":4}`,
	} {
		var m wkt.Struct
		err := m.UnmarshalJSON([]byte(text))
		b, werr := wkt.Struct_JSONToWire([]byte("x"), []byte(text), jsonrt.Options{})
		if err != nil {
			if werr == nil || werr.Error() != err.Error() || string(b) != "x" {
				t.Errorf("%.40s: %v of the message, %v of the encoding", text, err, werr)
			}
			continue
		}
		var again wkt.Struct
		if uerr := again.Unmarshal(b[1:]); werr != nil || uerr != nil || !again.Equal(&m) {
			t.Errorf("%.40s: %v, %v, %v", text, werr, uerr, &again)
		}
	}
}
