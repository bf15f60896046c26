// Package golang is the Go backend of the compiler: it turns a schema into Go source.
//
// For every message it writes two types that share nothing but the wire format. Message is a plain
// struct with marshalling and eager decoding; XReader notes where the fields of an encoding start
// and decodes each when it is asked for. What can be a loop or a table lives in the runtime,
// package gremlin/rt; generated code is the part that must know types and names, and it is meant to
// be read.
//
// Names are those of protoc-gen-go, with two additions: the Reader of message X is XReader, and
// field names that collide with a method of ours get an underscore at their end, as protoc-gen-go
// does for its own.
//
// The files by role: backend.go is the table of options and check.go what is wrong with their
// values; names.go decides every Go name before anything is printed, printer.go collects text and
// imports, layout.go lays it out as gofmt would, kinds.go knows what each kind of field is in Go.
// The parts in golang.go are the files that a .proto gives: message*.go, reader*.go and enum.go
// print the first, json*.go the second, grpc.go and connect.go, over service.go, the others.
package golang

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
	"github.com/octopus-framework/octopus/internal/compiler/validate"
)

// Options of the Go backend; the zero value is useful.
type Options struct {
	// Module is the Go import path that corresponds to the output root: a/b.proto becomes package
	// Module/a.
	Module string
	// GoPackage overrides the Go package by .proto path: "import/path;name", where either part may
	// be empty. The code goes to the folder that the import path has below Module; see Place.
	GoPackage map[string]string
	// Renames gives Go names by full proto name: to messages, and with them to what is nested in
	// them, enums and their values, fields, oneofs, extensions, services and methods. A name that
	// nothing has is without effect; see Renamable.
	Renames map[string]string
	// SourceRelative leaves the code in the folder of the .proto file whatever its import path is.
	SourceRelative bool
	// Parameters makes hints name parameters of the plugin instead of lines of gremlin.yaml.
	Parameters bool
	// PointerLists makes repeated messages []*T, as protoc-gen-go has them, instead of []T.
	PointerLists bool
	// ReadersOnly makes Readers for Messages of the same names that another backend makes: they
	// have Unmarshal, which returns an error, and String.
	ReadersOnly bool
	// Std has the fields, by full name, that are types of Go instead of messages.
	Std map[string]StdField
	// Other names files whose code another backend makes, by .proto path.
	Other map[string]bool
	// JSON adds a file with JSON code for each file that has messages.
	JSON bool
	// Hex tells of the full name of a field of type bytes whether JSON has hex digits for it, not
	// base64. Nil stands for none.
	Hex func(fullName string) bool
	// Validate has the rules that a method Validate of each Message checks. Without them there are
	// no such methods.
	Validate *validate.Facts
	// GRPC adds a file with clients and servers for each file that has services. What they receive
	// are Readers, or Messages with GRPCMessages; what they send are Messages.
	GRPC, GRPCMessages bool
	// Connect and ConnectMessages are the same for connect, whose code is a package of its own for
	// each Go package.
	Connect, ConnectMessages bool
	// Descriptors holds what servers tell by reflection, by .proto path: an encoded
	// FileDescriptorSet. Nil where they tell nothing.
	Descriptors map[string][]byte
	// NoServices says that services are meant to get no code, so that nothing needs to be said
	// about it.
	NoServices bool
}

// Output is one file to generate.
type Output struct {
	Path string // path below the output root, with slashes: "shop/v1/deposit.gremlin.go"
	File *schema.File
	part int // index in parts
}

// services tells whether services get code.
func (o *Options) services() bool { return o.GRPC || o.Connect }

// Generator generates the Go files of a schema. Any number of goroutines may use one.
type Generator struct {
	opts  Options
	names *names
	files []*schema.File

	buffers sync.Pool // pool of *[]byte, in which texts grow
}

// New resolves every Go name of s. Problems are returned as diagnostics; when one of them is an
// error the Generator is nil.
func New(s *schema.Schema, o Options) (*Generator, []report.Diagnostic) {
	g := &Generator{opts: o}
	var diags []report.Diagnostic
	g.names, diags = resolve(s, o)
	for _, f := range s.Files {
		if f.Generate && !o.Other[f.Path] {
			g.files = append(g.files, f)
		}
	}
	diags = append(diags, g.conflicts()...)
	diags = append(diags, g.serviceNote()...)
	diags = append(diags, checkStd(s, o)...)
	diags = append(diags, g.importCycles(s)...)
	if report.List(diags).Errors() > 0 {
		return nil, diags
	}
	return g, diags
}

