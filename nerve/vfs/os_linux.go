package vfs

import (
	"errors"
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

// ReadAhead implements File.
func (f osFile) ReadAhead(on bool) {
	advice := unix.FADV_RANDOM
	if on {
		advice = unix.FADV_NORMAL
	}
	_ = unix.Fadvise(int(f.Fd()), 0, 0, advice)
}

func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// WriteVecAt implements File. A batch is a short header and a long body: two
// calls would take the locks of the file and touch the page between them twice.
func (f osFile) WriteVecAt(parts [][]byte, off int64) (int, error) {
	var n int
	err := retry(func() (err error) {
		n, err = unix.Pwritev(int(f.Fd()), parts, off)
		return err
	})
	n = max(n, 0)
	if err != nil {
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: err}
	}
	for i, left := 0, n; i < len(parts); i++ {
		if left < len(parts[i]) {
			// Short, and without a reason: the rest goes its own way or tells it.
			rest := append([][]byte{parts[i][left:]}, parts[i+1:]...)
			m, err := writeVec(f, rest, off+int64(n))
			return n + m, err
		}
		left -= len(parts[i])
	}
	return n, nil
}

// directPiece is what Fill writes at a time: with more, appends that go on
// beside it wait longer, with less it takes longer.
const directPiece = 256 << 10

// Fill implements File. It goes around the cache: there are then no dirty pages
// for the syncs of others to write, and no need of a sync, which waits for the
// journal of the file system, before the end.
func (f osFile) Fill(size int64, stop func() bool) error {
	fd := int(f.Fd())
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil && size%directPiece == 0 {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags|unix.O_DIRECT)
	}
	if err != nil || size%directPiece != 0 {
		return fill(f, size, stop)
	}
	err = f.fillDirect(size, stop)
	if _, back := unix.FcntlInt(uintptr(fd), unix.F_SETFL, flags); err == nil && back != nil {
		return &os.PathError{Op: "fcntl", Path: f.Name(), Err: back}
	}
	if errors.Is(err, unix.EINVAL) {
		return fill(f, size, stop)
	}
	return err
}

func (f osFile) fillDirect(size int64, stop func() bool) error {
	if err := f.Allocate(size); err != nil {
		return err
	}
	// Direct writes want aligned memory, and memory of one's own is.
	zeros, err := unix.Mmap(-1, 0, directPiece, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return fill(f, size, stop)
	}
	defer func() { _ = unix.Munmap(zeros) }()
	for at := int64(0); at < size; at += directPiece {
		if stop() {
			return ErrStopped
		}
		if _, err := f.WriteAt(zeros, at); err != nil {
			return err
		}
	}
	return f.Sync()
}
