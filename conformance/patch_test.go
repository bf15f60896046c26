package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/patch"
)

// place is a value in a message of protobuf-go, and the path to it.
type place struct {
	path string
	fd   protoreflect.FieldDescriptor
	get  func() protoreflect.Value
	has  func() bool
	set  func(protoreflect.Value)
	none func() protoreflect.Value // an empty message
	// removes the field, the element or the entry
	clear func()
}

// randomPlace walks down a message, in which it makes what is on the way if it may; nil where it
// ends.
func randomPlace(rng *rand.Rand, m protoreflect.Message, path string, may bool) *place {
	fields := m.Descriptor().Fields()
	if fields.Len() == 0 {
		return nil
	}
	fd := fields.Get(rng.IntN(fields.Len()))
	if path != "" {
		path += "."
	}
	p := &place{path: path + string(fd.Name()), fd: fd}
	switch {
	case fd.IsList():
		l := m.Mutable(fd).List()
		if l.Len() == 0 {
			return nil
		}
		i := rng.IntN(l.Len())
		p.path += "[" + strconv.Itoa(i) + "]"
		if fd.Message() != nil && rng.IntN(3) > 0 {
			return randomPlace(rng, l.Get(i).Message(), p.path, may)
		}
		p.get, p.has = func() protoreflect.Value { return l.Get(i) }, func() bool { return true }
		p.set, p.none = func(v protoreflect.Value) { l.Set(i, v) }, l.NewElement
		p.clear = func() {
			for j := i + 1; j < l.Len(); j++ {
				l.Set(j-1, l.Get(j))
			}
			l.Truncate(l.Len() - 1)
		}
	case fd.IsMap():
		entries := m.Mutable(fd).Map()
		key := randomScalar(rng, fd.MapKey()).MapKey()
		entries.Range(func(k protoreflect.MapKey, _ protoreflect.Value) bool {
			key = k
			return rng.IntN(3) > 0
		})
		if fd.MapKey().Kind() == protoreflect.StringKind {
			p.path += "[" + strconv.Quote(key.String()) + "]"
		} else {
			p.path += "[" + key.String() + "]"
		}
		p.fd = fd.MapValue()
		if p.fd.Message() != nil && rng.IntN(3) > 0 && entries.Has(key) {
			return randomPlace(rng, entries.Mutable(key).Message(), p.path, may)
		}
		p.get, p.has = func() protoreflect.Value { return entries.Get(key) },
			func() bool { return entries.Has(key) }
		p.none = entries.NewValue
		p.set, p.clear = func(v protoreflect.Value) { entries.Set(key, v) },
			func() { entries.Clear(key) }
	case fd.Message() != nil && rng.IntN(4) > 0 && (may || m.Has(fd)):
		return randomPlace(rng, m.Mutable(fd).Message(), p.path, may)
	default:
		p.get, p.has = func() protoreflect.Value { return m.Get(fd) },
			func() bool { return m.Has(fd) }
		p.none = func() protoreflect.Value { return m.NewField(fd) }
		p.set, p.clear = func(v protoreflect.Value) { m.Set(fd, v) }, func() { m.Clear(fd) }
	}
	return p
}

// randomScalar returns a value that a field which is no message can have.
func randomScalar(rng *rand.Rand, fd protoreflect.FieldDescriptor) protoreflect.Value {
	n := []int64{0, 1, -1, 5, 127, 128, math.MinInt32, math.MaxInt32}[rng.IntN(8)]
	text := []string{"", "a", "text with \"quotes\"", "größer"}[rng.IntN(4)]
	switch fd.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(n > 0)
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(n * 3)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(uint64(n))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(float32(n) / 2)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n) / 2)
	case protoreflect.EnumKind:
		values := fd.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(rng.IntN(values.Len())).Number())
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte(text))
	}
	return protoreflect.ValueOfString(text)
}

// patchInput changes b, which protobuf-go can read, at a random place in both implementations.
func patchInput(rng *rand.Rand, d *dynamic.Type, typ check.Type, b []byte) error {
	read := proto.UnmarshalOptions{AllowPartial: true}
	m, again := typ.New(), typ.New()
	if err := read.Unmarshal(b, m); err != nil {
		return nil
	}
	what := []string{"get", "set", "clear"}[rng.IntN(3)]
	p := randomPlace(rng, m.ProtoReflect(), "", what == "set")
	if p == nil {
		return nil
	}
	path, err := patch.Parse(d, p.path)
	if err != nil {
		return err
	}
	var got []byte
	switch {
	case what == "get":
		return patchGet(path, p, b)
	case what == "clear":
		p.clear()
		got, err = path.Clear([]byte("before"), b)
	default:
		v, s := randomScalar(rng, p.fd), dynamic.Scalar{}
		if p.fd.Message() != nil {
			inner := p.none().Message()
			check.Fill(rng, inner, 0.3, 1)
			s.Text = string(check.Encode(rng, inner.Interface()))
			if err := read.Unmarshal([]byte(s.Text), inner.Interface()); err != nil {
				return err
			}
			v = protoreflect.ValueOfMessage(inner)
		} else {
			s = scalar(v, p.fd.Kind())
		}
		p.set(v)
		got, err = path.Set([]byte("before"), b, s)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", what, p.path, err)
	}
	if err := read.Unmarshal(got[len("before"):], again); err != nil {
		return fmt.Errorf("%s %s gives %x: %w", what, p.path, got, err)
	}
	if !proto.Equal(again, m) {
		return fmt.Errorf("%s %s gives\n%v\nfor\n%v", what, p.path, again, m)
	}
	return nil
}

// patchGet compares what is read.
func patchGet(path patch.Path, p *place, b []byte) error {
	s, ok, err := path.Get(b)
	if err != nil || ok != p.has() {
		return fmt.Errorf("get %s: %t for %t, %w", p.path, ok, p.has(), err)
	}
	if p.fd.Message() == nil {
		if want := scalar(p.get(), p.fd.Kind()); ok && s != want {
			return fmt.Errorf("get %s: %v for %v", p.path, s, want)
		}
		return nil
	}
	if !ok {
		return nil
	}
	inner := p.none().Message().Interface()
	err = proto.UnmarshalOptions{AllowPartial: true}.Unmarshal([]byte(s.Text), inner)
	if err != nil || !proto.Equal(inner, p.get().Message().Interface()) {
		return fmt.Errorf("get %s: %v for %v, %w", p.path, inner, p.get(), err)
	}
	return nil
}

// TestPatch gets, sets and clears in encodings and in messages of protobuf-go.
func TestPatch(t *testing.T) {
	values, mutations := rounds()
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng, d := seed(typ.Desc), dynamicType(t, typ)
		for range values {
			b := random(rng, typ)
			for range mutations {
				c := b
				if rng.IntN(2) == 0 && len(b) < 20000 {
					c = check.Mutate(rng, b, typ.Desc)
				}
				if string(check.Demote(c, typ.Desc, nil)) != string(c) {
					continue // protobuf-go takes every number for a value of a closed enum
				}
				if err := patchInput(rng, d, typ, c); err != nil {
					t.Fatalf("%v\ninput %x", err, c[:min(len(c), 1000)])
				}
			}
		}
	})
}
