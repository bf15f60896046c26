package work

import (
	"context"
	"errors"
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
)

// Group handles the records of a consumer. Create it with New or NewShared.
type Group struct {
	consumer *nerve.Consumer // consumer that is the group's own; nil if it has a worker
	worker   lease.Worker    // worker that shares a consumer with others; nil if there is none
	name     string          // name of the consumer
	handler  Handler
	options  Options

	handled, failed, givenUp                  atomic.Uint64
	pending, delayed, waiting, running, bytes atomic.Int64
	stalled                                   atomic.Bool
}

// Stats is what a Group did since New, and what it is at.
type Stats struct {
	Handled uint64 // records whose handler returned nil
	Failed  uint64 // attempts that ended with an error
	GivenUp uint64 // records that went to the dead letters, or were discarded

	Pending int64 // records that are read and not acknowledged
	Running int64 // those of them that have a worker
	Delayed int64 // those of them that wait for another attempt
	Waiting int64 // those of them that are not in memory: delayed, or behind one of their key
	Bytes   int64 // bytes of records in memory

	// Stalled says that workers are idle because a bound keeps records from being read: MaxWaiting,
	// or MaxPending where all others wait for one of their key.
	Stalled bool
}

// New makes a group for a consumer, which must have no other reader. The options must say where
// records go that cannot be handled.
func New(c *nerve.Consumer, h Handler, o Options) (*Group, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Group{consumer: c, name: c.Name(), handler: h, options: o}, nil
}

// Stats may be called at any time, from any goroutine.
func (g *Group) Stats() Stats {
	return Stats{
		Handled: g.handled.Load(), Failed: g.failed.Load(), GivenUp: g.givenUp.Load(),
		Pending: g.pending.Load(), Running: g.running.Load(), Delayed: g.delayed.Load(),
		Waiting: g.waiting.Load(), Bytes: g.bytes.Load(), Stalled: g.stalled.Load(),
	}
}

// Run handles records until ctx ends, and then returns nil when the handlers that are under way
// have returned, or Options.Grace is over and they were told to. What was not handled is delivered
// again by the next Run. It returns an error when the queue cannot be read any more, such as a
// [nerve.FencedError] when another process took the consumer's name.
func (g *Group) Run(ctx context.Context) error {
	if g.worker != nil {
		return g.runShared(ctx)
	}
	notes, err := readNotes(g.consumer, g.options.MaxPending)
	if err != nil {
		return err
	}
	reading, stopReading := context.WithCancel(ctx)
	defer stopReading()
	handling, stopHandling := context.WithCancel(context.WithoutCancel(ctx))
	defer stopHandling()

	records := make(chan *task)
	var readErr error
	var wait sync.WaitGroup
	wait.Go(func() {
		defer close(records)
		readErr = g.read(reading, records)
	})
	runnable := make(chan *task)
	done := make(chan *task, g.options.Workers) // so that no worker is held up when loop has ended
	for range g.options.Workers {
		wait.Go(func() {
			for t := range runnable {
				g.attempt(handling, t)
				done <- t
			}
		})
	}
	lists, answers := make(chan []*task, 1), make(chan reloaded, 1)
	wait.Go(func() { g.reload(reading, lists, answers) })
	s := scheduler{group: g, notes: notes}
	err = s.loop(ctx, channels{records: records, runnable: runnable, done: done,
		reload: lists, reloaded: answers, saved: make(chan error, 1)}, stopHandling)
	if err != nil {
		stopHandling()
	}
	stopReading()
	close(runnable)
	close(lists)
	wait.Wait()
	for _, n := range []*atomic.Int64{&g.pending, &g.delayed, &g.waiting, &g.running, &g.bytes} {
		n.Store(0)
	}
	g.stalled.Store(false)
	if err == nil && ctx.Err() == nil {
		err = readErr
	}
	return errors.Join(err, notes.clear(), g.rewind())
}

// read passes records on, each with memory of its own.
func (g *Group) read(ctx context.Context, records chan<- *task) error {
	for rec, err := range g.consumer.Records(ctx) {
		var refused *nerve.DecodeError
		if err != nil && !errors.As(err, &refused) {
			return err
		}
		t := &task{reason: err} // what the consumer's check refuses is given up at once
		if err == nil && g.options.KeyBy != nil {
			// Two keys with one number share a line, which is in order all the more.
			t.key = maphash.String(keySeed, g.options.KeyBy(rec))
		}
		t.size = len(rec.Data)
		rec.Data = append([]byte(nil), rec.Data...)
		t.Record = rec
		select {
		case records <- t:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// rewind makes what is not acknowledged come again in the next Run.
func (g *Group) rewind() error {
	err := g.consumer.Redeliver()
	var fenced *nerve.FencedError
	if errors.Is(err, nerve.ErrClosed) || errors.As(err, &fenced) {
		return nil // there is no next Run
	}
	return err
}

// task is a record on its way.
type task struct {
	Delivery           // the record, without Data while it is not in memory
	size     int       // size of the data
	here     bool      // the data is in memory, or being read
	again    bool      // the task is left for another time
	key      uint64    // number of the key
	reason   error     // why it is given up; nil while there is hope
	due      time.Time // time of the next attempt, if the task is not done
	done     bool      // it may be acknowledged

	interrupted bool // the attempt was, by the end of Run
}

// keySeed makes numbers of keys.
var keySeed = maphash.MakeSeed()

// attempt calls the handler, or gives the record up, and notes in t what is next.
func (g *Group) attempt(ctx context.Context, t *task) {
	if t.reason == nil && !g.handle(ctx, t) {
		return
	}
	if t.reason == nil {
		g.handled.Add(1)
		t.done = true
		return
	}
	if err := g.giveUp(ctx, t); err != nil {
		g.options.Logger.Error("work: a dead letter cannot be written", "record", t.ID, "error",
			err)
		t.due = time.Now().Add(g.options.Backoff(t.Attempt))
		return
	}
	g.givenUp.Add(1)
	t.done = true
	g.options.Logger.Warn("work: a record is given up",
		"record", t.ID, "attempts", t.Attempt, "reason", t.reason)
	if g.options.Observer != nil {
		g.options.Observer.GivenUp(&t.Delivery, t.reason)
	}
}

// handle makes one attempt. It returns false when there is to be another one, which t.due has.
func (g *Group) handle(ctx context.Context, t *task) bool {
	t.Attempt++
	start := time.Now()
	err := g.call(ctx, &t.Delivery)
	if g.options.Observer != nil {
		g.options.Observer.Attempted(&t.Delivery, time.Since(start), err)
	}
	if err == nil {
		return true
	}
	g.failed.Add(1)
	var permanent *permanentError
	if errors.As(err, &permanent) || t.Attempt >= g.options.MaxAttempts && ctx.Err() == nil {
		t.reason = err
		return true
	}
	t.interrupted = ctx.Err() != nil
	t.due = time.Now().Add(g.options.Backoff(t.Attempt))
	return false
}
