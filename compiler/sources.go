package compiler

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile/experimental/source"
	"github.com/bufbuild/protocompile/wellknownimports"
)

// Limits of what is read. They are far above what people write and keep a wrong root or a hostile
// file from taking the machine down.
const (
	MaxSourceBytes = 64 << 20 // bytes of one .proto file
	// brackets inside brackets in one .proto file; the parser recurses on them
	MaxNesting = 256
	// words and signs in a row without bracket, comma, semicolon or string; it recurses on these
	// too
	MaxChain = 4096
	MaxFiles = 1 << 20 // .proto files below the roots
)

// Sources finds and reads .proto files. A file is known by its import path, slash-separated and
// relative to a root. The roots are searched in order and the well-known files that come with the
// compiler (google/protobuf/*.proto) last, so that a root with its own copy of one wins; protoc
// does the same. A root "virtual=disk" is the folder disk, whose files are imported below virtual,
// as protoc has it. The exception is a descriptor.proto from before protobuf 3, which the compiler
// cannot work with: the built-in copy is a superset.
//
// The methods may be called from several goroutines.
type Sources struct {
	roots []string

	mu        sync.Mutex
	read      map[string]*source.File // by import path
	originals map[string]string       // texts of files that were tamed, by import path
	disk      map[string]string       // import path by the path shown in diagnostics
	wide      map[string]bool         // by import path: see shape
	all       []string                // memo of All
	provider  map[string]string       // by import path in all: the root that has the file

	declared map[string][]string // memo of similarType: names of types by import path
	hints    int                 // how often similarType was asked
}

// NewSources returns the sources below the given folders; none means the working folder.
func NewSources(roots ...string) *Sources {
	if len(roots) == 0 {
		roots = []string{"."}
	}
	return &Sources{
		roots:     slices.Clone(roots),
		read:      map[string]*source.File{},
		originals: map[string]string{},
		disk:      map[string]string{},
		wide:      map[string]bool{},
		declared:  map[string][]string{},
	}
}

// mount splits a root "virtual=disk". A folder that exists under the whole name is no such root.
func mount(root string) (virtual, dir string) {
	virtual, dir, ok := strings.Cut(root, "=")
	if _, err := os.Stat(root); !ok || err == nil {
		return "", root
	}
	return path.Clean(virtual), dir
}

// inRoot returns where a file lies if the root has it.
func inRoot(root, importPath string) (name string, ok bool) {
	virtual, dir := mount(root)
	if virtual != "" {
		if importPath, ok = strings.CutPrefix(importPath, virtual+"/"); !ok {
			return "", false
		}
	}
	return filepath.Join(dir, filepath.FromSlash(importPath)), true
}

// Roots returns the folders searched, in order.
func (s *Sources) Roots() []string { return slices.Clone(s.roots) }

// String returns the roots as messages name them.
func (s *Sources) String() string {
	quoted := make([]string, len(s.roots))
	for i, r := range s.roots {
		quoted[i] = strconv.Quote(r)
	}
	return strings.Join(quoted, ", ")
}

// CheckRoots returns an error for the first root that is not a folder.
func (s *Sources) CheckRoots() error {
	for _, r := range s.roots {
		_, r = mount(r)
		info, err := os.Stat(r)
		if err != nil {
			return fmt.Errorf("root %q cannot be read: %w", r, cause(err))
		}
		if !info.IsDir() {
			return fmt.Errorf("root %q is not a folder", r)
		}
	}
	return nil
}

