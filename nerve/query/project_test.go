package query_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/nerve/query/column"
	"github.com/octopus-framework/octopus/nerve/query/internal/project"
)

// allPaths returns paths to all fields of t that are at most so deep, by every kind of step.
func allPaths(t *dynamic.Type, before []project.Step, depth int) (paths []project.Path) {
	for _, f := range t.Fields {
		steps := []project.Step{{Field: f}}
		inner := f.Message
		switch {
		case f.Kind == dynamic.Map:
			inner = f.Value().Message
			steps = nil
			for _, key := range keysFor(f) {
				steps = append(steps, project.Step{Field: f, Select: project.Key, Key: key})
			}
		case f.Repeated:
			steps = []project.Step{{Field: f, Select: project.All},
				{Field: f, Select: project.Index, Index: 0},
				{Field: f, Select: project.Index, Index: 2}}
		}
		if f.List() {
			paths = append(paths, project.Path{Want: project.Presence,
				Steps: append(slices.Clone(before), project.Step{Field: f})})
			if f.Repeated {
				paths = append(paths, project.Path{Want: project.Size,
					Steps: append(slices.Clone(before), project.Step{Field: f})})
			}
		}
		for _, s := range steps {
			whole := append(slices.Clone(before), s)
			paths = append(paths, project.Path{Steps: whole})
			if s.Select != project.All {
				paths = append(paths, project.Path{Steps: whole, Want: project.Presence})
			}
			if inner != nil && depth > 1 {
				paths = append(paths, allPaths(inner, whole, depth-1)...)
			}
		}
	}
	// What goes through a list has its sizes and presences for each element: not compared.
	return slices.DeleteFunc(paths, func(p project.Path) bool {
		return p.Want != project.Value && slices.ContainsFunc(p.Steps, func(s project.Step) bool {
			return s.Select == project.All
		})
	})
}

func keysFor(f *dynamic.Field) []dynamic.Scalar {
	if f.Key().Kind == dynamic.String {
		return []dynamic.Scalar{{Text: "k"}, {Text: ""}}
	}
	return []dynamic.Scalar{{Bits: 1}, {Bits: 0}}
}

// expected is the value that dynamicpb has for the path, as text; absent values of a row are
// "null".
func expected(m protoreflect.Message, p project.Path) string {
	at, there := protoreflect.ValueOfMessage(m), true
	for i, s := range p.Steps {
		last := i == len(p.Steps)-1
		msg := at.Message()
		fd := msg.Descriptor().Fields().ByNumber(protoreflect.FieldNumber(s.Field.Number))
		if last && p.Want == project.Size {
			return strconv.Itoa(msg.Get(fd).List().Len())
		}
		if last && p.Want == project.Presence && s.Select == project.One {
			return strconv.FormatBool(msg.Has(fd))
		}
		switch s.Select {
		case project.All:
			var list []string
			for k := range msg.Get(fd).List().Len() {
				inner := msg.Get(fd).List().Get(k)
				if last {
					list = append(list, text(fd, inner, true))
				} else {
					list = append(list, expected(inner.Message(),
						project.Path{Steps: p.Steps[i+1:]}))
				}
			}
			if !there && len(list) == 0 {
				return "[]"
			}
			return "[" + strings.Join(list, " ") + "]"
		case project.Index:
			list := msg.Get(fd).List()
			if there = list.Len() > s.Index; there {
				at = list.Get(s.Index)
			} else if at = (protoreflect.Value{}); fd.Message() != nil {
				at = list.NewElement()
			}
		case project.Key:
			entries := msg.Get(fd).Map()
			key := keyOf(fd, s.Key)
			if there = entries.Has(key); there {
				at = entries.Get(key)
			} else if at = (protoreflect.Value{}); fd.MapValue().Message() != nil {
				at = entries.NewValue()
			}
			fd = fd.MapValue()
		default:
			if fd.HasPresence() {
				there = msg.Has(fd)
			}
			at = msg.Get(fd)
		}
		if last {
			if p.Want == project.Presence {
				return strconv.FormatBool(there)
			}
			return text(fd, at, there)
		}
	}
	return ""
}

