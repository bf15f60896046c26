package vfs

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// Mem is a disk in memory that can crash. The zero value is an empty disk of
// unlimited size. It is safe for concurrent use.
type Mem struct {
	mu       sync.Mutex
	names    map[string]*inode // what a program sees
	durable  map[string]*inode // what a crash leaves of the directories
	journal  []change          // between the two, in order
	locks    map[string]bool
	capacity int64 // 0: unlimited
	short    func(blocks int) int
}

// change is a directory operation that is not durable yet.
type change struct {
	dir  string
	name string
	node *inode // nil: removed
	from string // the name that a rename takes away
}

// inode is a file, in two states and the operations between them.
type inode struct {
	data    []byte
	durable []byte
	pending []write
}

// write is an operation on a file that is not durable yet. data == nil sets
// the length to off.
type write struct {
	off    int64
	data   []byte
	direct bool
	// reserves says that it allocates: no bytes are written to the cache by that.
	reserves bool
}

func (w write) applyTo(file []byte) []byte {
	if w.data == nil {
		return resize(file, w.off)
	}
	if end := w.off + int64(len(w.data)); end > int64(len(file)) {
		file = resize(file, end)
	}
	copy(file[w.off:], w.data)
	return file
}

func resize(file []byte, size int64) []byte {
	if size <= int64(len(file)) {
		clear(file[size:])
		return file[:size]
	}
	if size <= int64(cap(file)) {
		return file[:size]
	}
	grown := make([]byte, size, size+size/4)
	copy(grown, file)
	return grown
}

// SetCapacity limits the bytes in all files together; writes beyond it fail
// with ENOSPC after the part that fits. 0 lifts the limit.
func (m *Mem) SetCapacity(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.capacity = bytes
}

// SetShortWrites lets direct writes end early: of each, allow is told how many
// blocks it has, and returns how many are written, without an error. It is called
// with the disk locked.
func (m *Mem) SetShortWrites(allow func(blocks int) int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.short = allow
}

// Used is the number of bytes in all files together.
func (m *Mem) Used() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used()
}

func (m *Mem) used() int64 {
	var sum int64
	counted := make(map[*inode]bool, len(m.names))
	for _, node := range m.names {
		if !counted[node] {
			counted[node] = true
			sum += int64(len(node.data))
		}
	}
	return sum
}

func (m *Mem) room(grow int64) int64 {
	if m.capacity == 0 {
		return grow
	}
	return max(0, min(grow, m.capacity-m.used()))
}

func pathError(op, name string, err error) error {
	return &os.PathError{Op: op, Path: name, Err: err}
}

func clean(name string) string { return path.Clean(filepath.ToSlash(name)) }

func (m *Mem) record(c change) {
	if m.names == nil {
		m.names = make(map[string]*inode)
	}
	m.journal = append(m.journal, c)
	c.applyTo(m.names)
}

func (c change) applyTo(names map[string]*inode) {
	if c.from != "" {
		delete(names, c.from)
	}
	if c.node == nil {
		delete(names, c.name)
	} else {
		names[c.name] = c.node
	}
}

// Create implements FS.
func (m *Mem) Create(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = clean(name)
	node := new(inode)
	m.record(change{dir: path.Dir(name), name: name, node: node})
	return &memFile{disk: m, node: node, name: name}, nil
}

// Open implements FS.
func (m *Mem) Open(name string) (File, error) { return m.open(name, false) }

// OpenRead implements FS.
func (m *Mem) OpenRead(name string) (File, error) { return m.open(name, true) }

func (m *Mem) open(name string, readOnly bool) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = clean(name)
	node := m.names[name]
	if node == nil {
		return nil, pathError("open", name, fs.ErrNotExist)
	}
	return &memFile{disk: m, node: node, name: name, readOnly: readOnly}, nil
}

// Memory implements FS. It is of the heap, where the race detector sees it, and
// is overwritten when it is given back.
func (m *Mem) Memory(n int) ([]byte, func(), error) {
	b := aligned(n)
	return b, func() {
		for i := range b {
			b[i] = 0xdb
		}
	}, nil
}

// Rename implements FS.
func (m *Mem) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to = clean(from), clean(to)
	node := m.names[from]
	if node == nil {
		return pathError("rename", from, fs.ErrNotExist)
	}
	m.record(change{dir: path.Dir(to), name: to, node: node, from: from})
	return nil
}

// Link implements FS.
func (m *Mem) Link(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	from, to = clean(from), clean(to)
	node := m.names[from]
	switch {
	case node == nil:
		return pathError("link", from, fs.ErrNotExist)
	case m.names[to] != nil:
		return pathError("link", to, fs.ErrExist)
	}
	m.record(change{dir: path.Dir(to), name: to, node: node})
	return nil
}

// Remove implements FS.
func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = clean(name)
	if m.names[name] == nil {
		return pathError("remove", name, fs.ErrNotExist)
	}
	m.record(change{dir: path.Dir(name), name: name})
	return nil
}

