package golang

import (
	"slices"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/lower"
	"github.com/octopus-framework/octopus/internal/compiler/validate"
)

// Backend is the backend of the command and the plugin: Go in the native shape.
type Backend struct {
	// Marks returns what options of another library in .proto files say of fields, by full name;
	// wanted tells of which files. Nil stands for no such library.
	Marks func(set *descriptorpb.FileDescriptorSet,
		wanted func(path string) bool) map[string]Mark
}

// Mark is what options of another library say of a field.
type Mark struct {
	Std   bool // the field is a type of Go
	Value bool // as a value, not a pointer
}

// Name returns "native".
func (Backend) Name() string { return "native" }

// Options returns the options of native code.
func (b Backend) Options() []backend.Option {
	options := table.Options()
	if b.Marks != nil {
		options = append(options, gogoproto.Option)
	}
	return append(options, stdOptions...)
}

// Declarations returns nothing: this backend has no options in .proto files.
func (Backend) Declarations(string) (text string, ok bool) { return "", false }

// settings are options as gremlin.yaml, flags and parameters have them.
type settings struct {
	Options
	hex, renames []backend.Item
	validate     bool
	descriptors  bool
	gogoproto    bool
}

// table is every option for whole runs and files.
var table = backend.Table[settings]{
	{Option: backend.Option{Name: "module", Kind: backend.Text,
		In:      backend.InFlags | backend.AtTop | backend.InParameters,
		Example: "example.com/shop/gen", Doc: "Go import path of the output folder"},
		Set: func(s *settings, v backend.Value) { s.Module = v.Text }},
	{Option: backend.Option{Name: "pointer_lists", In: backend.Everywhere,
		Doc: "repeated messages as `[]*T`, the shape of protoc-gen-go, and not `[]T`"},
		Set: func(s *settings, v backend.Value) { s.PointerLists = v.On }},
	{Option: backend.Option{Name: "json", In: backend.Everywhere,
		Doc: "code for JSON too, in files of its own"},
		Set: func(s *settings, v backend.Value) { s.JSON = v.On }},
	{Option: backend.Option{Name: "json_hex", Kind: backend.Patterns, In: backend.Everywhere,
		Example: "opentelemetry.proto.*.trace_id",
		Doc:     "fields of type bytes that are hex digits in JSON, not base64"},
		Set: func(s *settings, v backend.Value) { s.hex = v.Items }},
	{Option: backend.Option{Name: "validate", In: backend.Everywhere,
		Doc: "methods that check the rules of buf.validate"},
		Set: func(s *settings, v backend.Value) { s.validate = v.On }},
	{Option: backend.Option{Name: "grpc", In: backend.Everywhere,
		Doc: "clients and servers for gRPC too, in files of their own"},
		Set: func(s *settings, v backend.Value) { s.GRPC, s.NoServices = v.On, !v.On }},
	{Option: backend.Option{Name: "grpc_in", Kind: backend.Choice, Values: received,
		In: backend.Everywhere, Doc: "what gRPC code receives; Readers without it"},
		Set: func(s *settings, v backend.Value) { s.GRPCMessages = v.Text == received[0] }},
	{Option: backend.Option{Name: "grpc_descriptors", In: backend.Everywhere,
		Doc: "what servers tell by reflection"},
		Set: func(s *settings, v backend.Value) { s.descriptors = v.On }},
	{Option: backend.Option{Name: "connect", In: backend.Everywhere,
		Doc: "handlers and clients for Connect too, in packages of their own"},
		Set: func(s *settings, v backend.Value) { s.Connect = v.On }},
	{Option: backend.Option{Name: "connect_in", Kind: backend.Choice, Values: received,
		In: backend.Everywhere, Doc: "what Connect code receives; Readers without it"},
		Set: func(s *settings, v backend.Value) { s.ConnectMessages = v.Text == received[0] }},
	{Option: backend.Option{Name: "rename", Kind: backend.Names, Key: "renames",
		In:      backend.AtTop | backend.InParameters,
		Example: "shop.v1.Deposit_Part=DepositPart2",
		Doc:     "another Go name of a declaration, where two would have one"},
		Set: func(s *settings, v backend.Value) { s.renames = v.Items }},
	{Option: backend.Option{Name: "go_package", Kind: backend.Text, In: backend.InPackages,
		Example: "import/path;name",
		Doc:     "Go package of files; either part may be missing. As a parameter: `Mfile.proto=import/path;name`"}},
	{Option: backend.Option{Name: "paths", Kind: backend.Choice,
		Values: []string{"source_relative"}, In: backend.InParameters,
		Doc: "files lie where their `.proto` does, also where `M` gives them a package elsewhere"},
		Set: func(s *settings, v backend.Value) { s.SourceRelative = v.Text != "" }},
}

