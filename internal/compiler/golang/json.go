package golang

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// jsonPath is the package that people use, jsonRTPath what generated code calls.
const (
	jsonPath   = runtimePath + "/json"
	jsonRTPath = jsonPath + "/rt"
)

// json prints the JSON code of a file.
func (p *printer) json(o Options) {
	for m := range p.source.AllMessages() {
		newMessageType(p, o, m).json()
	}
}

// jsonKinds is how the functions of package gremlin/json/rt call the kinds of values.
var jsonKinds = map[schema.Kind]string{
	schema.Bool: "Bool", schema.Int32: "Int32", schema.Sint32: "Int32", schema.Sfixed32: "Int32",
	schema.Uint32:  "Uint32",
	schema.Fixed32: "Uint32", schema.Int64: "Int64", schema.Sint64: "Int64",
	schema.Sfixed64: "Int64", schema.Uint64: "Uint64",
	schema.Fixed64: "Uint64", schema.Float: "Float", schema.Double: "Double",
	schema.String: "String", schema.Bytes: "Bytes",
	schema.EnumKind: "Enum",
}

// jsonKindOf returns how the functions of package gremlin/json/rt call the values of f.
func (t *messageType) jsonKindOf(f *schema.Field) string {
	if t.isHex(f) {
		return "Hex"
	}
	return jsonKinds[f.Kind]
}

// isHex tells whether JSON has hex digits for f. The value of a map goes by the name of the map.
func (t *messageType) isHex(f *schema.Field) bool {
	if t.opts.Hex == nil || f.Kind != schema.Bytes {
		return false
	}
	name := f.FullName
	for _, m := range t.fields {
		if m.MapValue == f {
			name = m.FullName
		}
	}
	return t.opts.Hex(name)
}

// jsonSpecials is the messages that have a JSON form of their own, by the names that package json
// gives them.
var jsonSpecials = map[string]string{
	"google.protobuf.Any": "Any", "google.protobuf.Timestamp": "Timestamp",
	"google.protobuf.Duration":  "Duration",
	"google.protobuf.FieldMask": "FieldMask", "google.protobuf.Struct": "Struct",
	"google.protobuf.Value":     "Value",
	"google.protobuf.ListValue": "ListValue", "google.protobuf.Empty": "Empty",
	"google.protobuf.BoolValue": "Wrapper", "google.protobuf.Int32Value": "Wrapper",
	"google.protobuf.Int64Value":  "Wrapper",
	"google.protobuf.UInt32Value": "Wrapper", "google.protobuf.UInt64Value": "Wrapper",
	"google.protobuf.FloatValue":  "Wrapper",
	"google.protobuf.DoubleValue": "Wrapper", "google.protobuf.StringValue": "Wrapper",
	"google.protobuf.BytesValue": "Wrapper",
}

// js returns a name of package gremlin/json/rt as this file writes it.
func (t *messageType) js(name string) string { return t.use(jsonRTPath) + "." + name }

// json prints what a message and its Reader have for JSON.
func (t *messageType) json() {
	n, js := t.names, t.use(jsonRTPath)
	r := replacements{
		"NEWMESSAGE", oneLine("func() "+js+".Message", " ", "return new("+n.message.name+")"),
		"NAME", n.message.name, "READER", n.reader.name, "NONE", n.noReader, "TOWIRE", n.toWire,
		"TABLE", n.jsonTable, "OPTIONS", t.use(jsonPath) + ".Options", "PKG", js,
		"RT", t.use(rtPath)}
	t.functions(r, []string{
		"MarshalJSON returns m as JSON.",
		"func (m NAME) MarshalJSON() ([]byte, error) { return PKG.Marshal(RT.NoEscape(&m), OPTIONS{}) }",
		"AppendJSON appends m as JSON to b.",
		"func (m *NAME) AppendJSON(b []byte, o OPTIONS) ([]byte, error) { return PKG.Append(b, m, o) }",
		"UnmarshalJSON replaces the contents of m by those of text, of which it keeps nothing.",
		"func (m *NAME) UnmarshalJSON(text []byte) error { return PKG.Unmarshal(text, m, OPTIONS{}) }",
	})
	t.jsonAppend()
	t.jsonDecode()
	toWire := "return PKG.ToWire(dst, text, &TABLE, o)"
	if t.needsInit() {
		toWire =
			"b, err := PKG.ToWire(dst, text, &TABLE, o)\nif err != nil {\nreturn dst, err\n}\nvar r READER\n" +
				"if err := r.Unmarshal(b[len(dst):]); err != nil {\nreturn dst, err\n}\n" +
				"if err := r.ToMessage().CheckInitialized(); err != nil {\nreturn dst, err\n}\nreturn b, nil"
	}
	t.functions(r, []string{
		"MarshalJSON returns what r reads as JSON.",
		"func (r READER) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil, OPTIONS{}) }",
		"AppendJSON appends what r reads as JSON to b; no Message is made, unless r is nested uncommonly deep.",
		"func (r *READER) AppendJSON(b []byte, o OPTIONS) ([]byte, error) {\ne := PKG.NewEncoder(&o)\nreturn e.FinishReader(r.or().appendJSON(e, b, e.Depth()), len(b), r.Raw(), NEWMESSAGE)\n}",
		"GremlinJSON describes the message to the runtime.",
		"func (*READER) GremlinJSON() *PKG.Table { return &TABLE }",
		"GremlinOpenJSON appends an encoded message as JSON. It is for generated code.",
		"func (*READER) GremlinOpenJSON(e *PKG.Encoder, b []byte, p RT.Ptr, n uint, depth int) []byte {\nvar r READER\n_ = r.index(p, n)\t// Rejects tells\nreturn r.appendJSON(e, b, depth)\n}",
		"TOWIRE appends the encoding of the NAME that text holds as JSON to dst; no Message is made.",
		"func TOWIRE(dst, text []byte, o OPTIONS) ([]byte, error) {\n" + toWire + "\n}",
	})
	t.jsonRead()
	t.jsonTable()
}

