package keyed

import (
	"iter"

	"github.com/octopus-framework/octopus/nerve"
)

// IDs is what a log remembers of the ids of appends. The zero value with a Window
// that has its defaults is empty. It is not safe for concurrent use.
type IDs struct {
	Window nerve.DedupWindow

	entries []StoredID // the oldest first
	gone    uint64     // entries that were before these
	at      map[nerve.DedupID]uint64
}

// StoredID is where the records of an append with an id are.
type StoredID struct {
	ID nerve.DedupID
	nerve.Appended
}

// Sift is Batch.Sift for a batch that is about to be appended at that time.
func (t *IDs) Sift(b *nerve.Batch, unixNano int64) *nerve.Batch {
	return b.Sift(func(id nerve.DedupID) nerve.Appended {
		i, ok := t.at[id]
		if !ok {
			return nerve.Appended{}
		}
		if a := t.entries[i-t.gone].Appended; !t.tooOld(a, unixNano) {
			return a
		}
		return nerve.Appended{}
	})
}

func (t *IDs) tooOld(a nerve.Appended, unixNano int64) bool {
	return unixNano-a.UnixNano > int64(t.Window.Age)
}

// Add remembers an append, the newest one.
func (t *IDs) Add(a StoredID) {
	if t.at == nil {
		t.at = make(map[nerve.DedupID]uint64)
	}
	for len(t.entries) > 0 &&
		(len(t.entries) >= t.Window.IDs || t.tooOld(t.entries[0].Appended, a.UnixNano)) {
		t.dropOldest()
	}
	t.at[a.ID] = t.gone + uint64(len(t.entries))
	t.entries = append(t.entries, a)
}

func (t *IDs) dropOldest() {
	if id := t.entries[0].ID; t.at[id] == t.gone { // else it came again since
		delete(t.at, id)
	}
	t.entries = t.entries[1:]
	t.gone++
}

// AddParts remembers the parts of a batch that was appended, those that are new.
func (t *IDs) AddParts(b *nerve.Batch) {
	for _, p := range b.Parts() {
		if !p.Repeated {
			t.Add(StoredID{p.ID, p.Stored})
		}
	}
}

// Len is the number of appends that are remembered.
func (t *IDs) Len() int { return len(t.entries) }

// All yields what is remembered, the oldest first.
func (t *IDs) All() iter.Seq[StoredID] {
	return func(yield func(StoredID) bool) {
		for _, a := range t.entries {
			if !yield(a) {
				return
			}
		}
	}
}

// Forget drops the appends above last, which a crash took.
func (t *IDs) Forget(last nerve.ID) {
	kept := t.entries
	*t = IDs{Window: t.Window}
	for _, a := range kept {
		if a.Last <= last {
			t.Add(a)
		}
	}
}
