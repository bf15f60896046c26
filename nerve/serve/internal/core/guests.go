package core

import (
	"errors"
	"sync"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
)

// guests are workers of those who have no connection that could end, but ask now and then: one for
// each principal and what he wants.
type guests struct {
	mu    sync.Mutex
	byKey map[guestKey]*guest
}

type guestKey struct {
	consumer, share string
	duration        time.Duration
	byKey           bool
}

// guest is a worker that leaves when nobody has used it for as long as a lease lasts: then all its
// leases have ended.
type guest struct {
	lease.Worker
	key   guestKey
	d     *dispatcher
	users int
	idle  *time.Timer // set while nobody uses it
}

// Guest returns the worker of a principal who asks now and then, instead of being connected: the
// same for all his requests that want the same. Close ends the request alone; what it took stays
// taken. It takes Consume.
func (a *Access) Guest(consumer string, o WorkOptions) (lease.Worker, error) {
	if err := a.Need(Consume); err != nil {
		return nil, err
	}
	all := &a.queue.dispatchers.guests
	key := guestKey{consumer, a.principal.Share(), o.Duration, o.ByKey}
	all.mu.Lock()
	defer all.mu.Unlock()
	g := all.byKey[key]
	if g != nil && g.d.Err() != nil { // there may be another dispatcher
		a.remove(g)
		g = nil
	}
	if g == nil {
		w, d, err := a.join(consumer, o)
		if err != nil {
			return nil, err
		}
		g = &guest{Worker: w, key: key, d: d}
		if all.byKey == nil {
			all.byKey = make(map[guestKey]*guest)
		}
		all.byKey[key] = g
	}
	return a.use(g), nil
}

// use returns a guest in the hands of a request. The mutex is held.
func (a *Access) use(g *guest) *visit {
	if g.idle != nil {
		g.idle.Stop()
		g.idle = nil
	}
	g.users++
	return &visit{worker: worker{Worker: g.Worker, access: a, d: g.d}, guest: g}
}

// visit is the use of a guest by a request.
type visit struct {
	worker
	guest *guest
}

// Close implements lease.Worker.
func (v *visit) Close() error {
	err := nerve.ErrClosed
	v.once.Do(func() {
		err = nil
		a, g := v.access, v.guest
		all := &a.queue.dispatchers.guests
		all.mu.Lock()
		defer all.mu.Unlock()
		if g.users--; g.users > 0 || all.byKey[g.key] != g {
			return
		}
		g.idle = time.AfterFunc(g.Duration(), func() {
			all.mu.Lock()
			defer all.mu.Unlock()
			if g.users == 0 && all.byKey[g.key] == g {
				a.remove(g)
			}
		})
	})
	return err
}

// remove lets a guest leave. The mutex is held.
func (a *Access) remove(g *guest) {
	delete(a.queue.dispatchers.guests.byKey, g.key)
	_ = g.Worker.Close() // only that it left could be wrong
	a.leave(g.d)
}

// Settle calls f with the guest of a principal that has a lease, whichever it is: f returns a
// [nerve.LeaseError] if it is not this one. It takes Consume.
func (a *Access) Settle(consumer string, id nerve.ID, f func(lease.Worker) error) error {
	if err := a.Need(Consume); err != nil {
		return err
	}
	all := &a.queue.dispatchers.guests
	var visits []*visit
	all.mu.Lock()
	for key, g := range all.byKey {
		if key.consumer == consumer && key.share == a.principal.Share() {
			visits = append(visits, a.use(g))
		}
	}
	all.mu.Unlock()
	var err error = &nerve.LeaseError{ID: id}
	for _, v := range visits {
		var late *nerve.LeaseError
		if errors.As(err, &late) {
			err = f(v)
		}
		_ = v.Close() // it was open
	}
	return err
}
