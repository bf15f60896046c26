package gremlingrpc_test

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/experimental"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// guarded is a pool whose buffers are pages of their own, which can no longer be read when they are
// put back: whoever kept a string of one dies.
type guarded struct {
	mu    sync.Mutex
	pages map[*byte][]byte
	puts  int
}

func (p *guarded) Get(n int) *[]byte {
	const page = 4096
	b, err := syscall.Mmap(-1, 0, (n+page)/page*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[&b[0]] = b
	b = b[:n]
	return &b
}

func (p *guarded) Put(b *[]byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := &(*b)[:1][0]
	if pages := p.pages[first]; pages == nil {
		panic("a buffer was put back twice, or is not of this pool")
	} else if err := syscall.Mprotect(pages, syscall.PROT_NONE); err != nil {
		panic(err)
	}
	delete(p.pages, first)
	p.puts++
}

// keeping is a shop that keeps the Readers of all requests and reads them when it answers.
type keeping struct {
	server
	kept []*shop.GetRequestReader
}

func (s *keeping) Watch(stream grpc.BidiStreamingServer[shop.GetRequestReader,
	shop.Deposit]) error {
	for {
		r, err := stream.Recv()
		if err != nil {
			break
		}
		s.kept = append(s.kept, r)
	}
	for _, r := range s.kept {
		if err := stream.Send(&shop.Deposit{Id: r.GetPad()[r.GetLength():]}); err != nil {
			return err
		}
	}
	return nil
}

// keep calls a server that keeps what it received, whose connections use guarded buffers and whose
// codec is c.
func keep(t *testing.T, p *guarded, srv shop.ShopServer, c encoding.CodecV2, sizes ...int32) {
	conn := start(t, func(s *grpc.Server) { shop.RegisterShopServer(s, srv) },
		[]grpc.ServerOption{experimental.BufferPool(p), grpc.ForceServerCodecV2(c)},
		[]grpc.DialOption{experimental.WithBufferPool(p)})
	s, err := shop.NewShopClient(conn).Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range sizes {
		if err := s.Send(&shop.GetRequest{Pad: strings.Repeat("x", int(n)) + "end",
			Length: n}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.CloseSend(); err != nil {
		t.Fatal(err)
	}
	for range sizes {
		d, err := s.Recv()
		if err != nil || d.GetId() != "end" {
			t.Fatalf("%.100v, %v", d, err)
		}
	}
}

// TestKeptReadersAreSafe: a Reader may be kept whatever grpc does with its buffers.
func TestKeptReadersAreSafe(t *testing.T) {
	p := &guarded{pages: map[*byte][]byte{}}
	t.Run("calls", func(t *testing.T) {
		keep(t, p, &keeping{}, gremlingrpc.NewCodec(nil, gremlingrpc.WithPool(p)), sizes...)
	})
	if p.puts < 10 {
		t.Errorf("only %d buffers were guarded", p.puts)
	}
}

// holding is a shop that keeps strings of borrowed messages without a copy, which is against the
// rules.
type holding struct{ server }

func (holding) Watch(stream grpc.BidiStreamingServer[shop.GetRequestReader, shop.Deposit]) error {
	var b gremlingrpc.Borrowed[shop.GetRequestReader, *shop.GetRequestReader]
	defer b.Release()
	var kept []string
	for stream.RecvMsg(&b) == nil {
		kept = append(kept, b.Reader().GetPad())
	}
	for _, s := range kept {
		if err := stream.Send(&shop.Deposit{Id: s[len(s)-3:]}); err != nil {
			return err
		}
	}
	return nil
}

// TestGuardOfTheEnvironment: the same with GREMLIN_GUARD and pools as they are.
func TestGuardOfTheEnvironment(t *testing.T) {
	if os.Getenv("GUARD_CHILD") != "" {
		c := gremlingrpc.NewCodec(nil)
		conn := start(t, func(s *grpc.Server) { shop.RegisterShopServer(s, holding{}) },
			[]grpc.ServerOption{grpc.ForceServerCodecV2(c)}, nil)
		s, err := shop.NewShopClient(conn).Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := s.Send(&shop.GetRequest{Pad: "xxxxxend"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.CloseSend(); err != nil {
			t.Fatal(err)
		}
		d, err := s.Recv()
		t.Logf("id %q, %v", d.GetId(), err)
		return
	}
	for mode, want := range map[string]string{"0": `id "end"`, "1": "id \"", "pages": "SIGSEGV"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGuardOfTheEnvironment$", "-test.v")
		cmd.Env = append(os.Environ(), "GREMLIN_GUARD="+mode, "GUARD_CHILD=1")
		out, err := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || (err != nil) != (mode == "pages") ||
			mode == "1" && strings.Contains(string(out), `id "end"`) {
			t.Errorf("%s: %v\n%s", mode, err, out)
		}
	}
}

// TestGuardCatches: a handler that keeps a borrowed string crashes, in a process of its own.
func TestGuardCatches(t *testing.T) {
	const inChild = "GUARD_CHILD"
	if os.Getenv(inChild) != "" {
		p := &guarded{pages: map[*byte][]byte{}}
		keep(t, p, holding{}, gremlingrpc.NewCodec(nil, gremlingrpc.WithPool(p)), sizes...)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestGuardCatches$")
	cmd.Env = append(os.Environ(), inChild+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "unexpected fault address") &&
		!strings.Contains(string(out), "SIGSEGV") {
		t.Errorf("it did not crash: %v\n%s", err, out)
	}
}
