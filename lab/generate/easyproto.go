package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// easyproto has no generator either: structs and the code that reads and writes them are written by hand, here as its
// README shows. Strings share the memory of the input.
func easyproto() impl {
	return impl{name: "easyproto", folder: "easyproto", wide: true, module: "github.com/VictoriaMetrics/easyproto", walk: plain{},
		imports: []string{"errors", "github.com/VictoriaMetrics/easyproto"},
		helpers: "\nvar mp easyproto.MarshalerPool\n\nvar errField = errors.New(\"cannot read a field\")\n",
		target:  "m := new({T})",
		reused:  "new({T})",
		decode:  "m.UnmarshalProtobuf(b)",
		writeM:  "*{T}",
		encode:  "out := m.MarshalProtobuf(nil)",
		append:  "buf = m.MarshalProtobuf(buf[:0])",
		minimal: `var text string
	var fc easyproto.FieldContext
	for src := b; len(src) > 0; {
		src, err = fc.NextField(src)
		must(err)
		if fc.FieldNum == 4 { text, _ = fc.String() }
	}
	os.Stdout.WriteString(text)
	var w easyproto.Marshaler
	w.MessageMarshaler().AppendString(4, text)
	out := w.Marshal(nil)`,
	}
}

// plain writes structs with plain fields, their codec and the functions that walk them.
type plain struct{}

// method is the name of a scalar kind in the methods of easyproto and molecule.
func method(f field) string {
	if f.Kind() == protoreflect.EnumKind {
		return "Int32"
	}
	k := f.Kind().String()
	return strings.ToUpper(k[:1]) + k[1:]
}

// goType is the Go type of a value of f.
func goType(f field) string {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return "bool"
	case protoreflect.StringKind:
		return "string"
	case protoreflect.BytesKind:
		return "[]byte"
	case protoreflect.FloatKind:
		return "float32"
	case protoreflect.DoubleKind:
		return "float64"
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return "uint32"
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return "uint64"
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return "int64"
	case protoreflect.MessageKind:
		return string(f.Message().Name())
	default:
		return "int32"
	}
}

