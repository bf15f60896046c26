package main

import (
	"fmt"
	"slices"
	"strings"
)

// molecule reads only: functions are called for each field of a message, nested ones included.
func molecule() impl {
	return impl{name: "molecule", folder: "molecule", module: "github.com/richardartoul/molecule", walk: scanner{},
		imports: []string{"github.com/richardartoul/molecule", "github.com/richardartoul/molecule/src/codec"},
		helpers: `
// each calls fn for each field of b.
func each(b []byte, fn molecule.MessageEachFn) { worker.Must(molecule.MessageEach(codec.NewBuffer(b), fn)) }
`,
		minimal: `var text string
	must(molecule.MessageEach(codec.NewBuffer(b), func(n int32, v molecule.Value) (bool, error) {
		if n == 4 { text, err = v.AsStringUnsafe() }
		return true, err
	}))
	os.Stdout.WriteString(text)
	out := b`,
	}
}

// scanner writes functions that walk encoded messages.
type scanner struct{}

func (scanner) ops(two, path bool) []op {
	ops := []op{{"readall", "", "sum += sum{T}(data[k])", "p.Begin(); list{T}(data[k], p)"}}
	if two {
		ops = append(ops, op{"read2", "", "sum += two{T}(data[k])", "p.Begin(); list{T}(data[k], p)"})
	}
	if path {
		ops = append(ops, op{"readpath", "", "sum += path{T}(data[k])", "p.Begin(); list{T}(data[k], p)"})
	}
	return ops
}

// as gets a value of f out of v.
func as(f field, x string) string {
	name := method(f)
	switch f.Kind().String() {
	case "string":
		name = "StringUnsafe"
	case "bytes", "message":
		name = "BytesUnsafe"
	case "sfixed32":
		name = "SFixed32"
	case "sfixed64":
		name = "SFixed64"
	}
	return fmt.Sprintf("%s, err := v.As%s()\nif err != nil { return false, err }\n", x, name)
}

func (scanner) text(m message, two bool, fields [2]string) string {
	var b strings.Builder
	t := string(m.Name())
	for _, v := range []visit{{}, {list: true}} {
		if v.list {
			fmt.Fprintf(&b, "\nfunc list%s(b []byte, p *worker.Probe) {\n", t)
		} else {
			fmt.Fprintf(&b, "\nfunc sum%s(b []byte) (sum uint64) {\n", t)
		}
		var cases strings.Builder
		for i := range m.Fields().Len() {
			f := m.Fields().Get(i)
			fmt.Fprintf(&cases, "case %d:\n", f.Number())
			index, count := "-1", ""
			if f.IsList() && v.list {
				fmt.Fprintf(&b, "var i%d int\n", f.Number())
				index, count = "i", fmt.Sprintf("i := i%d; i%d++\n", f.Number(), f.Number())
			}
			one := count + as(f, "x") + v.value(f, index, "x")
			switch {
			case f.IsMap():
				k, x := f.MapKey(), f.MapValue()
				fmt.Fprintf(&cases, "var k %s\nvar x %s\n", goType(k), strings.Replace(goType(x), string(nameOf(x)), "[]byte", 1))
				fmt.Fprintf(&cases, "each(v.Bytes, func(n int32, v molecule.Value) (_ bool, err error) {\nswitch n {\ncase 1:\nk, err = %s\ncase 2:\nx, err = %s\n}\nreturn true, err\n})\n", call(k), call(x))
				cases.WriteString(v.entry(f, "k", "x"))
			case f.IsList() && !isText(f) && !isMessage(f):
				fmt.Fprintf(&cases, "if v.WireType == codec.WireBytes {\nreturn true, molecule.PackedRepeatedEach(codec.NewBuffer(v.Bytes), codec.FieldType_%s, func(v molecule.Value) (bool, error) {\n%sreturn true, nil\n})\n}\n%s",
					strings.ToUpper(f.Kind().String()), one, one)
			default:
				cases.WriteString(one)
			}
		}
		fmt.Fprintf(&b, "each(b, func(n int32, v molecule.Value) (bool, error) {\nswitch n {\n%s}\nreturn true, nil\n})\n", &cases)
		if !v.list {
			b.WriteString("return sum\n")
		}
		b.WriteString("}\n")
	}
	if onPath[m.Name()] {
		cases := ""
		for _, f := range wayDown(m) {
			cases += fmt.Sprintf("case %d:\n%s%s", f.Number(), as(f, "x"), visit{path: true}.value(f, "", "x"))
		}
		fmt.Fprintf(&b, "\nfunc path%s(b []byte) (sum uint64) {\neach(b, func(n int32, v molecule.Value) (bool, error) {\nswitch n {\n%s}\nreturn true, nil\n})\nreturn sum\n}\n", t, cases)
	}
	if two {
		cases := ""
		for i := range m.Fields().Len() {
			if f := m.Fields().Get(i); slices.Contains(fields[:], string(f.Name())) {
				cases += fmt.Sprintf("case %d:\n%s%s", f.Number(), as(f, "x"), visit{}.leaf(f, "", "x"))
			}
		}
		fmt.Fprintf(&b, "\nfunc two%s(b []byte) (sum uint64) {\neach(b, func(n int32, v molecule.Value) (bool, error) {\nswitch n {\n%s}\nreturn true, nil\n})\nreturn sum\n}\n", t, cases)
	}
	return b.String()
}

func nameOf(f field) string {
	if isMessage(f) {
		return string(f.Message().Name())
	}
	return "\x00"
}

// call is the expression that gets a value of f out of v.
func call(f field) string {
	text := as(f, "x")
	_, text, _ = strings.Cut(text, ":= ")
	text, _, _ = strings.Cut(text, "\n")
	return text
}
