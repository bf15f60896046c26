package remote

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// Log is a queue on a server. It implements nerve.Log and is safe for concurrent
// use. Create it with [Open].
type Log struct {
	target  *target
	options Options
	session uint64
	limits  nerve.Limits

	first, last atomic.Uint64 // bounds as of the last contact

	order chan struct{} // holds a token while somebody numbers and sends an append

	mu          sync.Mutex
	link        *link         // nil while there is none
	changed     chan struct{} // closed when link or broken changes
	broken      error         // why the last attempt to connect failed
	closed      bool
	incarnation uint64 // incarnation of the server
	minor       uint16 // minor version of what the server speaks
	dedup       nerve.DedupWindow
	seq         uint64 // sequence of the last append
	pending     []*pending
	window      chan struct{}     // a signal that pending became shorter
	claims      map[string]uint64 // epochs of those that are held, by name

	stop chan struct{}
	done chan struct{}
}

var (
	_ nerve.Repeatable   = (*Log)(nil)
	_ nerve.Deduplicator = (*Log)(nil)
	_ nerve.Claimer      = (*Log)(nil)
)

// Open connects to the queue at nerve://HOST:PORT/QUEUE, or nerves:// over TLS. The
// port is 7171 if there is none. Parameters of the URL name files: token with a
// token, ca with the certificates to trust, cert and key with those of the
// client. While the server cannot be reached it tries again, for as long as ctx and
// [Options.Wait] allow, and returns a [nerve.ConnectionError] then; later the log
// connects again by itself.
func Open(ctx context.Context, url string, options Options) (*Log, error) {
	if options.Window <= 0 {
		options.Window = DefaultWindow
	}
	if options.MaxBackoff <= 0 {
		options.MaxBackoff = DefaultMaxBackoff
	}
	if options.Wait == 0 {
		options.Wait = DefaultWait
	}
	if options.Name == "" {
		host, _ := os.Hostname() // a name for people: none is fine
		options.Name = fmt.Sprintf("%s process %d (%s)", filepath.Base(os.Args[0]), os.Getpid(),
			host)
	}
	t, err := parse(url, options)
	if err != nil {
		return nil, err
	}
	l := &Log{
		target: t, options: options, session: random(),
		order: make(chan struct{}, 1), changed: make(chan struct{}),
		window: make(chan struct{}, 1), claims: make(map[string]uint64),
		stop: make(chan struct{}), done: make(chan struct{}),
	}
	first, err := l.connectFirst(ctx)
	if err != nil {
		return nil, err
	}
	l.limits, l.minor, l.dedup = first.hello.Limits, first.hello.Minor, first.hello.Dedup
	go l.keep(first)
	return l, nil
}

// connectFirst is connect that waits for a server which is being started again.
func (l *Log) connectFirst(ctx context.Context) (*link, error) {
	if l.options.Wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.options.Wait,
			&nerve.TimeoutError{After: l.options.Wait})
		defer cancel()
	}
	var last error
	for wait := minBackoff; ; wait = min(2*wait, l.options.MaxBackoff) {
		k, err := l.connect(ctx)
		if ctx.Err() == nil {
			last = err
		}
		if err == nil || l.options.Wait < 0 || !isAway(err) {
			return k, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, l.gaveUp(ctx, "connect", errors.Unwrap(last))
		}
	}
}

// random returns a number that nobody else has, not zero.
func random() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	return binary.LittleEndian.Uint64(b[:]) | 1
}

// keep serves the connection, and makes a new one when it is lost.
func (l *Log) keep(k *link) {
	defer close(l.done)
	wait := minBackoff
	for {
		if k != nil {
			wait = minBackoff
			if l.attach(k) {
				k.fail(k.receive())
			}
			l.detach(k)
			k = nil
		} else {
			select {
			case <-l.stop:
				return
			case <-time.After(wait):
			}
			wait = min(2*wait, l.options.MaxBackoff)
		}
		select {
		case <-l.stop:
			return
		default:
		}
		var err error
		k, err = l.reconnect()
		if err != nil {
			k = nil
			l.mu.Lock()
			l.broken = err
			if isFinal(err) {
				l.refuse(err)
			}
			l.signal()
			l.mu.Unlock()
		}
	}
}

