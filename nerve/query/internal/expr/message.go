package expr

import (
	"strings"
	"time"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// message is a message as a value of the interpreter. Its bytes are read, one level, when a field
// is asked for, and the values of fields are kept: an expression may ask for one many times. It
// aliases the record.
type message struct {
	prog  *Program // is told of what is made
	typ   *dynamic.Type
	data  string
	depth int
	read  []read // what was read, by index of the field
}

// read is what a field has, and once it was asked for its value.
type read struct {
	done   bool
	values *project.Values
	value  ref.Val
}

// messageVal is a message as cel-go has it.
type messageVal = celtypes.Object[*message]

func (p *Program) newMessage(t *dynamic.Type, data string, depth int) *message {
	return &message{prog: p, typ: t, data: data, depth: depth}
}

// field reads a field, once.
func (m *message) field(f *dynamic.Field) *read {
	if m.read == nil {
		m.prog.make(len(m.typ.Fields) * valueBytes)
		m.read = make([]read, len(m.typ.Fields))
	}
	r := &m.read[f.Index]
	if !r.done {
		r.values = project.Level(m.typ, bytesOf(m.data), f, m.prog.make)[f.Number]
		r.done = true
	}
	return r
}

func (m *message) values(f *dynamic.Field) *project.Values { return m.field(f).values }

// Type implements celtypes.Message.
func (m *message) Type() *dynamic.Type { return m.typ }

// Field implements celtypes.Message.
func (m *message) Field(name string) *dynamic.Field { return m.typ.FieldNamed(name) }

// Has implements celtypes.Message.
func (m *message) Has(f *dynamic.Field) bool {
	v := m.values(f)
	switch {
	case v == nil:
		return false
	case f.Presence || f.List():
		return len(v.Messages)+len(v.Scalars) > 0
	case f.Message != nil:
		return true
	}
	x := v.Scalars[0]
	return x.Bits != 0 || x.Text != ""
}

// Value implements celtypes.Message.
func (m *message) Value(f *dynamic.Field) ref.Val {
	r := m.field(f)
	if r.value == nil {
		r.value = m.valueOf(f, r.values)
	}
	return r.value
}

func (m *message) valueOf(f *dynamic.Field, v *project.Values) ref.Val {
	switch {
	case f.Kind == dynamic.Map:
		return m.mapValue(f, v)
	case f.Repeated:
		return m.listValue(f, v)
	case f.Message != nil && v == nil:
		return m.prog.messageValue(f.Message, "", false, m.depth+1)
	case f.Message != nil:
		return m.prog.messageValue(f.Message, view(v.Messages[0]), true, m.depth+1)
	case v == nil:
		return m.prog.scalarValue(f, f.Default)
	}
	return m.prog.scalarValue(f, v.Scalars[0])
}

// valueBytes is about what a value of the interpreter takes, without its text.
const valueBytes = 32

func (p *Program) scalarValue(f *dynamic.Field, x dynamic.Scalar) ref.Val {
	p.make(valueBytes + len(x.Text))
	if f.Kind == dynamic.String {
		x.Text = strings.Clone(x.Text) // the record goes, the value may stay
	}
	return celtypes.Scalar(f, x)
}

func (m *message) listValue(f *dynamic.Field, v *project.Values) ref.Val {
	var list []ref.Val
	if v != nil {
		for _, data := range v.Messages {
			list = append(list, m.prog.messageValue(f.Message, view(data), true, m.depth+1))
		}
		for _, x := range v.Scalars {
			list = append(list, m.prog.scalarValue(f, x))
		}
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}

func (m *message) mapValue(f *dynamic.Field, v *project.Values) ref.Val {
	entries := map[ref.Val]ref.Val{}
	if v != nil {
		for _, data := range v.Messages {
			m.prog.make(2 * valueBytes)
			entry := m.prog.newMessage(f.Message, view(data), m.depth+1)
			entries[entry.Value(f.Key())] = entry.Value(f.Value())
		}
	}
	return types.NewRefValMap(types.DefaultTypeAdapter, entries)
}

// maxNesting is how deep messages may nest whose values are made at once, such as a Struct. Records
// are checked before, but what an Any has is not.
const maxNesting = 10000

// messageValue is a message, or what a well-known type stands for.
func (p *Program) messageValue(t *dynamic.Type, data string, there bool, depth int) ref.Val {
	if depth > maxNesting {
		return types.NewErr("messages nest too deep")
	}
	p.make(valueBytes)
	return celtypes.Value(p.newMessage(t, data, depth), there)
}

// Int implements celtypes.Message.
func (m *message) Int(f *dynamic.Field) int64 { return int64(m.Value(f).(types.Int)) }

// Any implements celtypes.Message.
func (m *message) Any() ref.Val {
	url := string(m.Value(m.typ.Field(1)).(types.String))
	t := celtypes.AnyType(m.typ, url)
	if t == nil {
		return types.NewErr("unknown type: %q", url)
	}
	data := m.Value(m.typ.Field(2)).(types.Bytes)
	return m.prog.messageValue(t, view(data), true, m.depth+1)
}

// Empty implements celtypes.Message.
func (m *message) Empty() bool { return len(m.data) == 0 }

// Unequal implements celtypes.Message. What cannot be known is equal to nothing.
func (m *message) Unequal(ref.Val) ref.Val { return types.False }

// row is a record as a value of the interpreter, and the names that an expression has.
type row struct {
	prog *Program
	env  *Env
	in   *Input
	at   int
	id   int64
	size int64
	root *message
}

func (r *row) time() time.Time { return time.Unix(0, r.in.Times[r.at]).UTC() }

// ResolveName implements interpreter.Activation.
func (r *row) ResolveName(name string) (any, bool) {
	e := r.env
	if name == "now" {
		return types.Timestamp{Time: e.Now}, true
	}
	if x, known := e.extra[name]; known {
		return r.prog.columnValue(&r.in.Cols[x.col], r.at), true
	}
	if e.Root == nil {
		return nil, false
	}
	if f := e.Root.FieldNamed(name); f != nil {
		return r.root.Value(f), true
	}
	if name == e.Record() {
		return r, true
	}
	return nil, false
}

// Parent implements interpreter.Activation.
func (r *row) Parent() interpreter.Activation { return nil }

// columnValue is row i of a column as a value of the interpreter.
func (p *Program) columnValue(c *column.Column, i int) ref.Val {
	if c.Null(i) {
		return types.NullValue
	}
	p.make(valueBytes)
	switch c.Kind {
	case column.Bool:
		return types.Bool(c.Ints[i] != 0)
	case column.Uint:
		return types.Uint(c.Ints[i])
	case column.Float:
		return types.Double(c.Floats[i])
	case column.String:
		p.make(len(c.Strings[i]))
		return types.String(strings.Clone(c.Strings[i]))
	case column.Bytes:
		p.make(len(c.Strings[i]))
		return types.Bytes(c.Strings[i])
	case column.Time:
		return types.Timestamp{Time: time.Unix(0, c.Ints[i]).UTC()}
	case column.Duration:
		return types.Duration{Duration: time.Duration(c.Ints[i])}
	case column.Message:
		return p.messageValue(c.Type.Message, c.Strings[i], true, 0)
	case column.List:
		return p.columnList(c, int(c.Offsets[i]), int(c.Offsets[i+1]))
	}
	return types.Int(c.Ints[i])
}

// columnList is the elements from up to to of a column of lists.
func (p *Program) columnList(c *column.Column, from, to int) ref.Val {
	if c.Map != nil {
		v := &project.Values{}
		for i := from; i < to; i++ {
			v.Messages = append(v.Messages, bytesOf(c.Elem.Strings[i]))
		}
		return p.newMessage(c.Map.Parent, "", 0).mapValue(c.Map, v)
	}
	var list []ref.Val
	for i := from; i < to; i++ {
		list = append(list, p.columnValue(c.Elem, i))
	}
	return types.NewRefValList(types.DefaultTypeAdapter, list)
}
