// Package gogo is the backend for code in the shape of gogo/protobuf: what takes the place of code
// of gogo's plugins. All that the compiler has for that library lies below this folder: package
// options reads gogo's options, gogoproto has gogo.proto, shape prints the code, migrate
// replaces what a module has. Nobody else imports them, apart from the commands, which list
// backends, and internal/dynamic, which reads files that import gogo.proto.
package gogo

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/gogoproto"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

// Backend is the backend of the command and the plugin.
type Backend struct{}

// Name returns "gogo".
func (Backend) Name() string { return "gogo" }

// Options returns the options of files and fields.
func (Backend) Options() []backend.Option {
	all := append(run.Options(), table.Options()...)
	for _, name := range fieldFlags {
		all = append(all, backend.Option{Name: name, In: backend.InFields,
			Doc: "gogoproto." + name})
	}
	all = append(all, backend.Option{Name: "inline", In: backend.InFields,
		Doc: "the Go type of the message is the list that it has"})
	for _, name := range fieldTexts {
		all = append(all, backend.Option{Name: name, Kind: backend.Text, In: backend.InFields,
			Doc: "gogoproto." + name})
	}
	return append(all, backend.Option{Name: "jsontag", Kind: backend.AnyText, In: backend.InFields,
		Doc: "gogoproto.jsontag"})
}

// Declarations returns the text of gogo.proto.
func (Backend) Declarations(importPath string) (text string, ok bool) {
	return gogoproto.Text(importPath)
}

// fieldFlags and fieldTexts are the options of gogo's that gremlin.yaml can give fields.
var (
	fieldFlags = []string{"nullable", "embed", "stdtime", "stdduration", "wktpointer"}
	fieldTexts = []string{"customtype", "customname", "moretags", "casttype", "castkey",
		"castvalue", "castrepeated"}
)

// file is what is set for one file.
type file struct {
	shape.FileOptions
	preset string
}

const (
	inFiles = backend.InPackages | backend.InParameters

	defaultPreset = "gogo"
	defaultSuffix = ".pb.go"
)

// table is every option of a file.
var table = backend.Table[file]{
	{Option: backend.Option{Name: "preset", Kind: backend.Choice, In: inFiles,
		Values: options.Presets(), Programs: programs(),
		Doc: "whose defaults hold; implied when the plugin is started under the name of one of gogo's"},
		Set: func(f *file, v backend.Value) { f.preset = v.Text }},
	{Option: backend.Option{Name: "registry", Kind: backend.Choice, In: inFiles,
		Values: shape.Registries(), Doc: "the library that types are registered with"},
		Set: func(f *file, v backend.Value) { f.Registry = v.Text }},
	{Option: backend.Option{Name: "suffix", Kind: backend.Text, In: inFiles, Example: defaultSuffix,
		Doc: "end of the names of files"},
		Set: func(f *file, v backend.Value) { f.Suffix = v.Text }},
	{Option: backend.Option{Name: "grpc", In: inFiles, Doc: "gRPC stubs too"},
		Set: func(f *file, v backend.Value) { f.GRPC = v.On }},
	{Option: backend.Option{Name: "plugins", Kind: backend.Choice, In: backend.InParameters,
		Values: []string{"grpc", ""}, Doc: "gRPC stubs too, as gogo's plugins are told"},
		Set: func(f *file, v backend.Value) { f.GRPC = v.Text != "" }},
	{Option: backend.Option{Name: "readers", In: inFiles, Doc: "Readers too"},
		Set: func(f *file, v backend.Value) { f.Readers = v.On }},
	{Option: backend.Option{Name: "tags", Kind: backend.Choice, In: inFiles,
		Values: []string{"grpc-safe"},
		Doc:    "tags that google.golang.org/protobuf accepts with custom types"},
		Set: func(f *file, v backend.Value) { f.GRPCSafe = true }},
	{Option: backend.Option{Name: "single_file", In: inFiles,
		Doc: "registration and stubs in the main file"},
		Set: func(f *file, v backend.Value) { f.SingleFile = v.On }},
	{Option: backend.Option{Name: "utf8", Kind: backend.Choice, In: inFiles,
		Values: shape.UTF8Modes(), Doc: "what becomes of strings that are not UTF-8"},
		Set: func(f *file, v backend.Value) { f.UTF8 = v.Text }},
	{Option: backend.Option{Name: "hooks", Kind: backend.Pattern, In: inFiles,
		Example: "shop.v1.*", Doc: "messages with a method AfterUnmarshal"},
		Set: func(f *file, v backend.Value) { f.Hook = matches(v) }},
	{Option: backend.Option{Name: "before_marshal", Kind: backend.Pattern, In: inFiles,
		Example: "shop.v1.*", Doc: "messages with a method BeforeMarshal"},
		Set: func(f *file, v backend.Value) { f.Before = matches(v) }},
	{Option: backend.Option{Name: "own_string", Kind: backend.Pattern, In: inFiles,
		Example: "shop.v1.*", Doc: "messages with a method String that is written by hand"},
		Set: func(f *file, v backend.Value) { f.OwnString = matches(v) }},
}

// run is every option of a whole run.
var run = backend.Table[shape.Options]{
	{Option: backend.Option{Name: "module", Kind: backend.Text,
		In:      backend.InFlags | backend.AtTop | backend.InParameters,
		Example: "example.com/shop/gen", Doc: "Go import path of the output folder"},
		Set: func(o *shape.Options, v backend.Value) { o.Module = v.Text }},
	{Option: backend.Option{Name: "go_package", Kind: backend.Text, In: backend.InPackages,
		Example: "import/path;name", Doc: "Go package of files; either part may be missing"}},
	{Option: backend.Option{Name: "paths", Kind: backend.Choice, In: backend.InParameters,
		Values: []string{"source_relative", "import"},
		Doc:    "files lie where their `.proto` does, or where the import path of their package says (the default of the plugin)"},
		Set: func(o *shape.Options, v backend.Value) { o.ByImportPath = v.Text == "import" }},
}

