package frames

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	readBuffer = 16 << 10
	maxStreams = 64               // open readers of a connection
	maxCalls   = 16               // calls of a connection that wait
	pushEvery  = time.Second / 2  // bounds, if they changed
	pingEvery  = 10 * time.Second // bounds, if they did not
)

// errSlow says that a client did not read or write in time.
var errSlow = errors.New("nerve: the client is too slow")

// conn is one connection. Its goroutines are run, which reads frames; answer,
// which sends the outcomes of appends in order; call, for calls, once there is
// one; and one for each open reader.
type conn struct {
	server    *Server
	net       net.Conn
	in        *bufio.Reader
	principal *core.Principal
	name      string // name of the client, as it says
	access    atomic.Pointer[core.Access]
	ctx       context.Context
	cancel    context.CancelCauseFunc
	once      sync.Once
	closed    chan struct{} // closed by end
	all       sync.WaitGroup

	key     sessionKey
	session *session // nil until it is taken
	bye     bool     // the client said that it comes no more
	acks    chan pending
	calls   chan call
	calling sync.WaitGroup // calls that were accepted and not answered
	buf     []byte         // memory for small frames
	ends    []uint32       // where the records of an append end

	writing sync.Mutex
	out     []byte // memory for small frames that are written

	mu      sync.Mutex
	streams map[uint16]*stream
	workers map[uint64]*worker // workers by the numbers that the client drew
	takes   map[uint16]context.CancelFunc
	noTakes bool // the server is being stopped: a take gets nothing
}

// end closes the connection for a reason, once.
func (c *conn) end(err error) {
	c.once.Do(func() {
		if err == nil {
			err = io.EOF
		}
		c.cancel(err)
		close(c.closed)
		c.net.Close()
	})
}

// run serves the connection and returns why it ended.
func (c *conn) run() error {
	err := c.guard(c.greet)
	if err == nil {
		c.start(c.answer)
		err = c.guard(c.readAll)
	}
	if ended := context.Cause(c.ctx); ended != nil {
		err = ended
	}
	c.end(err)
	if c.calls != nil {
		close(c.calls)
	}
	c.all.Wait()
	c.leaveAll()
	if c.session != nil {
		c.server.sessions.release(c.key, c.session, c, c.bye)
	}
	return err
}

// readAll does what the frames say, until the last one.
func (c *conn) readAll() (err error) {
	for err == nil && !c.bye {
		err = c.next()
	}
	return err
}

// errPanic is why a connection ended over which the server found a fault of its own.
var errPanic = errors.New("nerve: a fault of the server, which its log describes")

// guard calls f. A panic in it ends this connection alone, with the stack in the
// log: of the many that a process serves, the others have no part in it.
func (c *conn) guard(f func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			c.server.root.Metrics.Fault(c.server.logger, cause, "from", c.net.RemoteAddr(),
				"who", c.principal.Name())
			err = errPanic
		}
	}()
	return f()
}

// start runs f in a goroutine of the connection, which ends with an error of f.
func (c *conn) start(f func() error) {
	c.all.Go(func() {
		if err := c.guard(f); err != nil {
			c.end(err)
		}
	})
}

// greet reads Hello, opens the queue, and answers.
func (c *conn) greet() error {
	_ = c.net.SetReadDeadline(time.Now().Add(helloTimeout))
	hello, err := c.hello()
	if err != nil {
		return err
	}
	_ = c.net.SetReadDeadline(time.Time{})
	c.principal.Only(hello.Queue)
	open := c.server.root.Access
	if hello.Create {
		open = c.server.root.Create
	}
	access, err := open(c.principal, hello.Queue)
	if err != nil {
		return c.hangUp(err)
	}
	c.access.Store(access)
	c.name = hello.Name[:min(len(hello.Name), nerve.MaxName)] + " at " + c.net.RemoteAddr().String()
	c.key = sessionKey{access.Name(), hello.Session}
	session, known, err := c.server.sessions.take(c.key, c)
	if err != nil {
		return c.hangUp(err)
	}
	c.session = session
	first, last := access.Bounds()
	welcome := wire.ServerHello{
		Minor: min(hello.Minor, wire.Minor), Incarnation: c.server.incarnation, Resumed: known,
		Limits: access.Limits(), First: first, Last: last, Dedup: access.DedupWindow(),
	}
	return c.send(wire.Welcome, 0, welcome.Append)
}

// hello reads the first frame.
func (c *conn) hello() (hello wire.ClientHello, err error) {
	var head [wire.HeaderSize]byte
	h, err := wire.ReadHeader(c.in, &head)
	if err != nil {
		return hello, slow(err)
	}
	if h.Type != wire.Hello || h.Size > maxHello {
		return hello, c.hangUp(&nerve.ProtocolError{Reason: "the first frame must be hello"})
	}
	payload, err := c.payload(h, &head)
	if err == nil {
		hello, err = wire.ReadHello(payload)
	}
	if err != nil {
		return hello, c.refuse(err)
	}
	return hello, nil
}

