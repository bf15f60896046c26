package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
)

const (
	// copyBatch is the size of what is appended at once, in bytes.
	copyBatch = 1 << 20
	// copyPrefix begins the names of the pointers of copies.
	copyPrefix = "copy."
)

// copier copies the records of one log into another, so that it can be repeated:
// each append has the last id that it copies for its key, and a pointer in the
// target has the map of ids as metadata.
type copier struct {
	from, to nerve.Log
	name     string
	progress func(done, total int64)
	lost     func(error) bool // tells of records that are lost; true: go on

	queue    *nerve.Queue    // queue that records are copied to
	pointer  *nerve.Consumer // pointer of the copy, in the target
	producer uint64
	ids      idMap
	batch    nerve.Batch
	first    nerve.ID // id, in the source, of the first record in batch

	copied    uint64
	damaged   bool
	consumers []consumerJSON
}

// run copies what is there now, and closes the target.
func (c *copier) run(ctx context.Context) error {
	c.queue = nerve.New(c.to, nerve.Options{})
	err := c.copy(ctx)
	if err == nil {
		err = c.copyConsumers(ctx)
	}
	return errors.Join(err, c.queue.Close())
}

func (c *copier) copy(ctx context.Context) error {
	start, err := c.resume(ctx)
	if err != nil {
		return err
	}
	_, end := c.from.Bounds()
	for next := start; next <= end; {
		c.progress(int64(next-start), int64(end-start+1))
		var behind nerve.ID
		next, err = c.copyFrom(ctx, next, end, func(next nerve.ID) {
			c.progress(int64(next-start), int64(end-start+1))
		})
		if err == nil {
			break
		}
		var trimmed *nerve.TrimmedError
		isLost := true
		if errors.As(err, &trimmed) {
			behind = trimmed.First - 1
		} else {
			behind, isLost = lostBehind(err)
		}
		if !isLost {
			return err
		}
		if !c.lost(err) {
			return errReported
		}
		c.damaged = true
		next = max(next-1, behind) + 1
	}
	return nil
}

// resume takes the name of the copy and returns the source id to go on with.
func (c *copier) resume(ctx context.Context) (nerve.ID, error) {
	keys, ok := c.to.(nerve.Repeatable)
	if !ok {
		return 0,
			errors.New("the target does not remember keys: a copy to it could not be repeated")
	}
	sum := fnv.New64a()
	sum.Write([]byte(c.name))
	c.producer = max(sum.Sum64(), 1)
	var err error
	c.pointer, err = c.queue.Consumer(fmt.Sprintf("%s%016x", copyPrefix, c.producer),
		nerve.ConsumerOptions{Start: nerve.StartLatest()})
	if err != nil {
		return 0, err
	}
	if meta := c.pointer.Meta(); meta != nil {
		if c.ids, ok = decodeIDMap(meta); !ok {
			return 0, fmt.Errorf("the pointer of consumer %s is not that of a copy",
				c.pointer.Name())
		}
	}
	last, err := keys.LastAppended(ctx, c.producer)
	if err != nil {
		return 0, err
	}
	if seq := nerve.ID(last.Key.Seq); seq > c.ids.end() {
		n := last.Last - last.First + 1
		c.ids.resume(seq-n+1, last.First, uint64(n))
		if err := c.note(last.Last); err != nil {
			return 0, err
		}
		if err := c.pointer.Save(ctx); err != nil {
			return 0, err
		}
	}
	first, end := c.from.Bounds()
	done := c.ids.end()
	if done > end {
		return 0, sourceError("records up to %d were copied before, and the source ends at %d",
			done, end)
	}
	if done == 0 {
		return first, nil
	}
	return done + 1, c.compare(ctx, done)
}

// compare checks that the last record that was copied is still the same in both.
func (c *copier) compare(ctx context.Context, id nerve.ID) error {
	to, ok := c.ids.pointer(id)
	if !ok {
		return nil
	}
	var trimmed *nerve.TrimmedError
	here, err := readOne(ctx, c.from, id)
	if err == nil {
		var there []byte
		there, err = readOne(ctx, c.to, to)
		if err == nil && !bytes.Equal(here, there) {
			return sourceError("record %d is not the one that was copied to %d before", id, to)
		}
	}
	if _, lost := lostBehind(err); lost || errors.As(err, &trimmed) {
		return nil // nothing left to compare
	}
	return err
}

