//go:build !linux

package vfs

import "os"

// allocate has no portable reservation to call: the space is found when it is
// written to.
func allocate(f *os.File, size int64) error { return f.Truncate(size) }

// WriteVecAt implements File.
func (f osFile) WriteVecAt(parts [][]byte, off int64) (int, error) {
	return writeVec(f, parts, off)
}

// Fill implements File.
func (f osFile) Fill(size int64, stop func() bool) error { return fill(f, size, stop) }

// ReadAhead implements File.
func (osFile) ReadAhead(bool) {}

func datasync(f *os.File) error { return f.Sync() }
