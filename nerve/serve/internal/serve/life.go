package serve

import (
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// life is that of a session. What is done in the session holds a lease, and all of
// these have ended when end returns: nothing that comes after a logout is answered.
type life struct {
	mu     sync.Mutex
	over   bool
	leases map[*core.Lease]struct{}
	timer  *time.Timer
}

// newLife returns one that ends by itself.
func newLife(lasts time.Duration) *life {
	l := &life{leases: make(map[*core.Lease]struct{})}
	l.timer = time.AfterFunc(lasts, l.end)
	return l
}

// hold makes a lease end with the session, until release is called.
func (l *life) hold(lease *core.Lease) (release func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		lease.End(errLoggedOut)
	} else {
		l.leases[lease] = struct{}{}
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.leases, lease)
	}
}

// end ends the session and what is done in it.
func (l *life) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer.Stop()
	l.over = true
	for lease := range l.leases {
		lease.End(errLoggedOut)
	}
	clear(l.leases)
}
