package nerve

import (
	"maps"
	"slices"
)

// farAhead is how many acknowledged records are read and passed over before a
// cursor behind them pays.
const farAhead = 1024

// nextOpen returns the first record to be read.
func (c *Consumer) nextOpen() ID {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.delivered = c.acks.nextOpen(c.delivered+1) - 1
	return c.delivered + 1
}

// passOver takes from b what is acknowledged, and keeps what is behind it for the
// next call. It returns false if nothing is left.
func (c *Consumer) passOver(b *Batch) bool {
	c.mu.Lock()
	from, to := b.First, b.Last()
	if from > c.acks.pointer && from > c.acks.top { // as good as always
		c.delivered = to
		c.mu.Unlock()
		return true
	}
	open, end := c.acks.nextOpen(from), to
	if next := c.acks.nextAcked(open); next <= c.acks.top && open <= to {
		end = min(next-1, to)
	}
	c.delivered = max(c.acks.pointer, end)
	c.mu.Unlock()
	if open > to {
		if open > to+farAhead {
			c.dropCursor()
		}
		return false
	}
	b.DropBefore(open)
	if end < to {
		c.rest = *b
		c.rest.DropBefore(end + 1)
		b.dropAfter(end)
	}
	return true
}

// Acked returns how many records above the pointer are acknowledged.
func (c *Consumer) Acked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.acks.above
}

// Attempts returns how often it was tried to handle a record, as SetAttempts said
// in this process or in the ones before; 0 if nobody said.
func (c *Consumer) Attempts(id ID) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return int(c.attempts[id])
}

// SetAttempts says how often it was tried to handle a record that is delivered
// and not acknowledged. It is saved with the pointer, as Ack is, and forgotten
// with the acknowledgement.
func (c *Consumer) SetAttempts(id ID, attempts int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	if id > c.delivered {
		return &AckError{ID: id, Delivered: c.delivered}
	}
	if c.acks.has(id) || attempts < 0 {
		return nil
	}
	if c.attempts == nil {
		c.attempts = make(map[ID]uint32)
	}
	c.attempts[id] = uint32(min(attempts, maxAttempts))
	if attempts == 0 {
		delete(c.attempts, id)
	}
	c.changes++
	return nil
}

const maxAttempts = 1 << 30

// forgetAttempts is told that all up to id are acknowledged.
func (c *Consumer) forgetAttempts(id ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for tried := range c.attempts {
		if tried <= id {
			delete(c.attempts, tried)
			c.changes++
		}
	}
}

// Redeliver makes the records above the pointer that are not acknowledged come
// again, from the first one on. Acks and attempts stay. As Seek, it waits for a
// Next in another goroutine.
func (c *Consumer) Redeliver() error {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.lent.release()
	c.dropCursor()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.over(); err != nil {
		return err
	}
	c.delivered = c.acks.pointer
	c.makeRoom()
	return nil
}

// Queue returns the queue that the consumer reads.
func (c *Consumer) Queue() *Queue { return c.queue }

// progress packs what is done above the pointer. The mutex is held.
func (c *Consumer) progress() Progress {
	if c.packedAt == c.changes {
		return c.packed
	}
	c.packedAt = c.changes
	if c.acks.above == 0 && len(c.attempts) == 0 {
		c.packed = Progress{}
		return c.packed
	}
	var w progressWriter
	tried := slices.Sorted(maps.Keys(c.attempts))
	// try packs the attempts of records below an id.
	try := func(below ID) bool {
		for len(tried) > 0 && tried[0] < below {
			if !w.add(Span{First: tried[0], Last: tried[0], Attempts: c.attempts[tried[0]]}) {
				return false
			}
			tried = tried[1:]
		}
		return true
	}
	for s := range c.acks.all {
		if !try(s.First) || !w.add(s) {
			break
		}
	}
	try(maxID)
	c.packed = w.progress()
	return c.packed
}

// restore takes over what was saved above the pointer, as far as the consumer
// may be ahead of it. Beyond that records come again.
func (c *Consumer) restore(p Progress) {
	limit := c.acks.pointer + ID(c.options.MaxUnacked)
	for s := range p.Within(c.acks.pointer+1, limit).All() {
		for id := s.First; id <= s.Last; id++ {
			if s.Acked() {
				c.acks.add(id)
				continue
			}
			if c.attempts == nil {
				c.attempts = make(map[ID]uint32)
			}
			c.attempts[id] = s.Attempts
		}
	}
	c.delivered = max(c.delivered, c.acks.pointer)
	c.changes++
}