// jsonTable prints the table.
func (t *messageType) jsonTable() {
	t.p()
	t.p("var ", t.names.jsonTable, " = ", t.js("Table"), "{")
	t.p("Wire:\t&", t.names.table, ",")
	if len(t.fields) != 0 {
		t.p("Fields: []", t.js("Field"), "{")
		for _, f := range t.fields {
			t.p(t.jsonField(f), ",")
		}
		t.p("},")
	}
	if names := t.jsonIndex(); names != nil {
		t.p("Index: []uint16{")
		for row := range slices.Chunk(names, 24) {
			var line []string
			for _, n := range row {
				line = append(line, strconv.Itoa(n.index))
			}
			t.p(strings.Join(line, ", "), ",")
		}
		t.p("},")
	}
	if special := jsonSpecials[t.msg.FullName]; special != "" {
		t.p("Special:\t", t.js("Special"+special), ",")
	}
	if len(t.msg.ExtensionRanges) != 0 {
		t.p("Extendable:\ttrue,")
	}
	t.p("}")
}

func (t *messageType) jsonField(f *schema.Field) string {
	name := jsonQuote(f.JSONName)
	s := "{Name: " + goQuote(","+name+":")
	if proto := jsonQuote(f.Name); proto != name {
		s += ", Proto: " + goQuote(","+proto+":")
	}
	var flags []string
	if f.Presence {
		flags = append(flags, t.js("FlagPresence"))
	}
	if !f.Repeated && !f.IsMap() && (f.Message != nil &&
		f.Message.FullName == "google.protobuf.Value" ||
		f.Enum != nil && f.Enum.FullName == "google.protobuf.NullValue") {
		flags = append(flags, t.js("FlagNull"))
	}
	if len(flags) != 0 {
		s += ", Flags: " + strings.Join(flags, " | ")
	}
	if f.Oneof != nil {
		s += ", Oneof: " + strconv.Itoa(slices.Index(t.msg.Oneofs, f.Oneof)+1)
	}
	return s + "}"
}

// maxLinear is how many fields a message has at most whose names are compared one after the other.
const maxLinear = 16

type jsonName struct {
	text  string
	index int // index in Table.Index
}

// jsonIndex returns the names of all fields, sorted, if the message needs that. A name that is the
// JSON name of one field and the declared name of another is that of the former.
func (t *messageType) jsonIndex() (names []jsonName) {
	seen := map[string]bool{}
	clash := false
	add := func(name string, index int) {
		q := jsonQuote(name)
		clash = clash || seen[q]
		if !seen[q] {
			seen[q] = true
			names = append(names, jsonName{q[1 : len(q)-1], index})
		}
	}
	for i, f := range t.fields {
		add(f.JSONName, 2*i)
	}
	for i, f := range t.fields {
		if f.Name != f.JSONName {
			add(f.Name, 2*i+1)
		}
	}
	if len(t.fields) <= maxLinear && !clash {
		return nil
	}
	slices.SortFunc(names, func(a, b jsonName) int { return strings.Compare(a.text, b.text) })
	return names
}

// jsonQuote returns s in the form in which package json writes strings.
func jsonQuote(s string) string {
	short := map[rune]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`, '\b': `\b`,
		'\f': `\f`}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case short[r] != "":
			b.WriteString(short[r])
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// goQuote returns s as a Go literal, in backquotes if they can hold it.
func goQuote(s string) string {
	if strconv.CanBackquote(s) {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}
