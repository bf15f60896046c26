//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package rt

import (
	"errors"
	"os"
)

// store keeps the recording in memory and writes it when it is closed: here a program that ends
// otherwise than by returning from main.main or by Stop leaves nothing.
type store struct {
	file *os.File
	size int64
	maps [][]byte
}

func createStore(path string) (*store, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &store{file: f}, nil
}

// extend adds n bytes, which are zero.
func (s *store) extend(n int64) ([]byte, error) {
	b := make([]byte, n)
	s.maps = append(s.maps, b)
	s.size += n
	return b, nil
}

// close writes the first size bytes.
func (s *store) close(size int64) error {
	var errs error
	for _, b := range s.maps {
		n, err := s.file.Write(b[:min(int64(len(b)), size)])
		size -= int64(n)
		errs = errors.Join(errs, err)
	}
	return errors.Join(errs, s.file.Close())
}

func (s *store) unmap() {}

// mayGrow returns an error if the system would end the program for a file of so many bytes.
func mayGrow(int64) error { return nil }
