// Package shape generates Go code that takes the place of what protoc-gen-gogo and its kin
// generate: the same structs, tags, methods and names, the same bytes, without gogo/protobuf.
//
// A .proto file gives up to three Go files. The main file has the types and their methods and
// imports no protobuf library. The registry file has what only such a library can do: registration,
// extension fields, XXX methods that go by reflection; which library that is, if any, is
// [FileOptions.Registry], so that leaving it behind means to change that option. The third has gRPC
// stubs, where they are asked for.
//
// The files by role: names.go decides names and Go types, printer.go collects text and imports;
// struct.go, getter.go, enum.go and oneof.go print types, size.go, marshal.go and unmarshal.go the
// encoding, equal.go, compare.go, text.go and populate.go what options ask for beyond that,
// registry.go and grpc.go the other files.
package shape

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// The values of FileOptions.Registry.
const (
	RegistryNone   = "none"
	RegistryGogo   = "gogo"   // github.com/gogo/protobuf
	RegistryGolang = "golang" // github.com/golang/protobuf
	RegistryCosmos = "cosmos" // github.com/cosmos/gogoproto
	RegistryGoogle = "google" // google.golang.org/protobuf
)

// Registries returns the values of FileOptions.Registry.
func Registries() []string {
	return []string{RegistryNone, RegistryGogo, RegistryGolang, RegistryCosmos, RegistryGoogle}
}

// FileOptions says how the code of one .proto file is made.
type FileOptions struct {
	Suffix   string // suffix of the main file: ".pb.go"
	Registry string // where types are registered; one of Registries
	GRPC     bool   // gRPC stubs too
	Readers  bool   // Readers too
	// GRPCSafe writes the numbers of fields of custom and cast types with a plus in their tags: the
	// library of google.golang.org/protobuf, and with it grpc-go, then leaves those fields to the
	// methods of the message instead of refusing their types. gogo's library reads both.
	GRPCSafe bool
	// SingleFile puts registration and stubs into the main file, as gogo's plugins do: what a
	// .proto gives is then replaced in one step.
	SingleFile bool
	// what happens to strings that are not UTF-8 when they are decoded; one of UTF8Modes, "" for
	// ignore
	UTF8 string
	// Hook tells whether a message, by full name, has a method AfterUnmarshal, which is called when
	// it has been decoded.
	Hook func(fullName string) bool
	// Before tells whether a message has a method BeforeMarshal, which Marshal calls first.
	Before func(fullName string) bool
	// OwnString tells whether a message has a method String that is written by hand.
	OwnString func(fullName string) bool
}

// The values of FileOptions.UTF8.
const (
	UTF8Ignore = "ignore" // as gogo's code
	UTF8Report = "report" // kept, and gogo.OnInvalidUTF8 is told
	UTF8Repair = "repair" // U+FFFD in place of bytes that are none, and gogo.OnInvalidUTF8 is told
	UTF8Strict = "strict" // an error
)

// UTF8Modes returns the values of FileOptions.UTF8.
func UTF8Modes() []string { return []string{UTF8Ignore, UTF8Report, UTF8Repair, UTF8Strict} }

// Options of a Generator.
type Options struct {
	// Module is the Go import path that corresponds to the output root: a/b.proto becomes package
	// Module/a.
	Module string
	// GoPackage overrides the Go package by .proto path: "import/path;name", where either part may
	// be empty.
	GoPackage map[string]string
	// ByImportPath puts files where the import path of their package says, as gogo's plugins do,
	// instead of beside their .proto.
	ByImportPath bool
	// File returns the options of a file that is generated.
	File func(importPath string) FileOptions
}

// Output is one file to generate.
type Output struct {
	Path string // path below the output root, with slashes
	File *schema.File
	part part
}

// part is one of the files that a .proto file gives.
type part int

const (
	mainPart part = iota
	registryPart
	grpcPart
	readerPart
)

// Generator generates the files of a schema. Any number of goroutines may use one.
type Generator struct {
	opts  Options
	facts *options.Facts
	names *names
	files []*file
	reach reach

	readers *golang.Generator // nil when no file asks for Readers
}

