//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package rt

import (
	"errors"
	"os"
	"syscall"
)

// store is the file of a recording, mapped into memory: what is stored there survives the process.
type store struct {
	file *os.File
	size int64
	maps [][]byte
}

// zeros is what a file is written with before it is mapped. Longer pieces would have the file
// system look for huge pages, which takes it ten times as long where memory is fragmented.
var zeros [64 << 10]byte

// createStore makes an empty file. A file that is already there is unlinked first: the process that
// may still be writing it, a parent with the same environment for example, keeps its own.
func createStore(path string) (*store, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &store{file: f}, nil
}

// mayGrow returns an error if the system would end the program for a file of so many bytes.
func mayGrow(size int64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return nil // then there is none
	}
	if uint64(limit.Cur) < uint64(size) {
		return syscall.EFBIG
	}
	return nil
}

// writeZeros writes the next n bytes.
func (s *store) writeZeros(n int64) error {
	for off := s.size; off < s.size+n; {
		written, err := s.file.WriteAt(zeros[:min(int64(len(zeros)), s.size+n-off)], off)
		if err != nil {
			return err
		}
		off += int64(written)
	}
	return nil
}

// extend maps n more bytes, which are zero.
func (s *store) extend(n int64) ([]byte, error) {
	if err := mayGrow(s.size + n); err != nil {
		return nil, err
	}
	if err := s.reserve(n); err != nil {
		return nil, err
	}
	b, err := syscall.Mmap(int(s.file.Fd()), s.size, int(n), syscall.PROT_READ|syscall.PROT_WRITE,
		mapFlags)
	if err != nil {
		return nil, err
	}
	populate(b)
	s.maps = append(s.maps, b)
	s.size += n
	return b, nil
}

// close cuts the file to size bytes. The mapped memory below that stays valid until unmap.
func (s *store) close(size int64) error {
	return errors.Join(s.file.Truncate(size), s.file.Close())
}

// unmap gives the memory back.
func (s *store) unmap() {
	for _, b := range s.maps {
		_ = syscall.Munmap(b)
	}
}
