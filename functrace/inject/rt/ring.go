package rt

import "sync/atomic"

// A flight recorder keeps its file at one size. A goroutine that has filled a chunk puts it at the
// end of a queue, and takes a new one: an unused one, then the first of the queue, which is the one
// that was filled first. Chunks in use are not in the queue, so a goroutine that waits keeps its
// last events; one that is in no traced call gives up its chunk when the queue is empty.

// queue holds chunks, first in, first out.
type queue struct {
	list []*slot
	head int
}

func (q *queue) put(s *slot) {
	if s == nil {
		return
	}
	if q.head > len(q.list)/2 {
		q.list = append(q.list[:0], q.list[q.head:]...)
		q.head = 0
	}
	q.list = append(q.list, s)
}

// take returns the first chunk, nil if there is none.
func (q *queue) take() *slot {
	if q.head == len(q.list) {
		return nil
	}
	s := q.list[q.head]
	q.list[q.head] = nil
	q.head++
	return s
}

// again returns an empty chunk of a flight recorder; done is full. Nil if goroutines that are in
// calls have all of them: then events are dropped, but the next may find one.
func (r *recording) again(done *slot) *slot {
	r.old.put(done)
	r.updateRate()
	if len(r.free) == 0 && r.store.size < r.limit && !r.grow() {
		r.limit = r.store.size // the disk is full: the ring is smaller
	}
	if len(r.free) > 0 {
		return r.take()
	}
	s := r.old.take()
	if s == nil {
		r.stealIdle()
		if s = r.old.take(); s == nil {
			return nil
		}
	}
	s.empty()
	return s
}

// empty makes a chunk one without events. A reader of the file, or of what a killed program left,
// sees its old events or none.
func (s *slot) empty() {
	s.turns.Add(1)
	atomic.StoreUint64(&s.words[0], 0)
	clear(s.words[1:])
	s.turns.Add(1)
}

// stealIdle takes the chunks of some goroutines that are in no traced call.
func (r *recording) stealIdle() {
	for range min(sweepStep, len(r.all)) {
		r.hand = (r.hand + 1) % len(r.all)
		victim := r.all[r.hand]
		if !victim.state.CompareAndSwap(idle, dead) {
			continue
		}
		r.forget(victim)
		r.old.put(victim.slot)
		last := len(r.all) - 1
		r.all[r.hand] = r.all[last]
		r.all[last] = nil
		if r.all = r.all[:last]; last == 0 {
			return
		}
	}
}

// namesChunk returns a chunk for names of functions. Those of a flight recorder are kept, and make
// its file larger.
func (r *recording) namesChunk() *slot {
	r.mu.Lock()
	defer r.mu.Unlock()
	var s *slot
	switch {
	case !r.ring:
		s = r.chunkLocked(true, nil)
	case r.closed:
	case len(r.free) > 0:
		s = r.take()
	default:
		r.limit += minSegment
		if r.grow() {
			s = r.take()
		}
	}
	if s != nil {
		s.names.Store(true)
	}
	return s
}
