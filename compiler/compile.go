// Package compiler turns .proto files into the language-neutral schema that backends generate code
// from.
//
//	sources --parse, link--> linked files --describe--> FileDescriptorSet --lower--> schema
//
// [Compile] runs all passes. Parsing and linking are protocompile's. The last step is package
// lower, because a protoc plugin is handed a FileDescriptorSet and enters there.
//
// Whatever the input, problems come back as diagnostics, all that a run can find; a panic in a pass
// becomes one too.
package compiler

import (
	"context"
	"os"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/lower"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/schema"
)

// Options says what to compile.
type Options struct {
	Sources *Sources // nil means the working folder
	Files   []string // import paths of the files asked for; their imports come along
	// Parallel is the number of files worked on at a time; 0 means one per CPU.
	Parallel int
	// IncludeImports asks for code for what the code of Files imports, too, apart from the
	// well-known files.
	IncludeImports bool
}

// Result is what a compilation gives.
type Result struct {
	// Schema is nil when a diagnostic is an error.
	Schema *schema.Schema
	// Descriptors holds the files asked for and all they import, in protoc's order: each file after
	// its imports. They have source info, but for files with thousands of declarations in one line.
	// It is nil when a diagnostic is an error.
	Descriptors *descriptorpb.FileDescriptorSet
	// Diagnostics is sorted by file and position. Files are named by their path on disk.
	Diagnostics report.List
}

// DescriptorSet returns Descriptors encoded, which is what gremlin/dynamic loads types from; nil
// when a diagnostic is an error.
func (r *Result) DescriptorSet() ([]byte, error) {
	if r.Descriptors == nil {
		return nil, nil
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(r.Descriptors)
}

// Compile compiles the files asked for. It returns no error of its own: what is wrong is in the
// diagnostics. When ctx ends early the result holds one diagnostic that says so.
func Compile(ctx context.Context, o Options) *Result {
	src := o.Sources
	if src == nil {
		src = NewSources()
	}
	res := &Result{}

	if os.Getenv("GREMLIN_FRONTEND") == "new" {
		return compileNew(ctx, src, o)
	}

	// Parse every file, link names to declarations, check the rules of the language.
	linked, waiting, found := link(ctx, src, o.Files, o.Parallel)
	res.Diagnostics = append(res.Diagnostics, found...)

	// Describe the linked files as protoc would, the values of options included.
	var fds *descriptorpb.FileDescriptorSet
	if res.Diagnostics.Errors() == 0 {
		fds, found = describe(src, linked, waiting, o.Files, o.Parallel)
		res.Diagnostics = append(res.Diagnostics, found...)
	}

	// Resolve features and lower.
	if res.Diagnostics.Errors() == 0 {
		var s *schema.Schema
		s, found = lower.Lower(fds, o.Files)
		for i := range found {
			found[i].File = src.DiskPath(found[i].File)
		}
		res.Diagnostics = append(res.Diagnostics, found...)
		if res.Diagnostics.Errors() == 0 {
			if o.IncludeImports {
				includeImports(s)
			}
			res.Schema, res.Descriptors = s, fds
		}
	}
	res.Diagnostics = res.Diagnostics.Sorted()
	return res
}

func compileNew(ctx context.Context, src *Sources, o Options) *Result {
	res := &Result{}
	fds, found := NewSession(src.Set).run(ctx, o)
	if found.Errors() == 0 {
		var lowered report.List
		res.Schema, lowered = lower.Lower(fds, o.Files)
		found = append(found, lowered...)
		if found.Errors() == 0 {
			if o.IncludeImports {
				includeImports(res.Schema)
			}
			res.Descriptors = fds
		}
	}
	for i := range found {
		found[i].File = src.Set.Name(found[i].File)
		for j := range found[i].Notes {
			found[i].Notes[j].File = src.Set.Name(found[i].Notes[j].File)
		}
	}
	res.Diagnostics = found.Sorted()
	return res
}

// includeImports asks for code for all files whose types those that code is asked for have.
func includeImports(s *schema.Schema) {
	for _, f := range slices.Backward(s.Files) { // each comes after all that it imports
		if !f.Generate {
			continue
		}
		for u := range f.Uses(true) {
			if !u.File.WellKnown {
				u.File.Generate = true
			}
		}
	}
}
