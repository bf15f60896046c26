package gremlingrpc_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/status"

	"github.com/octopus-framework/octopus/gremlin/gremlingrpc"
	"github.com/octopus-framework/octopus/gremlin/gremlingrpc/internal/shop"
)

// checking answers messages that are right, with strings of the requests of a while ago.
type checking struct{ shop.UnimplementedShopServer }

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

func (checking) Watch(s grpc.BidiStreamingServer[shop.GetRequestReader, shop.Deposit]) error {
	var last [8]*shop.GetRequestReader
	for i := 0; ; i++ {
		r, err := s.Recv()
		if err != nil {
			return nil
		}
		if r.GetId() != sum(r.GetPad()) {
			return status.Errorf(codes.DataLoss, "request %d is not what was sent", i)
		}
		last[i%len(last)] = r
		old := last[(i+1)%len(last)]
		if err := s.Send(&shop.Deposit{Id: r.GetId(), Note: []byte(old.GetPad()),
			User: &shop.User{Id: old.GetId()}}); err != nil {
			return err
		}
	}
}

// TestManyStreams sends messages that tell whether they are whole over many streams of one
// connection, with pools that hand buffers out again at once and overwritten.
func TestManyStreams(t *testing.T) {
	streams, messages := 64, 1000
	if testing.Short() {
		streams, messages = 8, 200
	}
	p := &counted{pool: gremlingrpc.NewPool()}
	conn := start(t, func(s *grpc.Server) { shop.RegisterShopServer(s, checking{}) },
		[]grpc.ServerOption{experimental.BufferPool(p),
			gremlingrpc.ServerOption(gremlingrpc.WithPool(p))},
		[]grpc.DialOption{experimental.WithBufferPool(p),
			gremlingrpc.DialOption(gremlingrpc.WithPool(p))})
	var wg sync.WaitGroup
	for i := range streams {
		wg.Go(func() {
			if err := chat(t, shop.NewShopClient(conn), rand.New(rand.NewPCG(uint64(i), 1)),
				messages); err != nil {
				t.Errorf("stream %d: %v", i, err)
			}
		})
	}
	wg.Wait()
}

func chat(t *testing.T, c shop.ShopClient, random *rand.Rand, messages int) error {
	s, err := c.Watch(t.Context())
	if err != nil {
		return err
	}
	var kept []*shop.DepositReader
	for i := range messages {
		pad := strings.Repeat(string(rune('a'+i%26)), random.IntN(200))
		if i%50 == 0 {
			pad = strings.Repeat(pad, 200) // more than a frame
		}
		if err := s.Send(&shop.GetRequest{Id: sum(pad), Pad: pad}); err != nil {
			return err
		}
		d, err := s.Recv()
		if err != nil {
			return err
		}
		if d.GetId() != sum(pad) {
			return fmt.Errorf("answer %d is not to the request", i)
		}
		kept = append(kept, d)
	}
	for i, d := range kept {
		if id := d.GetUser().GetId(); id != "" && id != sum(string(d.GetNote())) {
			return fmt.Errorf("answer %d has changed", i)
		}
	}
	return s.CloseSend()
}
