package work

import (
	"container/heap"
	"context"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// scheduler decides which record is next. One goroutine runs it; all that it holds is its own.
//
// A record is in memory while it is ready or has a worker. One that waits for another attempt
// leaves it, and so do those of its key behind it: what is kept is the task without the data, which
// is read again when it is due.
type scheduler struct {
	group *Group
	notes *crashNotes

	pending int   // records that are read and not acknowledged
	held    int   // number of these in memory
	again   int   // number of those that are read again
	bytes   int64 // bytes of data in memory
	running int   // records with a worker

	ready   []*task          // tasks to be given to workers, in this order
	delayed delayedTasks     // tasks to be tried again later
	due     []*task          // tasks to be read again now
	lines   map[uint64]*line // lines by key
	noted   bool             // it is noted that records are being handled
	begun   *task            // attempt that is about to be given out, and is written down

	reloading bool
	unsaved   int // acks and attempts since the last save
	saving    int // number of these in the save that is going on; 0 if none is
	told      bool
}

// channels are what the scheduler talks to others by.
type channels struct {
	records  <-chan *task   // records that are read; closed when there are no more
	runnable chan<- *task   // tasks on their way to workers
	done     <-chan *task   // tasks that come back from workers
	reload   chan<- []*task // tasks to be read again; there is room for one list
	reloaded <-chan reloaded
	saved    chan error
}

// reloaded is the answer to a list of tasks.
type reloaded struct {
	tasks []*task
	err   error // why nothing can be read any more
}

// loop runs until the context ends or records does, and then until no worker has a record.
func (s *scheduler) loop(ctx context.Context, ch channels, stopHandling func()) error {
	s.lines = make(map[uint64]*line)
	stopped := ctx.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var grace <-chan time.Time
	stopping := false
	for (!stopping || s.running > 0) && (ch.records != nil || s.pending > 0) {
		var in <-chan *task
		var out chan<- *task
		var next *task
		if !stopping {
			s.readAgain(ch.reload)
			s.save(ctx, ch.saved)
			if s.full() == "" {
				in = ch.records
			}
			if len(s.ready) > 0 && s.running < s.limit() && s.unsaved < s.group.options.MaxUnsaved {
				out, next = ch.runnable, s.ready[0]
				if err := s.begin(next); err != nil {
					return err
				}
			}
		}
		if len(s.delayed) > 0 {
			timer.Reset(time.Until(s.delayed[0].due))
		}
		s.count(in == nil && !stopping && ch.records != nil)
		select {
		case t, ok := <-in:
			if !ok { // what has been read is handled still
				ch.records = nil
				break
			}
			s.arrive(t)
		case out <- next:
			s.ready, s.begun = s.ready[1:], nil
			s.running++
		case t := <-ch.done:
			s.running--
			if err := s.settle(t); err != nil {
				return err
			}
		case r := <-ch.reloaded:
			s.reloading = false
			s.ready = append(s.ready, r.tasks...)
			if r.err != nil && ctx.Err() == nil {
				return r.err
			}
		case err := <-ch.saved:
			s.unsaved -= s.saving
			s.saving = 0
			if err != nil {
				return err
			}
		case <-timer.C:
			for len(s.delayed) > 0 && !s.delayed[0].due.After(time.Now()) {
				s.due = append(s.due, heap.Pop(&s.delayed).(*task))
			}
		case <-stopped:
			stopping, stopped = true, nil
			grace = time.After(s.group.options.Grace)
		case <-grace:
			stopHandling()
		}
	}
	return nil
}

// full says which bound keeps the scheduler from taking more records, "" if none does. A part of
// the memory is left to records that are to be read again, if there are any.
func (s *scheduler) full() string {
	o := &s.group.options
	records, size := o.MaxPending, o.MaxPendingBytes
	if len(s.due) > 0 {
		records, size = records-s.share(), size-size/4
	}
	switch {
	case s.pending-s.held >= o.MaxWaiting:
		return "MaxWaiting"
	case s.held >= records:
		return "MaxPending"
	case s.bytes >= size:
		return "MaxPendingBytes"
	}
	return ""
}

// share is how many records that were read again may be in memory, so that those which come for the
// first time go on.
func (s *scheduler) share() int { return max(1, s.group.options.MaxPending/4) }

// count tells what the scheduler is at, and once in a run that a bound keeps workers idle.
func (s *scheduler) count(blocked bool) {
	g := s.group
	stalled := blocked && len(s.ready) == 0 && !s.reloading && s.running < s.limit()
	g.pending.Store(int64(s.pending))
	g.delayed.Store(int64(len(s.delayed) + len(s.due)))
	g.waiting.Store(int64(s.pending - s.held))
	g.running.Store(int64(s.running))
	g.bytes.Store(s.bytes)
	g.stalled.Store(stalled)
	if stalled && !s.told {
		s.told = true
		g.options.Logger.Warn("work: workers are idle, and a bound keeps records from being read",
			"consumer", g.consumer.Name(), "bound", s.full(), "pending", s.pending,
			"waiting", s.pending-s.held, "bytes", s.bytes)
	}
}

// limit is how many records may be handled at a time: one while it is to be found out which of them
// takes the process down.
func (s *scheduler) limit() int {
	if s.notes.careful == 0 {
		return s.group.options.Workers
	}
	return 1
}

// begin is called before a record is given to a worker. The first one of a run is written down, and
// while there is need for care each attempt is, before it is made.
func (s *scheduler) begin(t *task) error {
	if s.begun == t || s.noted && s.notes.careful == 0 {
		return nil
	}
	s.begun, s.noted = t, true
	if s.notes.careful > 0 && t.reason == nil {
		if t.Attempt >= s.group.options.MaxAttempts {
			t.reason = &CrashError{Attempts: t.Attempt}
		} else if err := s.group.consumer.SetAttempts(t.ID, t.Attempt+1); err != nil {
			return err
		}
	}
	return s.notes.save()
}

// take counts the data of t as in memory.
func (s *scheduler) take(t *task) {
	t.here = true
	s.held++
	s.bytes += int64(t.size)
}

// drop takes the data of t out of memory.
func (s *scheduler) drop(t *task) {
	s.held--
	s.bytes -= int64(t.size)
	if t.again {
		s.again--
	}
	t.here, t.again, t.Data = false, false, nil
}

// arrive takes in a record that was read. With a key it may have to wait for another one.
func (s *scheduler) arrive(t *task) {
	t.Attempt = s.group.consumer.Attempts(t.ID)
	s.pending++
	s.take(t)
	if s.group.options.KeyBy == nil {
		s.ready = append(s.ready, t)
		return
	}
	l := s.lines[t.key]
	if l == nil {
		s.lines[t.key] = &line{head: t}
		s.ready = append(s.ready, t)
		return
	}
	if !l.inMemory() {
		s.drop(t)
	}
	l.tasks = append(l.tasks, t)
}

// settle takes back a record from a worker: it is done, or is to be tried again.
func (s *scheduler) settle(t *task) error {
	s.notes.careful = max(0, s.notes.careful-1)
	s.drop(t)
	l := s.lines[t.key]
	if !t.done {
		heap.Push(&s.delayed, t)
		if l != nil {
			for _, behind := range l.tasks {
				if behind.here {
					s.drop(behind)
				}
			}
		}
		s.unsaved++
		if t.interrupted {
			t.Attempt--
		}
		return s.group.consumer.SetAttempts(t.ID, t.Attempt)
	}
	if err := s.group.consumer.Ack(t.ID); err != nil {
		return err
	}
	s.pending--
	s.unsaved++
	if l == nil {
		return nil
	}
	if len(l.tasks) == 0 {
		delete(s.lines, t.key)
		return nil
	}
	l.head, l.tasks = l.tasks[0], l.tasks[1:]
	if l.head.here {
		s.ready = append(s.ready, l.head)
	} else {
		s.due = append(s.due, l.head)
	}
	return nil
}

// save has the acks stored when there are many, beside what else goes on.
func (s *scheduler) save(ctx context.Context, saved chan<- error) {
	if s.saving > 0 || s.unsaved == 0 || s.unsaved < s.group.options.MaxUnsaved/2 {
		return
	}
	s.saving = s.unsaved
	go func() { saved <- s.group.save(ctx) }()
}

// saveAgain is how long to wait after a save that failed.
const saveAgain = 100 * time.Millisecond

// save stores what is acknowledged. The error is one after which no save can succeed.
func (g *Group) save(ctx context.Context) error {
	for {
		err := g.consumer.Save(ctx)
		var fenced *nerve.FencedError
		if err == nil || errors.As(err, &fenced) || errors.Is(err, nerve.ErrClosed) {
			return err
		}
		select {
		case <-time.After(saveAgain): // the queue tells its logger
		case <-ctx.Done():
			return nil
		}
	}
}

// line is the records of a key.
type line struct {
	head  *task   // the one that is handled, or is to be first
	tasks []*task // tasks behind the first
}

// inMemory tells whether a record at the end of the line is to be kept in memory: not while the
// first one waits, nor behind one that is not there either.
func (l *line) inMemory() bool {
	if n := len(l.tasks); n > 0 {
		return l.tasks[n-1].here
	}
	return l.head.here
}

// delayedTasks is a heap, the task that is due first on top.
type delayedTasks []*task

func (d delayedTasks) Len() int           { return len(d) }
func (d delayedTasks) Less(i, j int) bool { return d[i].due.Before(d[j].due) }
func (d delayedTasks) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *delayedTasks) Push(x any)        { *d = append(*d, x.(*task)) }
func (d *delayedTasks) Pop() any {
	last := len(*d) - 1
	t := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return t
}
