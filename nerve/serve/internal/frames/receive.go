package frames

import (
	"io"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// smallFrame is up to where a connection keeps memory of its own for what it is
// sent. What is larger comes out of the budget of the server, in steps of at least
// as much.
const smallFrame = 64 << 10

// large is memory for large frames. What is in use is bounded by the budget.
var large = sync.Pool{New: func() any { return new([]byte) }}

// receive reads the payload of a frame, and returns it with what gives its memory
// back. Up to small bytes are the connection's own, good until the next frame.
func (c *conn) receive(
	h wire.Header, head *[wire.HeaderSize]byte, small int,
) (b []byte, release func(), err error) {
	if h.Size <= small {
		b, err = c.payload(h, head)
		return b, func() {}, err
	}
	l := &largeFrame{conn: c, size: h.Size, memory: large.Get().(*[]byte),
		hold: c.server.root.Budget().Hold(c.principal.Share())}
	if err = l.read(); err == nil {
		b = (*l.memory)[:h.Size]
		err = h.Check(head, b)
	}
	if err != nil {
		l.release()
		return nil, nil, err
	}
	return b, sync.OnceFunc(l.release), nil
}

// largeFrame is one that is being received. Memory for it is taken as it comes, so that
// a client which announces a frame and does not send it holds nothing; and each
// step has its time, so that one which stops sending is let go soon.
type largeFrame struct {
	conn   *conn
	size   int // size of the payload
	memory *[]byte
	hold   *core.Hold
	pace   pace
}

// pace is how fast a frame must come: so much time, and more for each byte since.
type pace struct {
	since time.Time
	from  int // bytes that were there then
	slack time.Duration
}

// limit is when the frame must have come up to a byte.
func (p *pace) limit(to int) time.Time {
	return p.since.Add(p.slack + time.Duration(to-p.from)*time.Second/frameRate)
}

// reservedPart is which part of its time a frame has that others wait for.
const reservedPart = 10

// read reads all of the frame. With each step as much as before may come at once.
func (l *largeFrame) read() error {
	c := l.conn
	defer c.arrived()
	l.pace = pace{since: time.Now(), slack: c.server.options.FrameTimeout}
	for got := 0; got < l.size; {
		to := min(l.size, got+max(smallFrame, got))
		_ = c.net.SetReadDeadline(l.pace.limit(got + 1))
		if _, err := c.in.Peek(1); err != nil { // memory is for what comes
			return slow(err)
		}
		if err := l.take(got, to); err != nil {
			return err
		}
		_ = c.net.SetReadDeadline(l.pace.limit(to))
		if _, err := io.ReadFull(c.in, (*l.memory)[got:to]); err != nil {
			return slow(err)
		}
		got = to
	}
	return nil
}

// take sees to it that there is memory up to a byte. Time that the client waits for
// that is not his.
func (l *largeFrame) take(got, to int) error {
	began, reserved := time.Now(), l.hold.Reserved()
	if err := l.hold.Take(l.conn.ctx, to-got); err != nil {
		return err
	}
	now := time.Now()
	l.pace.since = l.pace.since.Add(now.Sub(began))
	if l.hold.Reserved() && !reserved {
		slack := l.conn.server.options.FrameTimeout / reservedPart
		l.pace = pace{since: now, from: got, slack: slack}
	}
	if cap(*l.memory) < to {
		grown := make([]byte, to)
		copy(grown, (*l.memory)[:got])
		*l.memory = grown
	}
	*l.memory = (*l.memory)[:to]
	return nil
}

func (l *largeFrame) release() {
	large.Put(l.memory)
	l.hold.Release()
}