// reconnect is connect for as long as that may take, or until Close.
func (l *Log) reconnect() (*link, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), dialTimeout,
		&nerve.TimeoutError{After: dialTimeout})
	defer cancel()
	connected := make(chan struct{})
	defer close(connected)
	go func() {
		select {
		case <-l.stop:
			cancel()
		case <-connected:
		}
	}()
	return l.connect(ctx)
}

// signal wakes those who wait for a connection. The mutex is held.
func (l *Log) signal() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// attach makes k the connection of the log and sends again what was not answered.
func (l *Log) attach(k *link) bool {
	l.order <- struct{}{} // nobody else sends meanwhile
	defer func() { <-l.order }()
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		k.fail(nerve.ErrClosed)
		return false
	}
	same := k.hello.Resumed && k.hello.Incarnation == l.incarnation || l.incarnation == 0
	l.incarnation, l.minor, l.dedup = k.hello.Incarnation, k.hello.Minor, k.hello.Dedup
	again := l.unanswered(same)
	l.mu.Unlock()
	if !same {
		if err := l.reclaim(k); err != nil {
			k.fail(err)
			return false
		}
	}
	_ = k.net.SetWriteDeadline(time.Now().Add(silence))
	for _, a := range again {
		if err := k.write(a.frame); err != nil {
			return false
		}
	}
	_ = k.net.SetWriteDeadline(time.Time{})
	l.mu.Lock()
	l.link, l.broken = k, nil
	l.signal()
	l.mu.Unlock()
	return true
}

// detach takes the connection away.
func (l *Log) detach(k *link) {
	k.fail(nil)
	l.mu.Lock()
	if l.link == k {
		l.link = nil
		l.signal()
	}
	l.mu.Unlock()
}

// current returns the connection, and waits for one until ctx ends. op names what
// it is for.
func (l *Log) current(ctx context.Context, op string) (*link, error) {
	for {
		l.mu.Lock()
		k, changed, broken, closed := l.link, l.changed, l.broken, l.closed
		l.mu.Unlock()
		switch {
		case closed:
			return nil, nerve.ErrClosed
		case ctx.Err() != nil:
			return nil, l.gaveUp(ctx, op, broken)
		case k != nil:
			return k, nil
		case isFinal(broken):
			return nil, broken
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// gaveUp is why an operation ended with its context, which it wraps.
func (l *Log) gaveUp(ctx context.Context, op string, broken error) error {
	cause := context.Cause(ctx)
	if broken == nil {
		return cause
	}
	return &nerve.ConnectionError{Op: op, Server: l.target.server(),
		Err: fmt.Errorf("%w; the last attempt: %w", cause, broken)}
}

// Bounds implements nerve.Log.
func (l *Log) Bounds() (first, last nerve.ID) {
	first = nerve.ID(l.first.Load())
	return first, max(nerve.ID(l.last.Load()), first-1)
}

// note takes over bounds that the server told.
func (l *Log) note(first, last nerve.ID) {
	raise(&l.last, uint64(last))
	raise(&l.first, uint64(first))
}

func raise(v *atomic.Uint64, to uint64) {
	for old := v.Load(); to > old; old = v.Load() {
		if v.CompareAndSwap(old, to) {
			return
		}
	}
}

// Limits implements nerve.Log.
func (l *Log) Limits() nerve.Limits { return l.limits }

// DedupWindow implements nerve.Deduplicator: as the server said, zero if that is too
// old to remember ids.
func (l *Log) DedupWindow() nerve.DedupWindow {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dedup
}

// check returns why a call cannot be made, if so.
func (l *Log) check(ctx context.Context, writes bool) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nerve.ErrClosed
	case writes && l.options.ReadOnly:
		return nerve.ErrReadOnly
	}
	return nil
}

// Close implements nerve.Log. It tells the server to forget the client; appends
// that are under way may be stored or not.
func (l *Log) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nerve.ErrClosed
	}
	l.closed = true
	k := l.link
	for _, a := range l.pending {
		a.finish(nerve.ErrClosed)
	}
	l.pending = nil
	l.signal()
	l.mu.Unlock()
	if k != nil {
		k.bye()
	}
	close(l.stop)
	<-l.done
	return nil
}

// frame of a type that has no payload.
func emptyFrame(t wire.Type) []byte { return wire.AppendFrame(nil, t, 0, nil) }
