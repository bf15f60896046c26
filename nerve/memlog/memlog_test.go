package memlog_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/memlog"
	"github.com/octopus-framework/octopus/nerve/nervetest"
)

// backend is a log whose clock runs ahead when claims are to lapse.
type backend struct {
	lease time.Duration
	ahead *atomic.Int64
}

func (b backend) Open(*testing.T) nerve.Log {
	return memlog.New(memlog.Options{
		Limits: nerve.Limits{Record: 10_000, Batch: 60_000},
		Dedup:  nerve.DedupWindow{IDs: 30},
		Lease:  b.lease,
		Now:    func() time.Time { return time.Now().Add(time.Duration(b.ahead.Load())) },
	})
}

func (b backend) Capabilities() nervetest.Capabilities {
	can := nervetest.Capabilities{Keys: true, Dedup: true, Claims: true,
		Bounded: func(_ *testing.T, bytes int64) nerve.Log {
			return memlog.New(memlog.Options{MaxBytes: bytes})
		},
		Age: func(*testing.T) { b.ahead.Add(int64(nerve.DefaultDedupAge) + 1) }}
	if b.lease > 0 {
		can.Lapse = func(*testing.T) { b.ahead.Add(int64(b.lease)) }
	}
	return can
}

func TestContract(t *testing.T) {
	for name, lease := range map[string]time.Duration{"forever": 0, "lease": time.Hour} {
		t.Run(name, func(t *testing.T) {
			nervetest.Run(t, func(*testing.T) nervetest.Backend {
				return backend{lease: lease, ahead: new(atomic.Int64)}
			})
		})
	}
}