// New resolves names. Files of s that facts know are generated if they were asked for; all others
// are taken to have code of gogo's or of somebody else who offers the same methods. The Generator
// is nil when a diagnostic is an error.
func New(s *schema.Schema, facts *options.Facts, o Options) (*Generator, report.List) {
	g := &Generator{opts: o, facts: facts}
	var found report.List
	g.names, found = resolve(s, facts, o)
	for _, f := range s.Files {
		if f.Generate && facts.Files[f.Path] != nil {
			g.files = append(g.files, g.names.files[f])
		}
	}
	g.reach = g.reaches()
	found = append(found, g.check()...)
	var more report.List
	g.readers, more = g.readersOf(s)
	found = append(found, more...)
	if found.Errors() > 0 {
		return nil, found
	}
	return g, found
}

// Outputs lists the files to generate, sorted by path.
func (g *Generator) Outputs() []Output {
	var outs []Output
	for _, f := range g.files {
		base := strings.TrimSuffix(f.schema.Path, ".proto")
		if g.opts.ByImportPath && strings.Contains(f.path, "/") {
			base = path.Join(f.path, path.Base(base))
		}
		if dir, ok := g.folder(f); ok && !g.opts.ByImportPath {
			base = path.Join(dir, path.Base(base))
		}
		outs = append(outs, Output{Path: base + f.opts.Suffix, File: f.schema})
		if f.opts.Registry != RegistryNone && !f.opts.SingleFile {
			outs = append(outs, Output{Path: base + "_registry" + f.opts.Suffix, File: f.schema,
				part: registryPart})
		}
		if f.opts.Readers && len(f.schema.Messages) > 0 {
			outs = append(outs, Output{Path: base + "_reader" + f.opts.Suffix, File: f.schema,
				part: readerPart})
		}
		if f.opts.GRPC && len(f.schema.Services) > 0 && !f.opts.SingleFile {
			outs = append(outs, Output{Path: base + "_grpc" + f.opts.Suffix, File: f.schema,
				part: grpcPart})
		}
	}
	slices.SortFunc(outs, func(a, b Output) int { return strings.Compare(a.Path, b.Path) })
	return outs
}

// folder returns the folder below the output root of a file that was given a Go package below the
// module.
func (g *Generator) folder(f *file) (string, bool) {
	importPath, _, _ := strings.Cut(g.opts.GoPackage[f.schema.Path], ";")
	if importPath == "" || g.opts.Module == "" {
		return "", false
	}
	if importPath == g.opts.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, g.opts.Module+"/")
}

// Generate returns the formatted text of one output. An error is a bug of the generator.
func (g *Generator) Generate(o Output) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = nil, fmt.Errorf("internal compiler error: %v", p)
		}
	}()
	if o.part == readerPart {
		return g.readers.Generate(golang.Output{File: o.File})
	}
	p := newPrinter(g, g.names.files[o.File])
	switch o.part {
	case mainPart:
		p.main()
	case registryPart:
		p.registry()
		p.imported()
	case grpcPart:
		p.services()
	}
	return p.text()
}

// main prints the main file.
func (p *printer) main() {
	for e := range p.file.schema.AllEnums() {
		p.enum(p.names.enums[e])
	}
	for m := range p.file.schema.AllMessages() {
		p.message(p.names.messages[m])
	}
	p.customTypes()
	p.helpers()
	p.textHelpers()
	p.populateHelpers()
	if !p.file.opts.SingleFile {
		return
	}
	if p.file.opts.Registry != RegistryNone {
		p.registry()
	}
	if p.file.opts.GRPC {
		p.services()
	}
	if p.file.opts.Registry != RegistryNone {
		p.imported() // after all that may import the same by a name
	}
}

// message prints a message with all its methods.
func (p *printer) message(m *message) {
	p.structOf(m)
	p.commonMethods(m)
	p.defaults(m)
	p.oneofTypes(m)
	p.getters(m)
	p.oneofWrappers(m)
	p.marshal(m)
	p.size(m)
	p.unmarshal(m)
	p.beforeMarshal(m)
	if m.facts.VerboseEqual {
		p.equal(m, true)
	}
	if m.facts.Equal {
		p.equal(m, false)
	}
	if m.facts.Compare {
		p.compare(m)
	}
	if p.printsText(m) {
		p.stringer(m)
	}
	if m.facts.GoString {
		p.goString(m)
	}
	if m.facts.Populate {
		p.populate(m)
	}
	if m.facts.Face {
		p.face(m)
	}
	if m.facts.OnlyOne {
		p.onlyOne(m)
	}
}
