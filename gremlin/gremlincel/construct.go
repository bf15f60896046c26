package gremlincel

import (
	"fmt"
	"math"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/gremlin/gremlincel/celtypes"
)

// NewValue implements types.Provider: a message that an expression makes, shop.v1.Line{amount: 5}.
func (p *provider) NewValue(name string, fields map[string]ref.Val) ref.Val {
	t := p.set.Message(name)
	if t == nil {
		return types.NewErr("unknown type: %s", name)
	}
	m := dynamic.New(t)
	for name, v := range fields {
		f := fieldNamed(t, name)
		if f == nil {
			return types.NewErr("no such field '%s'", name)
		}
		if err := setField(m, f, v); err != nil {
			return types.WrapErr(fmt.Errorf("%s: %w", f.FullName, err))
		}
	}
	r, err := open(t, m.Marshal())
	if err != nil {
		return types.WrapErr(err)
	}
	return messageValue(r, true, outermost())
}

// setField sets a field of m to a value of CEL. The checker has seen to the type as far as it is
// known.
func setField(m *dynamic.Message, f *dynamic.Field, v ref.Val) error {
	switch list := v.(type) {
	case types.Null:
		if f.Message != nil && !f.List() && f.Message.Name != "google.protobuf.Value" {
			return nil // absent
		}
	case traits.Mapper:
		if f.Kind != dynamic.Map {
			break
		}
		for it := list.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			key, err := toValue(f.Key(), k)
			if err != nil {
				return err
			}
			value, err := toValue(f.Value(), list.Get(k))
			if err != nil {
				return err
			}
			m.Put(f, key.Scalar, value)
		}
		return nil
	case traits.Lister:
		if !f.Repeated {
			break
		}
		for it := list.Iterator(); it.HasNext() == types.True; {
			value, err := toValue(f, it.Next())
			if err != nil {
				return err
			}
			m.Append(f, value)
		}
		return nil
	}
	if f.List() {
		return unfit(v)
	}
	value, err := toValue(f, v)
	if err == nil {
		m.Set(f, value)
	}
	return err
}

func unfit(v ref.Val) error {
	return fmt.Errorf("a value of type %s does not fit", v.Type().TypeName())
}

// toValue is a value of CEL as the value, or an element, of f.
func toValue(f *dynamic.Field, v ref.Val) (dynamic.Value, error) {
	if f.Message != nil {
		m, err := toMessage(f.Message, v)
		return dynamic.Value{Message: m}, err
	}
	s, ok := toScalar(f.Kind, v)
	if !ok {
		return dynamic.Value{}, unfit(v)
	}
	return dynamic.Value{Scalar: s}, nil
}

// toScalar is a value of CEL as one of a kind, and whether it is one.
func toScalar(k dynamic.Kind, v ref.Val) (s dynamic.Scalar, ok bool) {
	switch v := v.(type) {
	case types.Bool:
		if v {
			s.Bits = 1
		}
		return s, k == dynamic.Bool
	case types.Int:
		s.Bits = uint64(v)
		switch k {
		case dynamic.Int64, dynamic.Sint64, dynamic.Sfixed64:
			return s, true
		case dynamic.Int32, dynamic.Sint32, dynamic.Sfixed32, dynamic.EnumKind:
			return s, v == types.Int(int32(v))
		}
	case types.Uint:
		s.Bits = uint64(v)
		switch k {
		case dynamic.Uint64, dynamic.Fixed64:
			return s, true
		case dynamic.Uint32, dynamic.Fixed32:
			return s, v == types.Uint(uint32(v))
		}
	case types.Double:
		s.Bits = math.Float64bits(float64(v))
		if k == dynamic.Float {
			s.Bits = uint64(math.Float32bits(float32(v)))
		}
		return s, k == dynamic.Double || k == dynamic.Float
	case types.String:
		s.Text = string(v)
		return s, k == dynamic.String
	case types.Bytes:
		s.Text = string(v)
		return s, k == dynamic.Bytes
	}
	return s, false
}

// toMessage is a value of CEL as a message: one of the type, or what a well-known type stands for.
func toMessage(t *dynamic.Type, v ref.Val) (*dynamic.Message, error) {
	m := dynamic.New(t)
	switch v := v.(type) {
	case objectValue:
		if v.Message.r.Type() == t {
			return m, m.Unmarshal(v.Message.r.Raw())
		}
	case types.Timestamp:
		if t.Name == "google.protobuf.Timestamp" {
			setSeconds(m, v.Unix(), int64(v.Nanosecond()))
			return m, nil
		}
	case types.Duration:
		if t.Name == "google.protobuf.Duration" {
			setSeconds(m, int64(v.Duration)/1e9, int64(v.Duration)%1e9)
			return m, nil
		}
	default:
		if w := celtypes.Wrapped(t); w != nil {
			return m, setField(m, w, v)
		}
	}
	return nil, fmt.Errorf("a %s cannot be made a %s here", v.Type().TypeName(), t.Name)
}

// setSeconds sets the fields of a Timestamp or Duration.
func setSeconds(m *dynamic.Message, seconds, nanos int64) {
	m.Set(m.Type().Field(1), dynamic.Value{Scalar: dynamic.Scalar{Bits: uint64(seconds)}})
	m.Set(m.Type().Field(2), dynamic.Value{Scalar: dynamic.Scalar{Bits: uint64(nanos)}})
}