func matches(v backend.Value) func(string) bool {
	return func(fullName string) bool { return backend.Match(v.Text, fullName) }
}

// programs are the presets that are the names of plugins. Kubernetes' generator is none.
func programs() []string {
	return slices.DeleteFunc(options.Presets(), func(p string) bool {
		return strings.HasPrefix(p, "k8s")
	})
}

// fileOf returns what is set for one file, the defaults filled in.
func fileOf(s backend.Settings, plugin bool) file {
	var f file
	table.Apply(&f, s)
	if f.preset == "" {
		f.preset = defaultPreset
	}
	if f.Registry == "" {
		f.Registry = shape.RegistryGogo
		if plugin && f.preset == "gocosmos" {
			f.Registry = shape.RegistryCosmos
		}
	}
	if f.Suffix == "" {
		f.Suffix = defaultSuffix
	}
	if f.UTF8 == "" {
		f.UTF8 = shape.UTF8Ignore
	}
	return f
}

// New resolves all names.
func (b Backend) New(r *backend.Request) (*backend.Code, report.List) {
	o := shape.Options{ByImportPath: r.Plugin, GoPackage: map[string]string{}}
	run.Apply(&o, r.Settings)
	files := map[string]file{}
	var found report.List
	for _, f := range r.Schema.Files {
		o.GoPackage[f.Path] = r.Files[f.Path]["go_package"].Text
		if !r.IsMine(f) {
			continue
		}
		files[f.Path] = fileOf(r.Files[f.Path], r.Plugin)
		if suffix := files[f.Path].Suffix; !strings.HasSuffix(suffix, ".go") {
			return nil, report.List{{File: r.Config, Hint: "write suffix: .pb.go",
				Message: fmt.Sprintf(`"suffix" is the end of a Go file, not %q`, suffix)}}
		}
	}
	suffixes := suffixesOf(r.Packages, b.Name())
	code := &backend.Code{Suffixes: suffixes, MayBeAt: mayBeAt(r.Packages, suffixes, o.Module)}
	if r.IsNothing() {
		return code, nil
	}
	o.File = func(path string) shape.FileOptions { return files[path].FileOptions }
	facts, found := options.Source{
		Preset: func(path string) string { return files[path].preset },
		Field:  func(name string) map[string]any { return optionsOf(r.OptionsOf(name)) },
	}.Read(r.Descriptors.File)
	if found.Errors() > 0 {
		return nil, found
	}
	g, more := shape.New(r.Schema, facts, o)
	if found = append(found, more...); g == nil {
		return nil, found
	}
	for _, out := range g.Outputs() {
		code.Outputs = append(code.Outputs, backend.Output{Path: out.Path, File: out.File,
			Replaces: header, Generate: func() ([]byte, error) { return g.Generate(out) }})
	}
	return code, found
}

// header starts the files of gogo's plugins, comments of the .proto before it left out.
const header = "// Code generated by protoc-gen-gogo. DO NOT EDIT."

// optionsOf returns settings of a field as package options takes them.
func optionsOf(s backend.Settings) map[string]any {
	if s == nil {
		return nil
	}
	out := map[string]any{}
	for name, v := range s {
		if out[name] = any(v.On); slices.Contains(fieldTexts, name) || name == "jsontag" {
			out[name] = v.Text
		}
	}
	return out
}

// suffixesOf returns how files end by entries for this shape.
func suffixesOf(entries []backend.PackageSettings, name string) (suffixes []string) {
	for _, e := range entries {
		if s := fileOf(e.Settings, false).Suffix; e.Shape == name && !slices.Contains(suffixes, s) {
			suffixes = append(suffixes, s)
		}
	}
	return suffixes
}

// mayBeAt returns what tells where code with these suffixes may lie: beside its .proto, or where
// entries of gremlin.yaml say.
func mayBeAt(entries []backend.PackageSettings, suffixes []string,
	module string) func(path, source string) bool {
	isAt := func(path, place string) bool {
		base, ok := strings.CutPrefix(path, strings.TrimSuffix(place, ".proto"))
		return ok && slices.ContainsFunc(suffixes, func(suffix string) bool {
			part, ok := strings.CutSuffix(base, suffix)
			return ok && slices.Contains([]string{"", "_registry", "_reader", "_grpc"}, part)
		})
	}
	return func(path, source string) bool {
		return isAt(path, source) || slices.ContainsFunc(entries, func(
			e backend.PackageSettings) bool {
			return isAt(path, golang.Place(source, module, e.Settings["go_package"].Text))
		})
	}
}

// Marks returns what gogoproto's options say of the fields of native files, for [golang.Backend].
func Marks(set *descriptorpb.FileDescriptorSet,
	wanted func(path string) bool) map[string]golang.Mark {
	source := options.Source{Preset: func(path string) string {
		if !wanted(path) {
			return ""
		}
		return defaultPreset
	}}
	facts, _ := source.Read(set.File) // gogo's verdicts are about its own code
	marks := map[string]golang.Mark{}
	for name, f := range facts.Fields {
		marks[name] = golang.Mark{Std: f.StdTime || f.StdDuration || f.WktPointer,
			Value: !f.Nullable}
	}
	return marks
}
