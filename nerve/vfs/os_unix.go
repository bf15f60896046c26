//go:build unix

package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock takes an flock, which belongs to the open file: a second opener in the
// same process is refused like one in another.
func lock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK {
		return ErrLocked
	}
	return err
}

func unlock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func syncDir(d *os.File) error { return d.Sync() }
