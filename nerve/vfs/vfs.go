// Package vfs is the disk as the embedded log sees it: an interface small
// enough to be implemented twice, by the operating system and by a disk in
// memory that can crash.
//
// [OS] is the real one. [Mem] keeps two states of everything, what a program
// sees and what would survive a power cut, and [Mem.Crash] makes a disk of what
// survived: each unsynced 512-byte sector was written or not, on its own; each
// unsynced change of a directory took place or not, in order. It refuses direct
// writes that are not aligned and panics when writes of both kinds mix without a
// sync between them. [WithFaults] puts errors between a program and any disk.
package vfs

import (
	"errors"
	"io"
)

// SectorSize is the unit, in bytes, that a disk writes whole or not at all.
const SectorSize = 512

// FS is a disk. All methods are safe for concurrent use. Errors are those of
// package os: they wrap a syscall.Errno and match fs.ErrNotExist.
type FS interface {
	// Create opens a new empty file for reading and writing, replacing an
	// existing one.
	Create(path string) (File, error)
	// Open opens an existing file for reading and writing.
	Open(path string) (File, error)
	// OpenRead opens an existing file for reading.
	OpenRead(path string) (File, error)
	// Memory returns n bytes at an address that direct writes take, in pages
	// that are good for them, until free is called.
	Memory(n int) (b []byte, free func(), err error)
	// Rename moves a file over whatever is at the new path.
	Rename(from, to string) error
	// Link gives a file a second name, which must be free. Not every file
	// system can.
	Link(from, to string) error
	// Remove removes a file.
	Remove(path string) error
	// List returns the names of the files in a directory, sorted.
	List(dir string) ([]string, error)
	// MkdirAll makes a directory and its parents, durably.
	MkdirAll(dir string) error
	// SyncDir makes creations, renames and removals in a directory durable.
	// It is OpenDir, Sync and Close.
	SyncDir(dir string) error
	// OpenDir opens a directory for syncs. What fails here, for want of
	// descriptors, fails before there is anything to sync.
	OpenDir(dir string) (Dir, error)
	// Lock takes the advisory lock on a file, which is created if need be.
	// The lock goes with the process. The error is ErrLocked if another
	// holder has it.
	Lock(path string) (io.Closer, error)
}

// Dir is an open directory.
type Dir interface {
	io.Closer
	// Sync makes creations, renames and removals in it durable.
	Sync() error
}

// File is an open file. ReadAt and WriteAt may be called concurrently.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// WriteVecAt writes parts one behind the other, in one operation where
	// the system has one. It returns how many bytes of all were written, and
	// an error when not all were.
	WriteVecAt(parts [][]byte, off int64) (int, error)
	// Size is the length in bytes.
	Size() (int64, error)
	// Truncate sets the length.
	Truncate(size int64) error
	// Allocate reserves disk space up to size and makes the file that long,
	// so that later writes inside cannot fail for want of room.
	Allocate(size int64) error
	// Fill is Allocate for an empty file, and writes zeros to all of it and
	// syncs: later writes inside then change nothing but content. It takes a
	// while, leaves the cache of the system alone where it can, and ends
	// with ErrStopped soon after stop begins to return true.
	Fill(size int64, stop func() bool) error
	// OpenDirect opens the same file, which has the name path now, once more, for
	// writes that bypass the cache of the system. Offsets, lengths and addresses
	// of everything that is written through that File are multiples of
	// DirectBlock. The error contains ErrNoDirect where that cannot be; a write
	// may still find out, see RefusesDirect. Between writes of both kinds to one
	// file there must be a Sync.
	OpenDirect(path string) (File, error)
	// ReadAhead tells the system whether to read more of the file than it is
	// asked for, as it does by itself. It is a hint.
	ReadAhead(on bool)
	// Sync makes the content durable. After an error the state of unsynced
	// writes is unknown, and a second Sync proves nothing.
	Sync() error
}

// ErrStopped is returned by a Fill that was told to stop.
var ErrStopped = errors.New("filling the file was stopped")

// writeVec is WriteVecAt for files that can only write one piece at a time.
func writeVec(f io.WriterAt, parts [][]byte, off int64) (written int, err error) {
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		n, err := f.WriteAt(p, off+int64(written))
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// fillPiece is how much of a file Fill syncs at a time: one sync of everything
// would hold up others who sync.
const fillPiece = 1 << 20

// fill is Fill for files that can only be written through the cache.
func fill(f File, size int64, stop func() bool) error {
	if err := f.Allocate(size); err != nil {
		return err
	}
	zeros := make([]byte, min(fillPiece, size))
	for at := int64(0); at < size; at += fillPiece {
		if stop() {
			return ErrStopped
		}
		if _, err := f.WriteAt(zeros[:min(fillPiece, size-at)], at); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}
