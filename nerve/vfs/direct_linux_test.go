package vfs

import (
	"errors"
	"testing"
)

// TestFitsBlock checks which alignments direct writes of whole blocks fit.
func TestFitsBlock(t *testing.T) {
	for _, c := range []struct {
		memory, offset uint32
		fits           bool
	}{{4, 512, true}, {512, 4096, true}, {4096, 4096, true}, {0, 0, false}, {4, 16384, false},
		{8192, 512, false}, {512, 520, false}} {
		if err := fitsBlock(c.memory, c.offset); (err == nil) != c.fits ||
			err != nil && !errors.Is(err, ErrNoDirect) {
			t.Errorf("memory %d, offsets %d: %v", c.memory, c.offset, err)
		}
	}
}
