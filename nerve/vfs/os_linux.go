package vfs

import (
	"os"

	"golang.org/x/sys/unix"
)

func allocate(f *os.File, size int64) error {
	err := retry(func() error { return unix.Fallocate(int(f.Fd()), 0, 0, size) })
	if err == unix.EOPNOTSUPP || err == unix.ENOSYS {
		return f.Truncate(size)
	}
	return err
}

// datasync leaves out times of access and change, which nobody needs durable
// and which would cost a second write.
func datasync(f *os.File) error {
	return retry(func() error { return unix.Fdatasync(int(f.Fd())) })
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
