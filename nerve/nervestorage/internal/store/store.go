package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// Options of a Store. The zero value is useful.
type Options struct {
	// Durability of items and of other keys. What is pending is written without a sync.
	Durability seglog.Durability
	// SyncEvery is the interval of seglog.SyncInterval.
	SyncEvery time.Duration
	// AckInterval is how long what is pending may wait for an append to ride with. 0 writes it
	// at once.
	AckInterval time.Duration
	// MaxBytes bounds the log on disk. What is pending and snapshots may exceed it. 0 is no bound.
	MaxBytes int64
	// DropOldest gives up the oldest items when MaxBytes is reached, instead of refusing new ones.
	DropOldest bool
	// RetainAge drops items that are older. 0 keeps them.
	RetainAge time.Duration
	// MaxMapBytes bounds keys and values that are not items. Default 64 MiB.
	MaxMapBytes int64
	// FailOnDamage refuses to go on when stored bytes are not what was written. Without it
	// what is damaged is skipped, counted and logged.
	FailOnDamage bool
	// Compression of the log.
	Compression seglog.Compression
	// SegmentSize of the log. Default 64 MiB, less with a small MaxBytes.
	SegmentSize int64
	// FS is the disk. Nil is the operating system's.
	FS vfs.FS
	// Logger gets what has no caller to return it to. Nil is silent.
	Logger *slog.Logger

	// snapshotEvery is how many bytes lie between snapshots, others in tests.
	snapshotEvery int64
}

const (
	defaultMapBytes = 64 << 20
	snapshotBytes   = 64 << 20
	minSegmentSize  = 256 << 10
	// maxPendingAcks is how many acks wait for an append at most.
	maxPendingAcks = 256
	// maxKeptBatch is up to which size the memory of a batch is kept for the next.
	maxKeptBatch = 4 << 20
	// maxBatch is the largest that seglog takes.
	maxBatch = 256 << 20
)

