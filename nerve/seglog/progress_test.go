package seglog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// TestDamagedProgress damages the file with acks above the pointers, or takes it away: what a
// consumer is said to have done, it did, and the log opens.
func TestDamagedProgress(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	l := open(t, dir, seglog.Options{})
	mustAppend(t, l, 1, 2000)
	wanted := map[nerve.Progress]bool{{}: true}
	for round := range nerve.ID(3) {
		p := nerve.Pointer{Name: "a", ID: round}
		p.Progress = nerve.MakeProgress(func(yield func(nerve.Span) bool) {
			for id := round + 5; id < 1000; id += 2 + round {
				if !yield(nerve.Span{First: id, Last: id}) {
					return
				}
			}
		})
		wanted[p.Progress] = true
		if err := l.SavePointers(t.Context(), []nerve.Pointer{p}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "acks")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[nerve.Progress]bool{}
	for round := range 100 {
		b := append([]byte(nil), whole...)
		for range 1 + round/20 {
			b[rng.IntN(700)+rng.IntN(2)*nerve.MaxProgress] ^= 1 << rng.IntN(8)
		}
		b = b[:len(b)-rng.IntN(1+round*10)]
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if round == 99 {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		l := open(t, dir, seglog.Options{ReadOnly: round%2 == 0})
		list, err := l.Pointers(t.Context())
		if err != nil || len(list) != 1 || !wanted[list[0].Progress] {
			t.Fatalf("%v, %v", list, err)
		}
		seen[list[0].Progress] = true
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) != 3 {
		t.Errorf("%d outcomes, want the newest, the one before, and none", len(seen))
	}
}

// BenchmarkSavePointers stores a pointer with acks above it, beside an append of one event.
func BenchmarkSavePointers(b *testing.B) {
	l := open(b, b.TempDir(), seglog.Options{})
	defer l.Close()
	var batch nerve.Batch
	for range 40_000 {
		batch.Append(make([]byte, 100))
	}
	if _, err := l.Append(b.Context(), &batch); err != nil {
		b.Fatal(err)
	}
	b.Run("append", func(b *testing.B) {
		var one nerve.Batch
		one.Append(make([]byte, 325))
		for b.Loop() {
			if _, err := l.Append(b.Context(), &one); err != nil {
				b.Fatal(err)
			}
		}
	})
	for _, acks := range []nerve.ID{0, 20, 1000, 16_000} {
		p := nerve.Pointer{Name: "a", ID: 1}
		p.Progress = nerve.MakeProgress(func(yield func(nerve.Span) bool) {
			for id := nerve.ID(3); id < 3+2*acks; id += 2 {
				if !yield(nerve.Span{First: id, Last: id}) {
					return
				}
			}
		})
		b.Run(fmt.Sprintf("save%d", acks), func(b *testing.B) {
			for b.Loop() {
				p.ID = 3 - p.ID // 1 and 2 in turn
				if err := l.SavePointers(b.Context(), []nerve.Pointer{p}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
