// Package compiler turns .proto files into descriptors and into the language-neutral schema that
// backends generate code from.
//
// A compilation has these steps, each of which is a package that knows nothing of those behind it:
//
//	source    finds and reads files
//	syntax    text to tokens and a tree
//	describe  tree to descriptors, names as they are written; later their source info
//	link      what is imported, and what names mean
//	options   options into the descriptors
//	rules     what protoc checks besides
//	lower     descriptors to the schema
//
// [Compile] runs them all, a [Session] runs them again for what has changed. The verdict on a file
// and its descriptors are those of protoc. The last step is for plugins, too: protoc hands them
// descriptors.
//
// Whatever the input, problems come back as diagnostics, all that a run can find; a panic in a step
// becomes one too.
package compiler

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Options says what to compile.
type Options struct {
	// Sources is where files come from; nil means the working folder. A session has its own.
	Sources *source.Set
	Files   []string // import paths of the files asked for; their imports come along
	// Parallel is the number of files worked on at a time; 0 means one per CPU.
	Parallel int
	// IncludeImports asks for code for what the code of Files imports, too, apart from the
	// well-known files.
	IncludeImports bool
	// SourceInfo says how much of it the descriptors get. All of it weighs more than the rest.
	SourceInfo SourceInfo
	// DescriptorsOnly asks for no schema.
	DescriptorsOnly bool
}

// SourceInfo is how much source info descriptors have.
type SourceInfo uint8

// The amounts of source info.
const (
	FullSourceInfo SourceInfo = iota // as protoc has it
	PlacesOnly                       // of whole declarations, with their comments
	// SourceInfoLater is none in the descriptors, but [Result.AppendFile] can add it. The result
	// needs more memory, and a session compiles its files again when they are asked for otherwise.
	SourceInfoLater
)

// Result is what a compilation gives.
type Result struct {
	// Schema is nil when a diagnostic is an error, or descriptors only were asked for.
	Schema *schema.Schema
	// Descriptors holds the files asked for and all they import, in protoc's order: each file after
	// its imports. They have the source info that was asked for. It is nil when a diagnostic is an
	// error. What a session returns must not be changed: later results share it.
	Descriptors *descriptorpb.FileDescriptorSet
	// Diagnostics is sorted by file and position. Files are named by their path on disk.
	Diagnostics report.List

	units []*unit // those of Descriptors, when source info is made later

	optionsOnce sync.Once
	optionTypes *optionTypes // for AppendStripped
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
	if o.Sources == nil {
		o.Sources = source.New()
	}
	s := NewSession(o.Sources)
	s.once = true
	return s.Compile(ctx, o)
}

// Compile is like the function [Compile], but compiles only files that have changed since the last
// call, and those that depend on them.
func (s *Session) Compile(ctx context.Context, o Options) (res *Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if p := recover(); p != nil { // in a step that is not done file by file
			s.reset()
			res = &Result{Diagnostics: report.List{report.Panic("", p)}}
		}
	}()
	r := &run{Session: s, options: o, asked: map[string]bool{}}
	for _, p := range o.Files {
		r.asked[p] = true
	}
	for _, step := range []func(context.Context){
		r.forget,      // what has changed
		r.read,        // text to tree to descriptor
		r.link,        // names
		r.readOptions, // options, into the descriptors
		r.check,       // rules
		r.finish,      // source info
	} {
		if step(ctx); ctx.Err() != nil {
			s.reset() // half of it was done
			return &Result{Diagnostics: report.List{{
				Message: fmt.Sprintf("the compilation was stopped: %v", ctx.Err())}}}
		}
	}
	return r.result()
}

// result lowers what was compiled, unless anything is wrong.
func (r *run) result() *Result {
	all := r.order(r.options.Files)
	res := &Result{Diagnostics: r.diagnostics(all)}
	if res.Diagnostics.Errors() == 0 {
		fds := &descriptorpb.FileDescriptorSet{}
		for _, u := range all {
			fds.File = append(fds.File, u.described.Proto)
		}
		if res.Descriptors = fds; r.options.SourceInfo == SourceInfoLater {
			res.units = all
		}
		if r.once {
			r.reset()
			r.added, r.linked = nil, nil
		}
		if !r.options.DescriptorsOnly {
			r.lower(res)
		}
	}
	// The steps know files by their import paths, people by their names.
	for i := range res.Diagnostics {
		d := &res.Diagnostics[i]
		d.File = r.sources.Name(d.File)
		d.Notes = slices.Clone(d.Notes)
		for j := range d.Notes {
			d.Notes[j].File = r.sources.Name(d.Notes[j].File)
		}
	}
	res.Diagnostics = res.Diagnostics.Sorted()
	return res
}

// lower makes the schema.
func (r *run) lower(res *Result) {
	s, found := r.lowered.Lower(res.Descriptors, r.options.Files)
	res.Diagnostics = append(res.Diagnostics, found...)
	if found.Errors() > 0 {
		res.Descriptors, res.units = nil, nil
		return
	}
	if res.Schema = s; r.options.IncludeImports {
		includeImports(s)
	}
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
