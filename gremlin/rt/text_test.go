package rt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/gremlin/rt"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// sampleTable has a field of every kind that text treats in its own way.
var sampleTable = &rt.Table{
	Name:     "t.Sample",
	Reserved: []string{"gone"},
	Fields: []rt.FieldInfo{
		{Name: "i", Number: 1, Kind: rt.KindInt32},
		{Name: "u", Number: 2, Kind: rt.KindUint64},
		{Name: "z", Number: 3, Kind: rt.KindSint64},
		{Name: "f", Number: 4, Kind: rt.KindFloat},
		{Name: "d", Number: 5, Kind: rt.KindDouble},
		{Name: "b", Number: 6, Kind: rt.KindBool, Oneof: 1},
		{Name: "s", Number: 7, Kind: rt.KindString, Flags: rt.FlagUTF8, Oneof: 1},
		{Name: "raw", Number: 8, Kind: rt.KindBytes},
		{Name: "color", Number: 9, Kind: rt.KindEnum, Enum: &colors},
		{Name: "list", Number: 10, Kind: rt.KindInt32, Flags: rt.FlagRepeated | rt.FlagPacked},
		{Name: "names", Number: 11, Kind: rt.KindString, Flags: rt.FlagRepeated},
		{Name: "sub", Number: 12, Kind: rt.KindMessage, Sub: sample{}},
		{Name: "subs", Number: 13, Kind: rt.KindMessage, Flags: rt.FlagRepeated, Sub: sample{}},
		{Name: "part", Number: 14, Kind: rt.KindGroup, Sub: part{}},
		{Name: "map", Number: 15, Kind: rt.KindMap, Sub: entry{}},
		{Name: "any", Number: 16, Kind: rt.KindMessage, Sub: (*wkt.Any)(nil)},
		{Name: "fix", Number: 17, Kind: rt.KindFixed32},
		{Name: "other", Number: 18, Kind: rt.KindGroup, Sub: sample{}},
	},
}

var colors = rt.EnumInfo{
	Name:    "t.Color",
	Closed:  true,
	Values:  []rt.EnumValueInfo{{Number: -1, Name: "NONE"}, {Number: 2, Name: "RED"}},
	Aliases: []rt.EnumValueInfo{{Number: 2, Name: "ROUGE"}},
}

type sample struct{}

func (sample) GremlinTable() *rt.Table { return sampleTable }

type part struct{}

func (part) GremlinTable() *rt.Table {
	return &rt.Table{Name: "t.Sample.Part", Fields: sampleTable.Fields[:2]}
}

type entry struct{}

func (entry) GremlinTable() *rt.Table {
	return &rt.Table{Name: "t.Sample.MapEntry", Fields: []rt.FieldInfo{
		{Name: "key", Number: 1, Kind: rt.KindString},
		{Name: "value", Number: 2, Kind: rt.KindMessage, Sub: sample{}}}}
}

type extension struct{ field rt.FieldInfo }

func (x *extension) GremlinExtension() (*rt.Table, *rt.FieldInfo) {
	return sampleTable, &x.field
}

var sampleTypes = &rt.Types{
	Messages: []rt.Type{sample{}, (*wkt.Duration)(nil)},
	Extensions: []rt.ExtensionType{
		&extension{rt.FieldInfo{Name: "t.ext", Number: 100, Kind: rt.KindInt32}},
		&extension{rt.FieldInfo{Name: "t.in.exts", Number: 101, Kind: rt.KindMessage,
			Flags: rt.FlagRepeated, Sub: sample{}}},
	},
}

