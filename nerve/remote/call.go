package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// open gives w the number of a stream.
func (k *link) open(w *waiter) (uint16, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return 0, errLost
	}
	for range 1 << 16 {
		k.last++
		id := k.last
		if id != 0 && k.waiters[id] == nil && k.readers[id] == nil {
			k.waiters[id] = w
			return id, nil
		}
	}
	return 0, &nerve.BusyError{What: "calls", Limit: 1<<16 - 1}
}

// answered hands an answer to who waits for it, or the end of a stream to its
// cursor.
func (k *link) answered(id uint16, payload []byte, err error) {
	k.mu.Lock()
	w, c := k.waiters[id], k.readers[id]
	delete(k.waiters, id)
	if w == nil {
		delete(k.readers, id)
	} else if w.cursor != nil && err == nil {
		k.readers[id] = w.cursor // before the first batch comes
	}
	k.mu.Unlock()
	switch {
	case w != nil && w.gone && w.late != nil && err == nil:
		go w.late(wire.NewFields(payload))
	case w != nil:
		w.payload, w.err = payload, err
		close(w.done)
	case c != nil:
		c.ended(k, err)
	}
}

// forget drops a waiter whose call is given up. The answer, if one comes, is for
// nobody. It returns false if it has come.
func (k *link) forget(id uint16, w *waiter) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.waiters[id] != w {
		return false
	}
	// Until it is answered the number is not free.
	k.waiters[id] = &waiter{done: make(chan struct{}), late: w.late, gone: true}
	return true
}

// ask sends a frame of a type that has an answer, and waits for that.
func (k *link) ask(ctx context.Context, t wire.Type, w *waiter, payload []byte) (uint16, error) {
	w.done = make(chan struct{})
	id, err := k.open(w)
	if err != nil {
		return 0, err
	}
	k.writeUntil(ctx, wire.AppendFrame(nil, t, id, func(b []byte) []byte {
		return append(b, payload...)
	}))
	select {
	case <-w.done:
		return id, w.err
	case <-k.ended:
		select {
		case <-w.done: // just before
			return id, w.err
		default:
		}
		return 0, errLost
	case <-ctx.Done():
		if !k.forget(id, w) {
			<-w.done
			return id, w.err
		}
		return id, context.Cause(ctx)
	}
}

// call makes a call, over as many connections as it takes until ctx ends.
func (l *Log) call(
	ctx context.Context, op string, code wire.CallCode, args []byte,
) (*wire.Fields, error) {
	payload := append(binary.LittleEndian.AppendUint16(nil, uint16(code)), args...)
	for {
		k, err := l.current(ctx, op)
		if err != nil {
			return nil, err
		}
		var w waiter
		_, err = k.ask(ctx, wire.Call, &w, payload)
		if errors.Is(err, errLost) {
			l.detach(k)
			continue
		}
		if err != nil {
			return nil, err
		}
		return wire.NewFields(w.payload), nil
	}
}

// idCall is a call whose answer is an id.
func (l *Log) idCall(
	ctx context.Context, op string, code wire.CallCode, arg uint64,
) (nerve.ID, error) {
	f, err := l.call(ctx, op, code, wire.AppendUints(nil, arg))
	if err != nil {
		return 0, err
	}
	id := nerve.ID(f.Uint64())
	return id, f.Err(wire.Answer)
}

// Seek implements nerve.Log.
func (l *Log) Seek(ctx context.Context, t time.Time) (nerve.ID, error) {
	if err := l.check(ctx, false); err != nil {
		return 0, err
	}
	return l.idCall(ctx, "seek", wire.CallSeek, uint64(nanoOf(t)))
}

// nanoOf is t in ns since 1970, or the nearest that there is.
func nanoOf(t time.Time) int64 {
	low, high := time.Unix(0, -1<<63), time.Unix(0, 1<<63-1)
	switch {
	case t.Before(low):
		return -1 << 63
	case t.After(high):
		return 1<<63 - 1
	}
	return t.UnixNano()
}

// Trim implements nerve.Log.
func (l *Log) Trim(ctx context.Context, below nerve.ID) (nerve.ID, error) {
	if err := l.check(ctx, true); err != nil {
		return 0, err
	}
	first, err := l.idCall(ctx, "trim", wire.CallTrim, uint64(below))
	if err != nil {
		return nerve.ID(l.first.Load()), err
	}
	l.note(first, 0)
	return first, nil
}

// Pointers implements nerve.Log.
func (l *Log) Pointers(ctx context.Context) ([]nerve.Pointer, error) {
	if err := l.check(ctx, false); err != nil {
		return nil, err
	}
	progress, err := l.knowsProgress(ctx)
	if err != nil {
		return nil, err
	}
	code, read := wire.CallPointers, (*wire.Fields).Pointers
	if progress {
		code, read = wire.CallProgress, (*wire.Fields).Progress
	}
	f, err := l.call(ctx, "pointers", code, nil)
	if err != nil {
		return nil, err
	}
	list := read(f)
	return list, f.Err(wire.Answer)
}

// SavePointers implements nerve.Log.
func (l *Log) SavePointers(ctx context.Context, pointers []nerve.Pointer) error {
	if err := l.check(ctx, true); err != nil {
		return err
	}
	for _, p := range pointers {
		if err := p.Check(); err != nil {
			return err
		}
	}
	progress, err := l.knowsProgress(ctx)
	if err != nil {
		return err
	}
	code, args := wire.CallSave, wire.AppendPointers
	if progress {
		code, args = wire.CallSaveProgress, wire.AppendProgress
	}
	_, err = l.call(ctx, "save pointers", code, args(nil, pointers))
	return err
}

// knowsProgress tells whether the server keeps what is done above pointers.
// Servers of minor version 0 keep the pointers alone.
func (l *Log) knowsProgress(ctx context.Context) (bool, error) {
	k, err := l.current(ctx, "pointers")
	if err != nil {
		return false, err
	}
	return k.hello.Minor >= 1, nil
}

// RemovePointer implements nerve.Log.
func (l *Log) RemovePointer(ctx context.Context, name string) error {
	if err := l.check(ctx, true); err != nil {
		return err
	}
	_, err := l.call(ctx, "remove pointer", wire.CallRemove, wire.AppendBytes(nil, name))
	return err
}

// LastAppended implements nerve.Repeatable.
func (l *Log) LastAppended(ctx context.Context, producer uint64) (nerve.Appended, error) {
	if err := l.check(ctx, false); err != nil {
		return nerve.Appended{}, err
	}
	f, err := l.call(ctx, "last appended", wire.CallLast, wire.AppendUints(nil, producer))
	if err != nil {
		return nerve.Appended{}, err
	}
	a := f.Appended()
	return a, f.Err(wire.Answer)
}

// drained notes that the server is about to end: nothing more is sent to it.
func (k *link) drained() {
	l := k.log
	l.mu.Lock()
	if l.link == k {
		l.link = nil
		l.signal()
	}
	l.mu.Unlock()
	k.mu.Lock()
	k.drain = true
	k.mu.Unlock()
}

// leaveIfDone ends a connection whose server wants it to end, once all is
// answered.
func (k *link) leaveIfDone() error {
	k.mu.Lock()
	done := k.drain && len(k.waiters) == 0 && k.leases == 0
	k.mu.Unlock()
	if !done {
		return nil
	}
	k.log.mu.Lock()
	defer k.log.mu.Unlock()
	for _, a := range k.log.pending {
		if a.sent && !a.gone {
			return nil
		}
	}
	return errLost
}
