package compiler

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bufbuild/protocompile/experimental/fdp"
	"github.com/bufbuild/protocompile/experimental/incremental"
	"github.com/bufbuild/protocompile/experimental/incremental/queries"
	"github.com/bufbuild/protocompile/experimental/ir"
	"github.com/bufbuild/protocompile/experimental/source"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
)

// link parses and links the files. The files it returns are complete only when no diagnostic is an
// error, apart from those about options that wait for these to be read.
func link(ctx context.Context, src *Sources, files []string,
	parallel int) (linked []*ir.File, waiting []suspicion, found report.List) {
	defer func() {
		if p := recover(); p != nil {
			linked, found = nil, append(found, internalError(src, p))
		}
	}()
	exec := incremental.New(incremental.WithParallelism(int64(workers(parallel))))
	results, rep, err := incremental.Run(ctx, exec, queries.Link{
		Opener:    src,
		Session:   new(ir.Session),
		Workspace: source.NewWorkspace(files...),
	})
	if err != nil {
		return nil, nil, report.List{{Message: fmt.Sprintf("the compilation was stopped: %v", err)}}
	}
	linked = slices.DeleteFunc(slices.Clone(results[0].Value), func(f *ir.File) bool {
		return f == nil
	})
	overrule(src, rep, linked)
	waiting = suspend(src, rep, linked, files)
	found = translate(src, rep, files)
	if found.Errors() == 0 && (results[0].Fatal != nil || len(linked) != len(files)) {
		found = append(found,
			report.Diagnostic{Message: fmt.Sprintf("the files could not be linked: %v",
				results[0].Fatal)})
	}
	if found.Errors() == 0 {
		for f := range ir.TopoSort(linked) {
			found = append(found, checkGrammar(src, f)...)
		}
	}
	return linked, waiting, found
}

// internalError is the diagnostic for a panic in the front end.
func internalError(src *Sources, p any) report.Diagnostic {
	d := report.Diagnostic{
		Message: fmt.Sprintf("internal compiler error: %v", p),
		Hint:    "this is a bug in gremlin: report it with the file",
	}
	var ep *incremental.ErrPanic
	if err, ok := p.(error); ok && errors.As(err, &ep) {
		d.Message = fmt.Sprintf("internal compiler error: %v", ep.Panic)
		switch q := ep.Query.Underlying().(type) {
		case queries.IR:
			d.File = src.DiskPath(q.Path)
		case queries.AST:
			d.File = src.DiskPath(q.Path)
		case queries.File:
			d.File = src.DiskPath(q.Path)
		}
	}
	return d
}

func workers(parallel int) int {
	if parallel > 0 {
		return parallel
	}
	return runtime.GOMAXPROCS(0)
}

// describe makes descriptors of the linked files and what they import, in protoc's order, with
// source info unless a file is too wide for it. What waits are errors about options, each of which
// is one only if the option cannot be read.
func describe(src *Sources, linked []*ir.File, waiting []suspicion, files []string,
	parallel int) (*descriptorpb.FileDescriptorSet, report.List) {
	all := slices.Collect(ir.TopoSort(linked))
	protos := make([]*descriptorpb.FileDescriptorProto, len(all))
	declared := make([][]described, len(all))
	errs := make([]error, len(all))
	each := func(f func(i int)) {
		var next atomic.Int64
		var wg sync.WaitGroup
		for range min(workers(parallel), len(all)) {
			wg.Go(func() {
				for i := int(next.Add(1)) - 1; i < len(all); i = int(next.Add(1)) - 1 {
					f(i)
				}
			})
		}
		wg.Wait()
	}
	each(func(i int) {
		if protos[i], errs[i] = describeFile(all[i], !src.isWide(all[i].Path())); errs[i] == nil {
			declared[i] = declarations(protos[i])
		}
	})

	var found report.List
	byPath := make(map[string]*descriptorpb.FileDescriptorProto, len(all))
	for i, f := range all {
		if errs[i] != nil {
			found = append(found, report.Diagnostic{File: f.Path(), Message: errs[i].Error()})
			continue
		}
		byPath[f.Path()] = protos[i]
	}
	if len(found) == 0 {
		types := newOptionTypes(protos, declared)
		refused := make([][]refusal, len(all))
		each(func(i int) {
			refused[i], errs[i] = readSource(all[i], src.original(all[i].Path()), protos[i],
				declared[i], types)
		})
		for i, f := range all {
			if errs[i] != nil {
				found = append(found, report.Diagnostic{File: src.DiskPath(f.Path()),
					Message: errs[i].Error()})
			}
			found = append(found, judge(src, f.Path(), refused[i], waiting, types)...)
		}
	}
	if found.Errors() == 0 {
		broken := checkDeclared(protos, declared)
		for i, fd := range protos {
			broken = append(broken, checkConventions(fd, declared[i])...)
		}
		for _, d := range broken {
			d.File = src.DiskPath(d.File)
			found = append(found, d)
		}
	}
	if found.Errors() > 0 { // an import may seem unused when what uses it cannot be read
		return nil, slices.DeleteFunc(found, func(d report.Diagnostic) bool {
			return d.Severity == report.Warning
		})
	}

	// protoc's order: depth first along the imports, from the files asked for. Import depth is
	// bounded by the number of files, so the recursion is too.
	fds := &descriptorpb.FileDescriptorSet{}
	seen := make(map[string]bool, len(all))
	var visit func(string)
	visit = func(path string) {
		f := byPath[path]
		if seen[path] || f == nil {
			return
		}
		seen[path] = true
		for _, dep := range f.Dependency {
			visit(dep)
		}
		for _, dep := range f.OptionDependency {
			visit(dep)
		}
		fds.File = append(fds.File, f)
	}
	for _, path := range files {
		visit(path)
	}
	return fds, found
}

// describeFile goes through bytes because protocompile leaves the options as unknown fields in its
// descriptors; parsing puts them where they belong.
func describeFile(f *ir.File, sourceInfo bool) (fd *descriptorpb.FileDescriptorProto, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal compiler error: %v", p)
		}
	}()
	data, err := fdp.DescriptorProtoBytes(f, fdp.IncludeSourceCodeInfo(sourceInfo))
	if err != nil {
		return nil, err
	}
	fd = &descriptorpb.FileDescriptorProto{}
	if err := proto.Unmarshal(data, fd); err != nil {
		return nil, err
	}
	return fd, nil
}
