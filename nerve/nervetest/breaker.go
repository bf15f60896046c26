package nervetest

import (
	"net"
	"sync"
	"testing"
)

// Direction of bytes through a Breaker.
type Direction int

// The directions.
const (
	Up   Direction = iota // from the log to its server
	Down                  // from the server to the log
)

// Breaker stands between a log and its server, forwards what they say, and cuts
// or stalls their connections when it is told to. It listens on an address of
// its own, where the log under test connects instead.
type Breaker struct {
	network, target string
	listener        net.Listener

	mu      sync.Mutex
	moved   *sync.Cond // signals changes of stalled and passed
	armed   bool
	where   Direction
	left    int64 // bytes to pass before the cut
	cut     bool  // since Arm
	stalled bool
	passed  [2]int64
	conns   map[net.Conn]bool
	closed  bool
	all     sync.WaitGroup
}

// NewBreaker listens on loopback and connects to the server at target, such as
// "127.0.0.1:3306", for each connection that it gets. It ends with the test.
func NewBreaker(t testing.TB, network, target string) *Breaker {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &Breaker{
		network: network, target: target, listener: listener, conns: make(map[net.Conn]bool),
	}
	b.moved = sync.NewCond(&b.mu)
	b.all.Go(b.accept)
	t.Cleanup(b.close)
	return b
}

// Addr is where the log connects: host and port.
func (b *Breaker) Addr() string { return b.listener.Addr().String() }

// Arm cuts all connections when n more bytes have passed in one direction, to
// the byte: the rest is dropped. Connections made after the cut work.
func (b *Breaker) Arm(where Direction, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed, b.where, b.left, b.cut = true, where, n, false
}

// Disarm calls the cut off and says whether it has happened.
func (b *Breaker) Disarm() (cut bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.armed = false
	return b.cut
}

// Cut cuts all connections now.
func (b *Breaker) Cut() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cutAll()
}

// Stall stops forwarding, as a server that hangs; Resume goes on.
func (b *Breaker) Stall() { b.setStalled(true) }

// Resume ends what Stall began.
func (b *Breaker) Resume() { b.setStalled(false) }

func (b *Breaker) setStalled(stalled bool) {
	b.mu.Lock()
	b.stalled = stalled
	b.moved.Broadcast()
	b.mu.Unlock()
}

// Passed is how many bytes came in that direction, held up or not.
func (b *Breaker) Passed(where Direction) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.passed[where]
}

// WaitPassed waits until more than n bytes came in that direction.
func (b *Breaker) WaitPassed(where Direction, n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.passed[where] <= n && !b.closed {
		b.moved.Wait()
	}
}

func (b *Breaker) accept() {
	for {
		client, err := b.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial(b.network, b.target)
		if err != nil {
			client.Close()
			continue
		}
		b.mu.Lock()
		if b.closed {
			client.Close()
			server.Close()
		}
		b.conns[client], b.conns[server] = true, true
		b.mu.Unlock()
		b.all.Go(func() { b.forward(Up, client, server) })
		b.all.Go(func() { b.forward(Down, server, client) })
	}
}

func (b *Breaker) forward(where Direction, from, to net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			pass, cut := b.take(where, n)
			_, werr := to.Write(buf[:pass])
			if cut {
				b.Cut()
			}
			if werr != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	from.Close()
	to.Close()
	b.mu.Lock()
	delete(b.conns, from)
	delete(b.conns, to)
	b.mu.Unlock()
}

// take says how many of n bytes may pass, and whether that ends the connections.
func (b *Breaker) take(where Direction, n int) (pass int, cut bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.passed[where] += int64(n)
	b.moved.Broadcast()
	for b.stalled && !b.closed {
		b.moved.Wait()
	}
	if !b.armed || where != b.where {
		return n, false
	}
	if int64(n) <= b.left {
		b.left -= int64(n)
		return n, false
	}
	pass = int(b.left)
	b.armed, b.cut = false, true
	return pass, true
}

func (b *Breaker) cutAll() {
	for c := range b.conns {
		c.Close()
	}
	clear(b.conns)
}

func (b *Breaker) close() {
	b.mu.Lock()
	b.closed = true
	b.cutAll()
	b.moved.Broadcast()
	b.mu.Unlock()
	b.listener.Close()
	b.all.Wait()
}