// Open implements protocompile's source.Opener. It reads every file once.
func (s *Sources) Open(importPath string) (*source.File, error) {
	s.mu.Lock()
	f, ok := s.read[importPath]
	s.mu.Unlock()
	if ok {
		return f, nil
	}
	shown, text, err := s.load(importPath)
	if err != nil {
		return nil, err
	}
	shape, tamed := look(text), tame(text)
	if shape.line > 0 {
		return nil, fmt.Errorf("line %d %s", shape.line, shape.why)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.read[importPath]; ok {
		return f, nil
	}
	f = source.NewFile(shown, tamed)
	if tamed != text {
		s.originals[importPath] = text
	}
	s.read[importPath], s.disk[shown], s.wide[importPath] = f, importPath, shape.wide
	return f, nil
}

func (s *Sources) load(importPath string) (shown, text string, err error) {
	if !fs.ValidPath(importPath) {
		return "", "", fs.ErrNotExist
	}
	for _, r := range s.roots {
		name, ok := inRoot(r, importPath)
		if !ok {
			continue
		}
		text, err := readLimited(name)
		if err == nil && (importPath != descriptorPath || !isOld(text)) {
			return name, text, nil
		}
		if err != nil && !os.IsNotExist(err) {
			return "", "", err
		}
	}
	if text, ok := gogoOptions(importPath); ok {
		return builtinPrefix + importPath, text, nil
	}
	data, err := fs.ReadFile(wellknownimports.FS(), importPath)
	if err != nil {
		return "", "", fs.ErrNotExist
	}
	return builtinPrefix + importPath, string(data), nil
}

// isOld tells whether a descriptor.proto lacks what protocompile requires.
func isOld(text string) bool {
	for _, name := range []string{"json_name", "jstype", "map_entry", "OneofOptions"} {
		if !strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// builtinPrefix marks the shown path of a file that is not on disk.
const builtinPrefix = "built-in:"

func readLimited(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		// A folder of that name, or a pipe, which would block for ever.
		return "", fmt.Errorf("%q is not a regular file", name)
	}
	var b strings.Builder
	n, err := io.Copy(&b, io.LimitReader(f, MaxSourceBytes+1))
	if err != nil {
		return "", err
	}
	if n > MaxSourceBytes {
		return "", fmt.Errorf("%q is larger than %d bytes", name, MaxSourceBytes)
	}
	return b.String(), nil
}

// DiskPath returns the path under which the file with the given import path was read, or the import
// path itself when it has not been read. Built-in files have no path on disk.
func (s *Sources) DiskPath(importPath string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.read[importPath]; ok {
		return f.Path()
	}
	return importPath
}

// importPath returns the import path of a file that has been read, by the path that its diagnostics
// show.
func (s *Sources) importPath(shown string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.disk[shown]
}

// isWide tells whether a file that has been read is wide.
func (s *Sources) isWide(importPath string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.wide[importPath]
}

// opened returns the import paths of the files that have been read, sorted.
func (s *Sources) opened() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.read))
}

// Text returns the text of a file that has been read, by the path that its diagnostics show.
func (s *Sources) Text(shown string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	importPath, ok := s.disk[shown]
	return s.text(importPath), ok
}

// original returns the text of a file that has been read, as it is on disk.
func (s *Sources) original(importPath string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text(importPath)
}

// isTamed tells whether protocompile was given another text than that of the file.
func (s *Sources) isTamed(importPath string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.originals[importPath]
	return ok
}

func (s *Sources) text(importPath string) string {
	if text, ok := s.originals[importPath]; ok {
		return text
	}
	return s.read[importPath].Text()
}

// file returns a file that has been read, by the path that its diagnostics show, or an empty one.
func (s *Sources) file(shown string) *source.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.read[s.disk[shown]]; ok {
		return f
	}
	return source.NewFile(shown, "")
}

