package kafkalog

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
	"github.com/twmb/franz-go/pkg/kerr"
)

// producer is what a log knows of one producer: where its next batch goes, and,
// if it has a key, what it appended.
type producer struct {
	next  sequenced
	table keyed.Table
}

// maxProducers bounds the producers that a log keeps; it can find them again.
const maxProducers = 4096

// writer appends to a partition. Its user sees to it that one append runs at a
// time.
type writer struct {
	p       *partition
	options *Options

	own    *producer // producer of batches without a key
	byKey  map[uint64]*producer
	ids    *idWriter // nil until something with an id is appended
	buf    []byte    // batches are made here
	plain  []byte    // records that are to be compressed
	decomp decompressor
}

// maxTries is how often an append meets another process that appends under the
// same key before it gives up.
const maxTries = 10

// errBusy is why it gives up.
var errBusy = errors.New("other processes append with the same producer all the time; " +
	"a producer is for one process at a time")

// append stores b once.
func (w *writer) append(ctx context.Context, b *nerve.Batch) (nerve.Appended, error) {
	if b.Key == (nerve.Key{}) {
		return w.appendOwn(ctx, b)
	}
	for range maxTries {
		p, err := w.producer(ctx, b.Key.Producer)
		if err != nil {
			return nerve.Appended{}, err
		}
		if a, err := p.table.Find(b.Key, b.Len()); err != nil || a.First > 0 {
			return a, err
		}
		a, err := w.try(ctx, p, b, nil)
		if err == nil {
			err = w.confirm(ctx, a)
		}
		if err == nil {
			p.table.Add(a)
			return a, nil
		}
		delete(w.byKey, b.Key.Producer)
		if !errors.Is(err, kerr.OutOfOrderSequenceNumber) {
			return nerve.Appended{}, err
		}
	}
	return nerve.Appended{}, &nerve.SetupError{Server: w.p.name(), Reason: "a batch was not stored",
		Err: errBusy}
}

// appendOwn stores b under a producer that nobody else has.
func (w *writer) appendOwn(ctx context.Context, b *nerve.Batch) (a nerve.Appended, err error) {
	for range maxTries {
		if w.own == nil {
			w.own = &producer{next: sequenced{producer: producerID(rand.Text())}}
		}
		if a, err = w.try(ctx, w.own, b, nil); err == nil {
			return a, nil
		}
		w.own = nil // perhaps a batch of it is under way
		if !errors.Is(err, kerr.OutOfOrderSequenceNumber) {
			break
		}
		// The broker lost batches of this producer, and says with that that it
		// has not stored this one.
	}
	return a, err
}

// try stores b as the next batch of p, with a header of its ids if it has some. When
// the broker finds it out of order it is not stored, now or later.
func (w *writer) try(
	ctx context.Context, p *producer, b *nerve.Batch, ids []byte,
) (nerve.Appended, error) {
	now := time.Now().UnixMilli()
	if err := w.encode(p, b, ids, now); err != nil {
		return nerve.Appended{}, err
	}
	s, sent, err := w.p.produce(ctx, w.buf)
	switch {
	case err == nil:
	case errors.Is(err, kerr.OutOfOrderSequenceNumber):
		return nerve.Appended{}, err
	case sent:
		return nerve.Appended{}, &nerve.OutcomeError{Key: b.Key, Cause: err}
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return nerve.Appended{}, &nerve.SetupError{Server: w.p.name(), Err: err,
			Reason: fmt.Sprintf("the broker refuses a batch of %d bytes", len(w.buf)),
			Advice: "max.message.bytes of the topic was lowered: raise it, or open the log again",
		}
	default:
		return nerve.Appended{}, err
	}
	if s.offset < 0 {
		return nerve.Appended{}, &nerve.OutcomeError{Key: b.Key, Cause: errAnswer}
	}
	if s.millis < 0 {
		s.millis = now
	}
	p.next = p.next.after(b.Len())
	return nerve.Appended{
		Key: b.Key, First: nerve.ID(s.offset + 1), Last: nerve.ID(s.offset) + nerve.ID(b.Len()),
		UnixNano: nano(s.millis),
	}, nil
}

