package remote

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/lease"
)

// WorkOptions of a worker. The zero value is useful.
type WorkOptions struct {
	// Name is what others see of the worker, beside that of the client.
	Name string
	// Duration is how long a lease lasts unless it is extended. Default
	// [lease.DefaultDuration].
	Duration time.Duration
	// ByKey gives out the records of a key in order, one at a time: the keys of package
	// nerve/envelope. What is no envelope has an empty key. All workers of a consumer must want
	// the same; else Join returns a [nerve.SetupError].
	ByKey bool
}

// Join adds a worker to those that share a consumer, in any number of processes: the server has the
// consumer's name while there are any. The context is for joining alone.
//
// A connection that is lost ends the leases of its workers: the server gives them out anew, and
// what the worker asks for them is a [nerve.LeaseError]. Take joins again by itself. A settlement
// that was on its way then may have been done.
func (l *Log) Join(ctx context.Context, consumer string, o WorkOptions) (lease.Worker, error) {
	if err := l.check(ctx, true); err != nil {
		return nil, err
	}
	life, end := context.WithCancelCause(context.Background())
	w := &worker{log: l, consumer: consumer, options: o, life: life, end: end,
		taking: make(chan struct{}, 1)}
	if _, err := w.joined(ctx); err != nil {
		end(err)
		return nil, err
	}
	return w, nil
}

// worker is a lease.Worker on a server.
type worker struct {
	log      *Log
	consumer string
	options  WorkOptions
	life     context.Context // ends with Close
	end      context.CancelCauseFunc
	taking   chan struct{} // holds a token in Take: the server has one take of a worker at a time

	mu       sync.Mutex
	at       place
	again    bool // it is to join again
	duration time.Duration
	waiting  []*settling // settlements to be sent
	sending  bool        // somebody sends them
}

// place is where a worker joined, and its number there; zero if it did not.
type place struct {
	link   *link
	number uint64
}

// settling is a settlement on its way.
type settling struct {
	wire.Settlement
	done chan error // gets the outcome
}

// errOld says that the server is too old.
var errOld = &nerve.ProtocolError{
	Reason: "the server does not share consumers among workers; it is older than the client"}

// joined returns where the worker is, and joins if it is nowhere. Only the one who takes calls it.
func (w *worker) joined(ctx context.Context) (place, error) {
	for {
		k, err := w.log.current(ctx, "join")
		if err != nil {
			return place{}, err
		}
		w.mu.Lock()
		at, again := w.at, w.again
		w.mu.Unlock()
		if at.link == k && !again {
			return at, nil
		}
		if k.hello.Minor < 2 {
			return place{}, errOld
		}
		at = place{k, random()}
		f, err := k.callOnce(ctx, wire.CallJoin, wire.Join{Number: at.number,
			Duration: w.options.Duration, ByKey: w.options.ByKey, Consumer: w.consumer,
			Name: w.options.Name}.Append(nil), nil)
		if errors.Is(err, errLost) {
			w.log.detach(k)
			continue
		}
		if err != nil {
			return place{}, err
		}
		duration := time.Duration(f.Int64())
		if err := f.Err(wire.Answer); err != nil {
			return place{}, err
		}
		w.mu.Lock()
		w.at, w.again, w.duration = at, false, duration
		w.mu.Unlock()
		return at, nil
	}
}

// lost notes that the worker must join again to take more. What it has it can settle where it is,
// if the server is just being stopped.
func (w *worker) lost(at place) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.again = w.again || w.at == at
}

// callOnce makes a call over this connection alone; late gets an answer that comes after ctx ended.
func (k *link) callOnce(
	ctx context.Context, code wire.CallCode, args []byte, late func(*wire.Fields),
) (*wire.Fields, error) {
	w := waiter{late: late}
	id, err := k.ask(ctx, wire.Call, &w,
		append(binary.LittleEndian.AppendUint16(nil, uint16(code)), args...))
	if err != nil {
		if ctx.Err() != nil && id != 0 && late != nil {
			go func() { _ = k.write(wire.AppendFrame(nil, wire.Stop, id, nil)) }()
		}
		return nil, err
	}
	return wire.NewFields(w.payload), nil
}