func keyOf(fd protoreflect.FieldDescriptor, k dynamic.Scalar) protoreflect.MapKey {
	switch fd.MapKey().Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(k.Text).MapKey()
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(k.Bits != 0).MapKey()
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(k.Bits)).MapKey()
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(int64(k.Bits)).MapKey()
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(k.Bits).MapKey()
	}
	return protoreflect.ValueOfInt32(int32(k.Bits)).MapKey()
}

func text(fd protoreflect.FieldDescriptor, v protoreflect.Value, there bool) string {
	if !there {
		return "null"
	}
	if fd.Message() == nil {
		if fd.Kind() == protoreflect.EnumKind {
			return fmt.Sprint(int32(v.Enum()))
		}
		if fd.Kind() == protoreflect.FloatKind {
			return fmt.Sprint(v.Float())
		}
		return fmt.Sprintf("%v", v.Interface())
	}
	m := v.Message()
	field := func(n protoreflect.FieldNumber) protoreflect.Value {
		return m.Get(m.Descriptor().Fields().ByNumber(n))
	}
	switch name := fd.Message().FullName(); {
	case name == "google.protobuf.Timestamp" || name == "google.protobuf.Duration":
		seconds, nanos := field(1).Int(), field(2).Int()
		if seconds > 9223372032 || seconds < -9223372032 {
			return "null"
		}
		return fmt.Sprint(seconds*int64(time.Second) + nanos)
	case strings.HasPrefix(string(name), "google.protobuf.") &&
		strings.HasSuffix(string(name), "Value") &&
		name != "google.protobuf.Value" && name != "google.protobuf.ListValue":
		return text(m.Descriptor().Fields().ByNumber(1), field(1), true)
	}
	return "message " + canonical(m)
}

func canonical(m protoreflect.Message) string {
	b, err := proto.MarshalOptions{Deterministic: true, AllowPartial: true}.Marshal(m.Interface())
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", b)
}

// actual is row i of a column as text.
func actual(s schema, c *column.Column, i int) string {
	if c.Null(i) {
		return "null"
	}
	switch c.Kind {
	case column.Bool:
		return strconv.FormatBool(c.Ints[i] != 0)
	case column.Uint:
		return fmt.Sprint(uint64(c.Ints[i]))
	case column.Float:
		return fmt.Sprint(c.Floats[i])
	case column.String:
		return c.Strings[i]
	case column.Bytes:
		return fmt.Sprintf("%v", []byte(c.Strings[i]))
	case column.Message:
		desc := descriptorOf(s.desc, c.Message.Name, map[protoreflect.FullName]bool{})
		m := dynamicpb.NewMessage(desc)
		err := unmarshal([]byte(c.Strings[i]), m)
		if err != nil {
			return err.Error()
		}
		return "message " + canonical(m)
	case column.List:
		var list []string
		for k := c.Offsets[i]; k < c.Offsets[i+1]; k++ {
			list = append(list, actual(s, c.Elem, int(k)))
		}
		return "[" + strings.Join(list, " ") + "]"
	}
	return fmt.Sprint(c.Ints[i])
}

func descriptorOf(d protoreflect.MessageDescriptor, name string,
	seen map[protoreflect.FullName]bool) protoreflect.MessageDescriptor {
	if seen[d.FullName()] {
		return nil
	}
	if seen[d.FullName()] = true; string(d.FullName()) == name {
		return d
	}
	for i := range d.Fields().Len() {
		if m := d.Fields().Get(i).Message(); m != nil {
			if found := descriptorOf(m, name, seen); found != nil {
				return found
			}
		}
	}
	return nil
}

var errPanic = errors.New("dynamicpb panics")

// unmarshal knows no extensions. dynamicpb panics on an entry of a map that has its key twice, the
// second time in another wire type.
func unmarshal(b []byte, m proto.Message) (err error) {
	defer func() {
		if recover() != nil {
			err = errPanic
		}
	}()
	return proto.UnmarshalOptions{Resolver: &protoregistry.Types{}}.Unmarshal(b, m)
}

