package keyed

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/nerve"
)

func idOf(n int) (id nerve.DedupID) {
	binary.LittleEndian.PutUint64(id[:], uint64(n))
	return id
}

func storedAt(n int) StoredID {
	return StoredID{idOf(n), nerve.Appended{First: nerve.ID(n), Last: nerve.ID(n),
		UnixNano: int64(n) * int64(time.Second)}}
}

// TestIDsWindow remembers the newest ids within a number and a time, and an id that
// came again after its time by the second append.
func TestIDsWindow(t *testing.T) {
	ids := IDs{Window: nerve.DedupWindow{IDs: 10, Age: 5 * time.Second}}
	known := func(n, at int) bool {
		b := new(nerve.Batch)
		b.Append(nil)
		b.Once(idOf(n))
		return ids.Sift(b, int64(at)*int64(time.Second)).Len() == 0
	}
	for n := 1; n <= 4; n++ {
		ids.Add(storedAt(n))
	}
	if !known(1, 6) || known(1, 7) || !known(4, 9) || known(5, 5) {
		t.Error("the time is not that of the window")
	}
	again := storedAt(8)
	again.ID = idOf(1)
	ids.Add(again) // and the first of it goes
	if !known(1, 9) || ids.Len() != 3 || len(ids.at) != 3 {
		t.Errorf("%d appends with %d ids are remembered, want 3", ids.Len(), len(ids.at))
	}
	for n := range 1000 {
		a := storedAt(8)
		a.ID = idOf(100 + n)
		ids.Add(a)
	}
	if ids.Len() != 10 || len(ids.at) != 10 || !known(1099, 8) || known(1089, 8) {
		t.Errorf("%d appends with %d ids are remembered, want 10", ids.Len(), len(ids.at))
	}
	ids.Forget(7)
	if ids.Len() != 0 || known(1099, 8) {
		t.Error("what a crash took is remembered")
	}
}
