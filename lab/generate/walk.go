package main

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

type (
	message = protoreflect.MessageDescriptor
	field   = protoreflect.FieldDescriptor
)

// walker writes functions that visit all fields of a message m: sum{T}(m) adds the values up, which is what is timed,
// list{T}(m, p) shows them to a probe, and two{T}(m) adds up two fields of the root.
type walker interface {
	text(m message, two bool, fields [2]string) string
}

// camel returns the Go name of a field.
func camel(f field) string {
	name := string(f.Name())
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' && i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z':
			i++
			b.WriteByte(name[i] - 32)
		case i == 0:
			b.WriteByte(c - 32)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isText(f field) bool {
	return f.Kind() == protoreflect.StringKind || f.Kind() == protoreflect.BytesKind
}

func isMessage(f field) bool { return f.Message() != nil }

// bits is how the value v of f is counted as a number.
func bits(f field, v string) string {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return "worker.Bool(" + v + ")"
	case protoreflect.FloatKind:
		return "uint64(math.Float32bits(" + v + "))"
	case protoreflect.DoubleKind:
		return "math.Float64bits(" + v + ")"
	case protoreflect.StringKind, protoreflect.BytesKind:
		return "uint64(len(" + v + "))"
	default:
		return "uint64(" + v + ")"
	}
}

// visit is what is done with a value: it is summed or listed.
type visit struct {
	list bool
	path bool // one way down alone
}

func (v visit) leaf(f field, index, x string) string {
	switch {
	case !v.list:
		return "sum += " + bits(f, x) + "\n"
	case f.Kind() == protoreflect.StringKind:
		return fmt.Sprintf("p.Str(%d, %s, %s)\n", f.Number(), index, x)
	case isText(f):
		return fmt.Sprintf("p.Str(%d, %s, string(%s))\n", f.Number(), index, x)
	default:
		return fmt.Sprintf("p.Num(%d, %s, %s)\n", f.Number(), index, bits(f, x))
	}
}

func (v visit) nested(f field, index, x string) string {
	if v.path {
		return fmt.Sprintf("sum += path%s(%s)\n", f.Message().Name(), x)
	}
	if !v.list {
		return fmt.Sprintf("sum += sum%s(%s)\n", f.Message().Name(), x)
	}
	return fmt.Sprintf("p.In(%d, %s); list%s(%s, p); p.Leave()\n", f.Number(), index, f.Message().Name(), x)
}

// value is a leaf or a message.
func (v visit) value(f field, index, x string) string {
	if isMessage(f) {
		return v.nested(f, index, x)
	}
	return v.leaf(f, index, x)
}

// index is the variable of a range over a list.
func (v visit) index() string {
	if v.list {
		return "i"
	}
	return "_"
}

// entry is what is done with a map entry k, x.
func (v visit) entry(f field, k, x string) string {
	if v.list {
		return fmt.Sprintf("p.Key(%d, %s)\n%sp.Leave()\n", f.Number(), k, v.value(f.MapValue(), "-1", x))
	}
	return v.leaf(f.MapKey(), "", k) + v.value(f.MapValue(), "", x)
}

// fieldsAtATime is how many fields a function visits before it calls the next for the rest.
const fieldsAtATime = 16

