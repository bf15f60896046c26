package lease

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Dispatcher gives the records of a consumer to workers. It is safe for concurrent use. Create it
// with [New].
type Dispatcher struct {
	consumer *nerve.Consumer
	options  Options
	stop     context.CancelFunc
	reading  sync.WaitGroup
	room     chan struct{} // holds a token when another record may be read
	timer    *time.Timer

	mu      sync.Mutex
	tasks   map[nerve.ID]*task // all that is read and not acknowledged
	ready   fifo               // tasks that are next
	timed   timed
	goesOff time.Time        // when the timer does; zero if it is not set
	lines   map[uint64]*line // lines by number of the key; nil without order
	held    int              // tasks whose data is in memory
	bytes   int64            // size of that data
	workers map[*worker]bool
	waiting []*waiter // calls of Take in the order in which they came
	err     error     // why nothing is given out any more
}

// waiter is a Take that waits.
type waiter struct {
	worker *worker
	most   int
	given  []Lease
	done   chan struct{} // closed when given or the error of the dispatcher is set
}

// New returns a dispatcher over a consumer, which must have no other reader. Close it before the
// consumer.
func New(c *nerve.Consumer, o Options) (*Dispatcher, error) {
	// What another reader had under way comes again.
	if err := c.Redeliver(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	d := &Dispatcher{
		consumer: c, options: o.withDefaults(), stop: stop, room: make(chan struct{}, 1),
		tasks: make(map[nerve.ID]*task), workers: make(map[*worker]bool),
	}
	if o.KeyBy != nil {
		d.lines = make(map[uint64]*line)
	}
	d.timer = time.AfterFunc(MaxDuration, d.tick)
	d.reading.Go(func() { d.read(ctx) })
	return d, nil
}

// Join adds a worker, whose leases last so long unless they are extended; 0 is Options.Duration,
// and more than [MaxDuration] is that. The name is for people and need not be unique.
func (d *Dispatcher) Join(name string, duration time.Duration) (Worker, error) {
	if duration <= 0 {
		duration = d.options.Duration
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err != nil {
		return nil, d.err
	}
	if len(d.workers) >= d.options.MaxWorkers {
		return nil, &nerve.BusyError{What: "workers of a consumer", Limit: d.options.MaxWorkers}
	}
	w := &worker{d: d, name: name, duration: min(duration, MaxDuration),
		leases: make(map[*task]bool)}
	d.workers[w] = true
	return w, nil
}

// Close ends all leases and returns when the consumer is read no more. What was not acknowledged
// is delivered again by the consumer. A Take that waits, and whatever is called later, returns
// [nerve.ErrClosed].
func (d *Dispatcher) Close() error {
	d.mu.Lock()
	closed := errors.Is(d.err, nerve.ErrClosed)
	d.fail(nerve.ErrClosed)
	d.mu.Unlock()
	d.stop()
	d.reading.Wait()
	if closed {
		return nerve.ErrClosed
	}
	err := d.consumer.Redeliver()
	var fenced *nerve.FencedError
	if errors.Is(err, nerve.ErrClosed) || errors.As(err, &fenced) {
		return nil // the name is not ours any more
	}
	return err
}

// Consumer returns the consumer of New.
func (d *Dispatcher) Consumer() *nerve.Consumer { return d.consumer }

// Err returns why nothing is given out any more, nil if the dispatcher goes on: [nerve.ErrClosed],
// or why the consumer delivers nothing more, as [nerve.Consumer.Next] says.
func (d *Dispatcher) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Stats is what a Dispatcher is at.
type Stats struct {
	Workers int    // workers that joined
	Open    int    // records that are read and not acknowledged
	Ready   int    // those of them that are next
	Delayed int    // those of them that wait to be tried again
	Behind  int    // those of them that wait behind one of their key
	Bytes   int64  // bytes of records in memory
	Held    []Held // leases, by record
	Waiting int    // calls of Take that wait
	Stalled bool   // MaxOpen keeps records from being read
}

// Held is a lease that goes on.
type Held struct {
	ID      nerve.ID
	Worker  string // name of the worker
	Attempt int
	Left    time.Duration // until the lease ends
}

// Stats may be called at any time.
func (d *Dispatcher) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := Stats{Workers: len(d.workers), Open: len(d.tasks), Ready: d.ready.len(), Bytes: d.bytes,
		Waiting: len(d.waiting), Stalled: len(d.tasks) >= d.options.MaxOpen}
	now := time.Now()
	for _, t := range d.timed {
		if t.state == delayed {
			s.Delayed++
			continue
		}
		s.Held = append(s.Held, Held{ID: t.rec.ID, Worker: t.holder.name, Attempt: t.attempt,
			Left: t.at.Sub(now)})
	}
	s.Behind = s.Open - s.Ready - s.Delayed - len(s.Held)
	slices.SortFunc(s.Held, func(a, b Held) int { return cmp.Compare(a.ID, b.ID) })
	return s
}

// fail ends everything: what was given out is lost to its workers. The mutex is held.
func (d *Dispatcher) fail(err error) {
	if d.err != nil {
		return
	}
	d.err = err
	d.timer.Stop()
	for _, w := range d.waiting {
		close(w.done)
	}
	d.waiting, d.tasks, d.ready, d.timed, d.lines = nil, nil, fifo{}, nil, nil
	d.held, d.bytes = 0, 0
}

// read takes in records until ctx ends or the consumer does.
func (d *Dispatcher) read(ctx context.Context) {
	for rec, err := range d.consumer.Records(ctx) {
		var refused *nerve.DecodeError
		if err != nil && !errors.As(err, &refused) {
			d.mu.Lock()
			d.fail(err)
			d.mu.Unlock()
			return
		}
		t := &task{rec: rec, err: err, size: len(rec.Data)}
		t.rec.Data = append([]byte{}, rec.Data...)
		if d.options.KeyBy != nil && err == nil {
			t.key, t.err = d.keyOf(t.rec)
		}
		if !d.arrive(ctx, t) {
			return
		}
	}
}

// keySeed makes numbers of keys. Two keys with one number share a line, which is in order all the
// more.
var keySeed = maphash.MakeSeed()

// keyOf is the number of a record's key. A KeyBy that panics spoils that record alone.
func (d *Dispatcher) keyOf(rec nerve.Record) (key uint64, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &nerve.DecodeError{ID: rec.ID, Err: fmt.Errorf("KeyBy panicked: %v", v)}
		}
	}()
	return maphash.String(keySeed, d.options.KeyBy(rec)), nil
}