// List implements FS.
func (m *Mem) List(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	prefix := clean(dir) + "/"
	var names []string
	for name := range m.names {
		if rest, ok := strings.CutPrefix(name, prefix); ok && !strings.Contains(rest, "/") {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names, nil
}

// MkdirAll implements FS. Directories exist by being named.
func (m *Mem) MkdirAll(string) error { return nil }

// SyncDir implements FS.
func (m *Mem) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.durable == nil {
		m.durable = make(map[string]*inode)
	}
	dir = clean(dir)
	rest := m.journal[:0]
	for _, c := range m.journal {
		if c.dir == dir {
			c.applyTo(m.durable)
		} else {
			rest = append(rest, c)
		}
	}
	m.journal = rest
	return nil
}

// OpenDir implements FS.
func (m *Mem) OpenDir(dir string) (Dir, error) { return memDir{m, dir}, nil }

type memDir struct {
	disk *Mem
	dir  string
}

// Sync implements Dir.
func (d memDir) Sync() error { return d.disk.SyncDir(d.dir) }

// Close implements Dir.
func (memDir) Close() error { return nil }

type memLock struct {
	disk *Mem
	name string
	once sync.Once
}

// Lock implements FS.
func (m *Mem) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	name = clean(name)
	if m.locks[name] {
		return nil, ErrLocked
	}
	if m.locks == nil {
		m.locks = make(map[string]bool)
	}
	m.locks[name] = true
	return &memLock{disk: m, name: name}, nil
}

func (l *memLock) Close() error {
	l.once.Do(func() {
		l.disk.mu.Lock()
		defer l.disk.mu.Unlock()
		delete(l.disk.locks, l.name)
	})
	return nil
}

// memFile is an open file of a Mem.
type memFile struct {
	disk     *Mem
	node     *inode
	name     string
	readOnly bool
	closed   bool
}

func (f *memFile) check(op string, writes bool) error {
	switch {
	case f.closed:
		return pathError(op, f.name, fs.ErrClosed)
	case writes && f.readOnly:
		return pathError(op, f.name, syscall.EBADF)
	}
	return nil
}

func (f *memFile) ReadAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.check("read", false); err != nil {
		return 0, err
	}
	if off >= int64(len(f.node.data)) {
		return 0, io.EOF
	}
	n := copy(p, f.node.data[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *memFile) WriteAt(p []byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.check("write", true); err != nil {
		return 0, err
	}
	var err error
	if grow := off + int64(len(p)) - int64(len(f.node.data)); grow > 0 {
		if fits := f.disk.room(grow); fits < grow {
			p = p[:max(0, int64(len(p))-(grow-fits))]
			err = pathError("write", f.name, syscall.ENOSPC)
		}
	}
	if len(p) > 0 {
		f.node.unmixed(false)
		f.node.apply(write{off: off, data: slices.Clone(p)})
	}
	return len(p), err
}

func (f *memFile) WriteVecAt(parts [][]byte, off int64) (int, error) {
	return writeVec(f, parts, off)
}

func (f *memFile) Fill(size int64, stop func() bool) error { return fill(f, size, stop) }

func (f *memFile) OpenDirect(name string) (File, error) {
	direct, err := f.disk.open(name, false)
	if err != nil {
		return nil, err
	}
	if direct.(*memFile).node != f.node {
		return nil, pathError("open", name, errOtherFile)
	}
	return &memDirect{direct.(*memFile)}, nil
}

// memDirect is a file of a Mem that is open for direct writes.
type memDirect struct{ *memFile }

func (f *memDirect) WriteAt(p []byte, off int64) (int, error) {
	return f.WriteVecAt([][]byte{p}, off)
}

func (f *memDirect) WriteVecAt(parts [][]byte, off int64) (int, error) {
	return writeAligned(parts, off, f.write)
}

// write is what a system call would do: all, a part, or an error.
func (f *memDirect) write(parts [][]byte, off int64) (int, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.check("write", true); err != nil {
		return 0, err
	}
	if err := misaligned(parts, off); err != nil {
		return 0, pathError("write", f.name, err)
	}
	data := slices.Concat(parts...)
	if f.disk.short != nil {
		blocks := len(data) / DirectBlock
		data = data[:max(0, min(blocks, f.disk.short(blocks)))*DirectBlock]
	}
	if grow := off + int64(len(data)) - int64(len(f.node.data)); grow > 0 {
		if fits := f.disk.room(grow); fits < grow {
			return 0, pathError("write", f.name, syscall.ENOSPC)
		}
	}
	if len(data) > 0 {
		f.node.unmixed(true)
		f.node.apply(write{off: off, data: data, direct: true})
	}
	return len(data), nil
}

// unmixed panics if there are unsynced writes of the other kind than the one
// that is coming: the cache and the disk would differ.
func (n *inode) unmixed(direct bool) {
	for _, w := range n.pending {
		if w.direct != direct && !w.reserves && (direct || w.data != nil) {
			panic("vfs: direct writes and writes through the cache without a sync between them")
		}
	}
}

func (n *inode) apply(w write) {
	n.data = w.applyTo(n.data)
	n.pending = append(n.pending, w)
}

func (f *memFile) Size() (int64, error) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return int64(len(f.node.data)), f.check("stat", false)
}

func (f *memFile) Truncate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.check("truncate", true); err != nil {
		return err
	}
	f.node.apply(write{off: size})
	return nil
}

func (f *memFile) Allocate(size int64) error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.check("allocate", true); err != nil {
		return err
	}
	grow := size - int64(len(f.node.data))
	if grow <= 0 {
		return nil
	}
	if f.disk.room(grow) < grow {
		return pathError("allocate", f.name, syscall.ENOSPC)
	}
	f.node.apply(write{off: size, reserves: true})
	return nil
}

func (f *memFile) ReadAhead(bool) {}

func (f *memFile) Sync() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.check("sync", true); err != nil {
		return err
	}
	for _, w := range f.node.pending {
		f.node.durable = w.applyTo(f.node.durable)
	}
	f.node.pending = f.node.pending[:0]
	return nil
}

func (f *memFile) Close() error {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	if err := f.check("close", false); err != nil {
		return err
	}
	f.closed = true
	return nil
}