// TestText reads texts and writes them again; what is written reads the same. The second text of a
// pair never changes.
func TestText(t *testing.T) {
	for _, c := range [][2]string{
		{"", ""},
		{" # nothing\n\t", ""},
		{"i:1,u:2;z:-3", "i: 1 u: 2 z: -3"},
		{"i: 0x7fffffff u: 01777 z: -0x10 fix: 4294967295",
			"i: 2147483647 u: 1023 z: -16 fix: 4294967295"},
		{"i: -2147483648 u: 18446744073709551615 z: -9223372036854775808",
			"i: -2147483648 u: 18446744073709551615 z: -9223372036854775808"},
		{"i: - # far\n 5", "i: -5"},
		{"f: 0.1 d: 0.1", "f: 0.1 d: 0.1"},
		{"f: 1e39 d: -1e999", "f: inf d: -inf"},
		{"f: -Infinity d: NAN", "f: -inf d: nan"},
		{"f: -0 d: 1.5F", "f: -0 d: 1.5"},
		{"f: .5 d: 5.", "f: 0.5 d: 5"},
		{"d: 100000000000000000000000", "d: 1e+23"},
		{"f: 16777216 d: 123456789", "f: 1.6777216e+07 d: 1.23456789e+08"},
		{"b: t", "b: true"},
		{"b: False", "b: false"},
		{"b: 0x1", "b: true"},
		{`s: "a" 'b' # and` + "\n" + `"\n\x4a\112\u00e9\U0001f419\?\v"`,
			`s: "ab\nJJ` + "é🐙?" + `\013"`},
		{`raw: "\377\x0\0é\177"`, `raw: "\377\000\000\303\251\177"`},
		{"color: ROUGE", "color: RED"},
		{"color: -1", "color: NONE"},
		{"list: 1 list: [2, 3] list: [] names: ['x'] list: 4",
			`list: 1 list: 2 list: 3 names: "x" list: 4`},
		{"sub <i: 1>, sub2: 1", `!t.Sample: unknown field "sub2" at line 1, column 13`},
		{"sub: { sub {} }", "sub { sub { } }"},
		{"subs: [{i:1}, <u:2>] subs {}", "subs { i: 1 } subs { u: 2 } subs { }"},
		{"Part { i: 1 } part2: 3", `!t.Sample: unknown field "part2" at line 1, column 15`},
		{"part { u: 1 } other { i: 1 }", "Part { u: 1 } other { i: 1 }"},
		{"map { key: 'k' value { i: 1 } } map: [{}]", `map { key: "k" value { i: 1 } } map { }`},
		{"any { [type.googleapis.com/google.protobuf.Duration] { seconds: 5 } }",
			"any { [type.googleapis.com/google.protobuf.Duration] { seconds: 5 } }"},
		{"any { [ x.y/t . # why\n Sample ]: <list: [1,2]> }",
			"any { [x.y/t.Sample] { list: 1 list: 2 } }"},
		{"any { type_url: 'x/t.Nothing' value: 'v' }",
			`any { type_url: "x/t.Nothing" value: "v" }`},
		{"any { type_url: 'x/t.Sample' value: '\\010' }",
			`any { type_url: "x/t.Sample" value: "\010" }`},
		{"[t.ext]: 5 [t.in.exts] { i: 1 } [t . in.exts]: [{}]",
			"[t.ext]: 5 [t.in.exts] { i: 1 } [t.in.exts] { }"},
		{"gone: 5 gone { a: [1, 'x'] [x.y]: 1 } gone: [{}] i: 1", "i: 1"},

		{"i: 1 i: 2", `!t.Sample: field "i" is set twice at line 1, column 6`},
		{"sub {} sub {}", `!t.Sample: field "sub" is set twice at line 1, column 8`},
		{"sub { subs { i: 1 } subs {\n\ti: 1 i: 2 } }",
			`!t.Sample: sub.subs[1]: field "i" is set twice at line 2, column 7`},
		{"b: t s: ''",
			`!t.Sample: field "s" is in a oneof of which "b" is set at line 1, column 6`},
		{"[t.ext]: 1 [t.ext]: 2", `!t.Sample: extension "t.ext" is set twice at line 1, column 12`},
		{"any { type_url: 'x' [x/t.Sample] {} }",
			`!t.Sample: any: the contents of an Any are set twice at line 1, column 21`},
		{"any { [x/t.No] {} }", `!t.Sample: any: unknown type "x/t.No" at line 1, column 7`},
		{"[x/t.Sample] {}",
			`!t.Sample: "x/t.Sample" is a type: such a name belongs into an Any at line 1, column 1`},
		{"[t.no]: 1", `!t.Sample: unknown extension "t.no" at line 1, column 1`},
		{"[t..no]: 1",
			`!t.Sample: "t..no" is no name of an extension or a type at line 1, column 1`},
		{"[t no]: 1", `!t.Sample: expected "]", found 'n' at line 1, column 4`},
		{"map { value { list: [1, 2, x] } }",
			`!t.Sample: map.value.list[2]: "x" is no 32-bit integer at line 1, column 28`},
		{"i: 2147483648", `!t.Sample: i: "2147483648" is no 32-bit integer at line 1, column 4`},
		{"u: -1", `!t.Sample: u: "-1" is no unsigned 64-bit integer at line 1, column 4`},
		{"u: 18446744073709551616",
			`!t.Sample: u: "18446744073709551616" is no unsigned 64-bit integer at line 1, column 4`},
		{"fix: 4294967296",
			`!t.Sample: fix: "4294967296" is no unsigned 32-bit integer at line 1, column 6`},
		{"i: 08", `!t.Sample: i: "08" is no 32-bit integer at line 1, column 4`},
		{"d: 01.5", `!t.Sample: d: "01.5" is no number at line 1, column 4`},
		{"d: .", `!t.Sample: d: "." is no number at line 1, column 4`},
		{"d: 1e", `!t.Sample: d: "1e" is no number at line 1, column 4`},
		{"b: 2", `!t.Sample: b: "2" is no bool at line 1, column 4`},
		{"color: BLUE",
			`!t.Sample: color: "BLUE" is no value of the enum t.Color at line 1, column 8`},
		{"color: 7", `!t.Sample: color: "7" is no value of the enum t.Color at line 1, column 8`},
		{"é: 1", `!t.Sample: expected the name of a field, found 'é' at line 1, column 1`},
		{"s: 'é' 7: 1", `!t.Sample: expected the name of a field, found '7' at line 1, column 8`},
		{"\n\n  i 5", `!t.Sample: i: expected ":", found '5' at line 3, column 5`},
		{"sub: 5", `!t.Sample: sub: expected "{", found '5' at line 1, column 6`},
		{"i: [1]", `!t.Sample: i: expected a value, found '[' at line 1, column 4`},
		{"list: [1,]", `!t.Sample: list[1]: expected a value, found ']' at line 1, column 10`},
		{"list: [1 2]", `!t.Sample: list[1]: expected "," or "]", found '2' at line 1, column 10`},
		{"sub {", `!t.Sample: sub: expected "}", found the end at line 1, column 6`},
		{"sub { >", `!t.Sample: sub: expected the name of a field, found '>' at line 1, column 7`},
		{"i: 1,,", `!t.Sample: expected the name of a field, found ',' at line 1, column 6`},
		{"s: 'a\n'", `!t.Sample: s: string without an end at line 1, column 4`},
		{`s: '\400'`, `!t.Sample: s: bad escape sequence in a string at line 1, column 5`},
		{`s: '\ud83d\udc19'`, `!t.Sample: s: bad escape sequence in a string at line 1, column 5`},
		{`s: '\U00110000'`, `!t.Sample: s: bad escape sequence in a string at line 1, column 5`},
		{`s: '\xff'`, `!t.Sample: s: invalid UTF-8 at line 1, column 4`},
		{"s: 'é\xff'", `!t.Sample: invalid UTF-8 at line 1, column 6`},
		{"gone 5", `!t.Sample: expected ":", found '5' at line 1, column 6`},
	} {
		o := rt.TextOptions{Types: sampleTypes}
		b, err := o.Parse(nil, c[0], sampleTable)
		if err != nil {
			if got := "!" + err.Error(); got != c[1] {
				t.Errorf("%q: %s\nwant %s", c[0], got, c[1])
			}
			continue
		}
		got, err := o.Format(nil, b, sampleTable)
		if err != nil || string(got) != c[1] {
			t.Errorf("%q reads as %s, %v\nwant %s", c[0], got, err, c[1])
		}
		o.Indent = "\t"
		lines, err := o.Format(nil, b, sampleTable)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := o.Parse(nil, string(lines), sampleTable); err != nil ||
			string(again) != string(b) {
			t.Errorf("%q reads as %x, %v, want %x", lines, again, err, b)
		}
	}
}