// All returns the import paths of the .proto files below the roots, sorted. Folders whose name
// starts with a dot are not searched. Where one root lies inside another, a file belongs to the
// inner one only: that is what its imports are relative to.
func (s *Sources) All() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all != nil {
		return s.all, nil
	}
	found := map[string]string{}
	inner := map[string]bool{}
	for _, r := range s.roots {
		_, dir := mount(r)
		inner[abs(dir)] = true
	}
	for _, root := range s.roots {
		virtual, r := mount(root)
		err := filepath.WalkDir(r, func(name string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && name != r && (strings.HasPrefix(d.Name(), ".") || inner[abs(name)]):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(name) != ".proto":
				return nil
			}
			rel, err := filepath.Rel(r, name)
			if err != nil {
				return err
			}
			if importPath := path.Join(virtual, filepath.ToSlash(rel)); found[importPath] == "" {
				found[importPath] = root
			}
			if len(found) > MaxFiles {
				return fmt.Errorf("more than %d .proto files below the roots", MaxFiles)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	s.all, s.provider = slices.Sorted(maps.Keys(found)), found
	return s.all, nil
}

// Resolve returns the import path of a file named by the user: a path on disk below a root, or an
// import path. A folder gives all .proto files in it, also if it is a root.
func (s *Sources) Resolve(name string) ([]string, error) {
	info, err := os.Stat(name)
	if err != nil {
		importPath := path.Clean(filepath.ToSlash(name))
		if _, err := s.Open(importPath); err == nil {
			return []string{importPath}, nil
		}
		return nil, fmt.Errorf("no file %q, neither on disk nor below a root", name)
	}
	importPath, root, ok := s.below(name)
	if !ok {
		return nil, fmt.Errorf("%q is below none of the roots", name)
	}
	if !info.IsDir() {
		own, _ := inRoot(root, importPath)
		if first := s.first(importPath); first != "" && abs(first) != abs(own) {
			return nil, fmt.Errorf("%q is hidden by %q, which an earlier root provides",
				name, first)
		}
		return []string{importPath}, nil
	}
	all, err := s.All()
	if err != nil {
		return nil, err
	}
	inside := map[string]bool{} // the roots that lie in the folder, or are it
	folder := abs(name)
	for _, r := range s.roots {
		_, dir := mount(r)
		inside[r] = abs(dir) == folder ||
			strings.HasPrefix(abs(dir), folder+string(filepath.Separator))
	}
	var in []string
	for _, p := range all {
		// A file of the same import path prefix that another root provides was not named.
		from := s.provider[p]
		if inside[from] || from == root && strings.HasPrefix(p, importPath+"/") {
			in = append(in, p)
		}
	}
	if len(in) == 0 {
		return nil, fmt.Errorf("folder %q has no .proto files", name)
	}
	return in, nil
}

// below returns the import path that a path on disk has under the innermost root around it.
func (s *Sources) below(name string) (importPath, root string, ok bool) {
	shortest := 0
	for _, r := range s.roots {
		virtual, dir := mount(r)
		rel, err := filepath.Rel(abs(dir), abs(name))
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		if rel = filepath.ToSlash(rel); !ok || len(rel) < shortest {
			importPath, root, ok, shortest = path.Join(virtual, rel), r, true, len(rel)
		}
	}
	return importPath, root, ok
}

func (s *Sources) first(importPath string) string {
	for _, r := range s.roots {
		name, ok := inRoot(r, importPath)
		if !ok {
			continue
		}
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	return ""
}

// Has tells whether a root has the file or it comes with the compiler.
func (s *Sources) Has(importPath string) bool {
	return s.first(importPath) != "" || IsWellKnown(importPath)
}

// IsWellKnown tells whether the import path is that of a file that comes with the compiler.
func IsWellKnown(importPath string) bool {
	_, err := fs.Stat(wellknownimports.FS(), importPath)
	return err == nil && strings.HasSuffix(importPath, ".proto")
}

// abs is the path that tells whether two names mean the same place.
func abs(name string) string {
	a, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if real, err := filepath.EvalSymlinks(a); err == nil {
		return real
	}
	return a
}

// cause takes the operation and path out of an error of package os: the message around it names the
// path already.
func cause(err error) error {
	if pe, ok := err.(*fs.PathError); ok {
		return pe.Err
	}
	return err
}

// shape is what there is to know of a text before a parser may see it.
type shape struct {
	line int    // one that must not be parsed, or 0
	why  string // what is wrong there
	wide bool   // has so many declarations in long lines that their places are not asked for
}

const (
	longLine = 1 << 10 // bytes
	maxWide  = 4 << 20 // bytes in front of declarations in long lines, in sum
)

// look returns the shape of a text. A line must not be parsed that is nested deeper than MaxNesting
// or has a longer chain than MaxChain, or a zero byte or a comment in a comment, which protoc
// refuses. It looks at bytes outside of strings and comments; that is all it takes to keep a
// recursive parser from running out of stack, which in Go cannot be caught.
//
// A text is wide if finding the places of its declarations would take many seconds: protocompile
// measures each from the start of its line, by the width of characters on a terminal.
func look(text string) (s shape) {
	if zero := strings.IndexByte(text, 0); zero >= 0 {
		return shape{line: 1 + strings.Count(text[:zero], "\n"), why: "has a zero byte"}
	}
	depth, chain, line := 0, 0, 1
	start, before := 0, 0 // of the line; bytes before declarations
	word := false         // the byte before belongs to a word
	for i := 0; i < len(text); i++ {
		c := text[i]
		inWord := c == '.' || c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 &&
			c|0x20 <= 'z'
		if (c == ';' || c == '{') && i-start > longLine {
			before += i - start
			s.wide = before > maxWide
		}
		switch c {
		case '\n':
			line, start = line+1, i+1
		case ' ', '\t', '\r':
		case '{', '[', '(', '<':
			chain = 0
			if depth++; depth > MaxNesting {
				return shape{line: line, why: fmt.Sprintf("nests brackets deeper than %d levels",
					MaxNesting)}
			}
		case '}', ']', ')', '>':
			depth, chain = max(0, depth-1), 0
		case ';', ',':
			chain = 0
		case '"', '\'':
			chain = 0
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i < len(text) && text[i] == '\n' {
				line, start = line+1, i+1
			}
		case '/':
			switch {
			case strings.HasPrefix(text[i:], "//"):
				for i+1 < len(text) && text[i+1] != '\n' {
					i++
				}
			case strings.HasPrefix(text[i:], "/*"):
				end := strings.Index(text[i+2:], "*/")
				if end < 0 {
					return s
				}
				comment := text[i : i+3+end]
				if strings.Contains(comment[2:], "/*") {
					return shape{line: line,
						why: `has "/*" in a block comment that starts there; they do not nest`}
				}
				if last := strings.LastIndexByte(comment, '\n'); last >= 0 {
					line, start = line+strings.Count(comment, "\n"), i+last+1
				}
				i += end + 3
			}
		default:
			if !inWord || !word {
				chain++
			}
			if chain > MaxChain {
				return shape{line: line,
					why: fmt.Sprintf("has more than %d words and signs in a row", MaxChain)}
			}
		}
		word = inWord
	}
	return s
}
