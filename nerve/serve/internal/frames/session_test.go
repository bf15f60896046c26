package frames

import (
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// TestSessionsOfOthers forgets the sessions of whoever has most: who makes many pushes
// out his own, and those of others are remembered.
func TestSessionsOfOthers(t *testing.T) {
	s := newSessions()
	use := func(who string, id uint64) (known bool) {
		t.Helper()
		p, err := core.NewPrincipal(who, core.Grant{Queues: "*", Roles: core.All})
		if err != nil {
			t.Fatal(err)
		}
		c := &conn{principal: p, closed: make(chan struct{})}
		key := sessionKey{who, id}
		one, known, err := s.take(key, c)
		if err != nil {
			t.Fatal(err)
		}
		s.release(key, one, c, false)
		one.left = time.Unix(time.Now().Unix(), int64(id)) // none is old
		return known
	}
	use("modest", 1)
	for id := range uint64(maxIdleSessions + 100) {
		if use("greedy", id) {
			t.Fatalf("session %d is known", id)
		}
	}
	if !use("modest", 1) {
		t.Error("the session of another principal is forgotten")
	}
	if len(s.byID) > maxIdleSessions {
		t.Errorf("%d sessions", len(s.byID))
	}
	if use("greedy", 0) || !use("greedy", maxIdleSessions+99) {
		t.Error("not the oldest sessions are forgotten")
	}
}
