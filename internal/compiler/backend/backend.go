// Package backend says what the compiler knows of those who make code from a schema: they have a
// name, options, .proto files that they bring, and give a list of files for a request. The command
// and the plugin are given a list of backends and know nothing else of them, so that another
// language or another shape of code is one more entry in that list.
package backend

import (
	"maps"
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Backend makes code of one language and shape.
type Backend interface {
	// Name is what gremlin.yaml calls the backend: shape: NAME.
	Name() string
	// Options returns what can be set, in the order in which users are told.
	Options() []Option
	// Declarations returns the text of a .proto file that the backend brings for those who import
	// it, as one with options that it reads; false for every other path. Roots come first.
	Declarations(importPath string) (text string, ok bool)
	// New decides all names and returns what can be generated, no outputs where no file is for the
	// backend. The code is nil when a diagnostic is an error. Diagnostics name files by their
	// import paths.
	New(*Request) (*Code, report.List)
}

// Request is a schema and what code is wanted for it.
type Request struct {
	Schema *schema.Schema
	// Descriptors are those of all files of the schema. They are large: the code must not keep
	// them.
	Descriptors *descriptorpb.FileDescriptorSet

	Settings Settings            // settings of the run
	Files    map[string]Settings // settings of single files of the schema, by path
	// Others names the backend of each file that is not for the one that is asked, by path.
	Others map[string]string
	// Packages are the items of "packages" in gremlin.yaml, also where no file has them: code that
	// was made before may lie where they say.
	Packages []PackageSettings
	Fields   []FieldSettings // settings of single fields

	Config string // path of gremlin.yaml, for diagnostics about settings
	// Plugin says that settings are parameters of a plugin, for hints.
	Plugin bool
	// All says that the schema has all files there are: a setting for what the schema does not have
	// is a mistake.
	All bool
	// Written says that the code will be written: it must be known where it is imported from.
	Written bool
}

// IsMine tells whether the backend that is asked makes the code of a file.
func (r *Request) IsMine(f *schema.File) bool { return r.Others[f.Path] == "" }

// IsNothing tells whether there is no file to generate code for.
func (r *Request) IsNothing() bool {
	return !slices.ContainsFunc(r.Schema.Files, func(f *schema.File) bool {
		return f.Generate && r.IsMine(f)
	})
}

// OptionsOf returns the options that a field is given, nil when it is given none. Of two that match
// the later one counts.
func (r *Request) OptionsOf(fullName string) Settings {
	var out Settings
	for i := range r.Fields {
		if f := &r.Fields[i]; f.Matches(fullName) {
			if out == nil {
				out = Settings{}
			}
			maps.Copy(out, f.Settings)
		}
	}
	return out
}

// Code is what a backend can generate for a request. Any number of goroutines may use it.
type Code struct {
	Outputs []Output // sorted by path
	// Missing are files of code that Outputs import and that are not among them, although they
	// belong below the same output root.
	Missing []Output
	// MayBeAt tells whether a run with these settings may put code of a .proto file at a path,
	// below the output root: only such files, which end in one of Suffixes, are removed when they
	// are left over. Both are there also when there are no Outputs.
	MayBeAt  func(path, source string) bool
	Suffixes []string
}

// Output is one file to generate.
type Output struct {
	Path string // path below the output root, with slashes: "shop/v1/deposit.gremlin.go"
	File *schema.File
	// Generate returns the text. An error is a bug of the backend.
	Generate func() ([]byte, error)
	// Replaces is a line of files of somebody else that this one takes the place of; "" for none.
	Replaces string
}

// List is backends; the first makes what nobody asks another for.
type List []Backend

// Named returns the backend of a name, nil when there is none; that of "" is the first.
func (l List) Named(name string) Backend {
	for i, b := range l {
		if b.Name() == name || name == "" && i == 0 {
			return b
		}
	}
	return nil
}

// Names returns the names of the backends.
func (l List) Names() (names []string) {
	for _, b := range l {
		names = append(names, b.Name())
	}
	return names
}

// Declarations returns the text of a .proto file that one of the backends brings.
func (l List) Declarations(importPath string) (text string, ok bool) {
	for _, b := range l {
		if text, ok = b.Declarations(importPath); ok {
			break
		}
	}
	return text, ok
}

// Options returns the options that can be set at a place, each name once: backends that share a
// name mean the same.
func (l List) Options(at Place) (out []Option) {
	for _, b := range l {
		for _, o := range b.Options() {
			if o.In&at != 0 && !slices.ContainsFunc(out, func(p Option) bool {
				return p.Name == o.Name
			}) {
				out = append(out, o)
			}
		}
	}
	return out
}
