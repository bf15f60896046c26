package nerve

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// group is what is committed together: records of any number of callers. Its
// outcome is written once, before done is closed.
type group struct {
	batch *Batch
	held  int64 // bytes of the in-flight budget that are held
	done  chan struct{}
	at    places
	err   error
}

// Handle stands for an append that was accepted and is being committed.
type Handle struct {
	group *group
	index int // index of its first record in the group
	count int
}

// Done is closed when the outcome is known.
func (h Handle) Done() <-chan struct{} { return h.group.done }

// Wait returns the id of the first record of the append, once it is durable. If
// ctx ends first, the append goes on without an observer.
func (h Handle) Wait(ctx context.Context) (ID, error) {
	select {
	case <-h.group.done:
	default:
		select {
		case <-h.group.done:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	if h.group.err != nil {
		return 0, h.group.err
	}
	return h.group.at.outcome(h.index, h.count)
}

// UnixNano is the append time, once Done is closed and the append did not fail. It
// is 0 before.
func (h Handle) UnixNano() int64 {
	_, nano := h.At(0)
	return nano
}

// At returns the id and the append time of record i of the append, from 0, as Wait and
// UnixNano do of the first.
func (h Handle) At(i int) (ID, int64) {
	select {
	case <-h.group.done:
		id, nano, _ := h.group.at.of(h.index + i)
		return id, nano
	default:
		return 0, 0
	}
}

// Parts are those of the batch, see [Batch.Once], once Done is closed and the append
// did not fail: where their records are, and whether they were there before.
func (h Handle) Parts() []Part {
	select {
	case <-h.group.done:
	default:
		return nil
	}
	if h.group.err != nil {
		return nil
	}
	var own []Part
	for _, p := range h.group.at.parts {
		if p.Start >= h.index && p.End <= h.index+h.count {
			own = append(own, Part{ID: p.ID, Start: p.Start - h.index, End: p.End - h.index,
				Stored: p.Stored, Repeated: p.Repeated})
		}
	}
	return own
}

// Append commits one record and returns its id when it is durable. Appends of
// any number of goroutines share commits. If ctx ends while the commit runs,
// the error is that of ctx and the record may or may not be in the log.
func (q *Queue) Append(ctx context.Context, data []byte) (ID, error) {
	if err := q.checkRecord(data); err != nil {
		return 0, err
	}
	if n := recordPrefix + len(data); len(data) <= q.limits.Record && q.takeTurn(ctx, n) {
		b := q.emptyBatch()
		b.Append(data)
		id, err := q.commitOwn(b)
		q.recycle(b)
		return id, err
	}
	h, err := q.acceptRecord(ctx, data)
	if err != nil {
		return 0, err
	}
	return h.Wait(ctx)
}

// AppendOnce is Append for senders that send again: of the appends with one id the
// first is stored, and all others within the window of the log
// ([Deduplicator]) return its id, also after a restart, and also while the first is
// under way. Appends with ids share commits as others do, and need no order.
//
//	id := nerve.DedupIDOf(request) // or of the id of the delivery in its header
//	_, err := queue.AppendOnce(ctx, id, request)
func (q *Queue) AppendOnce(ctx context.Context, id DedupID, data []byte) (ID, error) {
	b := q.emptyBatch()
	defer q.recycle(b)
	b.Append(data)
	b.Once(id)
	return q.AppendBatch(ctx, b)
}

// AppendAsync accepts one record and returns at once, unless the in-flight
// budget is used up: then it waits for room until ctx ends. It copies data.
// Records accepted in order by one goroutine are in that order in the log.
func (q *Queue) AppendAsync(ctx context.Context, data []byte) (Handle, error) {
	if err := q.checkRecord(data); err != nil {
		return Handle{}, err
	}
	return q.acceptRecord(ctx, data)
}

// acceptRecord is AppendAsync for a record that has been checked.
func (q *Queue) acceptRecord(ctx context.Context, data []byte) (Handle, error) {
	if len(data) > q.limits.Record {
		return Handle{}, &TooLargeError{What: "record", Size: len(data), Limit: q.limits.Record}
	}
	what := appending{bytes: recordPrefix + len(data), records: 1}
	return q.accept(ctx, what, func(b *Batch) { b.Append(data) })
}

// AppendBatch commits the records of b together, all or none, and returns the
// id of the first. b may be reused when it returns.
//
// A batch with a [Key] is a commit of its own, and repeated until its outcome is
// known or [Options.CallTimeout] has passed. In a log that is [Repeatable] it
// may be appended again at any time, such as by the next process after a crash,
// and is there once.
//
// A batch with ids ([Batch.Once]) shares commits. b.Parts says where their records
// are when it returns without an error, and so does the id that it returns of
// the first record, which may have been there before.
func (q *Queue) AppendBatch(ctx context.Context, b *Batch) (ID, error) {
	if err := q.check(b); err != nil {
		return 0, err
	}
	if q.limits.Check(b) == nil && q.takeTurn(ctx, b.Size()) {
		return q.commitOwn(b)
	}
	h, err := q.acceptBatch(ctx, b)
	if err != nil {
		return 0, err
	}
	first, err := h.Wait(ctx)
	copy(b.places.parts, h.Parts())
	return first, err
}

// AppendBatchAsync is AppendBatch with a handle. An empty batch is committed as
// nothing: its handle gives the id that comes next.
func (q *Queue) AppendBatchAsync(ctx context.Context, b *Batch) (Handle, error) {
	if err := q.check(b); err != nil {
		return Handle{}, err
	}
	return q.acceptBatch(ctx, b)
}

// acceptBatch is AppendBatchAsync for records that have been checked.
func (q *Queue) acceptBatch(ctx context.Context, b *Batch) (Handle, error) {
	if err := q.limits.Check(b); err != nil {
		return Handle{}, err
	}
	what := appending{bytes: b.Size(), records: b.Len(), parts: len(b.places.parts), key: b.Key,
		noSync: b.NoSync}
	return q.accept(ctx, what, func(group *Batch) { group.AppendBatch(b) })
}

// appending is what is to be added to a group.
type appending struct {
	bytes, records, parts int
	key                   Key
	noSync                bool
}

// accept adds records to the open group, or with a key to one of their own, once
// the in-flight budget has room for them.
func (q *Queue) accept(ctx context.Context, what appending, add func(*Batch)) (Handle, error) {
	held := q.share(what.bytes)
	if err := q.inFlight.Acquire(ctx, held); err != nil {
		return Handle{}, context.Cause(ctx)
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		q.inFlight.Release(held)
		return Handle{}, ErrClosed
	}
	g := q.openGroup(what)
	h := Handle{group: g, index: g.batch.Len(), count: what.records}
	add(g.batch)
	g.held += held
	q.held.Add(held)
	q.mu.Unlock()
	q.signal()
	return h, nil
}

// openGroup returns the group that takes more records. The mutex is held.
func (q *Queue) openGroup(what appending) *group {
	if len(q.groups) > 0 && what.key == (Key{}) {
		g := q.groups[len(q.groups)-1]
		room := min(q.options.GroupBytes, q.limits.Batch) - g.batch.Size()
		if what.bytes <= room && g.batch.Key == (Key{}) &&
			len(g.batch.places.parts)+what.parts <= MaxParts {
			g.batch.NoSync = g.batch.NoSync && what.noSync
			return g
		}
	}
	g := &group{done: make(chan struct{}), batch: q.takeSpare()}
	g.batch.Key, g.batch.NoSync = what.key, what.noSync
	q.groups = append(q.groups, g)
	return g
}

// takeTurn reports whether the caller may commit n bytes by itself, at once:
// nothing is being committed or waits for it, there is room, and nothing can
// make the caller return before the commit does. That saves a copy and two
// changes of goroutine, a quarter of the time of a commit on a fast disk.
func (q *Queue) takeTurn(ctx context.Context, n int) bool {
	if n == 0 || ctx.Done() != nil || q.options.Linger > 0 || !q.inFlight.TryAcquire(q.share(n)) {
		return false
	}
	q.mu.Lock()
	free := !q.closed && !q.committing && len(q.groups) == 0
	if free {
		q.committing = true
		q.held.Add(q.share(n))
	}
	q.mu.Unlock()
	if !free {
		q.inFlight.Release(q.share(n))
	}
	return free
}

// share is what n packed bytes take of the in-flight budget: one append larger
// than the budget takes all of it.
func (q *Queue) share(n int) int64 { return min(int64(n), int64(q.options.InFlightBytes)) }

// commitOwn appends b for its caller, who has the turn, and gives the turn up. It
// changes nothing of b but what its parts say.
func (q *Queue) commitOwn(b *Batch) (ID, error) {
	q.own = *b // the log sets its ids
	held := q.share(b.Size())
	at, took, err := q.commit(&q.own, held)
	q.inFlight.Release(held)
	var first ID
	if err == nil {
		first, err = at.outcome(0, b.Len())
	}
	q.observe(&q.own, took, err)
	q.own = Batch{}
	q.mu.Lock()
	q.committing = false
	more := len(q.groups) > 0 || q.closed
	q.mu.Unlock()
	if more {
		q.signal()
	}
	return first, err
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// commitLoop appends the groups to the log, one after the other.
func (q *Queue) commitLoop() {
	defer close(q.stopped)
	for range q.wake {
		if q.options.Linger > 0 {
			time.Sleep(q.options.Linger)
		}
		for mine := false; ; mine = true {
			g, closed := q.nextGroup(mine)
			if g == nil {
				if closed {
					return
				}
				break
			}
			q.commitGroup(g)
		}
	}
}

// nextGroup takes the turn and a group, if both are to be had; mine says that
// the loop has the turn from before. Who has the turn instead signals at the
// end of it.
func (q *Queue) nextGroup(mine bool) (g *group, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.committing && !mine {
		return nil, false
	}
	q.committing = len(q.groups) > 0
	if !q.committing {
		return nil, q.closed
	}
	g = q.groups[0]
	copy(q.groups, q.groups[1:])
	q.groups[len(q.groups)-1] = nil
	q.groups = q.groups[:len(q.groups)-1]
	return g, false
}

// commit appends b to the log and counts it before its callers go on, so that
// Stats counts an append before it returns.
func (q *Queue) commit(b *Batch, held int64) (at places, took time.Duration, err error) {
	start := time.Now()
	if b.Len() == 0 {
		_, last := q.log.Bounds()
		at.base = last + 1
	} else {
		at, err = q.appendToLog(b)
		for q.options.WaitForRoom && isFull(err) && q.waitForRoom() {
			at, err = q.appendToLog(b)
		}
	}
	took = time.Since(start)
	q.counters.commit(b.Len(), b.Size(), took, err)
	q.held.Add(-held)
	return at, took, err
}

// lookForRoom is how often a full log is tried again, which others may trim as well.
const lookForRoom = 50 * time.Millisecond

func isFull(err error) bool {
	full := (*FullError)(nil)
	return errors.As(err, &full)
}

// waitForRoom waits until a full log may have room. It returns false when the queue is closed.
func (q *Queue) waitForRoom() bool {
	timer := time.NewTimer(lookForRoom)
	defer timer.Stop()
	select {
	case <-q.room:
	case <-timer.C:
	case <-q.closing:
		return false
	}
	return true
}

// How long appendToLog waits before it repeats an append: twice as long each
// time.
const (
	firstRepeat = 10 * time.Millisecond
	lastRepeat  = time.Second
)

// appendToLog appends b. A commit serves many callers and is not tied to the
// context of one. With a key or ids it is repeated while its outcome is unknown.
func (q *Queue) appendToLog(b *Batch) (places, error) {
	ctx := q.commits.begin()
	defer q.commits.end()
	again, lost := b, error(nil)
	for wait := firstRepeat; ; wait = min(2*wait, lastRepeat) {
		first, err := q.log.Append(ctx, again)
		if err == nil {
			if again != b {
				b.placeParts(again, lost)
			} else if len(b.places.parts) == 0 {
				b.places.base, b.places.nano = first, b.UnixNano
			}
			return b.places, nil
		}
		unknown := (*OutcomeError)(nil)
		if !errors.As(err, &unknown) || b.Key == (Key{}) && len(b.places.parts) == 0 {
			return places{}, cmp.Or(lost, err)
		}
		if again == b && b.Key == (Key{}) && !b.Covered() {
			again, lost = b.onlyParts(), err // the others may be there
		}
		select {
		case <-ctx.Done():
			return places{}, err
		case <-time.After(wait):
		}
	}
}

func (q *Queue) commitGroup(g *group) {
	var took time.Duration
	g.at, took, g.err = q.commit(g.batch, g.held)
	batch := g.batch
	batch.places = places{}
	g.batch = nil // handles live longer
	close(g.done)
	q.inFlight.Release(g.held)
	q.observe(batch, took, g.err)
	q.recycle(batch)
}

func (q *Queue) observe(b *Batch, took time.Duration, err error) {
	if q.options.Observer != nil {
		q.options.Observer.Commit(b.Len(), b.Size(), took, err)
	}
}

// spareBatches is how many buffers are kept for later groups.
const spareBatches = 4

// recycle takes back a batch of takeSpare, which nobody may use any more.
func (q *Queue) recycle(b *Batch) {
	b.Reset()
	q.mu.Lock()
	if len(q.spare) < spareBatches && cap(b.packed) <= 2*q.options.GroupBytes {
		q.spare = append(q.spare, b)
	}
	q.mu.Unlock()
}

// takeSpare returns an empty batch, one with memory if there is one. The mutex
// is held.
func (q *Queue) takeSpare() *Batch {
	n := len(q.spare)
	if n == 0 {
		return new(Batch)
	}
	b := q.spare[n-1]
	q.spare = q.spare[:n-1]
	return b
}

func (q *Queue) emptyBatch() *Batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.takeSpare()
}
