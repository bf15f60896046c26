package compiler

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/bufbuild/protocompile/experimental/source"
	"github.com/bufbuild/protocompile/wellknownimports"

	files "github.com/octopus-framework/octopus/compiler/source"
)

// Limits of what the parser is given.
const (
	// brackets inside brackets in one .proto file; the parser recurses on them
	MaxNesting = 256
	// words and signs in a row without bracket, comma, semicolon or string; it recurses on these
	// too
	MaxChain = 4096
)

// Sources is where files come from, with what protocompile is given to read in their place.
//
// The methods may be called from several goroutines.
type Sources struct {
	*files.Set

	mu        sync.Mutex
	read      map[string]*source.File // by import path
	originals map[string]string       // texts of files that were tamed, by import path
	disk      map[string]string       // import path by the path shown in diagnostics
	wide      map[string]bool         // by import path: see shape

	declared map[string][]string // memo of similarType: names of types by import path
	hints    int                 // how often similarType was asked
}

// NewSources returns the sources below the given folders; none means the working folder.
func NewSources(roots ...string) *Sources {
	return &Sources{
		Set:       files.New(roots...),
		read:      map[string]*source.File{},
		originals: map[string]string{},
		disk:      map[string]string{},
		wide:      map[string]bool{},
		declared:  map[string][]string{},
	}
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
	f, err := s.Set.Open(importPath)
	if err != nil {
		return "", "", err
	}
	if importPath == descriptorPath && isOld(f.Text) {
		data, err := fs.ReadFile(wellknownimports.FS(), importPath)
		return builtinPrefix + importPath, string(data), err
	}
	return f.Name, f.Text, nil
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

// DiskPath returns the path under which the file with the given import path was read, or the import
// path itself when it has not been read. Built-in files have no path on disk.
func (s *Sources) DiskPath(importPath string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.read[importPath]; ok {
		return f.Path()
	}
	return s.Name(importPath)
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
	if !ok {
		return s.Set.Text(shown)
	}
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

// IsWellKnown tells whether the import path is that of a file that comes with the compiler.
func IsWellKnown(importPath string) bool { return files.IsWellKnown(importPath) }

// IsBuiltIn tells whether a file comes with the compiler: it is well-known, or has the options of
// gogo/protobuf or buf.validate.
func IsBuiltIn(importPath string) bool { return files.IsBuiltIn(importPath) }

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
