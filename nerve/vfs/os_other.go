//go:build !linux

package vfs

import "os"

// allocate has no portable reservation to call: the space is found when it is
// written to.
func allocate(f *os.File, size int64) error { return f.Truncate(size) }

func datasync(f *os.File) error { return f.Sync() }
