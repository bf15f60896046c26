package gremlingrpc_test

import (
	"fmt"
	"syscall"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// BenchmarkBorrow sends messages of several sizes back and forth over a stream and reports the
// processor time of a message, both ends together.
func BenchmarkBorrow(b *testing.B) {
	for _, size := range []int32{300, 2000, 15000, 60000, 250000, 1000000} {
		for _, kind := range []string{"safe", "borrowed"} {
			b.Run(fmt.Sprintf("%d/%s", size, kind), func(b *testing.B) {
				p := gremlingrpc.NewPool()
				conn := start(b, func(s *grpc.Server) { shop.RegisterShopServer(s, server{}) },
					[]grpc.ServerOption{experimental.BufferPool(p),
						gremlingrpc.ServerOption(gremlingrpc.WithPool(p))},
					[]grpc.DialOption{experimental.WithBufferPool(p),
						gremlingrpc.DialOption(gremlingrpc.WithPool(p))})
				s, err := shop.NewShopClient(conn).Watch(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				var d shop.DepositReader
				var borrowed gremlingrpc.Borrowed[shop.DepositReader, *shop.DepositReader]
				target, r := any(&d), &d
				if kind == "borrowed" {
					target, r = &borrowed, borrowed.Reader()
				}
				b.ReportAllocs()
				before := processorTime()
				for b.Loop() {
					if err := s.Send(&shop.GetRequest{Id: "d", Length: size}); err != nil {
						b.Fatal(err)
					}
					if err := s.RecvMsg(target); err != nil {
						b.Fatal(err)
					}
					if len(r.GetNote()) != int(size) {
						b.Fatal("another message")
					}
				}
				b.ReportMetric(float64(processorTime()-before)/float64(b.N), "cpu-ns/op")
				_ = s.CloseSend()
				_ = s.RecvMsg(target)
			})
		}
	}
}

func processorTime() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
