package gremlin

import (
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/gremlin/rt"
)

// Diff returns what is different between two messages, for tests and logs: a line for each field,
// with its path and both values in text format, and "" where there is no difference. Unknown fields
// go by their numbers.
//
//	amount: want 250, got 205
//	items[1].sku: want "pear", got nothing
//	metadata["channel"]: want nothing, got "web"
func Diff(want, got Message) string {
	if want.GremlinTable() != got.GremlinTable() {
		return "want a " + NameOf(want) + ", got a " + NameOf(got) + "\n"
	}
	w, g := fieldsOf(want), fieldsOf(got)
	values := make(map[string]string, len(g))
	for _, f := range g {
		values[f.path] = f.value
	}
	var b strings.Builder
	line := func(path, want, got string) {
		b.WriteString(path + ": want " + want + ", got " + got + "\n")
	}
	for _, f := range w {
		value, ok := values[f.path]
		if !ok {
			line(f.path, f.value, "nothing")
		} else if value != f.value {
			line(f.path, f.value, value)
		}
		values[f.path] = "" // it is dealt with; no value is empty
	}
	for _, f := range g {
		if values[f.path] != "" {
			line(f.path, "nothing", f.value)
		}
	}
	return b.String()
}

// textField is a field that has no fields in it: its path and its value as text.
type textField struct{ path, value string }

// fieldsOf lists the fields of a message. They are read from its text, which has each on a line.
func fieldsOf(m Message) []textField {
	text := rt.TextOptions{Indent: " ", Unknown: true}.Append(nil, m)
	w := textWalk{lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")}
	w.message("", m.GremlinTable())
	return w.fields
}

// textWalk goes through the lines of a text.
type textWalk struct {
	lines  []string
	fields []textField
}

// message takes the lines of a message, whose type is nil where it is not known, and what ends it.
func (w *textWalk) message(path string, t *rt.Table) {
	counts := make(map[string]int)
	for len(w.lines) > 0 {
		line := strings.TrimLeft(w.lines[0], " ")
		w.lines = w.lines[1:]
		if line == "}" || line == "" {
			return
		}
		name, value, _ := strings.Cut(line, ": ")
		opened, nested := strings.CutSuffix(line, " {")
		if nested { // no value of a scalar ends so: strings end with a quote
			name, value = opened, "{}"
		}
		f := fieldNamed(t, name)
		at := path + name
		if f == nil || f.Flags&rt.FlagRepeated != 0 {
			if n := counts[name]; n > 0 || f != nil {
				at += "[" + strconv.Itoa(n) + "]"
			}
			counts[name]++
		}
		if !nested {
			w.fields = append(w.fields, textField{at, value})
			continue
		}
		before := len(w.fields)
		w.nested(at, f)
		if len(w.fields) == before { // there is a message and nothing in it
			w.fields = append(w.fields, textField{at, value})
		}
	}
}

// nested takes the lines of a message in a field. An entry of a map goes by its key.
func (w *textWalk) nested(at string, f *rt.FieldInfo) {
	if f == nil {
		w.message(at+".", nil)
		return
	}
	t := f.Sub.GremlinTable()
	if f.Kind != rt.KindMap || len(w.lines) == 0 {
		w.message(at+".", t)
		return
	}
	key, ok := strings.CutPrefix(strings.TrimLeft(w.lines[0], " "), "key: ")
	if ok {
		w.lines = w.lines[1:]
	}
	before, entry := len(w.fields), at+"["+key+"]"
	w.message(entry+".", t)
	for i := range w.fields[before:] { // the value is all that is left of an entry
		field := &w.fields[before+i]
		if rest, ok := strings.CutPrefix(field.path, entry+".value"); ok {
			field.path = entry + rest
		}
	}
}

func fieldNamed(t *rt.Table, name string) *rt.FieldInfo {
	if t == nil {
		return nil
	}
	for i := range t.Fields {
		if t.Fields[i].Name == name {
			return &t.Fields[i]
		}
	}
	return nil
}