// openClosed tells whether a message has a number that its closed enum does not have: there
// protobuf-go does not do what the specification says.
func openClosed(m protoreflect.Message) (found bool) {
	check := func(fd protoreflect.FieldDescriptor, v protoreflect.Value) {
		switch {
		case fd.Enum() != nil && fd.Enum().IsClosed():
			found = found || fd.Enum().Values().ByNumber(v.Enum()) == nil
		case fd.Message() != nil:
			found = found || openClosed(v.Message())
		}
	}
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case fd.IsList():
			for i := range v.List().Len() {
				check(fd, v.List().Get(i))
			}
		case fd.IsMap():
			v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
				check(fd.MapValue(), v)
				return true
			})
		default:
			check(fd, v)
		}
		return true
	})
	return found
}

// comparer compares what a projector makes of encodings with what dynamicpb makes of them.
type comparer struct {
	schema schema
	paths  []project.Path
	proj   *project.Projector
	rows   []*dynamicpb.Message
	inputs [][]byte

	accepted, rejected int
}

func newComparer(s schema, paths []project.Path) *comparer {
	return &comparer{schema: s, paths: paths,
		proj: project.New(s.typ, paths, project.Options{})}
}

func (c *comparer) add(t *testing.T, b []byte) {
	m := dynamicpb.NewMessage(c.schema.desc)
	err := unmarshal(b, m)
	if errors.Is(err, errPanic) || err == nil && openClosed(m) {
		return
	}
	if found := c.proj.Append(b); found != (err == nil) {
		t.Fatalf("decodes: %v; dynamicpb says %v: %x", found, err, b)
	}
	if err != nil {
		c.rejected++
		return
	}
	c.accepted++
	c.rows, c.inputs = append(c.rows, m), append(c.inputs, b)
	if len(c.rows) == 64 {
		c.flush(t)
	}
}

func (c *comparer) flush(t *testing.T) {
	t.Helper()
	c.proj.Pin()
	c.proj.Finish()
	for i, p := range c.paths {
		var flat column.Column
		c.proj.Column(i, &flat)
		lists := c.proj.Lists(i)
		if p.Want != project.Value {
			lists = nil
		}
		for k := len(lists) - 1; k >= 0; k-- {
			elem := flat
			flat = column.Column{Type: column.Type{Kind: column.List},
				Offsets: lists[k], Elem: &elem}
		}
		for row, m := range c.rows {
			if got, want := actual(c.schema, &flat, row), expected(m, p); got != want {
				t.Fatalf("%s: %s, dynamicpb has %s: %x", p, got, want, c.inputs[row])
			}
		}
	}
	c.proj.Reset()
	c.rows, c.inputs = c.rows[:0], c.inputs[:0]
}

// TestProjectionLikeDynamicpb compares verdicts and the values of all paths, on sound and damaged
// encodings.
func TestProjectionLikeDynamicpb(t *testing.T) {
	for _, c := range []struct {
		name         string
		depth, count int
	}{{"test.query.All", 2, 12000}, {"test.query.Child", 3, 6000}, {"test.query.Strict", 3, 6000}} {
		t.Run(c.name, func(t *testing.T) {
			s := loadSchema(t, "testdata", "all.proto", c.name)
			paths := allPaths(s.typ, nil, c.depth)
			t.Logf("%d paths", len(paths))
			g := generator{rand.New(rand.NewPCG(1, uint64(len(c.name))))}
			compare := newComparer(s, paths)
			for i := range c.count {
				b := g.message(nil, s.desc, 0)
				if i%3 == 2 {
					b = g.damaged(b)
				}
				compare.add(t, b)
			}
			compare.flush(t)
			t.Logf("%d accepted, %d rejected", compare.accepted, compare.rejected)
			if compare.accepted < c.count/20 || compare.rejected < c.count/20 {
				t.Error("the inputs are too much alike")
			}
		})
	}
}
