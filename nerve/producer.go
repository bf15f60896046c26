package nerve

import (
	"context"
	"time"
)

// group is what is committed together: records of any number of callers. Its
// outcome is written once, before done is closed.
type group struct {
	batch Batch
	held  int64 // of the in-flight budget
	done  chan struct{}
	first ID
	err   error
}

// Handle stands for an append that was accepted and is being committed.
type Handle struct {
	group *group
	index int
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
	return h.group.first + ID(h.index), nil
}

// Append commits one record and returns its id when it is durable. Appends of
// any number of goroutines share commits. If ctx ends while the commit runs,
// the error is that of ctx and the record may or may not be in the log.
func (q *Queue) Append(ctx context.Context, data []byte) (ID, error) {
	h, err := q.AppendAsync(ctx, data)
	if err != nil {
		return 0, err
	}
	return h.Wait(ctx)
}

// AppendAsync accepts one record and returns at once, unless the in-flight
// budget is used up: then it waits for room until ctx ends. It copies data.
// Records accepted in order by one goroutine are in that order in the log.
func (q *Queue) AppendAsync(ctx context.Context, data []byte) (Handle, error) {
	if len(data) > q.limits.Record {
		return Handle{}, &TooLargeError{What: "record", Size: len(data), Limit: q.limits.Record}
	}
	return q.accept(ctx, recordPrefix+len(data), func(b *Batch) { b.Append(data) })
}

// AppendBatch commits the records of b together, all or none, and returns the
// id of the first. It copies them: b may be reused.
func (q *Queue) AppendBatch(ctx context.Context, b *Batch) (ID, error) {
	h, err := q.AppendBatchAsync(ctx, b)
	if err != nil {
		return 0, err
	}
	return h.Wait(ctx)
}

// AppendBatchAsync is AppendBatch with a handle. An empty batch is committed as
// nothing: its handle gives the id that comes next.
func (q *Queue) AppendBatchAsync(ctx context.Context, b *Batch) (Handle, error) {
	if err := q.limits.Check(b); err != nil {
		return Handle{}, err
	}
	return q.accept(ctx, b.Size(), func(group *Batch) { group.AppendBatch(b) })
}

// accept adds n packed bytes to the open group, once the in-flight budget has
// room for them. One append larger than the budget takes all of it.
func (q *Queue) accept(ctx context.Context, n int, add func(*Batch)) (Handle, error) {
	held := min(int64(n), int64(q.options.InFlightBytes))
	if err := q.inFlight.Acquire(ctx, held); err != nil {
		return Handle{}, context.Cause(ctx)
	}
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		q.inFlight.Release(held)
		return Handle{}, ErrClosed
	}
	g := q.openGroup(n)
	h := Handle{group: g, index: g.batch.Len()}
	add(&g.batch)
	g.held += held
	q.held.Add(held)
	q.mu.Unlock()
	q.signal()
	return h, nil
}

// openGroup returns the group that takes n more bytes. The mutex is held.
func (q *Queue) openGroup(n int) *group {
	if len(q.groups) > 0 {
		g := q.groups[len(q.groups)-1]
		if g.batch.Size()+n <= min(q.options.GroupBytes, q.limits.Batch) {
			return g
		}
	}
	g := &group{done: make(chan struct{})}
	if n := len(q.spare); n > 0 {
		g.batch, q.spare = q.spare[n-1], q.spare[:n-1]
	}
	q.groups = append(q.groups, g)
	return g
}

func (q *Queue) signal() {
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// commitLoop is the one goroutine that appends to the log.
func (q *Queue) commitLoop() {
	defer close(q.stopped)
	for range q.wake {
		if q.options.Linger > 0 {
			time.Sleep(q.options.Linger)
		}
		for {
			g, closed := q.nextGroup()
			if g == nil {
				if closed {
					return
				}
				break
			}
			q.commit(g)
		}
	}
}

func (q *Queue) nextGroup() (g *group, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.groups) == 0 {
		return nil, q.closed
	}
	g = q.groups[0]
	copy(q.groups, q.groups[1:])
	q.groups[len(q.groups)-1] = nil
	q.groups = q.groups[:len(q.groups)-1]
	return g, false
}

func (q *Queue) commit(g *group) {
	records, size := g.batch.Len(), g.batch.Size()
	start := time.Now()
	if records == 0 {
		_, last := q.log.Bounds()
		g.first = last + 1
	} else {
		// A commit serves many callers and is not tied to the context of one.
		g.first, g.err = q.log.Append(context.Background(), &g.batch)
	}
	took := time.Since(start)
	// Counted before the callers go on: whose append has returned is in Stats.
	q.counters.commit(records, size, took, g.err)
	q.held.Add(-g.held)
	close(g.done)
	q.inFlight.Release(g.held)
	if q.options.Observer != nil {
		q.options.Observer.Commit(records, size, took, g.err)
	}
	q.recycle(&g.batch)
}

// spareBatches is how many buffers are kept for later groups.
const spareBatches = 4

func (q *Queue) recycle(b *Batch) {
	b.Reset()
	q.mu.Lock()
	if len(q.spare) < spareBatches && cap(b.packed) <= 2*q.options.GroupBytes {
		q.spare = append(q.spare, *b)
	}
	q.mu.Unlock()
	*b = Batch{}
}
