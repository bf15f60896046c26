// Package frames is the server's end of the protocol nerve/1: binary frames over
// a connection that began as HTTP. docs/format/nerve1.md draws them; package
// nerve/remote is the other end.
package frames

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

const (
	helloTimeout = 5 * time.Second
	maxHello     = 4 << 10
	writeTimeout = 30 * time.Second
	// A frame has this long to arrive when it has begun, and more by its size.
	frameTimeout = 10 * time.Second
	frameRate    = 256 << 10 // bytes a second, less is too slow
)

// Options of a Server.
type Options struct {
	Logger *slog.Logger
	// WriteTimeout is how long a client may leave unread what it is sent. Default
	// 30 s.
	WriteTimeout time.Duration
	// FrameTimeout is how long a frame may take to arrive when it has begun, to
	// which a second is added for each 256 KiB. Default 10 s.
	FrameTimeout time.Duration
}

// Server takes connections over from HTTP. It is safe for concurrent use.
type Server struct {
	root        *core.Queues
	options     Options
	logger      *slog.Logger
	incarnation uint64
	sessions    *sessions

	mu       sync.Mutex
	conns    map[*conn]bool
	draining bool
	all      sync.WaitGroup
}

// NewServer returns a server over root.
func NewServer(root *core.Queues, options Options) *Server {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.WriteTimeout <= 0 {
		options.WriteTimeout = writeTimeout
	}
	if options.FrameTimeout <= 0 {
		options.FrameTimeout = frameTimeout
	}
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never fails
	return &Server{
		root: root, options: options, logger: options.Logger,
		incarnation: binary.LittleEndian.Uint64(seed[:]) | 1,
		sessions:    newSessions(), conns: make(map[*conn]bool),
	}
}

// offers reports whether an Upgrade header has the protocol among others.
func offers(header string) bool {
	for p := range strings.SplitSeq(header, ",") {
		if strings.TrimSpace(p) == wire.Protocol {
			return true
		}
	}
	return false
}

// ServeHTTP implements http.Handler: it answers a request to upgrade and serves
// the connection until it or the lease ends, which is in the context.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !offers(r.Header.Get("Upgrade")) {
		w.Header().Set("Upgrade", wire.Protocol)
		w.Header().Set("Connection", "Upgrade")
		http.Error(w, "this server speaks "+wire.Protocol, http.StatusUpgradeRequired)
		return
	}
	s.mu.Lock()
	draining := s.draining
	s.mu.Unlock()
	if draining {
		http.Error(w, "the server is being stopped", http.StatusServiceUnavailable)
		return
	}
	netConn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "this connection cannot be upgraded", http.StatusInternalServerError)
		return
	}
	// What HTTP set for headers and bodies does not hold for frames.
	err = netConn.SetDeadline(time.Time{})
	if err == nil {
		_, err = io.WriteString(netConn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: "+
			wire.Protocol+"\r\nConnection: Upgrade\r\n\r\n")
	}
	if err != nil {
		netConn.Close()
		return
	}
	s.serve(r.Context(), netConn, leftOver(buffered.Reader, netConn))
}

// leftOver returns what reads the connection, behind what HTTP read of it.
func leftOver(r *bufio.Reader, c net.Conn) io.Reader {
	if n := r.Buffered(); n > 0 {
		b, _ := r.Peek(n) // they are there
		return io.MultiReader(strings.NewReader(string(b)), c)
	}
	return c
}

// serve speaks with a client until it, the server or the lease ends, in which the
// context says who it is.
func (s *Server) serve(lease context.Context, netConn net.Conn, in io.Reader) {
	p := core.From(lease)
	ctx, cancel := context.WithCancelCause(lease)
	c := &conn{
		server: s, net: netConn, in: bufio.NewReaderSize(in, readBuffer), principal: p,
		ctx: ctx, cancel: cancel, acks: make(chan pending, wire.MaxInFlight),
		streams: make(map[uint16]*stream), workers: make(map[uint64]*worker),
		takes: make(map[uint16]context.CancelFunc), closed: make(chan struct{}),
	}
	if !s.enter(c) {
		netConn.Close()
		return
	}
	defer context.AfterFunc(lease, func() { c.end(context.Cause(lease)) })()
	s.root.Metrics.Connections.Add(1)
	err := c.run()
	c.end(err)
	s.root.Metrics.Connections.Add(-1)
	s.leave(c)
	var protocol *nerve.ProtocolError
	switch {
	case errors.As(err, &protocol):
		s.root.Metrics.FramesRefused.Add(1)
		s.logger.Warn("nerve: a client was refused", "from", netConn.RemoteAddr(), "who", p.Name(),
			"error", err)
	case errors.Is(err, errSlow):
		s.root.Metrics.SlowClients.Add(1)
		s.logger.Warn("nerve: a client was too slow", "from", netConn.RemoteAddr(), "who", p.Name())
	}
}

func (s *Server) enter(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return false
	}
	s.conns[c] = true
	s.all.Add(1)
	return true
}

func (s *Server) leave(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	s.all.Done()
}

func (s *Server) list() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		list = append(list, c)
	}
	return list
}

// Drain asks all clients to take their answers and go, and returns when they have
// gone. When ctx ends it ends the connections of the others, and says how many.
func (s *Server) Drain(ctx context.Context) (ended int) {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	for _, c := range s.list() {
		go c.drain()
	}
	gone := make(chan struct{})
	go func() { s.all.Wait(); close(gone) }()
	select {
	case <-gone:
		return 0
	case <-ctx.Done():
	}
	stay := s.list()
	for _, c := range stay {
		c.end(nerve.ErrClosed)
	}
	<-gone
	return len(stay)
}
