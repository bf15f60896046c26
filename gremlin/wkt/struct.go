package wkt

import (
	"errors"
	"strconv"
	"unicode/utf8"

	jsonrt "github.com/octopus-framework/octopus/gremlin/json/rt"
)

// maxNesting is how deep Go values may be nested that become a Value.
const maxNesting = 10_000

// StructOf returns fields as a Struct. Values may be what ValueOf takes.
func StructOf(fields map[string]any) (*Struct, error) {
	return structOf(fields, maxNesting)
}

func structOf(fields map[string]any, depth int) (*Struct, error) {
	s := &Struct{Fields: make(map[string]Value, len(fields))}
	for key, x := range fields {
		if !utf8.ValidString(key) {
			return nil, &ValueError{Path: strconv.Quote(key), Err: errNotUTF8}
		}
		v, err := valueOf(x, depth)
		if err != nil {
			return nil, within(key, err)
		}
		s.Fields[key] = v
	}
	return s, nil
}

// ListValueOf returns elements as a ListValue. They may be what ValueOf takes.
func ListValueOf(elements []any) (*ListValue, error) {
	return listOf(elements, maxNesting)
}

func listOf(elements []any, depth int) (*ListValue, error) {
	l := &ListValue{Values: make([]Value, len(elements))}
	for i, x := range elements {
		v, err := valueOf(x, depth)
		if err != nil {
			return nil, within("["+strconv.Itoa(i)+"]", err)
		}
		l.Values[i] = v
	}
	return l, nil
}

// ValueOf returns x as a Value: nil, a bool, a number, a string, []byte (as base64, like JSON),
// map[string]any, []any, or one of *Struct, *ListValue and Value. Numbers become a float64;
// integers beyond 53 bits lose their last digits, as in JSON. All else is a *ValueError with its
// path.
func ValueOf(x any) (Value, error) { return valueOf(x, maxNesting) }

func valueOf(x any, depth int) (Value, error) {
	if depth == 0 {
		return Value{}, &ValueError{Err: errNesting}
	}
	number := func(n float64) (Value, error) {
		return Value{Kind: &Value_NumberValue{NumberValue: n}}, nil
	}
	switch x := x.(type) {
	case nil:
		return Value{Kind: &Value_NullValue{}}, nil
	case bool:
		return Value{Kind: &Value_BoolValue{BoolValue: x}}, nil
	case int:
		return number(float64(x))
	case int8:
		return number(float64(x))
	case int16:
		return number(float64(x))
	case int32:
		return number(float64(x))
	case int64:
		return number(float64(x))
	case uint:
		return number(float64(x))
	case uint8:
		return number(float64(x))
	case uint16:
		return number(float64(x))
	case uint32:
		return number(float64(x))
	case uint64:
		return number(float64(x))
	case float32:
		return number(float64(x))
	case float64:
		return number(x)
	case string:
		if !utf8.ValidString(x) {
			return Value{}, &ValueError{Err: errNotUTF8}
		}
		return Value{Kind: &Value_StringValue{StringValue: x}}, nil
	case []byte:
		quoted := new(jsonrt.Encoder).Bytes(nil, x)
		return Value{Kind: &Value_StringValue{StringValue: string(quoted[1 : len(quoted)-1])}}, nil
	case map[string]any:
		s, err := structOf(x, depth-1)
		return Value{Kind: &Value_StructValue{StructValue: s}}, err
	case []any:
		l, err := listOf(x, depth-1)
		return Value{Kind: &Value_ListValue{ListValue: l}}, err
	case *Struct:
		return Value{Kind: &Value_StructValue{StructValue: x}}, nil
	case *ListValue:
		return Value{Kind: &Value_ListValue{ListValue: x}}, nil
	case Value:
		return x, nil
	}
	return Value{}, &ValueError{Err: errNoValue}
}

var (
	errNotUTF8 = errors.New("a string that is not UTF-8")
	errNoValue = errors.New("a Go value that a Value cannot hold")
	errNesting = errors.New("nested too deep")
)

// ValueError says what a Value cannot hold, and where it is.
type ValueError struct {
	Path string // path from the outermost value, `user.tags[3]`; empty for that value itself
	Err  error
}

// Error implements error.
func (e *ValueError) Error() string {
	if e.Path == "" {
		return "wkt: " + e.Err.Error()
	}
	return "wkt: " + e.Path + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *ValueError) Unwrap() error { return e.Err }

// within puts a name or an index in front of the path of an error.
func within(name string, err error) error {
	var e *ValueError
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Path == "" || e.Path[0] == '[':
		e.Path = name + e.Path
	default:
		e.Path = name + "." + e.Path
	}
	return e
}

// AsMap returns the fields as Go values, as AsAny does. Nil gives an empty map.
func (m *Struct) AsMap() map[string]any {
	all := make(map[string]any, len(m.GetFields()))
	for key, v := range m.GetFields() {
		all[key] = v.AsAny()
	}
	return all
}

// AsSlice returns the elements as Go values, as AsAny does. Nil gives an empty slice.
func (m *ListValue) AsSlice() []any {
	all := make([]any, len(m.GetValues()))
	for i := range all {
		all[i] = m.Values[i].AsAny()
	}
	return all
}

// AsAny returns the value as nil, bool, float64, string, map[string]any or []any, what
// encoding/json makes of JSON. A Value that has nothing is nil, too. Nothing is shared with m but
// strings.
func (m *Value) AsAny() any {
	switch k := m.GetKind().(type) {
	case *Value_BoolValue:
		return k.BoolValue
	case *Value_NumberValue:
		return k.NumberValue
	case *Value_StringValue:
		return k.StringValue
	case *Value_StructValue:
		return k.StructValue.AsMap()
	case *Value_ListValue:
		return k.ListValue.AsSlice()
	}
	return nil
}
