package vfs

import (
	"errors"
	"io"
)

// Op is a kind of disk operation.
type Op string

// The operations that an Injector is asked about.
const (
	OpCreate   Op = "create"
	OpOpen     Op = "open"
	OpRename   Op = "rename"
	OpLink     Op = "link"
	OpRemove   Op = "remove"
	OpList     Op = "list"
	OpMkdir    Op = "mkdir"
	OpOpenDir  Op = "opendir"
	OpSyncDir  Op = "syncdir"
	OpRead     Op = "read"
	OpWrite    Op = "write"
	OpTruncate Op = "truncate"
	OpAllocate Op = "allocate"
	OpSync     Op = "sync"

	OpOpenDirect  Op = "open direct"
	OpWriteDirect Op = "write direct"
	OpMemory      Op = "memory"
)

// Injector decides which operations fail. It is called before the operation,
// from any goroutine. A nil error lets it happen. For a write of n bytes that
// shall fail, done of them are written first; of a direct write, the blocks that
// are whole in that.
type Injector interface {
	Inject(op Op, path string, n int) (done int, err error)
}

// WithFaults returns disk with the faults of in.
func WithFaults(disk FS, in Injector) FS { return faultFS{disk, in} }

type faultFS struct {
	disk FS
	in   Injector
}

type faultFile struct {
	File
	path string
	in   Injector
	op   Op // operation that is a write
}

func inject(in Injector, op Op, path string) error {
	if _, err := in.Inject(op, path, 0); err != nil {
		return pathError(string(op), path, err)
	}
	return nil
}

func (f faultFS) file(op Op, path string, open func(string) (File, error)) (File, error) {
	if err := inject(f.in, op, path); err != nil {
		return nil, err
	}
	file, err := open(path)
	if err != nil {
		return nil, err
	}
	return &faultFile{file, path, f.in, OpWrite}, nil
}

func (f faultFS) Create(path string) (File, error) {
	return f.file(OpCreate, path, f.disk.Create)
}
func (f faultFS) Open(path string) (File, error) { return f.file(OpOpen, path, f.disk.Open) }
func (f faultFS) OpenRead(path string) (File, error) {
	return f.file(OpOpen, path, f.disk.OpenRead)
}
func (f faultFS) Memory(n int) ([]byte, func(), error) {
	if err := inject(f.in, OpMemory, ""); err != nil {
		return nil, nil, err
	}
	return f.disk.Memory(n)
}

func (f faultFS) Rename(from, to string) error {
	if err := inject(f.in, OpRename, from); err != nil {
		return err
	}
	return f.disk.Rename(from, to)
}

func (f faultFS) Link(from, to string) error {
	if err := inject(f.in, OpLink, from); err != nil {
		return err
	}
	return f.disk.Link(from, to)
}

func (f faultFS) Remove(path string) error {
	if err := inject(f.in, OpRemove, path); err != nil {
		return err
	}
	return f.disk.Remove(path)
}

func (f faultFS) List(dir string) ([]string, error) {
	if err := inject(f.in, OpList, dir); err != nil {
		return nil, err
	}
	return f.disk.List(dir)
}

func (f faultFS) MkdirAll(dir string) error {
	if err := inject(f.in, OpMkdir, dir); err != nil {
		return err
	}
	return f.disk.MkdirAll(dir)
}

func (f faultFS) SyncDir(dir string) error {
	d, err := f.OpenDir(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	return errors.Join(err, d.Close())
}

func (f faultFS) OpenDir(dir string) (Dir, error) {
	if err := inject(f.in, OpOpenDir, dir); err != nil {
		return nil, err
	}
	d, err := f.disk.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	return faultDir{d, dir, f.in}, nil
}

type faultDir struct {
	Dir
	path string
	in   Injector
}

func (d faultDir) Sync() error {
	if err := inject(d.in, OpSyncDir, d.path); err != nil {
		return err
	}
	return d.Dir.Sync()
}

func (f faultFS) Lock(path string) (io.Closer, error) {
	if err := inject(f.in, OpOpen, path); err != nil {
		return nil, err
	}
	return f.disk.Lock(path)
}

func (f *faultFile) OpenDirect(path string) (File, error) {
	if err := inject(f.in, OpOpenDirect, path); err != nil {
		return nil, err
	}
	file, err := f.File.OpenDirect(path)
	if err != nil {
		return nil, err
	}
	return &faultFile{file, path, f.in, OpWriteDirect}, nil
}

func (f *faultFile) ReadAt(p []byte, off int64) (int, error) {
	if err := inject(f.in, OpRead, f.path); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, off)
}

func (f *faultFile) WriteAt(p []byte, off int64) (int, error) {
	return f.WriteVecAt([][]byte{p}, off)
}

func (f *faultFile) WriteVecAt(parts [][]byte, off int64) (int, error) {
	total := length(parts)
	done, fault := f.in.Inject(f.op, f.path, total)
	if fault == nil {
		return f.File.WriteVecAt(parts, off)
	}
	done = min(done, total)
	if f.op == OpWriteDirect {
		done &^= DirectBlock - 1
	}
	n := 0
	if done > 0 {
		n, _ = f.File.WriteVecAt(front(parts, done), off)
	}
	return n, pathError("write", f.path, fault)
}

// Fill goes through the cache, so that each of its steps can fail.
func (f *faultFile) Fill(size int64, stop func() bool) error { return fill(f, size, stop) }

func (f *faultFile) Truncate(size int64) error {
	if err := inject(f.in, OpTruncate, f.path); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

func (f *faultFile) Allocate(size int64) error {
	if err := inject(f.in, OpAllocate, f.path); err != nil {
		return err
	}
	return f.File.Allocate(size)
}

func (f *faultFile) Sync() error {
	if err := inject(f.in, OpSync, f.path); err != nil {
		return err
	}
	return f.File.Sync()
}
