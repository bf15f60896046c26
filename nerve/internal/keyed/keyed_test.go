package keyed_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
)

func appended(producer, seq uint64, first nerve.ID) nerve.Appended {
	key := nerve.Key{Producer: producer, Seq: seq}
	return nerve.Appended{Key: key, First: first, Last: first, UnixNano: int64(first)}
}

// TestTable compares a table with a list of everything that was added.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var table keyed.Table
	var all []nerve.Appended
	seqs := map[uint64]uint64{}
	for id := nerve.ID(1); id <= 5000; id++ {
		producer := 1 + rng.Uint64N(300)
		seqs[producer] += 1 + rng.Uint64N(2)
		a := appended(producer, seqs[producer], id)
		if found, err := table.Find(a.Key, 1); err != nil || found.First != 0 {
			t.Fatalf("Find(%v) = %+v, %v before it was added", a.Key, found, err)
		}
		table.Add(a)
		all = append(all, a)
		if got := table.Last(producer); got != a {
			t.Fatalf("Last = %+v, want %+v", got, a)
		}
	}
	counts := map[uint64]int{}
	for _, a := range slices.Backward(all) {
		counts[a.Key.Producer]++
		found, err := table.Find(a.Key, 1)
		if counts[a.Key.Producer] <= keyed.Appends {
			if err != nil || found != a {
				t.Fatalf("Find(%v) = %+v, %v; want %+v", a.Key, found, err, a)
			}
		} else if old := (*nerve.KeyError)(nil); !errors.As(err, &old) {
			t.Fatalf("Find of the forgotten %v = %+v, %v", a.Key, found, err)
		}
	}
	// What All yields makes the same table, and a copy of it.
	var again keyed.Table
	for a := range table.All() {
		again.Add(a)
	}
	moved := again
	if got, want := slices.Collect(moved.All()),
		slices.Collect(table.All()); !slices.Equal(got, want) ||
		moved.Len() != len(want) {
		t.Fatalf("%d entries, %d by Len, want %d", len(got), moved.Len(), len(want))
	}
	moved.Forget(2500)
	for a := range moved.All() {
		if a.Last > 2500 {
			t.Fatalf("%+v was to be forgotten", a)
		}
	}
}

// TestOldestProducerIsForgotten bounds the table, and takes the next key of a
// producer that was forgotten as that of a new one.
func TestOldestProducerIsForgotten(t *testing.T) {
	var table keyed.Table
	for id := nerve.ID(1); id <= keyed.Producers; id++ {
		table.Add(appended(uint64(id), 9, id))
	}
	table.Add(appended(1, 10, keyed.Producers+1)) // now 2 is the oldest
	table.Add(appended(keyed.Producers+1, 1, keyed.Producers+2))
	if n := table.Len(); n != keyed.Producers+1 {
		t.Fatalf("%d appends are remembered, want %d", n, keyed.Producers+1)
	}
	for producer, want := range map[uint64]uint64{1: 10, 2: 0, 3: 9, keyed.Producers + 1: 1} {
		if got := table.Last(producer).Key.Seq; got != want {
			t.Errorf("the newest of producer %d is %d, want %d", producer, got, want)
		}
	}
	// A producer that begins again, as seen by a table that did not forget it.
	table.Add(appended(3, 2, keyed.Producers+3))
	if found, err := table.Find(nerve.Key{Producer: 3, Seq: 9}, 1); err != nil || found.First != 0 {
		t.Errorf("Find = %+v, %v; want a new append", found, err)
	}
}
