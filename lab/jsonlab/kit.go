// Package jsonlab measures JSON beside protobuf: small messages of one kind of value each, at which it shows what a digit, a
// quote or an escape costs, and two whole ones. Every implementation writes and reads the same text, that of the JSON mapping
// of protobuf; those that know nothing of protobuf do it with structs that give this text (package plain).
//
// Implementations are [worker.Impl]s whose input is encoded messages. Preparing a loop turns them into what the operation
// starts from, which is not timed. What a loop shows to a probe is in one form for all implementations, see show, so that
// results can be compared byte for byte.
package jsonlab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/lab/worker"
)

// The operations.
const (
	Encode   = "encode"         // a message to text, in a new buffer
	Append   = "encode-append"  // a message to text, in a used buffer
	Decode   = "decode"         // text to a new message
	FromWire = "binary-to-json" // encoded bytes to text, in a used buffer
	ToWire   = "json-to-binary" // text to encoded bytes, in a used buffer
)

// Ops is the list of operations in the order of reports.
var Ops = []string{Encode, Append, Decode, FromWire, ToWire}

// codec is what one implementation can do with messages of one type, M. What is nil it cannot.
type codec[M any] struct {
	encode   func(m *M) []byte             // also shows what decode gave, so both or none
	append   func(buf []byte, m *M) []byte // overwrites buf
	decode   func(text []byte, m *M)       // m is zero
	fromWire func(buf, wire []byte) []byte // overwrites buf
	toWire   func(buf, text []byte) []byte // overwrites buf

	// binary: encode, append and decode are of protobuf's encoding; the message is shown as text all the same.
	binary bool
}

// ops makes operations for a type. Each loop gets a codec of its own, since one may hold a buffer.
func ops[M any](f forms, newCodec func() codec[M]) map[string]worker.Op {
	source, shown, has := f.text, f.show, newCodec()
	if has.binary {
		source, shown = func(wire []byte) []byte { return wire }, f.showWire
	}
	all := map[string]worker.Op{}
	if has.encode != nil && !f.partial() {
		all[Encode] = func(in worker.Input) worker.Loop {
			c := newCodec()
			ms := c.messages(in, source)
			return loop(len(ms), func(k int, _ []byte) []byte { return c.encode(ms[k]) }, shown)
		}
	}
	if has.append != nil && !f.partial() {
		all[Append] = func(in worker.Input) worker.Loop {
			c := newCodec()
			ms := c.messages(in, source)
			return loop(len(ms), func(k int, buf []byte) []byte { return c.append(buf, ms[k]) }, shown)
		}
	}
	if has.decode != nil {
		all[Decode] = func(in worker.Input) worker.Loop {
			c := newCodec()
			texts := each(in.Data, source)
			return loop(len(texts), func(k int, m *M) *M {
				m = new(M)
				c.decode(texts[k], m)
				return m
			}, func(m *M) []byte { return shown(c.encode(m)) })
		}
	}
	if has.fromWire != nil {
		all[FromWire] = func(in worker.Input) worker.Loop {
			c := newCodec()
			return loop(len(in.Data), func(k int, buf []byte) []byte { return c.fromWire(buf, in.Data[k]) }, f.show)
		}
	}
	if has.toWire != nil {
		all[ToWire] = func(in worker.Input) worker.Loop {
			c := newCodec()
			texts := each(in.Data, f.text)
			return loop(len(texts), func(k int, buf []byte) []byte { return c.toWire(buf, texts[k]) }, f.showWire)
		}
	}
	return all
}

// messages decodes the input. The codec itself does it; what it gets wrong shows when it encodes.
func (c codec[M]) messages(in worker.Input, source func(wire []byte) []byte) []*M {
	ms := make([]*M, len(in.Data))
	for k, b := range in.Data {
		ms[k] = new(M)
		c.decode(source(b), ms[k])
	}
	return ms
}

// loop calls do for one message after the other. It is given its last result, to use again, and each is kept, so that all
// implementations have to put it on the heap.
func loop[T any](messages int, do func(k int, last T) T, show func(T) []byte) worker.Loop {
	var last T
	return func(n int, p *worker.Probe) (sum uint64) {
		for k := 0; n > 0; n-- {
			last = do(k, last)
			sum++
			if p != nil {
				p.Bytes(show(last))
			}
			if k++; k == messages {
				k = 0
			}
		}
		return sum
	}
}

func each(list [][]byte, do func([]byte) []byte) [][]byte {
	out := make([][]byte, len(list))
	for i, b := range list {
		out[i] = do(b)
	}
	return out
}

// forms turns the messages of one type from form to form, by protobuf-go and encoding/json alone.
type forms struct {
	sent proto.Message // what the input is an encoding of
	kept proto.Message // what is decoded: sent, or a message that knows fewer fields
}

// partial tells whether unknown fields are to be skipped. Then there is nothing to encode.
func (f forms) partial() bool { return f.sent != f.kept }

// text is the JSON of an encoded message, all of it.
func (f forms) text(wire []byte) []byte { return textAs(f.sent, wire) }

// showWire shows what is kept of an encoded message.
func (f forms) showWire(wire []byte) []byte { return f.show(textAs(f.kept, wire)) }

// textAs is the JSON of what sample knows of an encoded message. protojson puts spaces in at random; they are taken out.
func textAs(sample proto.Message, wire []byte) []byte {
	m := sample.ProtoReflect().New().Interface()
	worker.Must(proto.Unmarshal(wire, m))
	text, err := protojson.Marshal(m)
	worker.Must(err)
	var compact bytes.Buffer
	worker.Must(json.Compact(&compact, text))
	return compact.Bytes()
}

// show brings JSON into one form: names sorted, numbers and escapes written in one way.
func (f forms) show(text []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("not JSON: %v: %s", err, text))
	}
	if d.More() {
		panic(fmt.Sprintf("more than one value: %s", text))
	}
	out, err := json.Marshal(sameNumbers(v))
	worker.Must(err)
	return out
}

func sameNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = sameNumbers(v[k])
		}
	case []any:
		for i := range v {
			v[i] = sameNumbers(v[i])
		}
	case json.Number:
		x, err := strconv.ParseFloat(v.String(), 64)
		worker.Must(err)
		return x
	}
	return v
}

// Reference is what every operation must show for a message of a workload's type, by protojson and encoding/json.
func Reference(typ string, wire []byte) []byte {
	at := slices.IndexFunc(types, func(t typeOps) bool { return t.name == typ })
	return types[at].forms.showWire(wire)
}
