package vfs

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// hugePage is the size of the pages that the system uses for large memory if it
// is asked to. The kernel looks up each page of a direct write: with small ones
// that costs a quarter of the rate.
const hugePage = 2 << 20

// directFile is open for direct writes.
type directFile struct{ osFile }

// OpenDirect implements File.
func (same osFile) OpenDirect(path string) (File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		if errors.Is(err, unix.EINVAL) {
			err = &os.PathError{Op: "open", Path: path, Err: ErrNoDirect}
		}
		return nil, err
	}
	if err = isSame(same.File, f); err == nil {
		err = takesDirect(int(f.Fd()))
	}
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return directFile{osFile{f}}, nil
}

func isSame(a, b *os.File) error {
	infoA, errA := a.Stat()
	infoB, errB := b.Stat()
	if err := errors.Join(errA, errB); err != nil {
		return err
	}
	if !os.SameFile(infoA, infoB) {
		return errOtherFile
	}
	return nil
}

// takesDirect asks the file system. Those that are not named here may take such
// writes and do something else with them: keep checksums of memory that changes,
// or go through the cache after all.
func takesDirect(fd int) error {
	var fs unix.Statfs_t
	if err := retry(func() error { return unix.Fstatfs(fd, &fs) }); err != nil {
		return err
	}
	switch uint32(fs.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
	default:
		return fmt.Errorf("%w: file system %#x is not ext4, xfs or overlay", ErrNoDirect,
			uint32(fs.Type))
	}
	var x unix.Statx_t
	err := retry(func() error {
		return unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_DIOALIGN, &x)
	})
	if err != nil || x.Mask&unix.STATX_DIOALIGN == 0 {
		return nil // the kernel cannot tell, and the first write will
	}
	return fitsBlock(x.Dio_mem_align, x.Dio_offset_align)
}

// fitsBlock compares what a file asks of direct writes with DirectBlock.
func fitsBlock(memory, offset uint32) error {
	fits := func(n uint32) bool { return n > 0 && DirectBlock%n == 0 }
	if !fits(memory) || !fits(offset) {
		return fmt.Errorf("%w: they need memory at multiples of %d and offsets of %d bytes",
			ErrNoDirect, memory, offset)
	}
	return nil
}

func (f directFile) WriteAt(p []byte, off int64) (int, error) {
	return f.WriteVecAt([][]byte{p}, off)
}

// WriteVecAt implements File.
func (f directFile) WriteVecAt(parts [][]byte, off int64) (int, error) {
	return writeAligned(parts, off, func(parts [][]byte, off int64) (n int, err error) {
		err = retry(func() (err error) {
			n, err = unix.Pwritev(int(f.Fd()), parts, off)
			return err
		})
		if err != nil {
			err = &os.PathError{Op: "write", Path: f.Name(), Err: err}
		}
		return max(n, 0), err
	})
}

// Memory implements FS. It is not of the heap: the collector does not count it,
// and it goes back to the system at once.
func (OS) Memory(n int) ([]byte, func(), error) {
	mapped, err := unix.Mmap(-1, 0, n+hugePage, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %d bytes of memory: %w", ErrNoDirect, n, err)
	}
	pad := int(-address(mapped) & (hugePage - 1))
	b := mapped[pad : pad+n : pad+n]
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE) // a wish: without, it is slower
	return b, func() { _ = unix.Munmap(mapped) }, nil
}