// Take implements lease.Worker.
func (w *worker) Take(ctx context.Context, most int) ([]lease.Lease, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(w.life, func() { stop(nerve.ErrClosed) })()
	select {
	case w.taking <- struct{}{}:
		defer func() { <-w.taking }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	for wait := minBackoff; ; wait = min(2*wait, w.log.options.MaxBackoff) {
		at, err := w.joined(ctx)
		if err != nil {
			return nil, err
		}
		leases, err := w.take(ctx, at, most)
		switch {
		case errors.Is(err, errLost):
			w.log.detach(at.link)
			continue
		case !errors.Is(err, nerve.ErrClosed) || ctx.Err() != nil:
			return leases, err
		}
		// The server is being stopped, or ended the worker.
		w.lost(at)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// take is Take over one connection.
func (w *worker) take(ctx context.Context, at place, most int) ([]lease.Lease, error) {
	f, err := at.link.callOnce(ctx, wire.CallTake,
		wire.AppendUints(nil, at.number, uint64(max(most, 1))), func(f *wire.Fields) {
			leases := f.Leases()
			at.link.holds(len(leases))
			for _, l := range leases { // nobody will see them
				_ = w.Release(context.Background(), l)
			}
		})
	if err != nil {
		return nil, err
	}
	leases := f.Leases()
	if err := f.Err(wire.Answer); err != nil {
		return nil, err
	}
	at.link.holds(len(leases))
	return leases, nil
}

// Duration implements lease.Worker.
func (w *worker) Duration() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.duration
}

// Ack implements lease.Worker.
func (w *worker) Ack(ctx context.Context, l lease.Lease) error {
	return w.settle(ctx, wire.Settlement{Verb: wire.Ack, ID: l.ID, Fence: l.Fence})
}

// Fail implements lease.Worker.
func (w *worker) Fail(ctx context.Context, l lease.Lease, after time.Duration) error {
	return w.settle(ctx, wire.Settlement{Verb: wire.Fail, ID: l.ID, Fence: l.Fence, After: after})
}

// Extend implements lease.Worker.
func (w *worker) Extend(ctx context.Context, l lease.Lease) error {
	return w.settle(ctx, wire.Settlement{Verb: wire.Extend, ID: l.ID, Fence: l.Fence})
}

// Release implements lease.Worker.
func (w *worker) Release(ctx context.Context, l lease.Lease) error {
	return w.settle(ctx, wire.Settlement{Verb: wire.Release, ID: l.ID, Fence: l.Fence})
}

// settle sends a settlement, together with those that come while others are on their way.
func (w *worker) settle(ctx context.Context, s wire.Settlement) error {
	if w.life.Err() != nil {
		return nerve.ErrClosed
	}
	one := &settling{s, make(chan error, 1)}
	w.mu.Lock()
	w.waiting = append(w.waiting, one)
	if !w.sending {
		w.sending = true
		go w.send()
	}
	w.mu.Unlock()
	select {
	case err := <-one.done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// send sends settlements until there are no more.
func (w *worker) send() {
	for {
		w.mu.Lock()
		n := min(len(w.waiting), wire.MaxSettlements)
		list := w.waiting[:n:n]
		w.waiting = w.waiting[n:]
		w.sending = n > 0
		at := w.at
		w.mu.Unlock()
		if n == 0 {
			return
		}
		outcomes, err := w.outcomes(at, list)
		for i, one := range list {
			switch {
			case errors.Is(err, errLost): // its leases ended with the connection
				one.done <- &nerve.LeaseError{ID: one.ID}
			case err != nil:
				one.done <- err
			default:
				one.done <- outcomes[i]
			}
		}
	}
}

// outcomes asks for settlements where the worker is.
func (w *worker) outcomes(at place, list []*settling) ([]error, error) {
	if at.link == nil {
		return nil, errLost
	}
	settlements := make([]wire.Settlement, len(list))
	for i, one := range list {
		settlements[i] = one.Settlement
	}
	f, err := at.link.callOnce(w.life, wire.CallSettle,
		wire.AppendSettlements(wire.AppendUints(nil, at.number), settlements), nil)
	if err != nil {
		return nil, err
	}
	outcomes := f.Outcomes(len(list))
	if err := f.Err(wire.Answer); err != nil {
		return nil, err
	}
	settled := slices.DeleteFunc(settlements,
		func(s wire.Settlement) bool { return s.Verb == wire.Extend })
	at.link.holds(-len(settled))
	return outcomes, nil
}

// holds counts the leases of a connection, which stays for them when its server wants it to end.
func (k *link) holds(n int) {
	k.mu.Lock()
	k.leases = max(0, k.leases+n)
	over := k.drain && k.leases == 0
	k.mu.Unlock()
	if over && k.leaveIfDone() != nil {
		k.fail(nil)
	}
}

// Close implements lease.Worker.
func (w *worker) Close() error {
	if w.life.Err() != nil {
		return nerve.ErrClosed
	}
	w.end(nerve.ErrClosed)
	w.mu.Lock()
	at := w.at
	w.at = place{}
	w.mu.Unlock()
	if at.link == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), dialTimeout)
	defer stop()
	_, err := at.link.callOnce(ctx, wire.CallLeave, wire.AppendUints(nil, at.number), nil)
	if errors.Is(err, errLost) {
		return nil // with the connection the worker left
	}
	return err
}
