package work

import (
	"container/heap"
	"context"
	"time"
)

// scheduler decides which record is next. One goroutine runs it; all that it holds is its own.
type scheduler struct {
	group *Group
	notes *crashNotes

	pending int              // records that are read and not acknowledged
	running int              // of these, with a worker
	ready   []*task          // to be given to workers, in this order
	delayed delayedTasks     // to be tried again
	waiting map[string]*line // by key, behind a record that is not done
	begun   *task            // the last one that was written down
}

// line is the records of a key behind the one that is being handled.
type line struct{ tasks []*task }

// loop runs until the context ends or records does, and then until no worker has a record.
func (s *scheduler) loop(ctx context.Context, records <-chan *task, runnable chan<- *task,
	done <-chan *task, stopHandling func()) error {
	s.waiting = make(map[string]*line)
	stopped := ctx.Done()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var grace <-chan time.Time
	stopping := false
	for (!stopping || s.running > 0) && (records != nil || s.pending > 0) {
		var in <-chan *task
		if !stopping && s.pending < s.group.options.MaxPending {
			in = records
		}
		var out chan<- *task
		var next *task
		if !stopping && len(s.ready) > 0 && s.running < s.limit() {
			out, next = runnable, s.ready[0]
			if err := s.begin(next); err != nil {
				return err
			}
		}
		if len(s.delayed) > 0 {
			timer.Reset(time.Until(s.delayed[0].due))
		}
		select {
		case t, ok := <-in:
			if !ok { // what has been read is handled still
				records = nil
				break
			}
			s.pending++
			s.arrive(t)
		case out <- next:
			s.ready = s.ready[1:]
			s.running++
		case t := <-done:
			s.running--
			if err := s.settle(t); err != nil {
				return err
			}
		case <-timer.C:
			for len(s.delayed) > 0 && !s.delayed[0].due.After(time.Now()) {
				s.ready = append(s.ready, heap.Pop(&s.delayed).(*task))
			}
		case <-stopped:
			stopping, stopped = true, nil
			grace = time.After(s.group.options.Grace)
		case <-grace:
			stopHandling()
		}
		s.group.pending.Store(int64(s.pending))
		s.group.delayed.Store(int64(len(s.delayed)))
	}
	return nil
}

// limit is how many records may be handled at a time: one while it is to be found out which of them
// takes the process down.
func (s *scheduler) limit() int {
	switch {
	case s.notes.careful == 0:
		return s.group.options.Workers
	case len(s.delayed) > 0:
		return 0 // the first one is to be tried again before any other
	}
	return 1
}

// begin is called before a record is given to a worker. The first one of a run, and each while
// there is need for care, is written down.
func (s *scheduler) begin(t *task) error {
	if s.begun == t || s.begun != nil && s.notes.careful == 0 {
		return nil
	}
	s.begun = t
	if s.notes.crashesAt(s.group.consumer.Pointer()) >= s.group.options.MaxAttempts {
		t.reason = &CrashError{Crashes: s.notes.crashes}
	}
	return s.notes.save()
}

// arrive takes in a record that was read. With a key it may have to wait for another one.
func (s *scheduler) arrive(t *task) {
	if s.group.options.KeyBy == nil {
		s.ready = append(s.ready, t)
		return
	}
	if l, busy := s.waiting[t.key]; busy {
		l.tasks = append(l.tasks, t)
		return
	}
	s.waiting[t.key] = new(line)
	s.ready = append(s.ready, t)
}

// settle takes back a record from a worker: it is done, or is to be tried again.
func (s *scheduler) settle(t *task) error {
	if !t.done {
		heap.Push(&s.delayed, t)
		return nil
	}
	if err := s.group.consumer.Ack(t.ID); err != nil {
		return err
	}
	s.pending--
	s.notes.careful = max(0, s.notes.careful-1)
	if l, ok := s.waiting[t.key]; ok {
		if len(l.tasks) == 0 {
			delete(s.waiting, t.key)
		} else {
			s.ready = append(s.ready, l.tasks[0])
			l.tasks = l.tasks[1:]
		}
	}
	return nil
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
