package conformance

import (
	"os"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// guarded is memory behind which there is a page that cannot be read.
type guarded struct{ mem []byte }

func newGuarded(t *testing.T, size int) guarded {
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory map: ", err)
	}
	t.Cleanup(func() { _ = syscall.Munmap(mem) })
	if err := syscall.Mprotect(mem[size:], syscall.PROT_NONE); err != nil {
		t.Skip("no protected page: ", err)
	}
	return guarded{mem[:size:size]}
}

// flush returns a copy of b that ends where the unreadable page begins.
func (g guarded) flush(b []byte) []byte {
	c := g.mem[len(g.mem)-len(b):]
	copy(c, b)
	return c
}

// TestGuardPage reads inputs flush against memory that must not be read: a load past the end is a
// crash.
func TestGuardPage(t *testing.T) {
	g := newGuarded(t, 1<<16)
	forTypes(t, func(t *testing.T, typ check.Type) {
		rng := seed(typ.Desc)
		for range 4 {
			b := random(rng, typ)
			if len(b) > 1<<12 {
				continue
			}
			inputs := [][]byte{b, check.Mutate(rng, b, typ.Desc), check.Mutate(rng, b, typ.Desc)}
			for n := range min(len(b), 64) {
				inputs = append(inputs, b[:n])
			}
			for _, b := range inputs {
				if len(b) > 1<<16 {
					continue
				}
				r := typ.NewReader()
				_ = r.Unmarshal(g.flush(b))
				check.Read(r, typ.Desc)
				if err := check.Verdict(typ, g.flush(b)); err != nil {
					t.Fatalf("%v\ninput %x", err, b)
				}
			}
		}
	})
}
