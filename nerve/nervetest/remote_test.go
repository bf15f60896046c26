package nervetest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/nervetest"
)

// server answers appends: producer, seq, length and packed records in, the first
// id out.
type server struct {
	log      *memlog.Log
	listener net.Listener
	all      sync.WaitGroup
}

func newServer(t *testing.T) *server {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{log: memlog.New(memlog.Options{}), listener: listener}
	s.all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			s.all.Go(func() {
				defer conn.Close()
				for s.answer(conn) == nil {
				}
			})
		}
	})
	t.Cleanup(func() { listener.Close(); s.all.Wait() })
	return s
}

func (s *server) answer(conn net.Conn) error {
	var head [20]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		return err
	}
	packed := make([]byte, binary.LittleEndian.Uint32(head[16:]))
	if _, err := io.ReadFull(conn, packed); err != nil {
		return err
	}
	var b nerve.Batch
	b.View(0, 0, packed, nerve.AppendEnds(nil, packed))
	b.Key.Producer = binary.LittleEndian.Uint64(head[0:])
	b.Key.Seq = binary.LittleEndian.Uint64(head[8:])
	id, err := s.log.Append(context.Background(), &b)
	if err != nil {
		return err
	}
	_, err = conn.Write(binary.LittleEndian.AppendUint64(nil, uint64(id)))
	return err
}

// remote is a log that appends through a connection, and else is the memory of
// its server.
type remote struct {
	*memlog.Log
	addr     string
	producer uint64 // of batches without a key
	mu       sync.Mutex
	seq      uint64
	conn     net.Conn
	forgets  bool // the key when it repeats an append: what must not be
}

func (r *remote) Append(ctx context.Context, b *nerve.Batch) (nerve.ID, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := b.Key
	if key == (nerve.Key{}) {
		r.seq++
		key = nerve.Key{Producer: r.producer, Seq: r.seq}
	}
	for {
		id, err := r.send(ctx, key, b)
		if err == nil {
			b.First = id
			return id, nil
		}
		if ctx.Err() != nil {
			return 0, &nerve.OutcomeError{Key: b.Key, Cause: context.Cause(ctx)}
		}
		if r.forgets {
			r.seq++
			key = nerve.Key{Producer: r.producer, Seq: r.seq}
		}
	}
}

func (r *remote) send(ctx context.Context, key nerve.Key, b *nerve.Batch) (nerve.ID, error) {
	conn := r.conn
	if conn == nil {
		var err error
		if conn, err = net.Dial("tcp", r.addr); err != nil {
			return 0, err
		}
		r.conn = conn
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	message := binary.LittleEndian.AppendUint64(nil, key.Producer)
	message = binary.LittleEndian.AppendUint64(message, key.Seq)
	message = binary.LittleEndian.AppendUint32(message, uint32(b.Size()))
	_, err := conn.Write(append(message, b.Packed()...))
	var answer [8]byte
	if err == nil {
		_, err = io.ReadFull(conn, answer[:])
	}
	if err != nil {
		conn.Close()
		r.conn = nil
		return 0, err
	}
	return nerve.ID(binary.LittleEndian.Uint64(answer[:])), nil
}

func (r *remote) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.conn != nil {
		r.conn.Close()
		r.conn = nil
	}
	return r.Log.Close()
}

type remoteBackend struct {
	server  *server
	breaker *nervetest.Breaker
}

func newRemoteBackend(t *testing.T) remoteBackend {
	s := newServer(t)
	return remoteBackend{s, nervetest.NewBreaker(t, "tcp", s.listener.Addr().String())}
}

func (b remoteBackend) open() *remote {
	return &remote{Log: b.server.log, addr: b.breaker.Addr(), producer: rand.Uint64() | 1}
}

// TestCutAppends cuts a log that repeats its appends with their keys.
func TestCutAppends(t *testing.T) {
	b := newRemoteBackend(t)
	log := b.open()
	defer log.Close()
	if err := nervetest.CutAppends(t.Context(), log, b.breaker); err != nil {
		t.Fatal(err)
	}
	if _, last := log.Bounds(); last < 100 {
		t.Fatalf("%d records: the connection was hardly cut", last)
	}
}

// TestCutAppendsNoticesDuplicates shows that the test with the breaker can fail:
// on a log that repeats appends without their key.
func TestCutAppendsNoticesDuplicates(t *testing.T) {
	b := newRemoteBackend(t)
	log := b.open()
	defer log.Close()
	log.forgets = true
	err := nervetest.CutAppends(t.Context(), log, b.breaker)
	if err == nil || !strings.Contains(err.Error(), "the id is") {
		t.Fatalf("a log that stores appends twice: %v", err)
	}
}

// TestBreakerCutsToTheByte checks the tool itself.
func TestBreakerCutsToTheByte(t *testing.T) {
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		for {
			conn, err := echo.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn); conn.Close() }()
		}
	}()
	b := nervetest.NewBreaker(t, "tcp", echo.Addr().String())
	const message = "0123456789"
	for n := range int64(len(message) + 1) {
		conn, err := net.Dial("tcp", b.Addr())
		if err != nil {
			t.Fatal(err)
		}
		b.Arm(nervetest.Down, n)
		if _, err := io.WriteString(conn, message); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(message))
		read, err := io.ReadFull(conn, got)
		if int64(read) != n || (err == nil) != (n == int64(len(message))) {
			t.Fatalf("cut at %d: %d bytes, %v", n, read, err)
		}
		if cut := b.Disarm(); cut != (n < int64(len(message))) {
			t.Fatalf("cut at %d: %t", n, cut)
		}
		conn.Close()
	}
	b.Arm(nervetest.Up, 3)
	conn, err := net.Dial("tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_, _ = io.WriteString(conn, message)
	got, err := io.ReadAll(conn)
	if errors.Is(err, net.ErrClosed) || len(got) > 3 || !b.Disarm() {
		t.Fatalf("%q, %v", got, err)
	}
}