// conflicts finds outputs that would be the same file. Paths that differ in case only are such:
// they are one file where file systems fold case, and the go command refuses them everywhere.
func (g *Generator) conflicts() []report.Diagnostic {
	var found []report.Diagnostic
	first := map[string]Output{}
	for _, out := range g.Outputs() {
		key := strings.ToLower(out.Path)
		prev, ok := first[key]
		if !ok {
			first[key] = out
			continue
		}
		found = append(found, report.Diagnostic{
			File:    out.File.Path,
			Message: fmt.Sprintf("output %q is also that of %q", out.Path, prev.File.Path),
			Hint:    "rename one of the two .proto files",
		})
	}
	return found
}

// part is one of the Go files that a .proto file can give.
type part struct {
	// wanted tells whether there is such a file.
	wanted func(*Options, *schema.File) bool
	// path returns where it goes, below the output root, given the Place of the .proto file and the
	// name of its Go package.
	path func(place, packageName string) string
	// begin readies a printer for what differs from a file with types; it may be nil.
	begin func(*printer)
	print func(*printer, Options)
}

// parts are all files that a .proto file can give, the one with its types first.
var parts = []part{
	{func(*Options, *schema.File) bool { return true },
		func(place, _ string) string { return OutputPath(place) }, nil, (*printer).types},
	{func(o *Options, f *schema.File) bool { return o.JSON && len(f.Messages) != 0 },
		func(place, _ string) string { return beside(place, ".json") }, nil, (*printer).json},
	{func(o *Options, f *schema.File) bool { return o.GRPC && len(f.Services) != 0 },
		func(place, _ string) string { return beside(place, ".grpc") },
		(*printer).beginGRPC, (*printer).grpcServices},
	{func(o *Options, f *schema.File) bool { return o.Connect && len(f.Services) != 0 },
		connectPath, (*printer).beginConnect, (*printer).connectServices},
}

// Outputs lists the files to generate, sorted by path.
func (g *Generator) Outputs() []Output {
	var outs []Output
	for _, f := range g.files {
		for i, part := range parts {
			if part.wanted(&g.opts, f) {
				path := part.path(g.place(f), g.names.files[f].name)
				outs = append(outs, Output{Path: path, File: f, part: i})
			}
		}
	}
	slices.SortFunc(outs, func(a, b Output) int { return strings.Compare(a.Path, b.Path) })
	return outs
}

// isPlace tells whether code of a .proto file with this Place may be at a path, whatever the name
// of its Go package is.
func isPlace(file, place string) bool {
	packageName := strings.TrimSuffix(path.Base(path.Dir(file)), connectSuffix)
	return slices.ContainsFunc(parts, func(p part) bool {
		return p.path(place, packageName) == file
	})
}

// OutputPath returns where the Go code of a .proto file goes, below the output root, given its path
// or Place. It is the path with another ending, unless the go command would leave out a file of
// that name: it takes experiment_arm.gremlin.go for code of ARM machines, so that an underscore
// comes behind it, and ignores names that start with one.
func OutputPath(protoPath string) string {
	dir, base := path.Split(strings.TrimSuffix(protoPath, path.Ext(protoPath)))
	if strings.HasPrefix(base, "_") || strings.HasPrefix(base, ".") {
		base = "x" + base
	}
	if stem, _, _ := strings.Cut(base, "."); namesPlatform(stem) {
		base += "_"
	}
	return dir + base + suffix
}

// beside is OutputPath with more before the ending.
func beside(protoPath, more string) string {
	return strings.TrimSuffix(OutputPath(protoPath), suffix) + more + suffix
}

// suffix is how generated files end.
const suffix = ".gremlin.go"

// Generate returns the formatted text of one output. An error is a bug of the generator.
func (g *Generator) Generate(o Output) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = nil, fmt.Errorf("internal compiler error: %v", p)
		}
	}()
	part, p := parts[o.part], g.newPrinter(o.File)
	if part.begin != nil {
		part.begin(p)
	}
	part.print(p, g.opts)
	return g.finish(p), nil
}

// types prints what every .proto file gives: its enums, messages and extensions.
func (p *printer) types(o Options) {
	if o.ReadersOnly {
		p.readers(o)
		return
	}
	for e := range p.source.AllEnums() {
		p.enum(e)
	}
	for m := range p.source.AllMessages() {
		t := newMessageType(p, o, m)
		t.message()
		t.reader()
		t.validate()
	}
	for x := range p.source.AllExtensions() {
		p.extension(x, o)
	}
}

// readers prints Readers alone.
func (p *printer) readers(o Options) {
	for e := range p.source.AllEnums() {
		p.enumInfo(e, false)
	}
	for m := range p.source.AllMessages() {
		newMessageType(p, o, m).reader()
	}
}

// newPrinter returns a printer of code for f.
func (g *Generator) newPrinter(f *schema.File) *printer {
	p := newPrinter(g.names, f)
	if b, ok := g.buffers.Get().(*[]byte); ok {
		p.body.out = (*b)[:0]
	}
	return p
}

// finish returns what was printed and ends the use of p.
func (g *Generator) finish(p *printer) []byte {
	text := p.file()
	g.buffers.Put(&p.body.out)
	return text
}