// received is what comes in with requests.
var received = []string{"message", "reader"}

// gogoproto is an option where .proto files may have the marks of that library.
var gogoproto = backend.Row[settings]{Option: backend.Option{Name: "gogoproto",
	In:  backend.InFlags | backend.InOptions,
	Doc: "follow stdtime, stdduration, wktpointer and nullable of gogoproto in native code"},
	Set: func(s *settings, v backend.Value) { s.gogoproto = v.On }}

// stdOptions are those of single fields.
var stdOptions = []backend.Option{
	{Name: "nullable", In: backend.InFields, Doc: "a pointer; a value if false"},
	{Name: "stdtime", In: backend.InFields, Doc: "a Timestamp as `time.Time`"},
	{Name: "stdduration", In: backend.InFields, Doc: "a Duration as `time.Duration`"},
	{Name: "wktpointer", In: backend.InFields, Doc: "a wrapper as a pointer to what it wraps"},
}

// New resolves all names; see [New].
func (b Backend) New(r *backend.Request) (*backend.Code, report.List) {
	o, found := b.options(r)
	code := &backend.Code{Suffixes: []string{suffix}, MayBeAt: mayBeAt(o.Module, r.Packages)}
	if r.IsNothing() || found.Errors() > 0 {
		return code, found
	}
	g, named := New(r.Schema, o)
	found = append(found, named...)
	if g == nil {
		return nil, found
	}
	found = append(append(found, g.CheckPlaces()...), httpNote(r, o)...)
	if r.Written {
		found = append(found, g.CheckModule()...)
	}
	for _, o := range g.Outputs() {
		code.Outputs = append(code.Outputs, backend.Output{Path: o.Path, File: o.File,
			Generate: func() ([]byte, error) { return g.Generate(o) }})
	}
	for _, o := range g.Missing() {
		code.Missing = append(code.Missing, backend.Output{Path: o.Path, File: o.File})
	}
	return code, found
}

// mayBeAt returns what tells where code may lie: beside its .proto, or where entries of
// gremlin.yaml say.
func mayBeAt(module string, entries []backend.PackageSettings) func(path, source string) bool {
	return func(path, source string) bool {
		return isPlace(path, source) || slices.ContainsFunc(entries, func(
			e backend.PackageSettings) bool {
			return isPlace(path, Place(source, module, e.Settings["go_package"].Text))
		})
	}
}

// options returns the options that a request gives, and what is wrong with them.
func (b Backend) options(r *backend.Request) (o Options, found report.List) {
	var s settings
	append(table, gogoproto).Apply(&s, r.Settings)
	o = s.Options
	o.Parameters = r.Plugin
	o.GoPackage, o.Other, o.Renames = map[string]string{}, map[string]bool{}, map[string]string{}
	for _, f := range r.Schema.Files {
		if p := r.Files[f.Path]["go_package"].Text; p != "" {
			o.GoPackage[f.Path] = p
		}
		if !r.IsMine(f) {
			o.Other[f.Path] = true
		}
	}
	for _, name := range s.renames {
		o.Renames[name.Name] = name.Text
	}
	if len(s.hex) > 0 {
		given := r.Settings // r itself must not be kept
		o.Hex = func(name string) bool { return given.Matches("json_hex", name) }
	}
	if s.descriptors {
		o.Descriptors = map[string][]byte{}
		if err := lower.AddClosures(o.Descriptors, r.Schema, r.Descriptors); err != nil {
			return o, report.List{{Message: err.Error()}}
		}
	}
	if s.validate {
		o.Validate, found = validate.Read(r.Schema, r.Descriptors, o.Other)
	}
	var marks map[string]Mark
	if s.gogoproto && b.Marks != nil {
		marks = b.Marks(r.Descriptors, func(path string) bool { return !o.Other[path] })
	}
	o.Std = stdFields(r, marks)
	found = append(found, unmatchedHex(r, s.hex)...)
	found = append(found, unknownNames(r, s.renames)...)
	return o, append(found, foreignTypes(r)...)
}
