package host

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/pluginpb"
)

// Files is what plugins have made, in the order in which it was made.
type Files struct {
	List []*File
	at   map[string]*File // files by path
}

// File is one file.
type File struct {
	Out  string // folder of the plugin
	Name string // slash-separated path below it
	Data []byte
}

// key is what two names of one file have in common.
func key(out, name string) string {
	file := filepath.Join(out, filepath.FromSlash(name))
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// add takes the files of a response. A file without a name goes on with the one before.
func (f *Files) add(out string, parts []*pluginpb.CodeGeneratorResponse_File) error {
	for i := 0; i < len(parts); {
		first := parts[i]
		data := []byte(first.GetContent())
		for i++; i < len(parts) && parts[i].GetName() == ""; i++ {
			data = append(data, parts[i].GetContent()...)
		}
		if first.GetName() == "" {
			return fmt.Errorf("the first file of the plugin has no name")
		}
		name := path.Clean(first.GetName())
		if !filepath.IsLocal(filepath.FromSlash(name)) || name == "." {
			return fmt.Errorf("file %q of the plugin would not be in the output folder",
				first.GetName())
		}
		var err error
		if point := first.GetInsertionPoint(); point != "" {
			err = f.insert(out, name, point, data)
		} else {
			err = f.create(out, name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Files) create(out, name string, data []byte) error {
	if f.at[key(out, name)] != nil {
		return fmt.Errorf("file %q is written twice", name)
	}
	file := &File{Out: out, Name: name, Data: data}
	f.at[key(out, name)] = file
	f.List = append(f.List, file)
	return nil
}

// insert puts text in front of the line of an insertion point, with its indentation, or in front of
// a comment in a line. What comes later goes behind.
func (f *Files) insert(out, name, point string, data []byte) error {
	file := f.at[key(out, name)]
	if file == nil {
		return fmt.Errorf("file %q, which is inserted into, is not written by a plugin before",
			name)
	}
	text := string(file.Data)
	at := strings.Index(text, "@@protoc_insertion_point("+point+")")
	if at < 0 {
		return fmt.Errorf("file %q has no insertion point %q", name, point)
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	if at > 3 && text[at-3:at-1] == "/*" {
		at -= 3
	} else {
		at = strings.LastIndexByte(text[:at], '\n') + 1
	}
	indent := text[at:]
	indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
	var b strings.Builder
	b.Grow(len(text) + len(data))
	b.WriteString(text[:at])
	for line := range strings.Lines(string(data)) {
		b.WriteString(indent)
		b.WriteString(line)
	}
	b.WriteString(text[at:])
	file.Data = []byte(b.String())
	return nil
}

// conflict returns an error if a file would have to be a folder, too.
func (f *Files) conflict() error {
	for _, file := range f.List {
		for at := key(file.Out, file.Name); ; {
			above := filepath.Dir(at)
			if above == at {
				break
			}
			if other := f.at[above]; other != nil {
				return fmt.Errorf("file %q is to be written, and %q into a folder of that name",
					other.Name, file.Name)
			}
			at = above
		}
	}
	return nil
}

// Outs returns the output folders, sorted.
func (f *Files) Outs() (outs []string) {
	for _, file := range f.List {
		outs = append(outs, file.Out)
	}
	slices.Sort(outs)
	return slices.Compact(outs)
}
