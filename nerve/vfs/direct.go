package vfs

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"syscall"
)

// DirectBlock is what offsets, lengths and addresses of direct writes are
// multiples of, in bytes. No disk in use has larger blocks than a page.
const DirectBlock = 4096

// ErrNoDirect is in the errors of OpenDirect and Memory where appends cannot
// bypass the cache: the file system or its blocks do not allow it, or the
// system has no such thing.
var ErrNoDirect = errors.New("writes cannot bypass the cache here")

// errOtherFile says that the name of a file leads to another one: somebody moved
// the folder, and it must not be written to what is there now.
var errOtherFile = fmt.Errorf("%w: another file has the name now", ErrNoDirect)

// RefusesDirect reports whether an error of a direct write says that the file
// takes none, which does not keep it from being written through the cache.
func RefusesDirect(err error) bool {
	return errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.EOPNOTSUPP) ||
		errors.Is(err, ErrNoDirect)
}

// writeAligned is WriteVecAt of a file that is open for direct writes: what a
// short write left over is written again from the beginning of its block.
func writeAligned(parts [][]byte, off int64,
	write func([][]byte, int64) (int, error)) (written int, err error) {
	total := length(parts)
	for written < total {
		n, err := write(behind(parts, written), off+int64(written))
		whole := n &^ (DirectBlock - 1)
		written += whole
		if err != nil {
			return written, err
		}
		if whole == 0 {
			return written, io.ErrShortWrite
		}
	}
	return written, nil
}

func length(parts [][]byte) (n int) {
	for _, p := range parts {
		n += len(p)
	}
	return n
}

// behind returns what follows the first n bytes of parts.
func behind(parts [][]byte, n int) [][]byte {
	for i, p := range parts {
		if n < len(p) {
			return append([][]byte{p[n:]}, parts[i+1:]...)
		}
		n -= len(p)
	}
	return nil
}

// front returns the first n bytes of parts.
func front(parts [][]byte, n int) (list [][]byte) {
	for _, p := range parts {
		list = append(list, p[:min(n, len(p))])
		if n -= len(p); n <= 0 {
			break
		}
	}
	return list
}

// misaligned tells what of a direct write is no multiple of the block.
func misaligned(parts [][]byte, off int64) error {
	if off%DirectBlock != 0 {
		return fmt.Errorf("offset %d: %w", off, syscall.EINVAL)
	}
	for _, p := range parts {
		if len(p)%DirectBlock != 0 || address(p)%DirectBlock != 0 {
			return fmt.Errorf("%d bytes at address %#x: %w", len(p), address(p), syscall.EINVAL)
		}
	}
	return nil
}

func address(p []byte) uintptr { return reflect.ValueOf(p).Pointer() }

// aligned returns n bytes of the heap at the address of a block.
func aligned(n int) []byte {
	b := make([]byte, n+DirectBlock)
	pad := int(-address(b) & (DirectBlock - 1))
	return b[pad : pad+n : pad+n]
}
