package kafkalog

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/fit"
	"github.com/twmb/franz-go/pkg/kerr"
)

// storeSuffix makes the name of the topic with the pointers of a topic's
// consumers.
const storeSuffix = ".nerve"

// states are what the store has, by name of the consumer.
type states = map[string]consumerState

// consumerState is what the store has under the name of a consumer.
type consumerState struct {
	// The pointer, if there is one: Saved, in Unix milliseconds, is not 0.
	ID    nerve.ID `json:"id,omitempty"`
	Hold  bool     `json:"hold,omitempty"`
	Meta  []byte   `json:"meta,omitempty"`
	Saved int64    `json:"saved_ms,omitempty"`

	// Progress is what is done above the pointer, as nerve.Progress packs it.
	Progress []byte `json:"progress,omitempty"`

	// The claim. Where is empty when nobody has it; it lasts until Until, by the
	// clock of who has it.
	Epoch uint64 `json:"epoch,omitempty"`
	Where string `json:"where,omitempty"`
	Until int64  `json:"until_ms,omitempty"`

	// Write is a number of this record alone.
	Write string `json:"write"`
}

// store keeps the pointers and claims of a partition's consumers in the
// partition with the same number of a compacted topic, under their names.
//
// All that write there share one producer of Kafka's, whose sequence makes a
// write conditional: the broker takes a batch only if it continues the
// sequence, so only from somebody who has seen every write before. That makes
// what is decided on the state that was read, such as who has a name, hold.
type store struct {
	log *Log
	p   *partition

	lock   chan struct{} // holds a token while nobody uses what is below
	found  bool          // the topic is there
	next   int64         // offset to read on from
	place  sequenced     // place of the next write
	byName states
	decomp decompressor
}

func newStore(l *Log) *store {
	p := newPartition(l.client, l.data.brokers, l.data.topic+storeSuffix, l.data.number)
	s := &store{
		log: l, p: p, lock: make(chan struct{}, 1),
		place:  sequenced{producer: producerID("pointers")},
		byName: make(states),
	}
	s.lock <- struct{}{}
	return s
}

