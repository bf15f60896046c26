package remote

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

// link is one connection. Whoever sends writes to it; receive reads.
type link struct {
	log   *Log
	net   net.Conn
	in    *bufio.Reader
	hello wire.ServerHello
	buf   []byte

	writing chan struct{} // holds a token while somebody writes

	mu      sync.Mutex
	err     error
	ended   chan struct{}
	waiters map[uint16]*waiter
	readers map[uint16]*cursor
	last    uint16 // number of a stream
	drain   bool
	leases  int // leases that workers have over this connection
}

// waiter waits for the answer to a call.
type waiter struct {
	done    chan struct{}
	late    func(*wire.Fields) // gets an answer that comes after the call was given up, if not nil
	gone    bool               // the call was given up
	cursor  *cursor            // what it is to open
	payload []byte
	err     error
}

// errLost says that a connection ended while something was asked.
var errLost = errors.New("the connection was lost")

// isFinal reports whether to connect again is of no use: somebody must change
// something first.
func isFinal(err error) bool {
	for _, e := range []func() bool{
		is[*nerve.AccessError](err), is[*nerve.CredentialsError](err),
		is[*nerve.NotFoundError](err), is[*nerve.ProtocolError](err),
	} {
		if e() {
			return true
		}
	}
	return false
}

// isAway reports whether a connection could not be made because the server is not
// there, and not because it and this client do not fit.
func isAway(err error) bool {
	var op *net.OpError // of TLS, if one of the ends refused the other
	misfit := is[*tls.CertificateVerificationError](err)() || is[tls.RecordHeaderError](err)() ||
		errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error")
	return is[*nerve.ConnectionError](err)() && !misfit
}

func is[E error](err error) func() bool {
	return func() bool { var e E; return errors.As(err, &e) }
}

// connect makes a connection and opens the queue.
func (l *Log) connect(ctx context.Context) (*link, error) {
	conn, err := l.dial(ctx)
	if err != nil {
		return nil, l.connectionError(ctx, err)
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	k := &link{
		log: l, net: conn, in: bufio.NewReaderSize(conn, 64<<10),
		writing: make(chan struct{}, 1), ended: make(chan struct{}),
		waiters: make(map[uint16]*waiter), readers: make(map[uint16]*cursor),
	}
	_ = conn.SetDeadline(time.Now().Add(dialTimeout))
	err = k.upgrade()
	if err == nil {
		err = k.greet()
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		conn.Close()
		return nil, l.connectionError(ctx, err)
	}
	_ = conn.SetDeadline(time.Time{})
	l.note(k.hello.First, k.hello.Last)
	return k, nil
}

// connectionError is why there is no connection: what the server said, or a
// ConnectionError.
func (l *Log) connectionError(ctx context.Context, err error) error {
	var busy *nerve.BusyError
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case isFinal(err), errors.As(err, &busy), errors.Is(err, nerve.ErrReadOnly):
		return err
	}
	return &nerve.ConnectionError{Op: "connect", Server: l.target.server(), Err: err}
}

func (l *Log) dial(ctx context.Context) (net.Conn, error) {
	dial := l.options.Dial
	if dial == nil {
		dial = func(network, address string) (net.Conn, error) {
			return (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, address)
		}
	}
	conn, err := dial("tcp", l.target.address)
	if err != nil || l.target.tls == nil {
		return conn, err
	}
	secure := tls.Client(conn, l.target.tls)
	handshake, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	if err := secure.HandshakeContext(handshake); err != nil {
		conn.Close()
		return nil, err
	}
	return secure, nil
}

// maxRefusal bounds what is read of an answer that is no upgrade.
const maxRefusal = 4 << 10

