package kafkalog

import (
	"context"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// How long a broker waits for a record at the end, before it answers that there
// is none: for the cursors of a log together, on a connection of their own; and
// for a cursor that knows that there is one.
const (
	tailWait  = time.Second
	fetchWait = 100 * time.Millisecond
)

// tail waits at the end of the partition, for all cursors of a log that are
// there: a broker answers the requests of a connection one after the other, and
// one that waits would hold up the others. It keeps what came last, so that all
// of them are served by one fetch.
type tail struct {
	log *Log

	mu        sync.Mutex
	partition *partition // a partition with a client of its own, nil until it is needed
	running   bool
	at        nerve.ID      // id from which the fetch that runs reads
	waiting   int           // cursors
	moved     chan struct{} // closed when a fetch has ended
	first     nerve.ID      // id of the first record of chunk
	last      nerve.ID
	chunk     []byte
	err       error // error of the last fetch
}

func newTail(l *Log) *tail { return &tail{log: l, moved: make(chan struct{})} }

// wait returns when there may be a record for c, or an error. It does not wait
// if there is one that nobody is about to bring.
func (t *tail) wait(ctx context.Context, c *cursor) (waited bool, err error) {
	t.mu.Lock()
	if c.next <= t.log.bounds.end() && !(t.running && t.at == c.next) {
		t.mu.Unlock()
		return false, nil
	}
	if err := t.start(); err != nil {
		t.mu.Unlock()
		return true, err
	}
	t.waiting++
	moved := t.moved
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		t.waiting--
		t.mu.Unlock()
	}()
	select {
	case <-moved:
		t.mu.Lock()
		defer t.mu.Unlock()
		return true, t.err
	case <-c.closed:
		return true, nerve.ErrClosed
	case <-t.log.ctx.Done():
		return true, nerve.ErrClosed
	case <-ctx.Done():
		return true, t.partition.interrupted(ctx, "read", t.partition.lastTrouble())
	}
}

// from returns record batches that begin at or before an id and end behind it,
// if the last fetch brought them.
func (t *tail) from(id nerve.ID) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.first <= id && id <= t.last {
		return t.chunk
	}
	return nil
}

// start begins to wait at the end, if that is not done already. The mutex is
// held.
func (t *tail) start() error {
	if t.running {
		return nil
	}
	if t.partition == nil {
		client, err := connect(t.log.data.brokers, &t.log.options)
		if err != nil {
			return err
		}
		t.partition = t.log.data.on(client)
	}
	t.running, t.at = true, t.log.bounds.end()+1
	go t.run()
	return nil
}

// run fetches at the end until no cursor waits there.
func (t *tail) run() {
	for {
		f, err := t.partition.fetch(t.log.ctx, int64(t.at)-1, t.log.options.FetchBytes, tailWait)
		last, whole := lastOffset(f.records)
		t.mu.Lock()
		if whole {
			t.first, t.last, t.chunk = t.at, nerve.ID(last+1), f.records
		}
		if err == nil {
			t.log.bounds.observe(f.start, f.end)
		}
		t.at = max(t.at, t.last+1, t.log.bounds.end()+1)
		t.running = err == nil && t.waiting > 0
		running := t.running
		if whole || !running {
			t.err = err
			close(t.moved)
			t.moved = make(chan struct{})
		}
		t.mu.Unlock()
		if !running {
			return
		}
	}
}

func (t *tail) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.partition != nil {
		t.partition.client.Close()
	}
}
