package core_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// TestNewQueuesAreShared leaves room for others when one principal makes queues as
// long as it may, and serves what is there all the same.
func TestNewQueuesAreShared(t *testing.T) {
	root := newRoot(t, core.Options{Create: true, Queues: 10}, "old-1", "old-2")
	fill := func(who string) (made int) {
		t.Helper()
		p, err := core.NewPrincipal(who, core.Grant{Queues: "*", Roles: core.Append})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 10 {
			_, err := root.Create(p, fmt.Sprintf("%s-%d", who, n))
			if busy, is := errors.AsType[*nerve.BusyError](err); is && busy.What == "queues" {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			made++
		}
		for n := range made { // none of them counts twice
			if _, err := root.Access(p, fmt.Sprintf("%s-%d", who, n)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := root.Access(p, "old-1"); err != nil {
			t.Fatal(err)
		}
		return made
	}
	if first, second := fill("greedy"), fill("modest"); first != 6 || second != 1 {
		t.Errorf("one made %d of 8 queues, the next %d; want 6 and 1", first, second)
	}
	if refused := root.Metrics.RefusedByLimits.Load(); refused != 2 {
		t.Errorf("%d were counted as refused", refused)
	}
}
