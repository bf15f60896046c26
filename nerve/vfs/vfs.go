// Package vfs is the disk as the embedded log sees it: an interface small
// enough to be implemented twice, by the operating system and by a disk in
// memory that can crash.
//
// [OS] is the real one. [Mem] keeps two states of everything, what a program
// sees and what would survive a power cut, and [Mem.Crash] makes a disk of what
// survived: each unsynced 512-byte sector was written or not, on its own; each
// unsynced change of a directory took place or not, in order. [WithFaults] puts
// errors between a program and any disk.
package vfs

import "io"

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
	// Rename moves a file over whatever is at the new path.
	Rename(from, to string) error
	// Remove removes a file.
	Remove(path string) error
	// List returns the names of the files in a directory, sorted.
	List(dir string) ([]string, error)
	// MkdirAll makes a directory and its parents.
	MkdirAll(dir string) error
	// SyncDir makes creations, renames and removals in a directory durable.
	SyncDir(dir string) error
	// Lock takes the advisory lock on a file, which is created if need be.
	// The lock goes with the process. The error is ErrLocked if another
	// holder has it.
	Lock(path string) (io.Closer, error)
}

// File is an open file. ReadAt and WriteAt may be called concurrently.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Size is the length in bytes.
	Size() (int64, error)
	// Truncate sets the length.
	Truncate(size int64) error
	// Allocate reserves disk space up to size and makes the file that long,
	// so that later writes inside cannot fail for want of room.
	Allocate(size int64) error
	// Sync makes the content durable. After an error the state of unsynced
	// writes is unknown, and a second Sync proves nothing.
	Sync() error
}
