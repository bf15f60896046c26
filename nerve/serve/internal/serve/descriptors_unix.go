//go:build unix

package serve

import (
	"math"
	"syscall"
)

// descriptorLimit is how many descriptors the process may have. Go has raised that to
// all that it may be given.
func descriptorLimit() (n int, ok bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, false
	}
	return int(min(uint64(limit.Cur), math.MaxInt32)), true
}
