package core

import (
	"context"
	"slices"
	"sync"

	"github.com/octopus-framework/octopus/nerve"
)

// sharePart is how many times what is free one principal may hold.
const sharePart = 3

// shares divides a limit among those who ask: nobody gets more than sharePart times
// what he leaves free. So one alone has three quarters at most, and each who comes
// later three quarters of what is left; the first may take one, however large. It is
// not safe for concurrent use.
type shares struct {
	limit, held int64
	by          map[string]int64
}

func newShares(limit int64) shares { return shares{limit: limit, by: make(map[string]int64)} }

// take gives who n more, if his share allows it.
func (s *shares) take(who string, n int64) bool {
	free := s.limit - s.held - n
	if s.by[who]+n > sharePart*free && (s.held > 0 || free < 0) {
		return false
	}
	s.held += n
	s.by[who] += n
	return true
}

// give takes n back.
func (s *shares) give(who string, n int64) {
	s.held -= n
	if s.by[who] -= n; s.by[who] <= 0 {
		delete(s.by, who)
	}
}

// Budget is memory for frames that are being received. Each takes it in steps, as its
// bytes come, so that what was only announced costs nobody anything. Principals
// have shares of it. A part is kept for one frame at a time that finds no more in
// its share, so that frames which hold memory and wait for more do not wait for
// each other. It is safe for concurrent use.
type Budget struct {
	reserve int64

	mu      sync.Mutex
	shares  shares
	eldest  *Hold   // draws on the reserve, nil for none
	waiting []*Hold // holds in the order in which they came
}

// NewBudget returns one of limit bytes, for frames of at most largest bytes.
func NewBudget(limit, largest int64) *Budget {
	return &Budget{reserve: largest, shares: newShares(max(0, limit-largest))}
}

// Largest is how large a frame may be.
func (b *Budget) Largest() int { return int(b.reserve) }

// Held is how many bytes are taken.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.eldest != nil {
		return b.shares.held + b.eldest.reserved
	}
	return b.shares.held
}

// Waiting is how many frames wait for memory.
func (b *Budget) Waiting() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.waiting)
}

// Hold is what one frame has taken. It is used by one goroutine at a time.
type Hold struct {
	budget           *Budget
	who              string
	shared, reserved int64

	want    int64
	granted chan struct{}
}

// Hold begins a frame of somebody, with nothing taken.
func (b *Budget) Hold(who string) *Hold { return &Hold{budget: b, who: who} }

// Take waits for n bytes more until ctx ends. All that a frame takes together is at
// most what NewBudget was told. Release gives it back.
func (h *Hold) Take(ctx context.Context, n int) error {
	b := h.budget
	b.mu.Lock()
	h.want = int64(n)
	if b.grant(h) || b.promote(h) {
		b.mu.Unlock()
		return nil
	}
	h.granted = make(chan struct{})
	b.waiting = append(b.waiting, h)
	b.mu.Unlock()
	select {
	case <-h.granted:
		return nil
	case <-ctx.Done():
		b.mu.Lock()
		defer b.mu.Unlock()
		b.waiting = slices.DeleteFunc(b.waiting, func(w *Hold) bool { return w == h })
		return context.Cause(ctx)
	}
}

// Reserved reports whether the frame draws on the reserve, which others may wait for.
func (h *Hold) Reserved() bool { return h.reserved > 0 }

// Release gives all back. It may be called again.
func (h *Hold) Release() {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shares.give(h.who, h.shared)
	if b.eldest == h {
		b.eldest = nil
	}
	h.shared, h.reserved = 0, 0
	b.wake()
}

// grant gives a frame what it wants out of its share, or of the reserve if it has
// that already. The mutex is held.
func (b *Budget) grant(h *Hold) bool {
	switch {
	case b.eldest == h:
		h.reserved += h.want
	case b.shares.take(h.who, h.want):
		h.shared += h.want
	default:
		return false
	}
	return true
}

// promote gives the reserve to a frame, if nobody has it. The mutex is held.
func (b *Budget) promote(h *Hold) bool {
	if b.eldest != nil {
		return false
	}
	b.eldest = h
	return b.grant(h)
}

// wake gives those who wait what there is: in their order out of their shares, and
// the reserve to one of whoever holds least. The mutex is held.
func (b *Budget) wake() {
	b.waiting = slices.DeleteFunc(b.waiting, func(h *Hold) bool {
		granted := b.grant(h)
		if granted {
			close(h.granted)
		}
		return granted
	})
	if len(b.waiting) == 0 || b.eldest != nil {
		return
	}
	least := 0
	for i, h := range b.waiting {
		if b.shares.by[h.who] < b.shares.by[b.waiting[least].who] {
			least = i
		}
	}
	b.promote(b.waiting[least])
	close(b.waiting[least].granted)
	b.waiting = slices.Delete(b.waiting, least, least+1)
}

// Places bounds how many of something there are, with a share for each principal. It
// is safe for concurrent use.
type Places struct {
	what string

	mu     sync.Mutex
	shares shares
}

// NewPlaces returns as many as limit says of what, in the plural.
func NewPlaces(what string, limit int) *Places {
	return &Places{what: what, shares: newShares(int64(limit))}
}

// Enter takes one for somebody. Leave gives it back.
func (p *Places) Enter(who string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shares.take(who, 1) {
		return &nerve.BusyError{What: p.what + ", which all share", Limit: int(p.shares.limit)}
	}
	return nil
}

// Leave gives one back.
func (p *Places) Leave(who string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.shares.give(who, 1)
}

// Taken is how many are taken.
func (p *Places) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int(p.shares.held)
}
