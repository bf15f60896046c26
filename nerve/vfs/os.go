package vfs

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrLocked is returned by Lock when another holder has the lock.
var ErrLocked = errors.New("locked by another process")

// OS is the disk of the operating system.
type OS struct{}

type osFile struct{ *os.File }

// Create implements FS.
func (OS) Create(path string) (File, error) {
	return open(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// Open implements FS.
func (OS) Open(path string) (File, error) { return open(path, os.O_RDWR) }

// OpenRead implements FS.
func (OS) OpenRead(path string) (File, error) { return open(path, os.O_RDONLY) }

func open(path string, flag int) (File, error) {
	f, err := os.OpenFile(path, flag, 0o644)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

// Rename implements FS.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Link implements FS.
func (OS) Link(from, to string) error { return os.Link(from, to) }

// Remove implements FS.
func (OS) Remove(path string) error { return os.Remove(path) }

// MkdirAll implements FS.
func (disk OS) MkdirAll(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o755) // which tells what is there instead
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := disk.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	// A power cut must not take the directory with everything in it.
	return disk.SyncDir(parent)
}

// List implements FS.
func (OS) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// SyncDir implements FS.
func (disk OS) SyncDir(dir string) error {
	d, err := disk.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

// OpenDir implements FS.
func (OS) OpenDir(dir string) (Dir, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	return osDir{d}, nil
}

type osDir struct{ *os.File }

// Sync implements Dir.
func (d osDir) Sync() error { return syncDir(d.File) }

// Lock implements FS.
func (OS) Lock(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, err
	}
	return &osLock{file: f}, nil
}

type osLock struct{ file *os.File }

// Close gives the lock up before the file: a process that is being started at
// this moment by another goroutine still has a copy of the descriptor, which
// would keep the lock.
func (l *osLock) Close() error {
	return errors.Join(unlock(l.file), l.file.Close())
}

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f osFile) Allocate(size int64) error {
	if err := allocate(f.File, size); err != nil {
		return &os.PathError{Op: "allocate", Path: f.Name(), Err: err}
	}
	return nil
}

func (f osFile) Sync() error {
	if err := datasync(f.File); err != nil {
		return &os.PathError{Op: "sync", Path: f.Name(), Err: err}
	}
	return nil
}
