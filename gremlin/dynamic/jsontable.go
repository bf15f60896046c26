package dynamic

import (
	"slices"
	"strings"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
)

// specialForm is a message with a JSON form of its own, and the fields that it must have for it, in
// the order of their numbers from 1.
type specialForm struct {
	special jsonrt.Special
	kinds   []Kind
	list    bool // the field is a list
}

// specials is by the name in google.protobuf.
var specials = map[string]specialForm{
	"Any":       {jsonrt.SpecialAny, []Kind{String, Bytes}, false},
	"Timestamp": {jsonrt.SpecialTimestamp, []Kind{Int64, Int32}, false},
	"Duration":  {jsonrt.SpecialDuration, []Kind{Int64, Int32}, false},
	"FieldMask": {jsonrt.SpecialFieldMask, []Kind{String}, true},
	"Struct":    {jsonrt.SpecialStruct, []Kind{Map}, false},
	"Value": {jsonrt.SpecialValue,
		[]Kind{EnumKind, Double, String, Bool, MessageKind, MessageKind}, false},
	"ListValue":   {jsonrt.SpecialListValue, []Kind{MessageKind}, true},
	"Empty":       {jsonrt.SpecialEmpty, nil, false},
	"BoolValue":   {jsonrt.SpecialWrapper, []Kind{Bool}, false},
	"Int32Value":  {jsonrt.SpecialWrapper, []Kind{Int32}, false},
	"Int64Value":  {jsonrt.SpecialWrapper, []Kind{Int64}, false},
	"UInt32Value": {jsonrt.SpecialWrapper, []Kind{Uint32}, false},
	"UInt64Value": {jsonrt.SpecialWrapper, []Kind{Uint64}, false},
	"FloatValue":  {jsonrt.SpecialWrapper, []Kind{Float}, false},
	"DoubleValue": {jsonrt.SpecialWrapper, []Kind{Double}, false},
	"StringValue": {jsonrt.SpecialWrapper, []Kind{String}, false},
	"BytesValue":  {jsonrt.SpecialWrapper, []Kind{Bytes}, false},
}

// specialOf returns which special message t is, 0 for none. A message that only has the name of
// one is not special.
func specialOf(t *Type) jsonrt.Special {
	name, ok := strings.CutPrefix(t.Name, "google.protobuf.")
	form, known := specials[name]
	if !ok || !known || len(t.Fields) != len(form.kinds) {
		return 0
	}
	for i, f := range t.Fields {
		if f.Number != uint32(i+1) || f.Kind != form.kinds[i] || f.Repeated != form.list {
			return 0
		}
	}
	return form.special
}

// jsonTable makes what JSON knows of t beyond t.tables.wire.
func jsonTable(t *Type) *jsonrt.Table {
	table := &jsonrt.Table{Wire: t.tables.wire, Special: specialOf(t),
		Extendable: t.Extendable && !t.MessageSet}
	for _, f := range t.Fields {
		table.Fields = append(table.Fields, jsonField(t, f))
	}
	table.Index = jsonIndex(t)
	return table
}

func jsonField(t *Type, f *Field) jsonrt.Field {
	name, proto := jsonQuote(f.JSONName), jsonQuote(f.Name)
	j := jsonrt.Field{Name: "," + name + ":"}
	if proto != name {
		j.Proto = "," + proto + ":"
	}
	if f.Presence {
		j.Flags |= jsonrt.FlagPresence
	}
	if !f.List() && (f.Message != nil && f.Message.Name == "google.protobuf.Value" ||
		f.Enum != nil && f.Enum.Name == "google.protobuf.NullValue") {
		j.Flags |= jsonrt.FlagNull
	}
	if f.Oneof != nil {
		j.Oneof = uint16(slices.Index(t.Oneofs, f.Oneof) + 1)
	}
	return j
}

// maxLinear is how many fields a message has at most whose names are compared one after the other.
const maxLinear = 16

// jsonIndex returns the names of all fields, sorted, where the message needs that. A name that is
// the JSON name of one field and the declared name of another is that of the former.
func jsonIndex(t *Type) []uint16 {
	type indexed struct {
		text  string
		index uint16
	}
	var names []indexed
	seen := map[string]bool{}
	clash := false
	add := func(name string, index int) {
		clash = clash || seen[name]
		if !seen[name] {
			seen[name] = true
			q := jsonQuote(name)
			names = append(names, indexed{q[1 : len(q)-1], uint16(index)})
		}
	}
	for i, f := range t.Fields {
		add(f.JSONName, 2*i)
	}
	for i, f := range t.Fields {
		if f.Name != f.JSONName {
			add(f.Name, 2*i+1)
		}
	}
	if len(t.Fields) <= maxLinear && !clash {
		return nil
	}
	slices.SortFunc(names, func(a, b indexed) int { return strings.Compare(a.text, b.text) })
	index := make([]uint16, len(names))
	for i, n := range names {
		index[i] = n.index
	}
	return index
}

// jsonQuote returns s as package gremlin/json/rt writes strings.
func jsonQuote(s string) string {
	const hex = "0123456789abcdef"
	b := []byte{'"'}
	for i := range len(s) {
		c := s[i]
		if short := strings.IndexByte("\"\\\n\r\t\b\f", c); short >= 0 {
			b = append(b, '\\', `"\nrtbf`[short])
		} else if c < ' ' {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