// upgrade turns the connection from HTTP to frames.
func (k *link) upgrade() error {
	t := k.log.target
	req, err := http.NewRequest(http.MethodGet, "http://"+t.address+wire.Path, http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", wire.Protocol)
	if t.token != "" {
		req.Header.Set("Authorization", "Bearer "+t.token)
	}
	if err := req.Write(k.net); err != nil {
		return err
	}
	resp, err := http.ReadResponse(k.in, req)
	if err != nil {
		if strings.Contains(err.Error(), "malformed HTTP") {
			return &nerve.ProtocolError{Reason: "the server does not speak HTTP; is it nerve serve, " +
				"and is nerves:// needed?"}
		}
		return err
	}
	if resp.StatusCode == http.StatusSwitchingProtocols &&
		resp.Header.Get("Upgrade") == wire.Protocol {
		return nil
	}
	defer resp.Body.Close()
	return refusal(resp)
}

// reasonOf is what an answer that is an error says.
func reasonOf(resp *http.Response) string {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal)) // what came must do
	var body struct{ Error string }
	reason := resp.Status
	if json.Unmarshal(text, &body) == nil && body.Error != "" {
		reason = strings.TrimPrefix(body.Error, "not authenticated: ")
	}
	return reason
}

// refusal is the error of an answer that is no upgrade.
func refusal(resp *http.Response) error {
	reason := reasonOf(resp)
	switch resp.StatusCode {
	case http.StatusUnauthorized:
		return &nerve.CredentialsError{Reason: reason}
	case http.StatusTooManyRequests:
		return &nerve.CredentialsError{Reason: reason}
	case http.StatusUpgradeRequired:
		return &nerve.ProtocolError{Reason: fmt.Sprintf("the server speaks %q, this client %q",
			resp.Header.Get("Upgrade"), wire.Protocol)}
	case http.StatusBadRequest:
		return &nerve.ProtocolError{Reason: "the server refused the request (" + reason +
			"); is nerves:// needed?"}
	case http.StatusServiceUnavailable, http.StatusBadGateway, http.StatusGatewayTimeout:
		return errors.New(reason) // a proxy, or a server that starts
	}
	return &nerve.ProtocolError{Reason: "the server answered " + reason}
}

// greet opens the queue.
func (k *link) greet() error {
	l := k.log
	hello := wire.ClientHello{Minor: wire.Minor, Session: l.session, Queue: l.target.queue,
		Create: l.options.Create, Name: l.options.Name}
	if err := k.write(wire.AppendFrame(nil, wire.Hello, 0, hello.Append)); err != nil {
		return err
	}
	h, payload, err := k.frame()
	if err != nil {
		return err
	}
	switch h.Type {
	case wire.Welcome:
		k.hello, err = wire.ReadWelcome(payload)
		return err
	case wire.Error:
		refused, err := wire.ReadError(payload)
		if err != nil {
			return err
		}
		return refused
	}
	return &nerve.ProtocolError{Reason: "the server began with a frame of " + h.Type.String()}
}

// write writes whole frames. An error ends the connection.
func (k *link) write(frame []byte) error {
	k.writing <- struct{}{}
	_, err := k.net.Write(frame)
	<-k.writing
	if err != nil {
		k.fail(err)
	}
	return err
}

// writeUntil is write that ends with ctx. Then a part may have been written, and
// the connection ends as well.
func (k *link) writeUntil(ctx context.Context, frame []byte) {
	stop := context.AfterFunc(ctx, func() { _ = k.net.SetWriteDeadline(time.Unix(1, 0)) })
	select {
	case k.writing <- struct{}{}:
	case <-k.ended:
		stop()
		return
	}
	_, err := k.net.Write(frame)
	<-k.writing
	if !stop() && err == nil {
		err = errLost // the deadline may come at any time and would end another write
	}
	if err != nil {
		k.fail(err)
	}
}

// fail ends the connection.
func (k *link) fail(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.ended:
		return
	default:
	}
	if err == nil {
		err = errLost
	}
	k.err = err
	close(k.ended)
	k.net.Close()
}

// bye tells the server that this was all, if it can be told at once.
func (k *link) bye() {
	_ = k.net.SetWriteDeadline(time.Now().Add(time.Second))
	_ = k.write(emptyFrame(wire.Bye))
	k.fail(nerve.ErrClosed)
}

