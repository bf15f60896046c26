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
	"github.com/octopus-framework/octopus/nerve/serve/core"
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
	name      string // of the client, as it says
	access    atomic.Pointer[core.Access]
	ctx       context.Context
	cancel    context.CancelCauseFunc
	once      sync.Once
	closed    chan struct{} // by end
	all       sync.WaitGroup

	session *session
	acks    chan pending
	calls   chan call
	buf     []byte   // of small frames
	ends    []uint32 // of the records of an append

	writing sync.Mutex
	out     []byte // of small frames that are written

	mu      sync.Mutex
	streams map[uint16]*stream
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
	key, err := c.greet()
	if err != nil {
		return err
	}
	c.all.Go(c.answer)
	bye := false
	for err == nil && !bye {
		bye, err = c.next()
	}
	if ended := context.Cause(c.ctx); ended != nil {
		err = ended
	}
	c.end(err)
	if c.calls != nil {
		close(c.calls)
	}
	c.all.Wait()
	c.server.sessions.release(key, c.session, c, bye)
	return err
}

// greet reads Hello, opens the queue, and answers.
func (c *conn) greet() (key sessionKey, err error) {
	_ = c.net.SetReadDeadline(time.Now().Add(helloTimeout))
	var head [wire.HeaderSize]byte
	h, err := wire.ReadHeader(c.in, &head)
	if err != nil {
		return key, slow(err)
	}
	if h.Type != wire.Hello || h.Size > maxHello {
		return key, c.hangUp(&nerve.ProtocolError{Reason: "the first frame must be hello"})
	}
	payload := make([]byte, h.Size)
	if _, err := io.ReadFull(c.in, payload); err != nil {
		return key, slow(err)
	}
	if err := h.Check(&head, payload); err != nil {
		return key, c.hangUp(err)
	}
	hello, err := wire.ReadHello(payload)
	if err != nil {
		return key, c.hangUp(err)
	}
	_ = c.net.SetReadDeadline(time.Time{})
	open := c.server.root.Access
	if hello.Create {
		open = c.server.root.Create
	}
	access, err := open(c.principal, hello.Queue)
	if err != nil {
		return key, c.hangUp(c.server.root.Public(err))
	}
	c.access.Store(access)
	c.name = hello.Name[:min(len(hello.Name), nerve.MaxName)] + " at " + c.net.RemoteAddr().String()
	key = sessionKey{access.Name(), hello.Session}
	session, known, err := c.server.sessions.take(key, c)
	if err != nil {
		return key, c.hangUp(err)
	}
	c.session = session
	first, last := access.Bounds()
	welcome := wire.ServerHello{
		Minor: min(hello.Minor, wire.Minor), Incarnation: c.server.incarnation, Resumed: known,
		Limits: access.Limits(), First: first, Last: last,
	}
	if err := c.send(wire.Welcome, 0, welcome.Append); err != nil {
		c.end(err)
		c.server.sessions.release(key, session, c, false)
		return key, err
	}
	return key, nil
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

// next reads a frame and does what it says; bye says that it was the last.
func (c *conn) next() (bye bool, err error) {
	if _, err := c.in.Peek(1); err != nil { // however long the client has nothing to say
		return false, err
	}
	waits := c.in.Buffered() < wire.HeaderSize
	if waits {
		c.await(wire.HeaderSize)
	}
	var head [wire.HeaderSize]byte
	h, err := wire.ReadHeader(c.in, &head)
	if err != nil {
		return false, c.refuse(slow(err))
	}
	if h.Size > c.limit(h.Type) {
		return false, c.refuse(&nerve.TooLargeError{What: "frame of " + h.Type.String(),
			Size: h.Size, Limit: c.limit(h.Type)})
	}
	if waits || c.in.Buffered() < h.Size {
		c.await(h.Size + 1)
		defer c.arrived()
	}
	switch h.Type {
	case wire.Append:
		return false, c.refuse(c.append(h, &head))
	case wire.Call:
		return false, c.refuse(c.accept(h, &head))
	}
	payload, err := c.payload(h, &head)
	if err != nil {
		return false, c.refuse(err)
	}
	switch h.Type {
	case wire.Read:
		err = c.read(h.Stream, payload)
	case wire.Credit:
		err = c.credit(h.Stream, payload)
	case wire.Stop:
		c.stop(h.Stream)
	case wire.Bye:
		return true, nil
	default:
		err = &nerve.ProtocolError{Reason: "a client may not send a frame of " + h.Type.String()}
	}
	return false, c.refuse(err)
}

// limit is the longest payload of a type that a client may send.
func (c *conn) limit(t wire.Type) int {
	switch t {
	case wire.Append:
		return wire.AppendHead + c.access.Load().Limits().Batch
	case wire.Call:
		return wire.MaxControl
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
	_ = c.send(wire.Drain, 0, nil)
}
