package rt

import (
	"errors"
	"syscall"
)

const mapFlags = syscall.MAP_SHARED

// populateWrite is MADV_POPULATE_WRITE of Linux 5.14, which package syscall does not name: make all pages of a segment
// ready to be written at once. A fault for each page costs about as much as half of its events.
const populateWrite = 23

func populate(b []byte) {
	_ = syscall.Madvise(b, populateWrite) // where it is unknown, pages come one by one
}

// reserve allocates the next n bytes on the disk. Writing to a mapped page for which the disk has no room would kill the
// program.
func (s *store) reserve(n int64) error {
	err := syscall.Fallocate(int(s.file.Fd()), 0, s.size, n)
	if errors.Is(err, syscall.EOPNOTSUPP) {
		return s.writeZeros(n)
	}
	return err
}

func (s *store) writeZeros(n int64) error {
	_, err := s.file.WriteAt(make([]byte, n), s.size)
	return err
}
