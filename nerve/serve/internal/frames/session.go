package frames

import (
	"context"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
)

const (
	maxIdleSessions = 4096
	idleSessionTime = 10 * time.Minute
)

// session is what is remembered of a client whose connection is lost, so that it
// can ask again: the outcomes of its last appends. It has one connection at a
// time.
type session struct {
	owner string // the principal

	taking chan struct{} // holds a token of the connection that has it

	mu   sync.Mutex
	conn *conn
	left time.Time // when the last connection ended

	highest uint64 // sequence of an append
	ring    []outcome
}

// outcome is what became of an append.
type outcome struct {
	seq    uint64
	handle nerve.Handle
	err    error // why it was not accepted
}

// before returns the outcome of a sequence that came already. lost says that it
// came and nobody knows any more.
func (s *session) before(seq uint64) (o outcome, found, lost bool) {
	if seq > s.highest {
		return o, false, false
	}
	if s.ring != nil {
		if o = s.ring[seq%wire.MaxInFlight]; o.seq == seq {
			return o, true, false
		}
	}
	return o, false, true
}

// note remembers an outcome. Only the connection that has the session calls it.
func (s *session) note(o outcome) {
	if s.ring == nil {
		s.ring = make([]outcome, wire.MaxInFlight)
	}
	s.ring[o.seq%wire.MaxInFlight] = o
	s.highest = max(s.highest, o.seq)
}

type sessionKey struct {
	queue string
	id    uint64
}

// sessions are those of a server.
type sessions struct {
	mu   sync.Mutex
	byID map[sessionKey]*session
}

func newSessions() *sessions { return &sessions{byID: make(map[sessionKey]*session)} }

// take gives the session to a connection, when the one before has let it go: that
// is closed. known says that there was one. One of somebody else is not given, and
// none to a connection that another one has closed meanwhile.
func (s *sessions) take(key sessionKey, c *conn) (found *session, known bool, err error) {
	s.mu.Lock()
	found, known = s.byID[key]
	if !known {
		s.makeRoom()
		found = &session{owner: c.principal.Name(), taking: make(chan struct{}, 1)}
		s.byID[key] = found
	}
	s.mu.Unlock()
	if found.owner != c.principal.Name() {
		return nil, false, &nerve.CredentialsError{Reason: "the session is somebody else's"}
	}
	found.mu.Lock()
	old := found.conn
	found.conn = c
	found.mu.Unlock()
	if old != nil {
		old.end(nerve.ErrClosed)
	}
	select {
	case found.taking <- struct{}{}:
		return found, known, nil
	case <-c.closed:
		return nil, false, context.Cause(c.ctx)
	}
}

// makeRoom forgets sessions without a connection when there are too many: those that
// are old, else the oldest of the principal who has most. The mutex is held.
func (s *sessions) makeRoom() {
	if len(s.byID) < maxIdleSessions {
		return
	}
	idle := make(map[string]int) // by owner
	oldest := make(map[string]sessionKey)
	at := make(map[string]time.Time)
	for key, one := range s.byID {
		one.mu.Lock()
		busy, left := one.conn != nil, one.left
		one.mu.Unlock()
		switch {
		case busy:
			continue
		case time.Since(left) > idleSessionTime:
			delete(s.byID, key)
			continue
		}
		idle[one.owner]++
		if first := at[one.owner]; first.IsZero() || left.Before(first) {
			oldest[one.owner], at[one.owner] = key, left
		}
	}
	if len(s.byID) < maxIdleSessions {
		return
	}
	most := ""
	for owner, n := range idle {
		if n > idle[most] {
			most = owner
		}
	}
	delete(s.byID, oldest[most])
}

// release lets go of a session; forget drops it.
func (s *sessions) release(key sessionKey, one *session, c *conn, forget bool) {
	one.mu.Lock()
	mine := one.conn == c
	if mine {
		one.conn, one.left = nil, time.Now()
	}
	one.mu.Unlock()
	if mine && forget {
		s.mu.Lock()
		delete(s.byID, key)
		s.mu.Unlock()
	}
	<-one.taking
}