// functions writes the three functions for a message, given the type of m and what a field's visit is.
func functions(m message, typ string, two bool, fields [2]string, visitField func(visit, field) string) string {
	var b strings.Builder
	for _, v := range []visit{{}, {list: true}} {
		if v.list {
			fmt.Fprintf(&b, "\nfunc list%s(m %s, p *worker.Probe) {\n", m.Name(), typ)
		} else {
			fmt.Fprintf(&b, "\nfunc sum%s(m %s) (sum uint64) {\n", m.Name(), typ)
		}
		for i := range m.Fields().Len() {
			// In a very large function the compiler inlines little, iterators for instance. Nobody writes such functions by hand.
			if i > 0 && i%fieldsAtATime == 0 {
				if v.list {
					fmt.Fprintf(&b, "list%s_%d(m, p)\n}\n\nfunc list%s_%d(m %s, p *worker.Probe) {\n", m.Name(), i, m.Name(), i, typ)
				} else {
					fmt.Fprintf(&b, "return sum + sum%s_%d(m)\n}\n\nfunc sum%s_%d(m %s) (sum uint64) {\n", m.Name(), i, m.Name(), i, typ)
				}
			}
			b.WriteString(visitField(v, m.Fields().Get(i)))
		}
		if !v.list {
			b.WriteString("return sum\n")
		}
		b.WriteString("}\n")
	}
	if onPath[m.Name()] && !strings.HasPrefix(typ, "*"+string(m.Name())) { // easyproto has its own
		fmt.Fprintf(&b, "\nfunc path%s(m %s) (sum uint64) {\n", m.Name(), typ)
		for _, f := range wayDown(m) {
			b.WriteString(visitField(visit{path: true}, f))
		}
		b.WriteString("return sum\n}\n")
	}
	if two {
		fmt.Fprintf(&b, "\nfunc two%s(m %s) (sum uint64) {\n", m.Name(), typ)
		for _, name := range fields {
			b.WriteString(visitField(visit{}, m.Fields().ByName(protoreflect.Name(name))))
		}
		b.WriteString("return sum\n}\n")
	}
	return b.String()
}

// structs walks messages that are structs.
type structs struct {
	getters bool // GetX(), else the field; oneofs have getters in either case
	values  bool // lists and maps of messages have values, not pointers
	own     bool // the structs are in the package itself, and members of oneofs are plain fields
}

func (w structs) text(m message, two bool, fields [2]string) string {
	typ := "*pb." + string(m.Name())
	if w.own {
		typ = "*" + string(m.Name())
	}
	return functions(m, typ, two, fields, w.visit)
}

func (w structs) visit(v visit, f field) string {
	x := "m." + camel(f)
	if w.getters || f.ContainingOneof() != nil && !w.own {
		x = "m.Get" + camel(f) + "()"
	}
	switch {
	case f.IsMap() && isMessage(f.MapValue()) && w.values:
		return fmt.Sprintf("for k, x := range %s {\n%s}\n", x, v.entry(f, "k", "&x"))
	case f.IsMap():
		return fmt.Sprintf("for k, x := range %s {\n%s}\n", x, v.entry(f, "k", "x"))
	case f.IsList() && isMessage(f) && w.values:
		return fmt.Sprintf("for i := range %s {\n%s}\n", x, v.value(f, "i", "&"+x+"[i]"))
	case f.IsList():
		return fmt.Sprintf("for %s, x := range %s {\n%s}\n", v.index(), x, v.value(f, "i", "x"))
	case isMessage(f):
		return fmt.Sprintf("if x := %s; x != nil {\n%s}\n", x, v.nested(f, "-1", "x"))
	default:
		return v.leaf(f, "-1", x)
	}
}

// readers walks our Readers.
type readers struct{}

func (readers) text(m message, two bool, fields [2]string) string {
	return functions(m, "*pb."+string(m.Name())+"Reader", two, fields, func(v visit, f field) string {
		name := camel(f)
		switch {
		case f.IsMap():
			return fmt.Sprintf("for k, x := range m.%s() {\n%s}\n", name, v.entry(f, "k", "x"))
		case f.IsList() && v.list:
			return fmt.Sprintf("for i, x := range numbered(m.%s()) {\n%s}\n", name, v.value(f, "i", "x"))
		case f.IsList():
			return fmt.Sprintf("for x := range m.%s() {\n%s}\n", name, v.value(f, "", "x"))
		case isMessage(f):
			return fmt.Sprintf("if m.Has%s() {\n%s}\n", name, v.nested(f, "-1", "m.Get"+name+"()"))
		default:
			return v.leaf(f, "-1", "m.Get"+name+"()")
		}
	})
}
