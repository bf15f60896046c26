// Package kit is what the workers of JSON have in common. An implementation is a [Codec] for each type of messages; [Loops] makes
// the operations of it that are timed. Preparing a loop turns encoded messages into what the operation starts from, which is not
// timed. What a loop shows to a probe is in one form for all implementations, so that results can be compared byte for byte.
//
// Nothing here uses google.golang.org/protobuf: its registry of descriptors would be in the heap of all workers.
package kit

import "github.com/octopus-framework/octopus/lab/worker"

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

// Codec is what one implementation can do with messages of one type, M. What is nil it cannot.
type Codec[M any] struct {
	Encode   func(m *M) []byte             // also shows what decode gave, so both or none
	Append   func(buf []byte, m *M) []byte // overwrites buf
	Decode   func(text []byte, m *M)       // m is zero
	FromWire func(buf, wire []byte) []byte // overwrites buf
	ToWire   func(buf, text []byte) []byte // overwrites buf

	// Binary: Encode, Append and Decode are of protobuf's encoding; the message is shown as text all the same.
	Binary bool
}

// Loops makes operations for the type with this name. Each loop gets a Codec of its own, since one may hold a buffer.
func Loops[M any](typ string, newCodec func() Codec[M]) map[string]worker.Op {
	f := forms[typ]
	source, shown, has := f.sent, Show, newCodec()
	if has.Binary {
		source, shown = func(wire []byte) []byte { return wire }, f.show
	}
	all := map[string]worker.Op{}
	if has.Encode != nil && !f.less {
		all[Encode] = func(in worker.Input) worker.Loop {
			c := newCodec()
			ms := c.messages(in, source)
			return loop(len(ms), func(k int, _ []byte) []byte { return c.Encode(ms[k]) }, shown)
		}
	}
	if has.Append != nil && !f.less {
		all[Append] = func(in worker.Input) worker.Loop {
			c := newCodec()
			ms := c.messages(in, source)
			return loop(len(ms), func(k int, buf []byte) []byte { return c.Append(buf, ms[k]) }, shown)
		}
	}
	if has.Decode != nil {
		all[Decode] = func(in worker.Input) worker.Loop {
			c := newCodec()
			texts := each(in.Data, source)
			return loop(len(texts), func(k int, m *M) *M {
				m = new(M)
				c.Decode(texts[k], m)
				return m
			}, func(m *M) []byte { return shown(c.Encode(m)) })
		}
	}
	if has.FromWire != nil {
		all[FromWire] = func(in worker.Input) worker.Loop {
			c := newCodec()
			return loop(len(in.Data), func(k int, buf []byte) []byte { return c.FromWire(buf, in.Data[k]) }, Show)
		}
	}
	if has.ToWire != nil {
		all[ToWire] = func(in worker.Input) worker.Loop {
			c := newCodec()
			texts := each(in.Data, f.sent)
			return loop(len(texts), func(k int, buf []byte) []byte { return c.ToWire(buf, texts[k]) }, f.show)
		}
	}
	return all
}

// messages decodes the input. The codec itself does it; what it gets wrong shows when it encodes.
func (c Codec[M]) messages(in worker.Input, source textOf) []*M {
	ms := make([]*M, len(in.Data))
	for k, b := range in.Data {
		ms[k] = new(M)
		c.Decode(source(b), ms[k])
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

// Must returns x, and stops the worker's request when err is not nil.
func Must[T any](x T, err error) T {
	worker.Must(err)
	return x
}