// arrive takes in a record when there is room for it. It returns false if the dispatcher ended.
func (d *Dispatcher) arrive(ctx context.Context, t *task) bool {
	d.mu.Lock()
	for d.err == nil && d.full() {
		d.mu.Unlock()
		select {
		case <-d.room:
		case <-ctx.Done():
		}
		d.mu.Lock()
		if ctx.Err() != nil {
			d.fail(nerve.ErrClosed)
		}
	}
	defer d.mu.Unlock()
	if d.err != nil {
		return false
	}
	t.attempt = d.consumer.Attempts(t.rec.ID)
	d.tasks[t.rec.ID] = t
	if d.lines != nil {
		if l := d.lines[t.key]; l != nil {
			t.state, t.rec.Data = behind, nil
			l.behind = append(l.behind, t)
			return true
		}
		d.lines[t.key] = &line{}
	}
	d.held++
	d.bytes += int64(t.size)
	d.offer(t)
	return true
}

// full tells whether no more records may be read now. The mutex is held.
func (d *Dispatcher) full() bool {
	o := &d.options
	return len(d.tasks) >= o.MaxOpen || d.held >= o.MaxReady || d.bytes >= o.MaxReadyBytes
}

// makeRoom lets another record be read if there is room. The mutex is held.
func (d *Dispatcher) makeRoom() {
	if d.full() {
		return
	}
	select {
	case d.room <- struct{}{}:
	default:
	}
}

