package driver

import (
	"fmt"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/config"
	"github.com/octopus-framework/octopus/compiler/gogo"
	"github.com/octopus-framework/octopus/compiler/golang"
	"github.com/octopus-framework/octopus/compiler/golang/gogoshape"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// output is one file to generate, whichever backend makes it.
type output struct {
	path     string // below the output folder, slash-separated
	file     *schema.File
	generate func() ([]byte, error)
}

// shapeOf returns the shape that the configuration gives to a file.
func shapeOf(in Input, f *schema.File) config.Shape {
	if in.Config == nil {
		return config.Shape{}
	}
	s := in.Config.Shape(f.Path, f.Package)
	if s.Name == "gogo" {
		if s.Preset == "" {
			s.Preset = "gogo"
		}
		if s.Registry == "" {
			s.Registry = gogoshape.RegistryGogo
		}
		if s.Suffix == "" {
			s.Suffix = ".pb.go"
		}
		if s.UTF8 == "" {
			s.UTF8 = gogoshape.UTF8Ignore
		}
	}
	return s
}

// inGogoShape returns the files whose code is made in gogo's shape.
func (c *Compilation) inGogoShape(in Input) map[string]bool {
	files := map[string]bool{}
	for _, f := range c.Schema.Files {
		if shapeOf(in, f).Name == "gogo" {
			files[f.Path] = true
		}
	}
	return files
}

// resolveGogo makes the generator of the files in gogo's shape; nil when there are none, or when
// something is wrong, which is added to the diagnostics.
func (c *Compilation) resolveGogo(in Input, b Backend) *gogoshape.Generator {
	files := c.inGogoShape(in)
	if len(files) == 0 {
		return nil
	}
	o := gogoshape.Options{Module: b.Module, GoPackage: map[string]string{}}
	shapes := map[string]config.Shape{}
	var found report.List
	for _, f := range c.Schema.Files {
		o.GoPackage[f.Path] = in.Config.GoPackage(f.Path, f.Package)
		s := shapeOf(in, f)
		if s.Name != "gogo" {
			continue
		}
		shapes[f.Path] = s
		for _, known := range []struct {
			what, value string
			all         []string
		}{{"preset", s.Preset, gogo.Presets()}, {"registry", s.Registry, gogoshape.Registries()},
			{"mode of utf8", s.UTF8, gogoshape.UTF8Modes()}} {
			if !slices.Contains(known.all, known.value) {
				found = append(found, report.Diagnostic{File: in.Config.Path,
					Message: fmt.Sprintf("there is no %s %q", known.what, known.value),
					Hint:    "one of " + strings.Join(known.all, ", ")})
			}
		}
	}
	c.Diagnostics = append(c.Diagnostics, found.Sorted()...)
	c.add(c.mixedShapes(files))
	if c.Diagnostics.Errors() > 0 {
		return nil
	}
	o.File = func(path string) gogoshape.FileOptions {
		s := shapes[path]
		return gogoshape.FileOptions{Suffix: s.Suffix, Registry: s.Registry, GRPC: s.GRPC,
			SingleFile: s.SingleFile, Readers: s.Readers,
			GRPCSafe: s.GRPCSafe, UTF8: s.UTF8, Hook: s.Hooked,
			Before: s.HookedBefore, OwnString: s.HasString}
	}
	facts, found := gogo.Source{
		Preset: func(path string) string { return shapes[path].Preset },
		Field:  in.Config.OptionsOf,
	}.Read(c.Descriptors.File)
	c.add(found)
	if found.Errors() > 0 {
		return nil
	}
	g, found := gogoshape.New(c.Schema, facts, o)
	c.add(found)
	return g
}

// Check finds what keeps code from being generated, in all shapes. It must not be called after a
// compilation that failed.
func (c *Compilation) Check(in Input, b Backend) {
	if c.Resolve(in, b); c.Diagnostics.Errors() == 0 {
		c.resolveGogo(in, b)
	}
}

// mixedShapes finds native files that use messages or enums of files in gogo's shape: the two have
// different methods.
func (c *Compilation) mixedShapes(gogo map[string]bool) (found report.List) {
	for _, f := range c.Schema.Files {
		if gogo[f.Path] || !f.Generate {
			continue
		}
		for use := range f.Uses(true) {
			if gogo[use.File.Path] {
				found = append(found, report.Diagnostic{
					File: f.Path, Line: use.Pos.Line, Column: use.Pos.Column,
					Message: fmt.Sprintf("%s %q uses a type of %q, whose code is in shape gogo",
						use.What, use.FullName, use.File.Path),
					Hint: "give both files the same shape in gremlin.yaml",
				})
			}
		}
	}
	return found
}

// outputsOf lists the files that both backends make.
func outputsOf(native *golang.Generator, old *gogoshape.Generator) (outs []output) {
	for _, o := range native.Outputs() {
		outs = append(outs, output{o.Path, o.File, func() ([]byte, error) {
			return native.Generate(o)
		}})
	}
	if old != nil {
		for _, o := range old.Outputs() {
			outs = append(outs, output{o.Path, o.File, func() ([]byte, error) {
				return old.Generate(o)
			}})
		}
	}
	slices.SortFunc(outs, func(a, b output) int { return strings.Compare(a.path, b.path) })
	return outs
}

// gogoSuffixes returns how files in the shape of gogo end.
func gogoSuffixes(j Job) (suffixes []string) {
	if j.Config == nil {
		return nil
	}
	for _, p := range j.Config.Packages {
		if p.Shape.Name != "gogo" {
			continue
		}
		if p.Shape.Suffix == "" {
			p.Shape.Suffix = ".pb.go"
		}
		if !slices.Contains(suffixes, p.Shape.Suffix) {
			suffixes = append(suffixes, p.Shape.Suffix)
		}
	}
	return suffixes
}

// isGogoPlace tells whether rel may be code in the shape of gogo of the .proto file at.
func isGogoPlace(rel, at string, suffixes []string) bool {
	base, ok := strings.CutPrefix(rel, strings.TrimSuffix(at, ".proto"))
	return ok && slices.ContainsFunc(suffixes, func(suffix string) bool {
		part, ok := strings.CutSuffix(base, suffix)
		return ok && slices.Contains([]string{"", "_registry", "_reader", "_grpc"}, part)
	})
}
