package envelope

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"strings"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/envelope/envelopepb"
)

// The tags of an Envelope's fields.
const (
	kindTag    = 1<<3 | 2
	keyTag     = 2<<3 | 2
	messageTag = 3<<3 | 2
)

// sealed is a message in its envelope, which is written around it where it lies.
type sealed struct {
	message gremlin.Message
	key     string
}

// MarshalAppend appends the encoding of the Envelope.
func (s sealed) MarshalAppend(b []byte) []byte {
	b = appendText(b, kindTag, gremlin.NameOf(s.message))
	if s.key != "" {
		b = appendText(b, keyTag, s.key)
	}
	return gremlin.AppendDelimited(append(b, messageTag), s.message)
}

func appendText(b []byte, tag byte, s string) []byte {
	return append(binary.AppendUvarint(append(b, tag), uint64(len(s))), s...)
}

// Append commits one message, as [nerve.Queue.Append] does with bytes. The key may be empty.
func Append(ctx context.Context, q *nerve.Queue, m gremlin.Message, key string) (nerve.ID, error) {
	return nerve.AppendMessage(ctx, q, sealed{m, key})
}

// Add adds a message to a batch. The key may be empty.
func Add(b *nerve.Batch, m gremlin.Message, key string) {
	b.AppendFunc(sealed{m, key}.MarshalAppend)
}

// Record is a record that was opened. Kind, Key and Message are in the memory of Data, and live as
// long.
type Record struct {
	nerve.Record
	Kind    string // the full name of the message's type
	Key     string
	Message []byte // its encoding
}

// errNoKind says that a record has another content, such as a message without an envelope.
var errNoKind = errors.New("the record is no envelope: it has no kind")

// Open opens a record. A record that is no Envelope is a [nerve.DecodeError].
func Open(rec nerve.Record) (Record, error) {
	opened, err := open(rec.Data)
	opened.Record = rec
	if err != nil {
		return opened, &nerve.DecodeError{ID: rec.ID, Err: err}
	}
	return opened, nil
}

// open is Open without what the queue says of the record.
func open(data []byte) (Record, error) {
	var e envelopepb.EnvelopeReader
	if err := e.Unmarshal(data); err != nil {
		return Record{}, err
	}
	if e.GetKind() == "" {
		return Record{}, errNoKind
	}
	return Record{Kind: e.GetKind(), Key: e.GetKey(), Message: e.GetMessage()}, nil
}

// Records yields the records of c one by one, opened, as [nerve.Consumer.Records] does. A record
// that is no Envelope comes with a [nerve.DecodeError] and the loop goes on; any other error is the
// last.
func Records(ctx context.Context, c *nerve.Consumer) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for rec, err := range c.Records(ctx) {
			opened := Record{Record: rec}
			if err == nil {
				opened, err = Open(rec)
			}
			if !yield(opened, err) {
				return
			}
		}
	}
}

// KeyOf returns the key of a record, for work.Options.KeyBy. What is no Envelope has an empty one.
func KeyOf(rec nerve.Record) string {
	opened, err := Open(rec)
	if err != nil {
		return ""
	}
	return strings.Clone(opened.Key)
}
