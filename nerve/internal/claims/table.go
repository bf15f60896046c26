package claims

import (
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

// Table is the claims of one log. It is safe for concurrent use.
type Table struct {
	// Lease of a claim; 0 if it does not lapse. Now is the clock for it.
	Lease time.Duration
	Now   func() time.Time

	mu     sync.Mutex
	byName map[string]claim
}

type claim struct {
	epoch uint64
	held  bool
	until time.Time // when a lease ends
}

// here is who has the names of a table: another consumer of the same process.
const here = "this process"

// state returns the claim of a name. The mutex is held.
func (t *Table) state(name string) State {
	c := t.byName[name]
	s := State{Epoch: c.epoch, Left: Forever}
	if c.held {
		s.Where = here
	}
	if t.Lease > 0 {
		s.Left = c.until.Sub(t.Now())
	}
	return s
}

// store begins a lease. The mutex is held.
func (t *Table) store(name string, epoch uint64) nerve.Claim {
	if t.byName == nil {
		t.byName = make(map[string]claim)
	}
	c := claim{epoch: epoch, held: true}
	if t.Lease > 0 {
		c.until = t.Now().Add(t.Lease)
	}
	t.byName[name] = c
	return nerve.Claim{Name: name, Epoch: epoch, Lease: t.Lease}
}

// Claim takes a name. The epoch is higher than any before and than above.
func (t *Table) Claim(name string, above uint64) (nerve.Claim, error) {
	if err := nerve.CheckName(name); err != nil {
		return nerve.Claim{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.state(name)
	if err := s.CanClaim(name); err != nil {
		return nerve.Claim{}, err
	}
	return t.store(name, max(s.Epoch, above)+1), nil
}

// Resume takes a name under an epoch of before, which nobody has claimed since: a
// FencedError if somebody has, as far as the table knows.
func (t *Table) Resume(c nerve.Claim) (nerve.Claim, error) {
	if err := nerve.CheckName(c.Name); err != nil {
		return nerve.Claim{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var s State // of somebody who has claimed it since
	if t.byName[c.Name].epoch == 0 {
		s = State{Epoch: c.Epoch, Where: here}
	}
	if err := s.CanRenew(c); err != nil {
		return nerve.Claim{}, err
	}
	return t.store(c.Name, c.Epoch), nil
}

// Renew begins the lease anew.
func (t *Table) Renew(c nerve.Claim) (nerve.Claim, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.state(c.Name).CanRenew(c); err != nil {
		return nerve.Claim{}, err
	}
	return t.store(c.Name, c.Epoch), nil
}

// Release gives a name up, unless the claim is lost.
func (t *Table) Release(c nerve.Claim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state(c.Name).CanRenew(c) == nil {
		t.byName[c.Name] = claim{epoch: c.Epoch}
	}
}

// Check is [State.Check] for a name.
func (t *Table) Check(name string, epoch uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state(name).Check(name, epoch)
}

// Held says whether somebody has a name now.
func (t *Table) Held(name string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state(name).Held()
}
