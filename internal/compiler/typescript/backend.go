// Package typescript is the backend for TypeScript: Readers, Messages, and what JSON and extensions
// need to know of them. The code calls the npm package @octopus-framework/gremlin, which lies in
// the folder typescript of the repository.
package typescript

import (
	"fmt"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Backend is the backend of the command and the plugin.
type Backend struct{}

// Name returns "typescript".
func (Backend) Name() string { return "typescript" }

// Options returns the options of TypeScript.
func (Backend) Options() []backend.Option { return table.Options() }

// Declarations returns nothing: this backend has no options in .proto files.
func (Backend) Declarations(string) (text string, ok bool) { return "", false }

// settings are the options of a run.
type settings struct {
	extension string // extension in imports of generated files
	int64     string // what integers of 64 bits are
	connect   bool
}

// suffix is how generated files end.
const suffix = ".gremlin.ts"

var table = backend.Table[settings]{
	{Option: backend.Option{Name: "import_extension", Kind: backend.Choice,
		Values: []string{".js", ".ts", "none"}, In: backend.Everywhere,
		Doc: "how imports of generated files end; `.js` without it"},
		Set: func(s *settings, v backend.Value) { s.extension = v.Text }},
	{Option: backend.Option{Name: "int64", Kind: backend.Choice,
		Values: []string{"bigint", "number", "string"}, In: backend.Everywhere,
		Doc: "what integers of 64 bits are where `jstype` does not say; bigint without it"},
		Set: func(s *settings, v backend.Value) { s.int64 = v.Text }},
	{Option: backend.Option{Name: "connect", In: backend.Everywhere,
		Doc: "what clients for Connect's protocol need to know of services"},
		Set: func(s *settings, v backend.Value) { s.connect = v.On }},
}

// New resolves all names.
func (Backend) New(r *backend.Request) (*backend.Code, report.List) {
	s := settings{extension: ".js", int64: "bigint"}
	table.Apply(&s, r.Settings)
	if s.extension == "none" {
		s.extension = ""
	}
	code := &backend.Code{Suffixes: []string{suffix}, MayBeAt: func(path, source string) bool {
		return path == outputPath(source)
	}}
	if r.IsNothing() {
		return code, nil
	}
	n := newNames(s)
	missing := map[string]bool{}
	for _, f := range r.Schema.Files {
		n.file(f)
		if !f.Generate || !r.IsMine(f) {
			continue
		}
		code.Outputs = append(code.Outputs, backend.Output{Path: outputPath(f.Path), File: f,
			Generate: func() (text []byte, err error) {
				defer func() {
					if p := recover(); p != nil {
						err = fmt.Errorf("internal compiler error: %v", p)
					}
				}()
				return n.generate(f), nil
			}})
		for u := range f.Uses(s.connect) {
			if o := u.File; !o.Generate && !o.WellKnown && !missing[o.Path] {
				missing[o.Path] = true
				code.Missing = append(code.Missing,
					backend.Output{Path: outputPath(o.Path), File: o})
			}
			if other := r.Others[u.File.Path]; other != "" && !u.File.WellKnown {
				n.found = append(n.found, report.Diagnostic{File: f.Path, Line: u.Pos.Line,
					Column: u.Pos.Column, Message: fmt.Sprintf(
						"%s %q has a type of %q, whose code is in the %s shape", u.What, u.FullName,
						u.File.Path, other),
					Hint: "give both files the same shape"})
			}
		}
	}
	slices.SortFunc(code.Outputs, func(a, b backend.Output) int {
		return strings.Compare(a.Path, b.Path)
	})
	return code, n.found
}

// outputPath returns where the code of a .proto file goes, below the output root.
func outputPath(protoPath string) string {
	return strings.TrimSuffix(protoPath, ".proto") + suffix
}

// generate returns the text of the code of a file.
func (n *names) generate(f *schema.File) []byte {
	p := newPrinter(n, f)
	for e := range f.AllEnums() {
		p.enum(e)
	}
	for m := range f.AllMessages() {
		p.message(m)
	}
	for x := range f.AllExtensions() {
		p.extension(x)
	}
	if n.connect {
		for _, s := range f.Services {
			p.service(s)
		}
	}
	return p.file()
}
