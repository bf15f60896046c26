package validate

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/internal/compiler/validate/ruletypes"
)

// The fields of descriptor.proto's options that have rules, and the lowest extension of rules.
const (
	optionNumber = 1159
	oldNumber    = 1071 // of protoc-gen-validate, which came before
	firstCustom  = 1000
)

// Ignore says when the rules of a value are not checked.
type Ignore int

// The values of buf.validate.Ignore.
const (
	IgnoreUnspecified Ignore = 0
	IgnoreIfZero      Ignore = 1
	IgnoreAlways      Ignore = 3
)

// Time is a google.protobuf.Timestamp or Duration.
type Time struct {
	Seconds int64
	Nanos   int32
}

// rules is a buf.validate.FieldRules.
type rules struct {
	required bool
	ignore   Ignore
	kind     string // kind of the rules: "string"; empty when there are none
	// values by name: bool, int64, uint64, float32, float64, string, []byte, Time, []string for a
	// FieldMask, *rules; []any of these for a list
	values      map[string]any
	expressions int // rules written in CEL, and predefined ones
}

func (r *rules) get(name string) any {
	if r == nil {
		return nil
	}
	return r.values[name]
}

// messageRules is a buf.validate.MessageRules.
type messageRules struct {
	oneofs      []oneofRule
	expressions int
}

type oneofRule struct {
	fields   []string
	required bool
}

// errUnknown is wrapped by the error for a rule that is in no table.
var errUnknown = errors.New("is not known")

// option returns the rules among the options of a declaration, encoded; nil when there are none.
func option(options proto.Message) ([]byte, error) { return optionWith(optionNumber, options) }

// optionWith returns an option that is a message.
func optionWith(number int32, options proto.Message) ([]byte, error) {
	if !options.ProtoReflect().IsValid() {
		return nil, nil
	}
	data, err := proto.Marshal(options)
	if err != nil {
		return nil, err
	}
	var out []byte
	err = eachField(data, func(f wireField) error {
		if f.number == number {
			if f.wire != protowire.BytesType {
				return fmt.Errorf("option %d is no message", number)
			}
			out = append(out, f.bytes...)
		}
		return nil
	})
	return out, err
}

// wireField is a field of an encoding.
type wireField struct {
	number int32
	wire   protowire.Type
	value  uint64 // value of a number
	bytes  []byte // bytes of what has a length
}