// hangUp tells the client why, and returns why.
func (c *conn) hangUp(err error) error {
	_ = c.sendError(0, err)
	return err
}

// slow makes errSlow of an error of a deadline.
func slow(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return errSlow
	}
	return err
}

// send writes a small frame.
func (c *conn) send(t wire.Type, stream uint16, fill func([]byte) []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.out = wire.AppendFrame(c.out[:0], t, stream, fill)
	return c.write(c.out)
}

func (c *conn) sendError(stream uint16, err error) error {
	err = c.server.root.Public(err)
	return c.send(wire.Error, stream, func(b []byte) []byte { return wire.AppendError(b, err) })
}

// write writes whole frames, the parts of one after the other. The client must
// read them in time. The lock is held.
func (c *conn) write(parts ...[]byte) error {
	if err := c.net.SetWriteDeadline(time.Now().Add(c.server.options.WriteTimeout)); err != nil {
		return err
	}
	buffers := net.Buffers(parts)
	_, err := buffers.WriteTo(c.net)
	if err != nil {
		err = slow(err)
		c.end(err)
	}
	return err
}

// await gives what follows n bytes that are not there yet a time to come.
func (c *conn) await(n int) {
	if c.in.Buffered() < n {
		limit := c.server.options.FrameTimeout + time.Duration(n)*time.Second/frameRate
		_ = c.net.SetReadDeadline(time.Now().Add(limit))
	}
}

// arrived ends what await began.
func (c *conn) arrived() { _ = c.net.SetReadDeadline(time.Time{}) }

// next reads a frame and does what it says.
func (c *conn) next() error {
	if _, err := c.in.Peek(1); err != nil { // however long the client has nothing to say
		return err
	}
	waits := c.in.Buffered() < wire.HeaderSize
	if waits {
		c.await(wire.HeaderSize)
	}
	var head [wire.HeaderSize]byte
	h, err := wire.ReadHeader(c.in, &head)
	if err != nil {
		return c.refuse(slow(err))
	}
	if h.Size > c.limit(h.Type) {
		return c.refuse(&nerve.TooLargeError{What: "frame of " + h.Type.String(),
			Size: h.Size, Limit: c.limit(h.Type)})
	}
	if waits || c.in.Buffered() < h.Size {
		c.await(h.Size + 1)
		defer c.arrived()
	}
	switch h.Type {
	case wire.Append, wire.AppendOnce:
		return c.refuse(c.append(h, &head))
	case wire.Call:
		return c.refuse(c.accept(h, &head))
	}
	payload, err := c.payload(h, &head)
	if err != nil {
		return c.refuse(err)
	}
	switch h.Type {
	case wire.Read:
		err = c.read(h.Stream, payload)
	case wire.Credit:
		err = c.credit(h.Stream, payload)
	case wire.Stop:
		c.stop(h.Stream)
		c.cancelTake(h.Stream)
	case wire.Bye:
		c.bye = true
	default:
		err = &nerve.ProtocolError{Reason: "a client may not send a frame of " + h.Type.String()}
	}
	return c.refuse(err)
}

// limit is the longest payload of a type that a client may send.
func (c *conn) limit(t wire.Type) int {
	switch t {
	case wire.Append:
		return wire.AppendHead + c.access.Load().Limits().Batch
	case wire.AppendOnce:
		return wire.OnceHead + nerve.MaxParts*wire.PartSize + c.access.Load().Limits().Batch
	case wire.Call:
		return min(wire.MaxControl, c.server.root.Budget().Largest())
	default:
		return 64
	}
}

// refuse tells the client about an error of its own before the connection ends.
func (c *conn) refuse(err error) error {
	var protocol *nerve.ProtocolError
	var large *nerve.TooLargeError
	if errors.As(err, &protocol) || errors.As(err, &large) {
		_ = c.sendError(0, err)
	}
	return err
}

// payload reads a small payload, which is good until the next one.
func (c *conn) payload(h wire.Header, head *[wire.HeaderSize]byte) ([]byte, error) {
	if cap(c.buf) < h.Size {
		c.buf = make([]byte, h.Size)
	}
	b := c.buf[:h.Size]
	if _, err := io.ReadFull(c.in, b); err != nil {
		return nil, slow(err)
	}
	return b, h.Check(head, b)
}

// drain asks the client to go: it sends nothing more and closes when it has its
// answers. Readers begin again elsewhere.
func (c *conn) drain() {
	select {
	case <-c.closed:
		return
	default:
	}
	_ = c.guard(func() error { return c.send(wire.Drain, 0, nil) })
	c.endTakes()
}