func readOne(ctx context.Context, log nerve.Log, id nerve.ID) ([]byte, error) {
	cur, err := log.Read(ctx, id)
	if err != nil {
		return nil, err
	}
	defer cur.Close()
	var b nerve.Batch
	if err := cur.Next(ctx, &b); err != nil {
		return nil, err
	}
	for rec := range b.All() {
		return bytes.Clone(rec.Data), nil
	}
	return nil, nil
}

// copyFrom copies next to end, and returns where it stopped.
func (c *copier) copyFrom(
	ctx context.Context, next, end nerve.ID, report func(nerve.ID),
) (nerve.ID, error) {
	cur, err := c.from.Read(ctx, next)
	if err != nil {
		return next, err
	}
	defer cur.Close()
	size := min(copyBatch, c.to.Limits().Batch)
	var view nerve.Batch
	for read := next; read <= end; {
		if err := cur.Next(ctx, &view); err != nil {
			return c.stopped(next, err)
		}
		for rec := range view.All() {
			if rec.ID > end {
				break
			}
			if c.batch.Len() > 0 && c.batch.Size()+len(rec.Data)+4 > size {
				if next, err = c.flush(); err != nil {
					return next, err
				}
				report(next)
			}
			if c.batch.Len() == 0 {
				c.first = rec.ID
			}
			c.batch.Append(rec.Data)
			read = rec.ID + 1
		}
	}
	return c.flush()
}

// stopped appends what was read before the source failed, so that a range ends
// there.
func (c *copier) stopped(next nerve.ID, cause error) (nerve.ID, error) {
	if c.batch.Len() == 0 {
		return next, cause
	}
	next, err := c.flush()
	return next, errors.Join(cause, err)
}

// copyError says which records are not copied.
type copyError struct {
	first, last nerve.ID
	err         error
}

// Error implements error.
func (e *copyError) Error() string {
	return fmt.Sprintf("records %d to %d are not copied: %s", e.first, e.last, bare(e.err))
}

// Unwrap returns the cause.
func (e *copyError) Unwrap() error { return e.err }

// flush appends the batch and returns the source id behind it. An interrupt does
// not cut it short.
func (c *copier) flush() (nerve.ID, error) {
	n := c.batch.Len()
	if n == 0 {
		return c.first, nil
	}
	last := c.first + nerve.ID(n) - 1
	c.batch.Key = nerve.Key{Producer: c.producer, Seq: uint64(last)}
	to, err := c.queue.AppendBatch(context.Background(), &c.batch)
	if err != nil {
		return c.first, &copyError{c.first, last, err}
	}
	c.copied += uint64(n)
	begins := c.ids.add(c.first, to, uint64(n))
	c.first = last + 1
	c.batch.Reset()
	if err := c.note(to + nerve.ID(n) - 1); err != nil || !begins {
		return c.first, err
	}
	// The target tells of the last append alone: one that begins a range is
	// noted before the next.
	return c.first, c.pointer.Save(context.Background())
}

// note moves the pointer of the copy in the target, to be saved soon.
func (c *copier) note(to nerve.ID) error {
	if err := c.pointer.SetMeta(c.ids.encode()); err != nil {
		return err
	}
	return c.pointer.Seek(nerve.StartAfter(to))
}

// copyConsumers gives the target the consumers of the source that it does not
// have.
func (c *copier) copyConsumers(ctx context.Context) error {
	theirs, err := c.from.Pointers(ctx)
	if err != nil {
		return err
	}
	ours, err := c.to.Pointers(ctx)
	if err != nil {
		return err
	}
	var list []nerve.Pointer
	for _, p := range theirs {
		known := slices.ContainsFunc(ours, func(o nerve.Pointer) bool { return o.Name == p.Name })
		id, ok := c.ids.pointer(p.ID)
		if known || !ok || strings.HasPrefix(p.Name, copyPrefix) {
			continue
		}
		list = append(list, nerve.Pointer{Name: p.Name, ID: id, Hold: p.Hold, Meta: p.Meta,
			Progress: c.ids.progress(p.Progress)})
		c.consumers = append(c.consumers, consumerJSON{Name: p.Name, Pointer: p.ID, To: id})
	}
	if len(list) == 0 {
		return nil
	}
	return c.to.SavePointers(ctx, list)
}