func eachField(data []byte, do func(wireField) error) error {
	for len(data) > 0 {
		number, wire, n := protowire.ConsumeTag(data)
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		f := wireField{number: int32(number), wire: wire}
		switch wire {
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(data)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(data)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(data)
			f.value = uint64(v)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(data)
		default:
			n = protowire.ConsumeFieldValue(number, wire, data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		if err := do(f); err != nil {
			return err
		}
	}
	return nil
}

func decodeMessage(data []byte) (m messageRules, err error) {
	err = eachField(data, func(f wireField) error {
		switch f.number {
		case 3, 5:
			m.expressions++
		case 4:
			var o oneofRule
			if err := eachField(f.bytes, func(f wireField) error {
				switch f.number {
				case 1:
					o.fields = append(o.fields, string(f.bytes))
				case 2:
					o.required = f.value != 0
				}
				return nil
			}); err != nil {
				return err
			}
			m.oneofs = append(m.oneofs, o)
		default:
			return fmt.Errorf("rule %d of MessageRules %w", f.number, errUnknown)
		}
		return nil
	})
	return m, err
}

func decodeOneof(data []byte) (required bool, err error) {
	err = eachField(data, func(f wireField) error {
		if f.number == 1 {
			required = f.value != 0
		}
		return nil
	})
	return required, err
}

func decodeField(data []byte) (*rules, error) {
	r := &rules{values: map[string]any{}}
	return r, r.merge(data)
}

// merge reads a FieldRules into r: protoc writes as many as there are lines of options.
func (r *rules) merge(data []byte) error {
	kinds, tables := ruletypes.Tables()
	return eachField(data, func(f wireField) error {
		switch f.number {
		case 23, 29:
			r.expressions++
		case 25:
			r.required = f.value != 0
		case 27:
			r.ignore = Ignore(f.value)
			if r.ignore != IgnoreUnspecified && r.ignore != IgnoreIfZero &&
				r.ignore != IgnoreAlways {
				return fmt.Errorf("ignore = %d %w", f.value, errUnknown)
			}
		default:
			kind, ok := kinds[f.number]
			if !ok || f.wire != protowire.BytesType {
				return fmt.Errorf("rule %d of FieldRules %w", f.number, errUnknown)
			}
			if r.kind != kind { // the last member of a oneof counts
				r.kind, r.values = kind, map[string]any{}
			}
			return r.decode(f.bytes, tables[kind])
		}
		return nil
	})
}

// decode reads the rules of one kind.
func (r *rules) decode(data []byte, table map[int32]ruletypes.Field) error {
	return eachField(data, func(f wireField) error {
		rule, ok := table[f.number]
		switch {
		case f.number >= firstCustom:
			r.expressions++
			return nil
		case !ok:
			return fmt.Errorf("rule %d of %s %w", f.number, ruletypes.MessageOf(r.kind), errUnknown)
		case rule.List && f.wire == protowire.BytesType && isNumber(rule.Kind):
			return r.decodePacked(f.bytes, rule)
		}
		var before any
		if !rule.List {
			before = r.values[rule.Name]
		}
		v, err := decodeValue(f, rule.Kind, before)
		if err != nil {
			return fmt.Errorf("rule %q: %w", rule.Name, err)
		}
		r.put(rule, v)
		return nil
	})
}

func (r *rules) put(rule ruletypes.Field, v any) {
	if rule.List {
		list, _ := r.values[rule.Name].([]any)
		v = append(list, v)
	}
	r.values[rule.Name] = v
}

// decodePacked reads numbers of a packed list.
func (r *rules) decodePacked(data []byte, rule ruletypes.Field) error {
	for len(data) > 0 {
		f := wireField{wire: wireOf(rule.Kind)}
		n := 0
		switch f.wire {
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(data)
			f.value = uint64(v)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(data)
		default:
			f.value, n = protowire.ConsumeVarint(data)
		}
		if n < 0 {
			return protowire.ParseError(n)
		}
		data = data[n:]
		v, err := decodeValue(f, rule.Kind, nil)
		if err != nil {
			return err
		}
		r.put(rule, v)
	}
	return nil
}

func isNumber(kind string) bool {
	return wireOf(kind) != protowire.BytesType
}

func wireOf(kind string) protowire.Type {
	switch kind {
	case "fixed32", "sfixed32", "float":
		return protowire.Fixed32Type
	case "fixed64", "sfixed64", "double":
		return protowire.Fixed64Type
	case "string", "bytes", "rules", "duration", "timestamp", "mask":
		return protowire.BytesType
	}
	return protowire.VarintType
}

// decodeValue returns the value of a field; messages are read into the one that was there before.
func decodeValue(f wireField, kind string, before any) (any, error) {
	if f.wire != wireOf(kind) {
		return nil, fmt.Errorf("is encoded with wire type %d", f.wire)
	}
	switch kind {
	case "bool":
		return f.value != 0, nil
	case "int32", "enum":
		return int64(int32(f.value)), nil
	case "int64", "sfixed64":
		return int64(f.value), nil
	case "sfixed32":
		return int64(int32(f.value)), nil
	case "sint32", "sint64":
		return protowire.DecodeZigZag(f.value), nil
	case "uint32":
		return uint64(uint32(f.value)), nil
	case "uint64", "fixed32", "fixed64":
		return f.value, nil
	case "float":
		return math.Float32frombits(uint32(f.value)), nil
	case "double":
		return math.Float64frombits(f.value), nil
	case "string":
		return string(f.bytes), nil
	case "bytes":
		return append([]byte{}, f.bytes...), nil
	case "rules":
		r, ok := before.(*rules)
		if !ok {
			return decodeField(f.bytes)
		}
		return r, r.merge(f.bytes)
	case "mask":
		paths, _ := before.([]string)
		err := eachField(f.bytes, func(f wireField) error {
			paths = append(paths, string(f.bytes))
			return nil
		})
		return paths, err
	}
	t, _ := before.(Time)
	err := eachField(f.bytes, func(f wireField) error {
		switch f.number {
		case 1:
			t.Seconds = int64(f.value)
		case 2:
			t.Nanos = int32(f.value)
		}
		return nil
	})
	return t, err
}