func (plain) text(m message, two bool, fields [2]string) string {
	t := string(m.Name())
	var decl, clear, read, write strings.Builder
	for i := range m.Fields().Len() {
		f := m.Fields().Get(i)
		name, n := camel(f), f.Number()
		typ, zero := goType(f), "nil"
		fmt.Fprintf(&read, "case %d:\n", n)
		switch {
		case f.IsMap():
			k, v := f.MapKey(), f.MapValue()
			typ = "map[" + goType(k) + "]" + goType(v)
			fmt.Fprintf(&clear, "clear(m.%s)\n", name)
			fmt.Fprintf(&read, "data, ok := fc.MessageData()\nif !ok { return errField }\nif m.%s == nil { m.%s = %s{} }\n", name, name, typ)
			fmt.Fprintf(&read, "if err := unmarshal%s_%s(data, m.%s); err != nil { return err }\n", t, f.Name(), name)
			x := fmt.Sprintf("e.Append%s(2, x)", method(v))
			if isMessage(v) {
				x = "x.marshalProtobuf(e.AppendMessage(2))"
			}
			fmt.Fprintf(&write, "for k, x := range m.%s {\ne := mm.AppendMessage(%d)\ne.Append%s(1, k)\n%s\n}\n", name, n, method(k), x)
		case f.IsList() && isMessage(f):
			typ = "[]" + typ
			fmt.Fprintf(&clear, "m.%s = m.%s[:0]\n", name, name)
			fmt.Fprintf(&read, "data, ok := fc.MessageData()\nif !ok { return errField }\nm.%s = append(m.%s, %s{})\n", name, name, goType(f))
			fmt.Fprintf(&read, "if err := m.%s[len(m.%s)-1].UnmarshalProtobuf(data); err != nil { return err }\n", name, name)
			fmt.Fprintf(&write, "for i := range m.%s {\nm.%s[i].marshalProtobuf(mm.AppendMessage(%d))\n}\n", name, name, n)
		case f.IsList() && isText(f):
			typ = "[]" + typ
			fmt.Fprintf(&clear, "m.%s = m.%s[:0]\n", name, name)
			fmt.Fprintf(&read, "x, ok := fc.%s()\nif !ok { return errField }\nm.%s = append(m.%s, x)\n", method(f), name, name)
			fmt.Fprintf(&write, "for _, x := range m.%s {\nmm.Append%s(%d, x)\n}\n", name, method(f), n)
		case f.IsList():
			typ = "[]" + typ
			fmt.Fprintf(&clear, "m.%s = m.%s[:0]\n", name, name)
			fmt.Fprintf(&read, "var ok bool\nif m.%s, ok = fc.Unpack%ss(m.%s); !ok { return errField }\n", name, method(f), name)
			fmt.Fprintf(&write, "if len(m.%s) > 0 { mm.Append%ss(%d, m.%s) }\n", name, method(f), n, name)
		case isMessage(f):
			typ = "*" + typ
			fmt.Fprintf(&clear, "m.%s = nil\n", name)
			fmt.Fprintf(&read, "data, ok := fc.MessageData()\nif !ok { return errField }\nm.%s = new(%s)\n", name, goType(f))
			fmt.Fprintf(&read, "if err := m.%s.UnmarshalProtobuf(data); err != nil { return err }\n", name)
			fmt.Fprintf(&write, "if m.%s != nil { m.%s.marshalProtobuf(mm.AppendMessage(%d)) }\n", name, name, n)
		default:
			x := "x"
			if f.ContainingOneof() != nil {
				typ, x = "*"+typ, "&x"
				fmt.Fprintf(&write, "if m.%s != nil { mm.Append%s(%d, *m.%s) }\n", name, method(f), n, name)
			} else {
				fmt.Fprintf(&write, "mm.Append%s(%d, m.%s)\n", method(f), n, name)
				zero = map[string]string{"bool": "false", "string": `""`, "[]byte": "nil"}[typ]
				if zero == "" {
					zero = "0"
				}
			}
			fmt.Fprintf(&clear, "m.%s = %s\n", name, zero)
			fmt.Fprintf(&read, "x, ok := fc.%s()\nif !ok { return errField }\nm.%s = %s\n", method(f), name, x)
		}
		fmt.Fprintf(&decl, "%s %s\n", name, typ)
	}
	text := fmt.Sprintf("\n// %s is written as easyproto's README has it.\ntype %s struct {\n%s}\n", t, t, &decl)
	text += fmt.Sprintf("\n// UnmarshalProtobuf decodes src, whose memory the strings of m share.\nfunc (m *%s) UnmarshalProtobuf(src []byte) (err error) {\n%s%s}\n",
		t, &clear, scanFields(read.String()))
	text += fmt.Sprintf("\n// MarshalProtobuf appends the encoding of m.\nfunc (m *%s) MarshalProtobuf(dst []byte) []byte {\nw := mp.Get()\nm.marshalProtobuf(w.MessageMarshaler())\ndst = w.Marshal(dst)\nmp.Put(w)\nreturn dst\n}\n", t)
	text += fmt.Sprintf("\nfunc (m *%s) marshalProtobuf(mm *easyproto.MessageMarshaler) {\n%s}\n", t, &write)
	for i := range m.Fields().Len() {
		if f := m.Fields().Get(i); f.IsMap() {
			text += mapEntry(t, f)
		}
	}
	if onPath[m.Name()] {
		cases := ""
		for _, f := range wayDown(m) {
			cases += fmt.Sprintf("case %d:\n", f.Number())
			if isMessage(f) {
				cases += fmt.Sprintf("x, ok := fc.MessageData()\nif !ok { return 0, errField }\nv, err := path%s(x)\nif err != nil { return 0, err }\nsum += v\n", f.Message().Name())
			} else {
				cases += fmt.Sprintf("x, ok := fc.%s()\nif !ok { return 0, errField }\nsum += %s\n", method(f), bits(f, "x"))
			}
		}
		text += fmt.Sprintf("\nfunc path%s(src []byte) (sum uint64, err error) {\n%s}\n", t,
			strings.NewReplacer("return err\n}\nswitch", "return 0, err\n}\nswitch", "return nil\n", "return sum, nil\n").Replace(scanFields(cases)))
	}
	text += functions(m, "*"+t, false, fields, func(v visit, f field) string {
		if f.ContainingOneof() != nil && !isMessage(f) {
			return fmt.Sprintf("if m.%s != nil {\n%s}\n", camel(f), v.leaf(f, "-1", "*m."+camel(f)))
		}
		return structs{own: true, values: true}.visit(v, f)
	})
	if two {
		cases := ""
		for i, name := range fields {
			f := m.Fields().ByName(protoreflect.Name(name))
			cases += fmt.Sprintf("case %d:\nx, ok := fc.%s()\nif !ok { return 0, errField }\ns%d = %s\n", f.Number(), method(f), i, bits(f, "x"))
		}
		text += fmt.Sprintf("\nfunc two%s(src []byte) (sum uint64, err error) {\nvar s0, s1 uint64\n%s}\n", t,
			strings.NewReplacer("return err\n}\nswitch", "return 0, err\n}\nswitch", "return nil\n", "return s0 + s1, nil\n").Replace(scanFields(cases)))
	}
	return text
}

// scanFields is the loop over the fields of src.
func scanFields(cases string) string {
	return "var fc easyproto.FieldContext\nfor len(src) > 0 {\nif src, err = fc.NextField(src); err != nil {\nreturn err\n}\nswitch fc.FieldNum {\n" + cases + "}\n}\nreturn nil\n"
}

// mapEntry decodes an entry of a map.
func mapEntry(t string, f field) string {
	k, v := f.MapKey(), f.MapValue()
	value := fmt.Sprintf("if x, ok = fc.%s(); !ok { return errField }\n", method(v))
	if isMessage(v) {
		value = "data, ok := fc.MessageData()\nif !ok { return errField }\nif err := x.UnmarshalProtobuf(data); err != nil { return err }\n"
	}
	return fmt.Sprintf("\nfunc unmarshal%s_%s(src []byte, entries map[%s]%s) (err error) {\nvar k %s\nvar x %s\nvar ok bool\n%s", t, f.Name(),
		goType(k), goType(v), goType(k), goType(v),
		strings.Replace(scanFields(fmt.Sprintf("case 1:\nif k, ok = fc.%s(); !ok { return errField }\ncase 2:\n%s", method(k), value)),
			"return nil\n", "entries[k] = x\nreturn nil\n}\n", 1))
}
