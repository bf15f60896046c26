package gremlingrpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// counted is a pool that counts what is taken and what is given back.
type counted struct {
	pool       mem.BufferPool
	gets, puts atomic.Int64
}

func (p *counted) Get(n int) *[]byte {
	p.gets.Add(1)
	return p.pool.Get(n)
}

func (p *counted) Put(b *[]byte) {
	p.puts.Add(1)
	for i := range *b {
		(*b)[i] = 0xdb // whoever still reads it finds no message
	}
	p.pool.Put(b)
}

// failing is a shop whose handlers end in every way there is.
type failing struct {
	server
	attempts *atomic.Int64
	began    chan struct{}
}

func (s failing) Get(ctx context.Context, r *shop.GetRequestReader) (*shop.Deposit, error) {
	switch r.GetId() {
	case "error":
		return deposit(r), status.Error(codes.Aborted, "as asked")
	case "panic":
		panic("as asked")
	case "wait":
		s.began <- struct{}{}
		<-ctx.Done()
		return deposit(r), ctx.Err()
	case "retry":
		if s.attempts.Add(1) < 3 {
			return nil, status.Error(codes.Unavailable, "not yet")
		}
	}
	return deposit(r), nil
}

func recovered(ctx context.Context, req any, _ *grpc.UnaryServerInfo,
	h grpc.UnaryHandler) (_ any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = status.Errorf(codes.Internal, "panic: %v", p)
		}
	}()
	return h(ctx, req)
}

const retries = `{"methodConfig": [{"name": [{"service": "shop.v1.Shop"}], "retryPolicy": {"maxAttempts": 4,
	"initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1, "retryableStatusCodes": ["UNAVAILABLE"]}}]}`

// TestPoolGetsItsBuffersBack: when all is over, what was taken from the pool for messages that were
// sent, or decoded into Messages, has been put back.
func TestPoolGetsItsBuffersBack(t *testing.T) {
	const size = 50000
	scenarios := map[string]func(t *testing.T, c shop.ShopClient, s failing){
		"success": func(t *testing.T, c shop.ShopClient, _ failing) {
			d, err := c.Get(t.Context(), &shop.GetRequest{Id: "d", Length: size})
			if err != nil {
				t.Fatal(err)
			}
			check(t, d, "d", size)
		},
		"error": func(t *testing.T, c shop.ShopClient, _ failing) {
			wantCode(t, c, "error", codes.Aborted)
		},
		"panic": func(t *testing.T, c shop.ShopClient, _ failing) {
			wantCode(t, c, "panic", codes.Internal)
		},
		"cancel": func(t *testing.T, c shop.ShopClient, s failing) {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-s.began; cancel() }()
			if _, err := c.Get(ctx, long("wait", size)); status.Code(err) != codes.Canceled {
				t.Error(err)
			}
		},
		"deadline": func(t *testing.T, c shop.ShopClient, _ failing) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
			defer cancel()
			if _, err := c.Get(ctx, long("wait",
				size)); status.Code(err) != codes.DeadlineExceeded {
				t.Error(err)
			}
		},
		"oversized answer": func(t *testing.T, c shop.ShopClient, _ failing) {
			_, err := c.Get(t.Context(), &shop.GetRequest{Id: "d", Length: size},
				grpc.MaxCallRecvMsgSize(size/2))
			if status.Code(err) != codes.ResourceExhausted {
				t.Error(err)
			}
		},
		"oversized request": func(t *testing.T, c shop.ShopClient, _ failing) {
			_, err := c.Get(t.Context(), long("d", size), grpc.MaxCallSendMsgSize(size/2))
			if status.Code(err) != codes.ResourceExhausted {
				t.Error(err)
			}
		},
		"retries": func(t *testing.T, c shop.ShopClient, s failing) {
			if _, err := c.Get(t.Context(), long("retry", size)); err != nil ||
				s.attempts.Load() != 3 {
				t.Errorf("%v after %d attempts", err, s.attempts.Load())
			}
		},
		"server stream": func(t *testing.T, c shop.ShopClient, _ failing) {
			s, err := c.List(t.Context(), &shop.GetRequest{Id: "d", Length: size})
			for err == nil {
				_, err = s.Recv()
			}
			if !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		},
		"borrowed": func(t *testing.T, c shop.ShopClient, _ failing) {
			s, err := c.List(t.Context(), &shop.GetRequest{Id: "d", Length: size})
			if err != nil {
				t.Fatal(err)
			}
			var b gremlingrpc.Borrowed[shop.DepositReader, *shop.DepositReader]
			for err = s.RecvMsg(&b); err == nil; err = s.RecvMsg(&b) {
				check(t, b.Reader(), "d", size)
			}
			if !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			b.Release()
		},
		"abandoned stream": func(t *testing.T, c shop.ShopClient, _ failing) {
			ctx, cancel := context.WithCancel(t.Context())
			s, err := c.List(ctx, &shop.GetRequest{Id: "d", Length: size})
			if err == nil {
				_, err = s.Recv()
			}
			cancel()
			if err != nil {
				t.Error(err)
			}
		},
		"bidi": func(t *testing.T, c shop.ShopClient, _ failing) {
			s, err := c.Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for range 20 {
				if err := s.Send(long("d", size)); err != nil {
					t.Fatal(err)
				}
				if _, err := s.Recv(); err != nil {
					t.Fatal(err)
				}
			}
			_ = s.CloseSend()
			if _, err := s.Recv(); !errors.Is(err, io.EOF) {
				t.Error(err)
			}
		},
	}
	for name, run := range scenarios {
		t.Run(name, func(t *testing.T) {
			p := &counted{pool: gremlingrpc.NewPool()}
			srv := failing{attempts: new(atomic.Int64), began: make(chan struct{}, 1)}
			t.Run("calls", func(t *testing.T) { // its cleanup ends connection and server
				conn := start(t, func(s *grpc.Server) { shop.RegisterShopServer(s, srv) },
					[]grpc.ServerOption{experimental.BufferPool(p),
						gremlingrpc.ServerOption(gremlingrpc.WithPool(p)),
						grpc.UnaryInterceptor(recovered)},
					[]grpc.DialOption{experimental.WithBufferPool(p),
						gremlingrpc.DialOption(gremlingrpc.WithPool(p)),
						grpc.WithDefaultServiceConfig(retries)})
				run(t, shop.NewShopClient(conn), srv)
			})
			gets, puts := p.gets.Load(), p.puts.Load()
			if (name == "abandoned stream" || name == "oversized answer") && puts > 0 &&
				puts < gets {
				// what grpc-go has queued for a stream that was given up is left to the garbage
				// collector
				return
			}
			if gets != puts || gets == 0 {
				t.Errorf("%d buffers were taken, %d put back", gets, puts)
			}
		})
	}
}

// long returns a request of more than n bytes.
func long(id string, n int32) *shop.GetRequest {
	return &shop.GetRequest{Id: id, Length: 1, Pad: strings.Repeat("p", int(n))}
}

func wantCode(t *testing.T, c shop.ShopClient, id string, want codes.Code) {
	t.Helper()
	if _, err := c.Get(t.Context(), long(id, 50000)); status.Code(err) != want {
		t.Error(err)
	}
}
