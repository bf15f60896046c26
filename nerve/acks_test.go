package nerve

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAckSet compares the ring of bits with a plain map.
func TestAckSet(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 3))
		start := ID(rng.IntN(200))
		s := ackSet{pointer: start}
		acked := map[ID]bool{}
		want := start
		delivered := start
		for range 400 {
			delivered += ID(rng.IntN(1 + rng.IntN(150)))
			if delivered == want {
				continue
			}
			id := want + 1 + ID(rng.Uint64N(uint64(delivered-want)))
			if rng.IntN(3) > 0 {
				id = want + 1 + ID(rng.Uint64N(uint64(min(delivered-want, 5))))
			}
			if rng.IntN(12) == 0 {
				s.through(id)
				want = max(want, id)
			} else {
				s.add(id)
				acked[id] = true
			}
			for acked[want+1] {
				want++
			}
			if s.pointer != want {
				t.Fatalf("seed %d: pointer is %d, want %d", seed, s.pointer, want)
			}
			if rng.IntN(100) == 0 {
				s.compare(t, acked, delivered)
			}
		}
	}
}

// compare compares what is marked above the pointer with a map.
func (s *ackSet) compare(t *testing.T, acked map[ID]bool, last ID) {
	t.Helper()
	above := 0
	for id := s.pointer + 1; id <= last; id++ {
		if s.has(id) != acked[id] {
			t.Fatalf("%d is marked: %t", id, s.has(id))
		}
		if acked[id] {
			above++
		}
	}
	open, marked := s.pointer+1, s.pointer+1
	for open <= last && acked[open] {
		open++
	}
	for marked <= last && !acked[marked] {
		marked++
	}
	if got := s.nextOpen(s.pointer); got != open || s.above != above {
		t.Fatalf("open is %d, want %d; %d are marked, want %d", got, open, s.above, above)
	}
	if got := s.nextAcked(s.pointer); got != marked && (got <= s.top || marked <= last) {
		t.Fatalf("the next one is %d, want %d", got, marked)
	}
	for span := range s.all {
		for id := span.First; id <= span.Last; id++ {
			if above--; !acked[id] {
				t.Fatalf("%d is in a run", id)
			}
		}
	}
	if above != 0 {
		t.Fatalf("%d more are marked than the runs have", above)
	}
}

func TestCheckName(t *testing.T) {
	for name, good := range map[string]bool{
		"a": true, "billing-2.eu_west": true, "9": true,
		"": false, "-a": false, "a/b": false, "a b": false, "ü": false, "..": false,
		string(make([]byte, MaxName+1)): false,
	} {
		if err := CheckName(name); (err == nil) != good {
			t.Errorf("CheckName(%q) = %v", name, err)
		}
	}
}

// FuzzPacked checks that packed bytes are either refused or can be walked,
// whether they come at once or in pieces.
func FuzzPacked(f *testing.F) {
	var b Batch
	b.Append([]byte("one"))
	b.Append(nil)
	f.Add(b.Packed(), 2)
	f.Add([]byte{255, 255, 255, 255}, 1)
	f.Fuzz(func(t *testing.T, packed []byte, piece int) {
		ends := AppendEnds(nil, packed)
		var again []uint32
		for at := 0; at < len(packed); at += max(piece, 1) {
			again = AppendEnds(again, packed[:at])
		}
		if again = AppendEnds(again, packed); !slices.Equal(ends, again) {
			t.Fatalf("%v at once, %v in pieces", ends, again)
		}
		count := len(ends)
		if count == 0 || int(ends[count-1]) != len(packed) {
			return
		}
		var b Batch
		b.View(7, 1, packed, ends)
		n, size, longest := 0, 0, 0
		for rec := range b.All() {
			if rec.ID != ID(7+n) {
				t.Fatalf("record %d has id %d", n, rec.ID)
			}
			n++
			size += recordPrefix + len(rec.Data)
			longest = max(longest, len(rec.Data))
		}
		if n != count || size != len(packed) || b.Size() != size || b.MaxRecord() != longest {
			t.Fatalf("%d records of %d bytes in a batch of %d and %d", n, size, count, len(packed))
		}
		b.DropBefore(ID(7 + count/2))
		if b.Len() != count-count/2 || b.First != ID(7+count/2) {
			t.Fatalf("%d records left", b.Len())
		}
		var c Batch
		c.Append([]byte("before"))
		c.AppendBatch(&b)
		if c.Len() != 1+b.Len() || c.Size() != 10+b.Size() ||
			!slices.Equal(c.ends, AppendEnds(nil, c.Packed())) {
			t.Fatalf("%d records of %d bytes after AppendBatch", c.Len(), c.Size())
		}
	})
}

// TestResetOfAView fills a batch that was a view: the memory that it viewed is
// not its own to write to.
func TestResetOfAView(t *testing.T) {
	var log, b Batch
	log.Append([]byte("stored"))
	b.View(1, 1, log.Packed(), AppendEnds(nil, log.Packed()))
	b.Append([]byte("more"))
	b.View(1, 1, log.Packed(), AppendEnds(nil, log.Packed()))
	b.Reset()
	b.Append([]byte("other!"))
	for rec := range log.All() {
		if string(rec.Data) != "stored" {
			t.Fatalf("the log has %q", rec.Data)
		}
	}
}
