package workload

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/octopus-framework/octopus/lab/worker"
)

// New returns an empty message of google.golang.org/protobuf for w.
func (w Workload) New() proto.Message {
	name := protoreflect.FullName("lab.google." + w.Type)
	m, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	return m.New().Interface()
}

// Reference is what must be found in the messages of a workload.
type Reference struct {
	Sum    uint64 // over all fields of all messages, as a reading loop counts
	Values *worker.Probe
	Decode []proto.Message
}

// Sum2 is the sum over two fields of the roots, as the loop read2 counts.
func (r *Reference) Sum2(fields [2]string) (sum uint64) {
	for _, m := range r.Decode {
		for _, name := range fields {
			f := m.ProtoReflect().Descriptor().Fields().ByName(protoreflect.Name(name))
			sum += bits(f, m.ProtoReflect().Get(f))
		}
	}
	return sum
}

// SumPath is the sum over the fields that the loop readpath reads.
func (r *Reference) SumPath() (sum uint64) {
	for _, m := range r.Decode {
		for at := m.ProtoReflect(); at != nil; {
			here := at
			at = nil
			for i := range here.Descriptor().Fields().Len() {
				switch f := here.Descriptor().Fields().Get(i); {
				case f.IsList() || f.IsMap():
				case f.Message() == nil:
					sum += bits(f, here.Get(f))
				default:
					at = nil
					if here.Has(f) {
						at = here.Get(f).Message()
					}
				}
			}
		}
	}
	return sum
}

// Reference decodes w with google.golang.org/protobuf.
func (w Workload) Reference(listing bool) (*Reference, error) {
	r := &Reference{Values: &worker.Probe{Listing: listing}}
	for i, b := range w.Data {
		m := w.New()
		if err := proto.Unmarshal(b, m); err != nil {
			return nil, fmt.Errorf("%s: message %d: %w", w.Name, i, err)
		}
		r.Decode = append(r.Decode, m)
		r.Values.Begin()
		r.visit(m.ProtoReflect())
	}
	return r, nil
}

// visit goes over the fields that are set. It is written for the check alone and shares nothing with the generated loops.
func (r *Reference) visit(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, x protoreflect.Value) bool {
				r.Sum += bits(f.MapKey(), k.Value())
				r.Values.Key(int(f.Number()), k.Interface())
				r.value(f.MapValue(), -1, x)
				r.Values.Leave()
				return true
			})
		case f.IsList():
			for i := range v.List().Len() {
				r.value(f, i, v.List().Get(i))
			}
		default:
			r.value(f, -1, v)
		}
		return true
	})
}

func (r *Reference) value(f protoreflect.FieldDescriptor, index int, v protoreflect.Value) {
	number := int(f.Number())
	switch f.Kind() {
	case protoreflect.MessageKind:
		r.Values.In(number, index)
		r.visit(v.Message())
		r.Values.Leave()
		return
	case protoreflect.StringKind:
		r.Values.Str(number, index, v.String())
	case protoreflect.BytesKind:
		r.Values.Str(number, index, string(v.Bytes()))
	default:
		r.Values.Num(number, index, bits(f, v))
	}
	r.Sum += bits(f, v)
}

func bits(f protoreflect.FieldDescriptor, v protoreflect.Value) uint64 {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return worker.Bool(v.Bool())
	case protoreflect.EnumKind:
		return uint64(v.Enum())
	case protoreflect.FloatKind:
		return uint64(math.Float32bits(float32(v.Float())))
	case protoreflect.DoubleKind:
		return math.Float64bits(v.Float())
	case protoreflect.StringKind:
		return uint64(len(v.String()))
	case protoreflect.BytesKind:
		return uint64(len(v.Bytes()))
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return v.Uint()
	default:
		return uint64(v.Int())
	}
}
