// Package source finds and reads .proto files: below folders, in any fs.FS, in memory, and those
// that come with the compiler.
//
// A file is known by its import path, slash-separated and relative to a root. The roots are
// searched in order and the files that come with the compiler last, so that a root with its own
// copy of one wins; protoc does the same. A root "virtual=disk" is the folder disk, whose files are
// imported below virtual, as protoc has it.
package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Limits of what is read. They are far above what people write and keep a wrong root or a hostile
// file from taking the machine down.
const (
	MaxBytes = 256 << 20 // bytes of one .proto file
	MaxFiles = 1 << 20   // .proto files below the roots
)

// File is a file that was read. It does not change.
type File struct {
	Path string // import path
	Name string // what diagnostics call it: the path on disk, where there is one
	Text string

	modified string // size and time on disk; "" for a file that is on none
}

// BuiltIn tells whether the file came with the compiler, or was provided.
func (f *File) BuiltIn() bool { return strings.HasPrefix(f.Name, builtinPrefix) }

// builtinPrefix marks the names of files that come with the compiler.
const builtinPrefix = "built-in:"

// Set is where files come from. Each is read once, until [Set.Refresh]. The methods may be called
// from several goroutines.
type Set struct {
	roots    []root
	provided []Provider

	mu       sync.Mutex
	read     map[string]*File  // files by import path
	shown    map[string]string // import path by name
	memory   map[string]string // texts by import path
	all      []string          // memo of All
	provider map[string]int    // for each import path in all the root that has the file
	hint     string            // what to do when an import leads nowhere
}

// New returns the files below the given folders; none means the working folder.
func New(folders ...string) *Set {
	if len(folders) == 0 {
		folders = []string{"."}
	}
	s := newSet()
	for _, f := range folders {
		s.roots = append(s.roots, folder(f))
	}
	return s
}

// Limit makes a root provide only what is in folders of include, all if there are none, and nothing
// that is in folders of exclude; they are slash-separated and relative to the root. It must be
// called before anything is read.
func (s *Set) Limit(root int, include, exclude []string) {
	s.roots[root].include, s.roots[root].exclude = include, exclude
}

// Provider returns the text of a file that comes with a program, by import path; false for every
// other path.
type Provider func(importPath string) (text string, ok bool)

// Provide adds files that come with the program, as those of google/protobuf come with the
// compiler: a root with its own copy of one wins, and All does not list them. It must be called
// before anything is read.
func (s *Set) Provide(p Provider) { s.provided = append(s.provided, p) }

// SetImportHint sets what people are told to do about an import that leads nowhere.
func (s *Set) SetImportHint(text string) { s.hint = text }

// FromFS returns the files of a file system, whose paths are their import paths. With nil there
// are none but those of [Set.Put].
func FromFS(fsys fs.FS) *Set {
	s := newSet()
	if fsys != nil {
		s.roots = []root{{name: "the file system", files: fsys}}
	}
	return s
}

func newSet() *Set {
	return &Set{read: map[string]*File{}, shown: map[string]string{}, memory: map[string]string{}}
}

// Put sets the text of a file, which hides one of the same import path that a root has: the text of
// an editor that was not saved, for example.
func (s *Set) Put(importPath, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory[importPath] = text
	s.forget(importPath)
	s.all = nil
}

// Remove takes back what Put did.
func (s *Set) Remove(importPath string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.memory, importPath)
	s.forget(importPath)
	s.all = nil
}

// Refresh forgets the files that have changed on disk since they were read, which then are read
// again when they are asked for, and the list of files. It looks at times and sizes only. A file
// system that is not the disk is not looked at. It reports whether a file was forgotten.
func (s *Set) Refresh() (changed bool) {
	s.mu.Lock()
	files := slices.Collect(maps.Values(s.read))
	s.all = nil
	s.mu.Unlock()
	for _, f := range files {
		if f.modified == "" && !f.BuiltIn() {
			continue
		}
		name, ok := s.first(f.Path)
		if f.BuiltIn() && !ok || ok && name == f.Name && modified(name) == f.modified {
			continue
		}
		s.mu.Lock()
		s.forget(f.Path)
		s.mu.Unlock()
		changed = true
	}
	return changed
}

func (s *Set) forget(importPath string) {
	if f, ok := s.read[importPath]; ok {
		delete(s.read, importPath)
		delete(s.shown, f.Name)
	}
}

// Roots returns the folders searched, in order, as they were given.
func (s *Set) Roots() []string {
	var names []string
	for _, r := range s.roots {
		names = append(names, r.name)
	}
	return names
}

// String returns the roots as messages name them.
func (s *Set) String() string {
	quoted := s.Roots()
	for i, r := range s.roots {
		if r.files == nil {
			quoted[i] = strconv.Quote(r.name)
		}
	}
	return strings.Join(quoted, ", ")
}

// Open returns the file with an import path. Where there is none the error is fs.ErrNotExist.
func (s *Set) Open(importPath string) (*File, error) {
	s.mu.Lock()
	f, ok := s.read[importPath]
	s.mu.Unlock()
	if ok {
		return f, nil
	}
	f, err := s.load(importPath)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.read[importPath]; ok {
		return f, nil
	}
	s.read[importPath], s.shown[f.Name] = f, importPath
	return f, nil
}

func (s *Set) load(importPath string) (*File, error) {
	s.mu.Lock()
	text, ok := s.memory[importPath]
	s.mu.Unlock()
	if ok {
		return &File{Path: importPath, Name: importPath, Text: text}, nil
	}
	if !isPath(importPath) {
		return nil, fs.ErrNotExist
	}
	for _, r := range s.roots {
		name, ok := r.path(importPath)
		if !ok {
			continue
		}
		f, err := r.read(name)
		if err == nil {
			f.Path = importPath
			return f, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			return nil, err
		}
	}
	for _, provided := range slices.Concat(s.provided, []Provider{rules, wellKnown}) {
		if text, ok := provided(importPath); ok {
			return &File{Path: importPath, Name: builtinPrefix + importPath, Text: text}, nil
		}
	}
	return nil, fs.ErrNotExist
}

// isPath tells whether an import path can lead anywhere. It need not be UTF-8.
func isPath(importPath string) bool {
	for element := range strings.SplitSeq(importPath, "/") {
		if element == "" || element == "." || element == ".." {
			return false
		}
	}
	return true
}

// Name returns what diagnostics call the file with an import path: the path under which it was
// read, or the import path itself when it has not been read.
func (s *Set) Name(importPath string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.read[importPath]; ok {
		return f.Name
	}
	return importPath
}

// Text returns the text of a file that has been read, by the name that diagnostics show.
func (s *Set) Text(name string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.read[s.shown[name]]
	if !ok {
		return "", false
	}
	return f.Text, true
}

// modified is what changes when a file on disk does, or "".
func modified(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return ""
	}
	return stamp(info)
}

func stamp(info fs.FileInfo) string {
	return strconv.FormatInt(info.Size(), 10) + " " + info.ModTime().String()
}

// readAll reads an open file, unless it is too large, or is no file: a folder, or a pipe, which
// would block for ever.
func readAll(f fs.File, name string) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%q is not a regular file", name)
	}
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	n, err := b.ReadFrom(io.LimitReader(f, MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if n > MaxBytes {
		return nil, fmt.Errorf("%q is larger than %d bytes", name, MaxBytes)
	}
	read := &File{Name: name, Text: b.String(), modified: stamp(info)}
	if b.Cap() <= maxBuffer {
		buffers.Put(b)
	}
	return read, nil
}

// buffers keeps the memory that files are read into, before their length is known.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxBuffer = 1 << 20
