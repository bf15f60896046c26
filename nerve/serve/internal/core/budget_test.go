package core_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// TestBudget keeps batches within half of what there is.
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
}

const step = 64 << 10

// TestShares leaves to each who comes later a quarter of what there was.
func TestShares(t *testing.T) {
	places := core.NewPlaces("readers", 256)
	for n, want := range []int{192, 48, 12, 3, 0} {
		who, got := fmt.Sprint(n), 0
		for places.Enter(who) == nil {
			got++
		}
		if got != want {
			t.Errorf("principal %d got %d, want %d", n, got, want)
		}
	}
	_, busy := errors.AsType[*nerve.BusyError](places.Enter("0"))
	if !busy {
		t.Error("the limit is no BusyError")
	}
	places.Leave("0")
	if err := places.Enter("late"); err != nil {
		t.Error(err)
	}
	if err := core.NewPlaces("readers", 1).Enter("alone"); err != nil {
		t.Errorf("the only place: %v", err)
	}
}

// TestReserve lets one frame at a time go on that finds no more in its share, first one
// of whoever holds least, and has the others wait.
func TestReserve(t *testing.T) {
	b := core.NewBudget(16*step, 8*step) // 8 to share
	greedy := make([]*core.Hold, 7)
	for i := range greedy {
		greedy[i] = b.Hold("greedy")
		if err := greedy[i].Take(t.Context(), step); err != nil {
			t.Fatal(err)
		}
	}
	if !greedy[6].Reserved() || greedy[5].Reserved() || b.Held() != 7*step {
		t.Fatalf("the seventh of eight is not of the reserve; %d are held", b.Held())
	}
	got := make(chan string, 2)
	wait := func(who string, h *core.Hold) {
		before := b.Waiting()
		go func() {
			if err := h.Take(t.Context(), 2*step); err != nil {
				t.Error(err)
			}
			got <- who
		}()
		for b.Waiting() == before {
			runtime.Gosched()
		}
	}
	wait("greedy", greedy[0])
	modest := b.Hold("modest")
	if err := modest.Take(t.Context(), step); err != nil { // of its share, at once
		t.Fatal(err)
	}
	wait("modest", modest)
	if err := greedy[6].Take(t.Context(), 7*step); err != nil { // a whole frame
		t.Fatal(err)
	}
	greedy[6].Release()
	if who := <-got; who != "modest" || !modest.Reserved() {
		t.Errorf("the reserve went to %s", who)
	}
	modest.Release()
	<-got
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Hold("greedy").Take(canceled, 8*step); err == nil || b.Waiting() != 0 {
		t.Errorf("%v, %d wait", err, b.Waiting())
	}
	for _, h := range greedy {
		h.Release()
		h.Release() // once counts
	}
	if b.Held() != 0 {
		t.Errorf("%d are held", b.Held())
	}
}

// TestBudgetHasNoDeadlock receives more frames at once than there is memory for: all
// come to their end, and no more is held than there is.
func TestBudgetHasNoDeadlock(t *testing.T) {
	const limit, largest = 24 * step, 8 * step
	b := core.NewBudget(limit, largest)
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			for range 50 {
				h := b.Hold(fmt.Sprint(i % 4))
				for n := 0; n < 1+i%8; n++ {
					if err := h.Take(t.Context(), step); err != nil {
						t.Error(err)
					}
					if held := b.Held(); held > limit {
						t.Errorf("%d of %d are held", held, limit)
					}
					runtime.Gosched()
				}
				h.Release()
			}
		})
	}
	all.Wait()
	if b.Held() != 0 || b.Waiting() != 0 {
		t.Errorf("%d are held, %d wait", b.Held(), b.Waiting())
	}
}