func (s *store) take(ctx context.Context) error {
	select {
	case <-s.lock:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *store) give() { s.lock <- struct{}{} }

// pointers returns what is there now.
func (s *store) pointers(ctx context.Context) (list []nerve.Pointer, err error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.give()
	if ok, err := s.find(ctx, false); err != nil || !ok {
		return nil, err
	}
	if _, err := s.catchUp(ctx, -1); err != nil {
		return nil, err
	}
	list = make([]nerve.Pointer, 0, len(s.byName))
	for name, e := range s.byName {
		if e.Saved != 0 {
			list = append(list, s.pointer(name, &e))
		}
	}
	return list, nil
}

// pointer is what an entry says of a consumer.
func (s *store) pointer(name string, e *consumerState) nerve.Pointer {
	p := nerve.Pointer{
		Name: name, ID: e.ID, Hold: e.Hold, Meta: bytes.Clone(e.Meta), Epoch: e.Epoch,
		Saved: time.UnixMilli(e.Saved),
	}
	var err error
	if p.Progress, err = nerve.ParseProgress(e.Progress); err != nil {
		s.log.options.Logger.Warn("nerve: what a consumer did above its pointer cannot be read",
			"consumer", name, "error", err)
	}
	return p
}

// seen returns what was there when the store was read last.
func (s *store) seen(ctx context.Context) (states, error) {
	if err := s.take(ctx); err != nil {
		return nil, err
	}
	defer s.give()
	return maps.Clone(s.byName), nil
}

// maxSaved bounds the progress that is saved at once, in bytes: pointers are saved
// in one batch of Kafka's, whose limit is a megabyte unless it is set.
const maxSaved = 512 << 10

// find looks for the topic, and makes it if that is wanted.
func (s *store) find(ctx context.Context, create bool) (ok bool, err error) {
	if s.found {
		return true, nil
	}
	topic, ok, err := s.p.exists(ctx, false)
	if err != nil {
		return false, err
	}
	if !ok && !create {
		return false, nil
	}
	if !ok {
		data := &s.log.settings
		err := s.p.create(ctx, data.partitions, data.replicas, s.log.options.AllowUnsynced,
			map[string]string{
				"cleanup.policy":            "compact",
				"min.cleanable.dirty.ratio": "0.1",
				"segment.bytes":             "16777216",
			})
		if err != nil {
			return false, err
		}
		if topic, _, err = s.p.exists(ctx, true); err != nil {
			return false, err
		}
	}
	settings, err := s.p.settings(ctx, topic)
	if err != nil {
		return false, err
	}
	if settings.cleanup != "compact" {
		return false, &nerve.SetupError{Server: s.p.name(),
			Reason: "the topic of the consumers' pointers has cleanup.policy=" + settings.cleanup,
			Advice: "set cleanup.policy=compact, or pointers will be lost"}
	}
	s.found = true
	return true, nil
}

// maxEntry is more than a record of the store takes.
const maxEntry = 1 << 20

// catchUp reads the store to its end, and returns the value of the first record
// at an offset, if it came by.
func (s *store) catchUp(ctx context.Context, at int64) (value []byte, err error) {
	for {
		f, err := s.p.fetch(ctx, s.next, maxEntry, 0)
		if errors.Is(err, kerr.OffsetOutOfRange) {
			err = s.restart(ctx)
			if err == nil {
				continue
			}
		}
		if err != nil {
			return nil, err
		}
		for len(f.records) > 0 {
			b, err := parseBatch(f.records)
			if err == errShort {
				break
			}
			if err != nil {
				return nil, s.p.corrupt(s.next, err)
			}
			first, err := s.apply(&b)
			if err != nil {
				return nil, s.p.corrupt(b.base, err)
			}
			if b.base == at {
				value = first
			}
			s.next, f.records = b.last()+1, f.records[b.size:]
		}
		if s.next >= f.end {
			return value, nil
		}
	}
}

// restart reads everything again, after somebody deleted records.
func (s *store) restart(ctx context.Context) error {
	start, err := s.p.offsetAt(ctx, atStart)
	s.next = start
	clear(s.byName)
	return err
}

// apply takes a batch of the store and returns the value of its first record.
func (s *store) apply(b *recordBatch) (first []byte, err error) {
	if b.at.producer == s.place.producer {
		s.place = b.at.after(int(b.lastDelta) + 1)
	}
	body, err := s.decomp.decompress(b.body, b.codec(), s.log.options.MaxDecompressed)
	if err != nil {
		return nil, err
	}
	for r, err := range records(body, b.count) {
		if err != nil {
			return nil, err
		}
		if r.delta == 0 {
			first = bytes.Clone(r.value)
		}
		if r.value == nil {
			delete(s.byName, string(r.key))
			continue
		}
		var e consumerState
		if err := json.Unmarshal(r.value, &e); err != nil {
			return nil, fmt.Errorf("the record of %q is not nerve's: %w", r.key, err)
		}
		s.byName[string(r.key)] = e
	}
	return first, nil
}

// update writes what change makes of the present state: entries by name, to be
// added or replaced together. When others write meanwhile it asks again.
func (s *store) update(ctx context.Context, change func(states) (states,
	error)) error {
	if err := s.take(ctx); err != nil {
		return err
	}
	defer s.give()
	if _, err := s.find(ctx, true); err != nil {
		return err
	}
	if _, err := s.catchUp(ctx, -1); err != nil {
		return err
	}
	for {
		entries, err := change(s.byName)
		if err != nil || len(entries) == 0 {
			return err
		}
		done, err := s.write(ctx, entries)
		if err != nil || done {
			return err
		}
	}
}

// write appends entries if nobody has written since the last catchUp, and
// catches up.
func (s *store) write(ctx context.Context, entries states) (done bool, err error) {
	batch := batchHeader(nil, s.place, len(entries), time.Now().UnixMilli(), None)
	var first []byte
	delta := 0
	for name, e := range entries {
		e.Write = rand.Text()
		value, err := json.Marshal(e)
		if err != nil {
			return false, err
		}
		if delta == 0 {
			first = value
		}
		batch = appendKeyed(batch, delta, name, value)
		delta++
	}
	stored, _, err := s.p.produce(ctx, finishBatch(batch))
	if errors.Is(err, kerr.OutOfOrderSequenceNumber) {
		return false, s.resume(ctx)
	}
	if err != nil {
		return false, err
	}
	// A batch of somebody else at the same place in the sequence is taken for a
	// repetition of this one.
	got, err := s.catchUp(ctx, stored.offset)
	return bytes.Equal(got, first), err
}

// resume finds the place of the next write after somebody else wrote. The
// sequence is asked for before the state is read: if there is a write between,
// the next one of this log fails, and not that state.
func (s *store) resume(ctx context.Context) error {
	last, ok, err := s.p.newest(ctx, s.place.producer)
	if err != nil {
		return err
	}
	if ok {
		s.place = sequenced{s.place.producer, last.sequence}.after(1)
	}
	_, err = s.catchUp(ctx, -1)
	return err
}

// SavePointers implements nerve.Log.
func (l *Log) SavePointers(ctx context.Context, pointers []nerve.Pointer) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if l.options.ReadOnly {
		return nerve.ErrReadOnly
	}
	for _, p := range pointers {
		if err := l.checkPointer(ctx, p); err != nil {
			return err
		}
	}
	err = l.store.update(ctx, func(now states) (states, error) {
		changed := make(states)
		for _, p := range fit.Progress(pointers, maxSaved) {
			e := now[p.Name]
			if err := e.claimed(l.options.now()).Check(p.Name, p.Epoch); err != nil {
				return nil, err
			}
			e.ID, e.Hold, e.Meta, e.Saved = p.ID, p.Hold, p.Meta, l.options.now().UnixMilli()
			e.Progress = p.Progress.Packed()
			changed[p.Name] = e
		}
		return changed, nil
	})
	if err == nil {
		l.groups.commit(pointers)
	}
	return err
}

func (l *Log) checkPointer(ctx context.Context, p nerve.Pointer) error {
	if err := p.Check(); err != nil {
		return err
	}
	if p.Hold {
		if err := l.checkHold(p.Name); err != nil {
			return err
		}
	}
	highest := p.Highest()
	if highest > l.bounds.end() {
		if err := l.refresh(ctx); err != nil {
			return err
		}
	}
	if last := l.bounds.end(); highest > last {
		return &nerve.FutureError{ID: highest, Next: last + 1}
	}
	return nil
}

// Pointers implements nerve.Log.
func (l *Log) Pointers(ctx context.Context) ([]nerve.Pointer, error) {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return l.store.pointers(ctx)
}

// RemovePointer implements nerve.Log.
func (l *Log) RemovePointer(ctx context.Context, name string) error {
	ctx, end, err := l.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	if l.options.ReadOnly {
		return nerve.ErrReadOnly
	}
	err = l.store.update(ctx, func(now states) (states, error) {
		e, ok := now[name]
		if !ok || e.Saved == 0 {
			return nil, nil
		}
		// What is left is the claim.
		left := consumerState{Epoch: e.Epoch, Where: e.Where, Until: e.Until}
		return states{name: left}, e.claimed(l.options.now()).Check(name, 0)
	})
	if err == nil {
		l.groups.remove(name)
	}
	return err
}
