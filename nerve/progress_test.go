package nerve

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// modelSpans makes random spans, and a map that says the same: 0 is acknowledged.
func modelSpans(rng *rand.Rand, n int) (spans []Span, says map[ID]uint32) {
	says = map[ID]uint32{}
	at := ID(rng.IntN(100))
	for range n {
		first := at + 1 + ID(rng.IntN(1+rng.IntN(50)))
		at = first + ID(rng.IntN(1+rng.IntN(200)))
		s := Span{First: first, Last: at, Attempts: uint32(max(0, rng.IntN(6)-2))}
		if rng.IntN(10) == 0 {
			s.Attempts = 1 << rng.IntN(32)
		}
		spans = append(spans, s)
		for id := first; id <= at; id++ {
			says[id] = s.Attempts
		}
	}
	return spans, says
}

func saidBy(p Progress) map[ID]uint32 {
	says := map[ID]uint32{}
	for s := range p.All() {
		for id := s.First; id <= s.Last; id++ {
			says[id] = s.Attempts
		}
	}
	return says
}

// TestProgress packs random spans and compares what comes out with a map.
func TestProgress(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 4))
		spans, says := modelSpans(rng, rng.IntN(60))
		p := MakeProgress(slices.Values(spans))
		if got := saidBy(p); !maps.Equal(got, says) {
			t.Fatalf("seed %d: %v, want %v", seed, got, says)
		}
		again, err := ParseProgress(p.Packed())
		if err != nil || again != p || again.Size() != len(p.Packed()) {
			t.Fatalf("seed %d: %v, %v", seed, again, err)
		}
		last := ID(0)
		for id := range says {
			last = max(last, id)
		}
		if p.Last() != last {
			t.Fatalf("seed %d: the last is %d, want %d", seed, p.Last(), last)
		}
		from := ID(rng.IntN(int(last) + 2))
		to := from + ID(rng.IntN(int(last)+2))
		maps.DeleteFunc(says, func(id ID, _ uint32) bool { return id < from || id > to })
		if got := saidBy(p.Within(from, to)); !maps.Equal(got, says) {
			t.Fatalf("seed %d: within %d to %d %v, want %v", seed, from, to, got, says)
		}
	}
}

// TestProgressIsBounded: what does not fit is left out from the end.
func TestProgressIsBounded(t *testing.T) {
	every := func(yield func(Span) bool) {
		for id := ID(2); yield(Span{First: id, Last: id}); id += 2 {
			if id > 1<<20 {
				t.Fatal("it takes spans without end")
			}
		}
	}
	p := MakeProgress(every)
	if p.Size() > MaxProgress || p.Size() < MaxProgress-2 || p.Last() < 10_000 {
		t.Fatalf("%d bytes, up to %d", p.Size(), p.Last())
	}
	says := saidBy(p)
	for id, last := ID(1), p.Last(); id <= last; id++ { // Last reads all of it
		if _, ok := says[id]; ok != (id%2 == 0) {
			t.Fatalf("%d: %v", id, ok)
		}
	}
	if p := MakeProgress(slices.Values([]Span{{First: 5, Last: 1 << 40}})); p.Size() > 12 {
		t.Errorf("a long run takes %d bytes", p.Size())
	}
	if _, err := ParseProgress(make([]byte, MaxProgress+1)); err == nil {
		t.Error("more than MaxProgress is read")
	}
}

// FuzzProgress: bytes are refused, or say something that packs to the same.
func FuzzProgress(f *testing.F) {
	f.Add([]byte{1, 5, 4<<2 | 1, 3 << 2, 1<<2 | 2, 7})
	f.Add([]byte{1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 5})
	f.Add([]byte{2, 1, 5})
	f.Fuzz(func(t *testing.T, packed []byte) {
		p, err := ParseProgress(packed)
		if err != nil {
			return
		}
		before := ID(0)
		for s := range p.All() {
			if s.First <= before || s.Last < s.First || s.Last > maxID {
				t.Fatalf("%+v behind %d", s, before)
			}
			before = s.Last
		}
		again := MakeProgress(p.All())
		if !slices.Equal(slices.Collect(again.All()), joined(p)) || again.Size() > len(packed) {
			t.Fatalf("%x is packed as %x", packed, again.Packed())
		}
		if !bytes.Equal(p.Packed(), packed) && len(packed) > 0 {
			t.Fatal("it keeps other bytes")
		}
	})
}

// joined is the spans of p, with those joined that say the same.
func joined(p Progress) (list []Span) {
	for s := range p.All() {
		n := len(list) - 1
		if n >= 0 && list[n].Last+1 == s.First && list[n].Attempts == s.Attempts {
			list[n].Last = s.Last
			continue
		}
		list = append(list, s)
	}
	return list
}
