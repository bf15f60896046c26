package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// pending is an append that has no answer yet. The fields are guarded by the
// mutex of the log, until done is closed.
type pending struct {
	seq    uint64
	key    nerve.Key
	parts  int  // ids
	once   bool // every record has one
	frame  []byte
	count  int
	sent   bool // it was sent to some server: the outcome may be unknown
	gone   bool // its caller has given up
	done   chan struct{}
	first  nerve.ID
	nano   int64
	known  map[int]nerve.Appended // parts that were there before
	err    error
	answer bool
}

// finish says what became of it. The mutex of the log is held.
func (a *pending) finish(err error) {
	if !a.answer {
		a.err, a.answer = err, true
		close(a.done)
	}
}

// frames is memory for appends.
var frames = sync.Pool{New: func() any { return new([]byte) }}

// Append implements nerve.Log.
func (l *Log) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	if err := l.check(ctx, true); err != nil {
		return 0, err
	}
	if err := l.limits.Check(b); err != nil {
		return 0, err
	}
	if b.Len() == 0 {
		return nerve.ID(l.last.Load()) + 1, nil
	}
	a := &pending{key: b.Key, count: b.Len(), parts: len(b.Parts()), once: b.Covered(),
		done: make(chan struct{})}
	memory := frames.Get().(*[]byte)
	a.frame = wire.Begin((*memory)[:0])
	if a.parts > 0 {
		a.frame = wire.AppendParts(append(a.frame, make([]byte, 8)...), b.Parts())
	} else {
		a.frame = append(a.frame, make([]byte, wire.AppendHead)...)
	}
	a.frame = append(a.frame, b.Packed()...)
	*memory = a.frame
	if err := l.begin(ctx, a); err != nil {
		return 0, err
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		if err := l.giveUp(ctx, a); err != nil {
			return 0, err // the memory may be in use still
		}
	}
	frames.Put(memory)
	if a.err != nil {
		return 0, a.err
	}
	if a.parts > 0 {
		l.note(0, a.place(b))
		return b.First, nil
	}
	b.First, b.UnixNano = a.first, a.nano
	return a.first, nil
}

// place tells b where its records are, and returns the last of those. The server
// found parts of one id in one batch as Sift does here.
func (a *pending) place(b *nerve.Batch) (last nerve.ID) {
	i := -1
	rest := b.Sift(func(nerve.DedupID) nerve.Appended { i++; return a.known[i] })
	rest.First, rest.UnixNano = a.first, a.nano
	if rest.Len() > 0 {
		last = rest.Last()
	}
	for _, at := range a.known {
		last = max(last, at.Last)
	}
	b.Place(rest)
	return last
}

// begin numbers a and sends it, if there is a connection: else it is sent by the
// next one. One at a time, so that they are sent in the order of their numbers.
func (l *Log) begin(ctx context.Context, a *pending) error {
	select {
	case l.order <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-l.order }()
	if err := l.waitWindow(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nerve.ErrClosed
	}
	if l.link == nil && isFinal(l.broken) {
		defer l.mu.Unlock()
		return l.broken
	}
	if a.parts > 0 && l.minor < 1 {
		l.mu.Unlock()
		return errNoIDs
	}
	l.seq++
	a.seq = l.seq
	head := a.frame[wire.HeaderSize:]
	binary.LittleEndian.PutUint64(head, a.seq)
	t := wire.AppendOnce
	if a.parts == 0 {
		t = wire.Append
		binary.LittleEndian.PutUint64(head[8:], a.key.Producer)
		binary.LittleEndian.PutUint64(head[16:], a.key.Seq)
	}
	k := l.link
	a.sent = k != nil
	l.pending = append(l.pending, a)
	l.mu.Unlock()
	wire.Finish(a.frame, 0, t, 0)
	if k != nil {
		k.writeUntil(ctx, a.frame) // if it fails, the next connection sends it
	}
	return nil
}

// waitWindow waits until the server may be sent another append.
func (l *Log) waitWindow(ctx context.Context) error {
	for {
		l.mu.Lock()
		room := len(l.pending) == 0 || l.seq+1-l.pending[0].seq < wire.MaxInFlight
		closed, changed := l.closed, l.changed
		l.mu.Unlock()
		if room || closed {
			return nil
		}
		select {
		case <-l.window:
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// giveUp ends the wait for a. It returns nil if there is an outcome after all.
func (l *Log) giveUp(ctx context.Context, a *pending) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case a.answer:
		return nil
	case !a.sent:
		l.remove(a)
		return l.gaveUp(ctx, "append", l.broken)
	}
	a.gone = true
	return &nerve.OutcomeError{Key: a.key, Cause: context.Cause(ctx)}
}

// remove takes a out of pending. The mutex is held.
func (l *Log) remove(a *pending) {
	for i, other := range l.pending {
		if other == a {
			l.pending = append(l.pending[:i], l.pending[i+1:]...)
			break
		}
	}
	select {
	case l.window <- struct{}{}:
	default:
	}
}

// unanswered returns the appends to send to a server. One that does not remember
// what the client sent before is sent those that cannot be there twice; of the
// others nobody knows. The mutex is held.
func (l *Log) unanswered(remembers bool) []*pending {
	var again []*pending
	for _, a := range l.pending {
		switch {
		case a.gone: // whatever becomes of it, nobody waits
		case a.parts > 0 && l.minor < 1 && !a.sent:
			a.finish(errNoIDs)
		case a.sent && !remembers && a.key == (nerve.Key{}) && (!a.once || l.minor < 1):
			a.finish(&nerve.OutcomeError{Cause: &nerve.ConnectionError{Op: "append",
				Server: l.target.server(), Err: errRestarted}})
		default:
			a.sent = true
			again = append(again, a)
		}
	}
	l.pending = append(l.pending[:0:0], again...)
	return again
}

// refuse ends the appends that wait for a server which takes no connection. The
// mutex is held.
func (l *Log) refuse(err error) {
	for _, a := range l.pending {
		if a.sent {
			a.finish(&nerve.OutcomeError{Key: a.key, Cause: err})
		} else {
			a.finish(err)
		}
	}
	l.pending = nil
}

// errNoIDs refuses appends with ids to a server that would not know them.
var errNoIDs = &nerve.KeyError{Reason: "the server is too old to remember any"}

var errRestarted = errors.New("the server was restarted before it answered")

// appended takes over the answer to an append; err is why it was refused.
func (l *Log) appended(
	seq uint64, first nerve.ID, nano int64, known map[int]nerve.Appended, err error,
) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.pending {
		if a.seq != seq {
			continue
		}
		if err == nil {
			a.first, a.nano, a.known = first, nano, known
			if a.parts == 0 {
				l.note(0, first+nerve.ID(a.count)-1)
			}
		}
		a.finish(err)
		l.remove(a)
		return
	}
}
