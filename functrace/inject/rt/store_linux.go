package rt

import (
	"errors"
	"syscall"
)

const mapFlags = syscall.MAP_SHARED

// populateWrite is MADV_POPULATE_WRITE of Linux 5.14, which package syscall does not name: make all
// pages of a segment ready to be written at once, instead of by a fault for each page.
const populateWrite = 23

func populate(b []byte) {
	_ = syscall.Madvise(b, populateWrite) // where it is unknown, pages come one by one
}

// reserve allocates the next n bytes on the disk. Writing to a mapped page for which the disk has
// no room would kill the program. Pages that are written before they are mapped also cost half of
// those that are filled by faults.
func (s *store) reserve(n int64) error {
	if err := syscall.Fallocate(int(s.file.Fd()), 0, s.size, n); err != nil &&
		!errors.Is(err, syscall.EOPNOTSUPP) {
		return err
	}
	return s.writeZeros(n)
}