func (o Options) withDefaults() Options {
	if o.MaxMapBytes <= 0 {
		o.MaxMapBytes = defaultMapBytes
	}
	if o.SegmentSize <= 0 {
		o.SegmentSize = seglog.DefaultSegmentSize
		if o.MaxBytes > 0 {
			o.SegmentSize = max(minSegmentSize, min(o.SegmentSize, o.MaxBytes/8))
		}
	}
	if o.snapshotEvery <= 0 {
		o.snapshotEvery = snapshotBytes
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Store is a map in a folder. It is safe for concurrent use; the folder is locked while it is open.
type Store struct {
	dir     string
	options Options

	mu     sync.Mutex
	log    *seglog.Log
	read   reader
	index  index
	values map[string]*value
	size   int64 // bytes of values
	failed error // why nothing is taken any more, if so
	closed bool

	acks   []nerve.ID // items that are gone in memory and not yet in the log
	dirty  []string   // keys whose values are newer than in the log
	intent intent
	timer  *time.Timer   // runs tick
	due    time.Duration // how long it was asked to wait; 0 if it does not run

	snapshots [2]nerve.ID // the last ones, the newest first
	since     int64       // bytes appended since the last snapshot
	snapshot  int64       // bytes of the last snapshot
	trimmed   time.Time   // when the log was trimmed last
	aged      time.Time   // when RetainAge was applied last

	batch nerve.Batch
	count counters
}

// value is that of a key that is no item.
type value struct {
	data  []byte
	there bool // false while it waits to be logged that it is gone
	dirty bool
}

// intent is what a batch of deletes alone has deleted, see deletes.
type intent struct {
	items map[uint64]nerve.ID
	left  int // items that must be stored before it takes effect
}

// Open opens the store in a folder, making it if need be.
func Open(dir string, o Options) (*Store, error) {
	s := &Store{dir: dir, options: o.withDefaults(), values: make(map[string]*value)}
	if err := s.open(); err != nil {
		if s.log != nil {
			err = errors.Join(err, s.read.close(), s.log.Close())
		}
		return nil, err
	}
	return s, nil
}

// Batch carries out ops in order, all of them or, when it returns an error, none. It copies
// values.
func (s *Store) Batch(ctx context.Context, ops ...*Op) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.carryOut(ops)
}

// carryOut is Batch while the store is locked.
func (s *Store) carryOut(ops []*Op) error {
	if err := s.usable(); err != nil {
		return err
	}
	for _, o := range ops {
		if o.Kind > Delete {
			return fmt.Errorf("nerve_storage: an operation of kind %d, which does not exist", o.Kind)
		}
	}
	shape := prepare(ops)
	if err := s.gets(ops); err != nil {
		return err
	}
	switch {
	case shape.deletesOnly(len(ops)):
		s.deletes(ops)
		return nil
	case shape.logged():
		return s.write(ops, shape)
	case shape.deletes+shape.others > 0:
		return s.remember(ops)
	}
	return nil
}

func (s *Store) usable() error {
	if s.closed {
		return nerve.ErrClosed
	}
	return s.failed
}

// gets answers the Gets of a batch.
func (s *Store) gets(ops []*Op) error {
	var changed map[string]*Op
	for i, o := range ops {
		switch {
		case o.changes():
			if len(ops) > smallBatch {
				if changed == nil {
					changed = make(map[string]*Op)
				}
				changed[o.Key] = o
			}
			continue
		case len(ops) <= smallBatch:
			o.Value = nil
			if before := lastChange(ops[:i], o.Key); before != nil {
				o.Value = slices.Clone(before.Value)
				continue
			}
		default:
			if before := changed[o.Key]; before != nil {
				o.Value = slices.Clone(before.Value)
				continue
			}
		}
		var err error
		if o.Value, err = s.get(o); err != nil {
			return err
		}
	}
	return nil
}

// lastChange returns the last of ops that changes key.
func lastChange(ops []*Op, key string) *Op {
	for i := len(ops) - 1; i >= 0; i-- {
		if ops[i].changes() && ops[i].Key == key {
			return ops[i]
		}
	}
	return nil
}

// get returns a copy of the value of a key, nil if there is none.
func (s *Store) get(o *Op) ([]byte, error) {
	if !o.item {
		if v := s.values[o.Key]; v != nil && v.there {
			return append([]byte{}, v.data...), nil
		}
		return nil, nil
	}
	if _, gone := s.intent.items[o.number]; gone {
		return nil, nil
	}
	id := s.index.find(o.number)
	if id == 0 {
		return nil, nil
	}
	data, err := s.readItem(id)
	if data == nil || err != nil {
		return nil, err
	}
	return append([]byte{}, data...), nil
}

// deletes notes a batch of deletes of items alone as an intent: its items are gone for those who
// ask, but not in the log until as many items were stored, or a batch of another kind came. The
// sending queue moves what was being sent when it ended to its end that way: it deletes
// all of it and stores it again one by one. If it is killed between, everything is still there.
func (s *Store) deletes(ops []*Op) {
	for _, o := range ops {
		id := s.index.find(o.number)
		if id == 0 {
			continue
		}
		if _, gone := s.intent.items[o.number]; gone {
			continue
		}
		if s.intent.items == nil {
			s.intent.items = make(map[uint64]nerve.ID)
		}
		s.intent.items[o.number] = id
		s.intent.left++
	}
}

// settle makes an intent an ack.
func (s *Store) settle() {
	for _, id := range s.intent.items {
		s.index.live.remove(id)
		s.acks = append(s.acks, id)
	}
	s.intent = intent{}
}

// remember carries out a batch that changes memory alone.
func (s *Store) remember(ops []*Op) error {
	if err := s.fits(ops); err != nil {
		return err
	}
	s.settle()
	for _, o := range ops {
		switch {
		case !o.last:
		case !o.item:
			s.assign(o.Key, o.Value, o.Kind == Set, true)
		default: // a Set would have been written
			if id := s.index.find(o.number); id != 0 {
				s.index.live.remove(id)
				s.acks = append(s.acks, id)
			}
		}
	}
	s.later()
	return nil
}

// later sees to it that what is pending is written.
func (s *Store) later() {
	if s.options.AckInterval <= 0 || len(s.acks) >= maxPendingAcks {
		s.flush()
		s.wake(maintainEvery)
		return
	}
	s.wake(s.options.AckInterval)
}

// assign sets or removes the value of a key that is no item.
func (s *Store) assign(key string, data []byte, there, dirty bool) {
	v := s.values[key]
	if v == nil {
		if !there {
			return
		}
		v = new(value)
		s.values[key] = v
		s.size += entrySize(key, nil)
	}
	s.size += int64(len(data) - len(v.data))
	v.data, v.there = append(v.data[:0], data...), there
	if dirty && !v.dirty {
		v.dirty = true
		s.dirty = append(s.dirty, key)
	}
	if !there && !v.dirty {
		delete(s.values, key)
		s.size -= entrySize(key, v.data)
	}
}

// entrySize is about what an entry of values takes, in bytes.
func entrySize(key string, data []byte) int64 { return int64(len(key) + len(data) + oddSize) }

// mapBytes is about what is held for other keys, and for items with numbers that do not grow.
func (s *Store) mapBytes() int64 { return s.size + int64(len(s.index.odd))*oddSize }

// fits returns why the map of other keys does not take what a batch sets, if so.
func (s *Store) fits(ops []*Op) error {
	more := int64(0)
	for _, o := range ops {
		switch {
		case !o.last || o.Kind != Set:
		case o.item:
			if !s.index.grows(o.number) {
				more += oddSize
			}
		default:
			more += entrySize(o.Key, o.Value)
			if v := s.values[o.Key]; v != nil {
				more -= entrySize(o.Key, v.data)
			}
		}
	}
	if more > 0 && s.mapBytes()+more > s.options.MaxMapBytes {
		s.index.forget()
	}
	now := s.mapBytes()
	if more > 0 && now+more > s.options.MaxMapBytes {
		return &nerve.FullError{What: "keys that are no items", Size: now + more,
			Limit: s.options.MaxMapBytes}
	}
	return nil
}

// write carries out a batch that is logged at once.
func (s *Store) write(ops []*Op, shape shape) error {
	if err := s.fits(ops); err != nil {
		return err
	}
	if shape.bytes > 0 {
		if err := s.room(int64(shape.bytes)); err != nil {
			return err
		}
	}
	settles := shape.sets < shape.items || shape.items == 0 || s.intent.left <= shape.sets
	acks := slices.Clone(s.acks)
	if settles {
		for _, id := range s.intent.items {
			acks = append(acks, id)
		}
	}
	for _, o := range ops {
		if o.last && o.item && o.Kind == Delete {
			if id := s.index.find(o.number); id != 0 {
				acks = append(acks, id)
			}
		}
	}
	s.batch.Reset()
	s.batch.AppendFunc(func(b []byte) []byte { return s.appendChanges(b, acks, ops) })
	items := 0
	for _, o := range ops {
		if o.last && o.item && o.Kind == Set {
			items++
			if items > 1 {
				s.batch.AppendFunc(func(b []byte) []byte {
					return appendItem(append(b, version), o.number, o.Value)
				})
			}
		}
	}
	first, err := s.append()
	if err != nil {
		return err
	}
	for _, id := range acks {
		s.index.live.remove(id)
	}
	if settles {
		s.intent = intent{}
	} else {
		s.intent.left -= shape.sets
	}
	for _, o := range ops {
		switch {
		case !o.last:
		case !o.item:
			s.assign(o.Key, o.Value, o.Kind == Set, false)
		case o.Kind == Set:
			delete(s.intent.items, o.number)
			s.index.add(run{number: o.number, id: first, count: 1})
			first++
		}
	}
	s.written()
	return nil
}

// appendChanges appends what is pending and what ops change: the last section is the first item.
func (s *Store) appendChanges(b []byte, acks []nerve.ID, ops []*Op) []byte {
	b = append(b, version)
	for _, key := range s.dirty {
		if len(ops) <= smallBatch && lastChange(ops, key) != nil {
			continue
		}
		if v := s.values[key]; v.there {
			b = appendSet(b, key, v.data)
		} else {
			b = appendDelete(b, key)
		}
	}
	var item *Op
	for _, o := range ops {
		switch {
		case !o.last:
		case o.item:
			if o.Kind == Set && item == nil {
				item = o
			}
		case o.Kind == Set:
			b = appendSet(b, o.Key, o.Value)
		default:
			b = appendDelete(b, o.Key)
		}
	}
	b = appendAcks(b, acks)
	if item != nil {
		b = appendItem(b, item.number, item.Value)
	}
	return b
}

// append appends s.batch.
func (s *Store) append() (nerve.ID, error) {
	first, err := s.log.Append(context.Background(), &s.batch)
	size := s.batch.Size()
	if err == nil {
		s.since += int64(size)
	}
	if size > maxKeptBatch {
		s.batch = nerve.Batch{}
	}
	return first, err
}

// written notes that what was pending is in the log.
func (s *Store) written() {
	s.acks = s.acks[:0]
	for _, key := range s.dirty {
		v := s.values[key]
		v.dirty = false
		if !v.there {
			delete(s.values, key)
			s.size -= entrySize(key, v.data)
		}
	}
	s.dirty = s.dirty[:0]
	if s.since >= max(s.options.snapshotEvery, 4*s.snapshot) {
		_ = s.takeSnapshot() // it has logged why it failed, and is tried again later
	}
	s.wake(maintainEvery)
}

// flush writes what is pending. What cannot be written stays pending.
func (s *Store) flush() {
	if len(s.acks) == 0 && len(s.dirty) == 0 {
		return
	}
	s.batch.Reset()
	s.batch.NoSync = true
	s.batch.AppendFunc(func(b []byte) []byte { return s.appendChanges(b, s.acks, nil) })
	if _, err := s.append(); err != nil {
		s.options.Logger.Warn("nerve_storage: what is done cannot be noted now", "folder", s.dir,
			"error", err)
		return
	}
	s.written()
}

// Close writes what is pending, and a snapshot, and releases the folder.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nerve.ErrClosed
	}
	s.closed = true
	if s.timer != nil {
		s.timer.Stop()
	}
	var err error
	if s.log.Failed() == nil && s.failed == nil {
		s.settle()
		if s.since > 0 || len(s.acks)+len(s.dirty) > 0 {
			err = s.takeSnapshot()
		}
		s.trim()
	}
	return errors.Join(err, s.read.close(), s.log.Close())
}
