package envelope

import (
	"context"
	"fmt"

	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/work"
)

// Reader is what generated Reader types have: a pointer to R.
type Reader[R any] interface {
	*R
	gremlin.Reader
}

// Delivery is a record for a handler. All of it is the handler's own.
type Delivery struct {
	*work.Delivery        // its Data is the whole envelope
	Kind           string // the full name of the message's type
	Key            string
}

// Mux gives records to handlers by their kinds. The zero value has none; they are added by Handle
// before the first record comes.
type Mux struct {
	// Otherwise gets records of kinds without a handler. Nil gives them up at once, with an
	// UnknownKindError.
	Otherwise func(context.Context, Delivery, []byte) error

	handlers map[string]func(context.Context, Delivery, []byte) error
}

// UnknownKindError says that nobody handles records of a kind.
type UnknownKindError struct {
	ID   nerve.ID
	Kind string
}

// Error implements error.
func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("nerve: record %d: there is no handler for the kind %q", e.ID, e.Kind)
}

// Handle adds the handler of messages that R reads. A record that does not decode is given up at
// once. The Reader is the handler's own. It panics if the kind has a handler already.
func Handle[R any, P Reader[R]](m *Mux, handle func(context.Context, Delivery, *R) error) {
	kind := gremlin.NameOf(P(nil))
	if m.handlers[kind] != nil {
		panic("envelope: two handlers for the kind " + kind)
	}
	if m.handlers == nil {
		m.handlers = map[string]func(context.Context, Delivery, []byte) error{}
	}
	m.handlers[kind] = func(ctx context.Context, d Delivery, message []byte) error {
		value := new(R)
		if err := P(value).Unmarshal(message); err != nil {
			return work.Permanent(&nerve.DecodeError{ID: d.ID, Err: err})
		}
		return handle(ctx, d, value)
	}
}

// Deliver gives a record to its handler. It is a [work.Handler]: what is no Envelope, and kinds
// that nobody handles, are given up at once.
func (m *Mux) Deliver(ctx context.Context, d *work.Delivery) error {
	rec, err := Open(d.Record)
	if err != nil {
		return work.Permanent(err)
	}
	handle := m.handlers[rec.Kind]
	if handle == nil {
		handle = m.Otherwise
	}
	if handle == nil {
		return work.Permanent(&UnknownKindError{ID: d.ID, Kind: rec.Kind})
	}
	return handle(ctx, Delivery{Delivery: d, Kind: rec.Kind, Key: rec.Key}, rec.Message)
}

// Kind is a type of messages that Check knows.
type Kind struct {
	name  string
	check nerve.RecordCheck
}

// KindOf returns the kind of messages that R reads.
func KindOf[R any, P Reader[R]]() Kind {
	return Kind{name: gremlin.NameOf(P(nil)), check: nerve.EncodingCheck[R, P]()}
}

// KindCheck returns a check, for options of queues and consumers, that records are envelopes with a
// message of one of these kinds, and that all of it is well-formed.
//
//	envelope.KindCheck(envelope.KindOf[DepositReader](), envelope.KindOf[RefundReader]())
func KindCheck(kinds ...Kind) nerve.RecordCheck {
	checks := make(map[string]nerve.RecordCheck, len(kinds))
	for _, k := range kinds {
		checks[k.name] = k.check
	}
	return func(record []byte) error {
		rec, err := open(record)
		if err != nil {
			return err
		}
		check := checks[rec.Kind]
		if check == nil {
			return fmt.Errorf("the kind %q is none of this queue's", rec.Kind)
		}
		if err := check(rec.Message); err != nil {
			return fmt.Errorf("in the envelope: %w", err)
		}
		return nil
	}
}