// offer makes a task one of those that are next. The mutex is held.
func (d *Dispatcher) offer(t *task) {
	t.state = ready
	d.ready.add(t)
	d.match()
}

// match gives tasks that are next to those that wait: each gets its part of them. The mutex is
// held.
func (d *Dispatcher) match() {
	for i := 0; i < len(d.waiting) && d.ready.len() > 0; {
		w := d.waiting[i]
		room := d.options.MaxLeases - len(w.worker.leases)
		if room <= 0 {
			i++
			continue
		}
		share := (d.ready.len() + len(d.waiting) - 1) / len(d.waiting)
		now := time.Now()
		size := int64(0)
		for range min(w.most, room, share) {
			size += int64(d.ready.first().size)
			if size > d.options.MaxTakeBytes && w.given != nil {
				break
			}
			l, err := d.give(d.ready.next(), w.worker, now)
			if err != nil {
				d.fail(err)
				return
			}
			w.given = append(w.given, l)
		}
		close(w.done)
		d.waiting = slices.Delete(d.waiting, i, i+1)
	}
	d.makeRoom()
}

// give begins a lease. The mutex is held.
func (d *Dispatcher) give(t *task, w *worker, now time.Time) (Lease, error) {
	t.attempt++
	if err := d.consumer.SetAttempts(t.rec.ID, t.attempt); err != nil {
		return Lease{}, err
	}
	t.state, t.holder, t.fence, t.at = leased, w, rand.Uint64(), now.Add(w.duration)
	w.leases[t] = true
	d.wait(t)
	l := Lease{Record: t.rec, Attempt: t.attempt, Lost: t.lost, Fence: t.fence, Err: t.err}
	if t.rec.Data != nil {
		d.held--
		d.bytes -= int64(t.size)
		t.rec.Data = nil
	}
	return l, nil
}

// wait puts a task that has a time among those that have. The mutex is held.
func (d *Dispatcher) wait(t *task) {
	heap.Push(&d.timed, t)
	d.wind()
}

// wind sets the timer for the first task that has a time. One that goes off too early, because
// that task is gone, is set again then: this costs less than to set it with each task. The mutex
// is held.
func (d *Dispatcher) wind() {
	if len(d.timed) == 0 {
		return
	}
	if at := d.timed[0].at; d.goesOff.IsZero() || at.Before(d.goesOff) {
		d.goesOff = at
		d.timer.Reset(time.Until(at))
	}
}

// tick ends leases and delays whose time is over.
func (d *Dispatcher) tick() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.goesOff = time.Time{}
	now := time.Now()
	for len(d.timed) > 0 && !d.timed[0].at.After(now) {
		t := d.timed[0]
		if t.state == leased {
			t.lost++
		}
		d.takeBack(t)
		d.offer(t)
	}
	d.wind()
}

// takeBack ends the lease or the delay of a task. The mutex is held.
func (d *Dispatcher) takeBack(t *task) {
	if d.err != nil {
		return // all are
	}
	heap.Remove(&d.timed, t.index)
	if t.holder != nil {
		delete(t.holder.leases, t)
		t.holder = nil
	}
}

// done forgets a task that is acknowledged and offers the next of its key. The mutex is held.
func (d *Dispatcher) done(t *task) {
	d.takeBack(t)
	delete(d.tasks, t.rec.ID)
	if d.lines != nil {
		l := d.lines[t.key]
		if len(l.behind) == 0 {
			delete(d.lines, t.key)
		} else {
			next := l.behind[0]
			l.behind[0] = nil
			l.behind = l.behind[1:]
			d.offer(next)
		}
	}
	d.match() // its worker may have another one
}
