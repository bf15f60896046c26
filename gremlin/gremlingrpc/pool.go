package gremlingrpc

import (
	"math/bits"
	"sync"

	"google.golang.org/grpc/mem"
)

// The tiers of pools, as exponents of two: 1 KiB is what grpc never pools.
const (
	minTier = 11 // 2 KiB
	maxTier = 24 // 16 MiB
)

var defaultPool = NewPool()

// NewPool returns a pool of buffers with a tier for each power of two from 2 KiB to 16 MiB; smaller
// and larger ones are left to the garbage collector. At most half of a buffer is waste, where
// grpc's own pool serves 33 KiB with a MiB; and buffers are not cleared, so that one may hold what
// an earlier message had until it is overwritten: everybody in grpc and here writes before they
// read. It also fits grpc's options experimental.BufferPool and WithBufferPool.
func NewPool() mem.BufferPool { return &pool{} }

type pool struct {
	// each pool holds *[]byte with a capacity of exactly 1<<tier
	tiers [maxTier - minTier + 1]sync.Pool
}

func (p *pool) Get(length int) *[]byte {
	tier := bits.Len(uint(max(length, 1) - 1))
	if tier > maxTier {
		b := make([]byte, length)
		return &b
	}
	tier = max(tier, minTier)
	if b, ok := p.tiers[tier-minTier].Get().(*[]byte); ok {
		*b = (*b)[:length]
		return b
	}
	b := make([]byte, length, 1<<tier)
	return &b
}

// Put takes a buffer back. One that another pool made is let go.
func (p *pool) Put(b *[]byte) {
	n := uint(cap(*b))
	tier := bits.Len(n) - 1
	if n == 0 || n&(n-1) != 0 || tier < minTier || tier > maxTier {
		return
	}
	p.tiers[tier-minTier].Put(b)
}