func TestTextLines(t *testing.T) {
	const want = "i: 1\nsub {\n  sub {\n  }\n  list: 1\n  list: 2\n}\nany {\n  [x/t.Sample] {\n    d: 5\n  }\n}\n"
	o := rt.TextOptions{Types: sampleTypes, Indent: "  "}
	b, err := o.Parse(nil, "i:1 sub { sub{} list: [1,2] } any{[x/t.Sample]{d:5}}", sampleTable)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := o.Format([]byte("#\n"), b, sampleTable); err != nil ||
		string(got) != "#\n"+want {
		t.Errorf("%s, %v, want\n%s", got, err, want)
	}
}

// TestTextUnknown writes what the table does not know.
func TestTextUnknown(t *testing.T) {
	b := []byte("\x08\x01" + "\x98\x06\x05" + "\x9a\x06\x02\x08\x07" + "\x9a\x06\x02\xff\xff" +
		"\x9b\x06\x08\x01\x9c\x06" + "\x9d\x06\x01\x00\x00\x00" + "\x48\x07")
	for unknown, want := range map[bool]string{
		false: "i: 1",
		true:  `i: 1 99: 5 99 { 1: 7 } 99: "\377\377" 99 { 1: 1 } 99: 1 9: 7`,
	} {
		if got, err := (rt.TextOptions{Unknown: unknown}).Format(nil, b, sampleTable); err != nil ||
			string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	if _, err := (rt.TextOptions{}).Format(nil, []byte("\x08"), sampleTable); !errors.Is(err,
		rt.Malformed) {
		t.Error("a malformed message has a text:", err)
	}
}

// TestTextKeeps checks that a message is what it was when a text is at fault.
func TestTextKeeps(t *testing.T) {
	m := wkt.Duration{Seconds: 5}
	err := rt.TextOptions{}.Unmarshal("seconds: 7 nanos: x", &m)
	var e *rt.Error
	if !errors.As(err, &e) || e.Code != rt.BadValue || e.Path != "nanos" || e.Line != 1 ||
		e.Column != 19 || e.Offset != 18 {
		t.Errorf("%#v", err)
	}
	if m.Seconds != 5 {
		t.Error("the message has changed:", &m)
	}
	if err := (rt.TextOptions{}).Unmarshal("nanos: 7", &m); err != nil || m.Seconds != 0 ||
		string(rt.TextOptions{}.Append([]byte("> "), &m)) != "> nanos: 7" {
		t.Error(err, &m)
	}
}

// TestHostileText has inputs that cost more than they should when something is done once a level or
// once a digit.
func TestHostileText(t *testing.T) {
	nested := func(depth int, inside string) string {
		return strings.Repeat("sub{", depth) + inside + strings.Repeat("}", depth)
	}
	big := "raw:'" + strings.Repeat("x", 4<<20) + "'"
	digits := strings.Repeat("7", 1<<20)
	for _, c := range []struct {
		text string
		want error
	}{
		{nested(rt.MaxDepth-1, big), nil},
		{nested(rt.MaxDepth, ""), rt.TooDeep},
		{nested(1<<20, ""), rt.TooDeep},
		{"gone {" + nested(1<<20, ""), rt.TooDeep},
		{strings.Repeat("part<", 1<<20), rt.UnknownName},
		{"d: " + digits, nil},
		{"d: 0." + digits + "e-" + digits, nil},
		{"i: " + digits, rt.BadValue},
		{"i: 0x" + digits, rt.BadValue},
		{digits + "x", rt.BadSyntax},
		{strings.Repeat("x", 1<<20), rt.UnknownName},
		{"[" + strings.Repeat("x.", 1<<20), rt.BadSyntax},
		{"[" + strings.Repeat("x.", 1<<20) + "x]: 1", rt.UnknownName},
		{strings.Repeat("[t.ext", 1<<18), rt.BadSyntax},
		{"s: " + strings.Repeat("'a'#\n", 1<<20), nil},
		{strings.Repeat("names: [] ", 1<<18), nil},
		{strings.Repeat("\n", 1<<22) + "!", rt.BadSyntax},
	} {
		b, err := rt.TextOptions{Types: sampleTypes}.Parse(nil, c.text, sampleTable)
		if !errors.Is(err, c.want) || err != nil && len(err.Error()) > 2000 {
			t.Errorf("%.20s: %.2000v, want %v", c.text, err, c.want)
		}
		if err == nil {
			if _, err := (rt.TextOptions{}).Format(nil, b, sampleTable); err != nil {
				t.Errorf("%.20s: %v", c.text, err)
			}
		}
	}
}