// encode makes the record batch of b in w.buf.
func (w *writer) encode(p *producer, b *nerve.Batch, ids []byte, millis int64) error {
	var first header
	switch {
	case b.Key != (nerve.Key{}):
		first = header{historyHeader, appendHistory(nil, b.Key, &p.table)}
	case ids != nil:
		first = header{idsHeader, ids}
	}
	w.buf = batchHeader(w.buf[:0], p.next, b.Len(), millis, w.options.Compression)
	if w.options.Compression == None {
		w.buf = appendValues(w.buf, b, first)
	} else {
		w.plain = appendValues(w.plain[:0], b, first)
		var err error
		if w.buf, err = compress(w.buf, w.plain, w.options.Compression); err != nil {
			return err
		}
	}
	w.buf = finishBatch(w.buf)
	return nil
}

// producer returns what is known of a producer, and asks the broker first if
// that is nothing.
func (w *writer) producer(ctx context.Context, id uint64) (*producer, error) {
	if p := w.byKey[id]; p != nil {
		return p, nil
	}
	p := &producer{next: sequenced{producer: producerID(fmt.Sprintf("key %d", id))}}
	last, ok, err := w.p.newest(ctx, p.next.producer)
	if err != nil {
		return nil, err
	}
	if ok {
		p.next.sequence = last.sequence
		batch, err := w.find(ctx, p.next, last.millis)
		if err != nil {
			return nil, err
		}
		for _, a := range batch {
			p.table.Add(a)
		}
		p.next = p.next.after(1)
	}
	if len(w.byKey) >= maxProducers {
		clear(w.byKey)
	}
	if w.byKey == nil {
		w.byKey = make(map[uint64]*producer)
	}
	w.byKey[id] = p
	return p, nil
}

// find looks for the batch that ends at a place in the sequence of its producer
// and was appended at a time, and returns what its history tells. None means
// that the batch was trimmed.
func (w *writer) find(ctx context.Context, end sequenced, millis int64) ([]nerve.Appended, error) {
	if millis < 0 {
		millis = atStart
	}
	offset, err := w.p.offsetAt(ctx, millis)
	if err != nil || offset < 0 {
		return nil, err
	}
	for {
		f, err := w.p.fetch(ctx, offset, w.options.FetchBytes, 0)
		if err != nil {
			return nil, err
		}
		for len(f.records) > 0 {
			b, err := parseBatch(f.records)
			if err == errShort {
				break
			}
			if err != nil {
				return nil, w.p.corrupt(offset, err)
			}
			if b.at.after(int(b.lastDelta)) == end {
				list, err := b.history(&w.decomp, w.options.MaxDecompressed)
				if err != nil {
					return nil, w.p.corrupt(offset, err)
				}
				return list, nil
			}
			offset, f.records = b.last()+1, f.records[b.size:]
		}
		if offset >= f.end {
			return nil, nil
		}
	}
}

// confirm reads the batch that was stored for a. If another process appended
// under the same producer since this one did, the broker has a batch at this
// place in the sequence already, and takes the new one for a repetition of it.
// Then that batch has another key, and the new one is out of order.
func (w *writer) confirm(ctx context.Context, a nerve.Appended) error {
	offset := int64(a.First) - 1
	f, err := w.p.fetch(ctx, offset, 1, 0)
	if err != nil {
		return &nerve.OutcomeError{Key: a.Key, Cause: err}
	}
	b, err := parseBatch(f.records)
	if err != nil {
		return &nerve.OutcomeError{Key: a.Key, Cause: w.p.corrupt(offset, err)}
	}
	list, err := b.history(&w.decomp, w.options.MaxDecompressed)
	if err != nil {
		return &nerve.OutcomeError{Key: a.Key, Cause: w.p.corrupt(offset, err)}
	}
	if len(list) > 0 {
		own := list[len(list)-1]
		if own.Key == a.Key && own.First == a.First && own.Last == a.Last {
			return nil
		}
	}
	return kerr.OutOfOrderSequenceNumber
}

// corrupt says what is wrong with the batch at an offset.
func (p *partition) corrupt(offset int64, err error) error {
	return &nerve.CorruptError{File: p.name(), Offset: offset, First: nerve.ID(offset + 1),
		Last: nerve.ID(offset), Reason: err.Error()}
}
