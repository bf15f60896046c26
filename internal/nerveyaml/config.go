// Package nerveyaml reads what files named nerve.yaml say of queues: of what type their
// records are, and how long they are kept.
package nerveyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/octopus-framework/octopus/nerve"
)

// Name is the file: in the folder of a queue, or in the server's folder of schemas.
const Name = "nerve.yaml"

// maxSize bounds a file, in bytes.
const maxSize = 1 << 20

// Queue is what is said of a queue.
type Queue struct {
	Dir     string   `yaml:"-"`       // the folder of the file, where its paths begin
	Proto   string   `yaml:"proto"`   // the file with the type
	Type    string   `yaml:"type"`    // full name of the message
	Imports []string `yaml:"imports"` // folders of imports, beside that of the file
	Hex     []string `yaml:"hex"`     // fields of bytes that JSON shows as hex, see gremlin/dynamic
	Retain  Retain   `yaml:"retain"`
}

// Retain says how much of a queue is kept; 0 is all.
type Retain struct {
	Bytes Size `yaml:"bytes"`
	Age   Age  `yaml:"age"`
}

// server is the file of a folder of schemas.
type server struct {
	Queues map[string]Queue `yaml:"queues"` // queues by name or pattern
}

// Of returns what is said of a queue below root: by the file in its folder, else by
// that in folder, where its name counts before patterns, of these the longest and of
// two of one length the first. It is nil if nothing is said.
func Of(root, folder, queue string) (*Queue, error) {
	if nerve.CheckName(queue) != nil {
		return nil, nil
	}
	q := &Queue{Dir: filepath.Join(root, queue)}
	err := read(q.Dir, q)
	if !errors.Is(err, fs.ErrNotExist) {
		return q, err
	}
	if folder == "" {
		return nil, nil
	}
	found, err := find(folder, queue)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return found, err
}

// find looks for a queue in the file of a folder of schemas.
func find(folder, queue string) (*Queue, error) {
	var all server
	var inOrder struct {
		Queues yaml.Node `yaml:"queues"`
	}
	if err := read(folder, &all); err != nil {
		return &Queue{Dir: folder}, err
	}
	if err := readLoosely(folder, &inOrder); err != nil {
		return &Queue{Dir: folder}, err
	}
	best := ""
	for i := 0; i+1 < len(inOrder.Queues.Content); i += 2 {
		pattern := inOrder.Queues.Content[i].Value
		ok, err := path.Match(pattern, queue)
		switch {
		case err != nil:
			return &Queue{Dir: folder}, fmt.Errorf("%s: line %d: %q is no pattern for names of "+
				"queues", Name, inOrder.Queues.Content[i].Line, pattern)
		case pattern == queue:
			best = pattern
		case ok && best != queue && len(pattern) > len(best):
			best = pattern
		}
	}
	if best == "" {
		return nil, nil
	}
	q := all.Queues[best]
	q.Dir = folder
	return &q, nil
}

// read reads the file of a folder; a key that it should not have is an error.
func read(dir string, to any) error {
	d, err := open(dir)
	if err != nil {
		return err
	}
	d.KnownFields(true)
	return readable(d.Decode(to))
}

func readLoosely(dir string, to any) error {
	d, err := open(dir)
	if err != nil {
		return err
	}
	return readable(d.Decode(to))
}

func open(dir string) (*yaml.Decoder, error) {
	file := filepath.Join(dir, Name)
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSize {
		return nil, fmt.Errorf("%s: it has %d bytes, more than %d", Name, info.Size(), maxSize)
	}
	b, err := os.ReadFile(file)
	return yaml.NewDecoder(bytes.NewReader(b)), err
}

var unknownKey = regexp.MustCompile(`field (\S+) not found in type nerveyaml\.(\w+)`)

// keys are those of the types, for errors.
var keys = map[string]string{
	"Queue": "proto, type, imports, hex and retain", "Retain": "bytes and age", "server": "queues",
}

// readable words an error of the yaml package for people.
func readable(err error) error {
	if err == nil || err == io.EOF { //nolint:errorlint // as decoders return it: an empty file
		return nil
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.ReplaceAll(strings.TrimPrefix(text, "unmarshal errors:\n  "), "\n  ", "; ")
	text = unknownKey.ReplaceAllStringFunc(text, func(found string) string {
		m := unknownKey.FindStringSubmatch(found)
		return fmt.Sprintf("there is no key %q; there are %s", m[1], keys[m[2]])
	})
	return fmt.Errorf("%s: %s", Name, text)
}

// File is the .proto file: beside the nerve.yaml, else below one of the imports.
func (q *Queue) File() string {
	beside := filepath.Join(q.Dir, q.Proto)
	for _, file := range append([]string{beside}, q.imported()...) {
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return beside
}

// imported are the places of the .proto file below the imports.
func (q *Queue) imported() (files []string) {
	for _, dir := range q.Roots() {
		files = append(files, filepath.Join(dir, q.Proto))
	}
	return files
}

// Roots are the folders of imports.
func (q *Queue) Roots() (dirs []string) {
	for _, dir := range q.Imports {
		dirs = append(dirs, filepath.Join(q.Dir, dir))
	}
	return dirs
}

// Size is a number of bytes, written as 500000, 64MiB or 10GiB.
type Size int64

var units = []struct {
	name string
	size int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"", 1}}

// Set implements the Value of flags.
func (s *Size) Set(text string) error {
	for _, u := range units {
		number, found := strings.CutSuffix(text, u.name)
		if n, err := strconv.ParseInt(number, 10, 64); found && err == nil && n >= 0 &&
			n <= 1<<62/u.size {
			*s = Size(n * u.size)
			return nil
		}
	}
	return fmt.Errorf("%q is no size like 10GiB", text)
}

// String implements fmt.Stringer.
func (s Size) String() string {
	for _, u := range units[:len(units)-1] {
		if n := int64(s) / u.size; n > 0 && n < 1<<10 && int64(s)%u.size == 0 {
			return strconv.FormatInt(n, 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Type is the name of the type in help texts.
func (s *Size) Type() string { return "size" }

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *Size) UnmarshalYAML(n *yaml.Node) error { return atLine(n, s.Set(n.Value)) }

// Age is a time, written as 90m, 36h or 30d.
type Age time.Duration

// Set implements the Value of flags.
func (a *Age) Set(text string) error {
	if days, found := strings.CutSuffix(text, "d"); found {
		if n, err := strconv.ParseInt(days, 10, 32); err == nil && n >= 0 && n < 100_000 {
			*a = Age(n * 24 * int64(time.Hour))
			return nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return fmt.Errorf("%q is no time like 36h or 30d", text)
	}
	*a = Age(d)
	return nil
}

// String implements fmt.Stringer.
func (a Age) String() string {
	if a == 0 {
		return "0"
	}
	return time.Duration(a).String()
}

// Type is the name of the type in help texts.
func (a *Age) Type() string { return "time" }

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *Age) UnmarshalYAML(n *yaml.Node) error { return atLine(n, a.Set(n.Value)) }

func atLine(n *yaml.Node, err error) error {
	if err != nil {
		return fmt.Errorf("line %d: %w", n.Line, err)
	}
	return nil
}
