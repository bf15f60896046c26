// Package claims keeps the claims of consumer names for logs that one process
// has open for writing.
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

func (t *Table) free(c claim) bool {
	return !c.held || t.Lease > 0 && !t.Now().Before(c.until)
}

func (t *Table) store(name string, c claim) nerve.Claim {
	if t.byName == nil {
		t.byName = make(map[string]claim)
	}
	c.held = true
	if t.Lease > 0 {
		c.until = t.Now().Add(t.Lease)
	}
	t.byName[name] = c
	return nerve.Claim{Name: name, Epoch: c.epoch, Lease: t.Lease}
}

// Claim takes a name. The epoch is higher than any before and than above.
func (t *Table) Claim(name string, above uint64) (nerve.Claim, error) {
	if err := nerve.CheckName(name); err != nil {
		return nerve.Claim{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.byName[name]
	if !t.free(c) {
		return nerve.Claim{}, t.taken(name)
	}
	c.epoch = max(c.epoch, above) + 1
	return t.store(name, c), nil
}

func (t *Table) taken(name string) error {
	return &nerve.OpenError{Name: name, Where: "this process", Lease: t.Lease}
}

// Resume takes a name under an epoch of before, which nobody has claimed since: a
// FencedError if somebody has, as far as the table knows.
func (t *Table) Resume(c nerve.Claim) (nerve.Claim, error) {
	if err := nerve.CheckName(c.Name); err != nil {
		return nerve.Claim{}, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.byName[c.Name]; now.epoch > 0 || c.Epoch == 0 {
		return nerve.Claim{}, &nerve.FencedError{What: "consumer", Name: c.Name, Epoch: c.Epoch}
	}
	return t.store(c.Name, claim{epoch: c.Epoch}), nil
}

// Renew begins the lease anew.
func (t *Table) Renew(c nerve.Claim) (nerve.Claim, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.check(c.Name, c.Epoch); err != nil {
		return nerve.Claim{}, err
	}
	return t.store(c.Name, t.byName[c.Name]), nil
}

// Release gives a name up.
func (t *Table) Release(c nerve.Claim) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.byName[c.Name]; now.epoch == c.Epoch {
		now.held = false
		t.byName[c.Name] = now
	}
}

// Check says whether the pointer of a name may be changed under an epoch, 0 for
// no claim.
func (t *Table) Check(name string, epoch uint64) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.check(name, epoch)
}

func (t *Table) check(name string, epoch uint64) error {
	c := t.byName[name]
	switch {
	case epoch == 0 && !t.free(c):
		return t.taken(name)
	case epoch != 0 && (!c.held || c.epoch != epoch):
		return &nerve.FencedError{What: "consumer", Name: name, Epoch: epoch}
	}
	return nil
}
