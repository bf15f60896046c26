//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package rt

import "syscall"

const mapFlags = syscall.MAP_SHARED

func populate([]byte) {} // pages come one by one

// reserve allocates the next n bytes on the disk. Writing to a mapped page for which the disk has
// no room would kill the program.
func (s *store) reserve(n int64) error { return s.writeZeros(n) }