// limit is the longest payload of a type that a server may send.
func (k *link) limit(t wire.Type) int {
	if t == wire.Batch {
		return wire.BatchesHead + wire.BatchHead + max(k.hello.Limits.Batch, maxStored) +
			wire.FillBatch
	}
	return max(4*wire.MaxControl, k.hello.Limits.Record+wire.MaxControl)
}

// maxStored is the largest batch that a log may hold, whatever its limits are now.
const maxStored = 256 << 20

// frame reads the next frame. The payload is good until the next one.
func (k *link) frame() (wire.Header, []byte, error) {
	var head [wire.HeaderSize]byte
	h, err := k.header(&head)
	if err != nil {
		return h, nil, err
	}
	if cap(k.buf) < h.Size {
		k.buf = make([]byte, h.Size)
	}
	payload := k.buf[:h.Size]
	if _, err := io.ReadFull(k.in, payload); err != nil {
		return h, nil, err
	}
	return h, payload, h.Check(&head, payload)
}

// header reads the next header and checks how long it says the payload is.
func (k *link) header(head *[wire.HeaderSize]byte) (wire.Header, error) {
	h, err := wire.ReadHeader(k.in, head)
	if err == nil && h.Size > k.limit(h.Type) {
		err = &nerve.ProtocolError{Reason: fmt.Sprintf("the server sent a frame of %s of %d bytes",
			h.Type, h.Size)}
	}
	return h, err
}

// receive reads frames until the connection ends.
func (k *link) receive() error {
	var head [wire.HeaderSize]byte
	for n := 0; ; n++ {
		if k.in.Buffered() < wire.HeaderSize {
			_ = k.net.SetReadDeadline(time.Now().Add(silence))
		}
		h, err := k.header(&head)
		if err != nil {
			return err
		}
		if h.Type == wire.Batch {
			if err := k.batches(h, &head); err != nil {
				return err
			}
			continue
		}
		if cap(k.buf) < h.Size {
			k.buf = make([]byte, h.Size)
		}
		payload := k.buf[:h.Size]
		if _, err := io.ReadFull(k.in, payload); err != nil {
			return err
		}
		if err := h.Check(&head, payload); err != nil {
			return err
		}
		if err := k.take(h, payload); err != nil {
			return err
		}
	}
}

// take does what a frame without records says.
func (k *link) take(h wire.Header, payload []byte) error {
	f := wire.NewFields(payload)
	switch h.Type {
	case wire.Appended:
		seq, first, nano := f.Uint64(), nerve.ID(f.Uint64()), f.Int64()
		if err := f.Err(h.Type); err != nil {
			return err
		}
		k.log.appended(seq, first, nano, nil, nil)
	case wire.AppendedOnce:
		seq, first, nano := f.Uint64(), nerve.ID(f.Uint64()), f.Int64()
		known := f.Repeated()
		if err := f.Err(h.Type); err != nil {
			return err
		}
		k.log.appended(seq, first, nano, known, nil)
	case wire.Refused:
		seq := f.Uint64()
		refused, err := wire.ReadError(f.Rest())
		if err != nil {
			return err
		}
		k.log.appended(seq, 0, 0, nil, refused)
	case wire.Bounds:
		first, last := nerve.ID(f.Uint64()), nerve.ID(f.Uint64())
		if err := f.Err(h.Type); err != nil {
			return err
		}
		k.log.note(first, last)
	case wire.Answer:
		k.answered(h.Stream, append([]byte(nil), payload...), nil)
	case wire.Error:
		told, err := wire.ReadError(payload)
		if err != nil {
			return err
		}
		if h.Stream == 0 {
			return told
		}
		k.answered(h.Stream, nil, told)
	case wire.Drain:
		k.drained()
	default:
		return &nerve.ProtocolError{Reason: "a server may not send a frame of " + h.Type.String()}
	}
	return k.leaveIfDone()
}
