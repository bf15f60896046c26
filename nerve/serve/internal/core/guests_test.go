package core

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/lease"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// TestGuests gives the requests of a principal one worker, which is neither that of another one nor
// there for ever; the name is free again when all have gone.
func TestGuests(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	root, err := Open(t.TempDir(), Options{Create: true, Lease: time.Millisecond,
		Folder: seglog.Options{NoSpare: true}})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close(ctx)
	access := func(name string) *Access {
		t.Helper()
		p, err := NewPrincipal(name, Grant{Queues: "*", Roles: All})
		if err != nil {
			t.Fatal(err)
		}
		a, err := root.Create(p, "q")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	mine, others := access("me"), access("other")
	var b nerve.Batch
	b.Append([]byte("x"))
	handle, err := mine.AppendAsync(ctx, &b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := handle.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	visit := func(a *Access, d time.Duration) lease.Worker {
		t.Helper()
		w, err := a.Guest("all", WorkOptions{Duration: d})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := visit(mine, time.Hour)
	leases, err := w.Take(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	ack := func(w lease.Worker) error { return w.Ack(ctx, leases[0]) }
	var late *nerve.LeaseError
	if err := visit(others, time.Hour).Close(); err != nil {
		t.Fatal(err)
	}
	if err := others.Settle("all", 1, ack); !errors.As(err, &late) {
		t.Fatalf("the lease of another principal: %v", err)
	}
	if root.workers.Taken() != 2 || root.readers.Taken() != 1 {
		t.Fatalf("%d workers, %d readers", root.workers.Taken(), root.readers.Taken())
	}
	if err := visit(mine, time.Hour).Close(); err != nil {
		t.Fatal(err)
	}
	if err := mine.Settle("all", 1, ack); err != nil || root.workers.Taken() != 2 {
		t.Fatalf("%v, %d workers", err, root.workers.Taken())
	}
	// Those who ask for leases of a millisecond leave soon, and with the last one the name is free.
	all := &mine.queue.dispatchers.guests
	all.mu.Lock()
	for _, g := range all.byKey {
		g.idle.Stop()
		mine.remove(g)
	}
	all.mu.Unlock()
	if err := visit(others, time.Millisecond).Close(); err != nil {
		t.Fatal(err)
	}
	for root.workers.Taken() > 0 || root.readers.Taken() > 0 {
		if ctx.Err() != nil {
			t.Fatal("a guest stays")
		}
		time.Sleep(time.Millisecond)
	}
	for {
		_, err := mine.Claim(ctx, "all", "here", 0)
		var open *nerve.OpenError
		if err == nil {
			break
		}
		if !errors.As(err, &open) {
			t.Fatal(err)
		}
	}
}
