package core_test

import (
	"context"
	"errors"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/core"
)

// TestBudget keeps what is taken within the limit, and batches within half of it.
func TestBudget(t *testing.T) {
	root := newRoot(t, core.Options{InFlight: 1 << 20}, "orders")
	a, err := root.Access(principal(t, "*", core.All), "orders")
	if err != nil {
		t.Fatal(err)
	}
	if l := a.Limits(); l.Batch != 1<<19 || l.Record >= l.Batch {
		t.Errorf("%+v", l)
	}
	var b nerve.Batch
	b.Append(make([]byte, 1<<19))
	_, err = a.AppendAsync(t.Context(), &b)
	if _, ok := errors.AsType[*nerve.TooLargeError](err); !ok {
		t.Errorf("%v", err)
	}
	budget := root.Budget()
	var releases []func()
	for range 2 {
		release, err := budget.Acquire(t.Context(), 1<<19)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := budget.Acquire(canceled, 1); err == nil || budget.Held() != 1<<20 {
		t.Errorf("%v, %d are held", err, budget.Held())
	}
	for _, release := range releases {
		release()
	}
	if budget.Held() != 0 {
		t.Errorf("%d are held", budget.Held())
	}
}
