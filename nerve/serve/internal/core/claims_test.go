package core_test

import (
	"context"
	"errors"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// TestClaimsOverRestarts gives a name back to whoever had it last, under the same
// epoch however often he asks: the answer may be lost with the server. Somebody
// who claimed it since keeps it.
func TestClaimsOverRestarts(t *testing.T) {
	root := newRoot(t, core.Options{}, "orders")
	ctx := t.Context()
	p := principal(t, "*", core.All)
	open := func() *core.Access {
		t.Helper()
		a, err := root.Access(p, "orders")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	restart := func() *core.Access {
		t.Helper()
		if err := root.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		var err error
		if root, err = core.Open(root.Dir(), root.Options()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = root.Close(context.Background()) })
		return open()
	}
	a := open()
	c, err := a.Claim(ctx, "billing", "first", 1)
	if err != nil {
		t.Fatal(err)
	}
	save := func(a *core.Access, c nerve.Claim) error {
		return a.SavePointers(ctx, []nerve.Pointer{{Name: "billing", ID: 1, Epoch: c.Epoch}})
	}
	if err := save(a, c); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		a = restart()
		for range 2 {
			if again, err := a.Renew(ctx, c, "first"); err != nil || again != c {
				t.Fatalf("%+v, %v; want %+v", again, err, c)
			}
		}
		if err := save(a, c); err != nil {
			t.Fatal(err)
		}
		_, err := a.Claim(ctx, "billing", "second", 2)
		if e, ok := errors.AsType[*nerve.OpenError](err); !ok || e.Where != "first" {
			t.Fatalf("%v", err)
		}
	}
	a = restart()
	other, err := a.Claim(ctx, "billing", "second", 2)
	if err != nil || other.Epoch <= c.Epoch {
		t.Fatalf("%+v, %v", other, err)
	}
	for range 2 {
		_, err := a.Renew(ctx, c, "first")
		if _, ok := errors.AsType[*nerve.FencedError](err); !ok {
			t.Fatalf("%v", err)
		}
		if err := save(a, c); err == nil {
			t.Fatal("a pointer under a claim that was lost")
		}
		a = restart()
	}
	if again, err := a.Renew(ctx, other, "second"); err != nil || again != other {
		t.Fatalf("%+v, %v; want %+v", again, err, other)
	}
}

// TestRemoveClaimed says who has a name that cannot be removed.
func TestRemoveClaimed(t *testing.T) {
	root := newRoot(t, core.Options{}, "orders")
	a, err := root.Access(principal(t, "*", core.All), "orders")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Claim(t.Context(), "billing", "host-7", 1); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"remove": a.RemovePointer(t.Context(), "billing"),
		"move":   a.MovePointer(t.Context(), "billing", 1, false),
	} {
		e, ok := errors.AsType[*nerve.OpenError](err)
		if !ok || e.Where != "host-7" || e.Lease == 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
}
