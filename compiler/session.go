package compiler

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"

	dsc "github.com/octopus-framework/octopus/compiler/describe"
	lnk "github.com/octopus-framework/octopus/compiler/link"
	"github.com/octopus-framework/octopus/compiler/options"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/rules"
	files "github.com/octopus-framework/octopus/compiler/source"
)

// Session compiles files that change: what is asked for a second time is compiled again only as far
// as it, or what it imports, has changed in its sources since. One compilation runs at a time.
type Session struct {
	mu    sync.Mutex
	src   *files.Set
	pool  *lnk.Pool
	units map[string]*unit // by import path
}

// NewSession returns a session that has compiled nothing yet. After files have changed, tell the
// sources by Refresh or Put.
func NewSession(src *files.Set) *Session {
	return &Session{src: src, pool: lnk.NewPool(), units: map[string]*unit{}}
}

// front is one run of the front end: from the text to descriptors.
type front struct {
	*Session
	o       Options
	asked   map[string]bool
	added   []*unit // those that are compiled in this run, each behind its imports
	failing map[*unit]bool
}

// run gives the descriptors of the files asked for and all that they import, if none is wrong.
func (s *Session) run(ctx context.Context, o Options) (*descriptorpb.FileDescriptorSet,
	report.List) {
	f := &front{Session: s, o: o, asked: map[string]bool{}}
	for _, p := range o.Files {
		f.asked[p] = true
	}
	for _, step := range []func(context.Context) error{
		f.forget,
		f.read,
		f.link,
		f.options,
		f.rules,
	} {
		if err := step(ctx); err != nil {
			s.pool, s.units = lnk.NewPool(), map[string]*unit{} // half of what was to be done
			return nil, report.List{{Message: fmt.Sprintf("the compilation was stopped: %v", err)}}
		}
	}
	all := f.order(o.Files)
	found := f.diagnostics(all)
	if found.Errors() > 0 {
		return nil, found
	}
	fds := &descriptorpb.FileDescriptorSet{}
	for _, u := range all {
		fds.File = append(fds.File, u.described.Proto)
	}
	return fds, found
}

// forget drops the files that have changed, and those that depend on them.
func (f *front) forget(context.Context) error {
	var gone []string
	dependents := map[string][]string{}
	for path, u := range f.units {
		for _, i := range u.imports {
			dependents[i] = append(dependents[i], path)
		}
		now, err := f.src.Open(path)
		if err != nil || u.source != now || u.asked != f.asked[path] {
			gone = append(gone, path)
		}
	}
	for i := 0; i < len(gone); i++ {
		u := f.units[gone[i]]
		if u == nil {
			continue
		}
		delete(f.units, gone[i])
		if u.linked != nil {
			f.pool.Drop(gone[i])
		}
		gone = append(gone, dependents[gone[i]]...)
	}
	return nil
}

// read parses and describes what is not known yet.
func (f *front) read(ctx context.Context) error {
	added, err := read(ctx, f.src, f.o.Files, f.units, f.o.Parallel)
	if err != nil {
		return err
	}
	for path, u := range added {
		u.asked = f.asked[path]
		f.units[path] = u
	}
	for _, u := range f.order(f.o.Files) {
		if added[u.path] != nil && u.described != nil {
			f.added = append(f.added, u)
		}
	}
	return nil
}

// order returns files and all that they import, each behind its imports, depth first as protoc
// does.
func (f *front) order(paths []string) []*unit {
	type step struct {
		u    *unit
		next int
	}
	var out []*unit
	seen := map[*unit]bool{}
	var stack []step
	push := func(path string) {
		if u := f.units[path]; u != nil && !seen[u] {
			seen[u] = true
			stack = append(stack, step{u: u})
		}
	}
	for _, p := range paths {
		for push(p); len(stack) > 0; {
			top := &stack[len(stack)-1]
			if top.next == len(top.u.imports) {
				out = append(out, top.u)
				stack = stack[:len(stack)-1]
				continue
			}
			top.next++
			push(top.u.imports[top.next-1])
		}
	}
	return out
}

// link finds what names mean.
func (f *front) link(ctx context.Context) error {
	described := make([]*dsc.File, len(f.added))
	for i, u := range f.added {
		described[i] = u.described
	}
	linked, found := f.pool.Link(described, lnk.Options{
		Broken: func(path string) bool {
			u := f.units[path]
			return u == nil || u.broken || slices.ContainsFunc(u.imports, f.lost)
		},
		Parallel: f.o.Parallel,
	})
	for _, l := range linked {
		f.units[l.Path].linked = l
	}
	f.add(found)
	return ctx.Err()
}

// lost tells whether there is no such file, or none that can be read.
func (f *front) lost(path string) bool { return f.units[path].described == nil }

// add notes diagnostics at the files that they are about.
func (f *front) add(found report.List) {
	for _, d := range found {
		u := f.units[d.File]
		u.found = append(u.found, d)
	}
}

// sound returns the added files that have no error, and import none that has.
func (f *front) sound() []*lnk.File {
	f.failing = map[*unit]bool{}
	var out []*lnk.File
	for _, u := range f.added {
		bad := u.found.Errors() > 0
		for _, i := range u.imports {
			imported := f.units[i]
			bad = bad || imported.described == nil || imported.linked == nil ||
				f.failing[imported] || imported.found.Errors() > 0
		}
		if bad {
			f.failing[u] = true
			continue
		}
		out = append(out, u.linked)
	}
	return out
}

// options reads the options of files without errors.
func (f *front) options(ctx context.Context) error {
	f.add(options.Read(f.pool, f.sound(), options.Options{Parallel: f.o.Parallel, Paths: true}))
	return ctx.Err()
}

// rules checks what protoc checks.
func (f *front) rules(ctx context.Context) error {
	var declared report.List
	for _, u := range f.added {
		if !u.broken {
			declared = append(declared, rules.Declared(u.described, u.asked)...)
		}
	}
	sound := f.sound()
	f.add(declared)
	types := rules.NewTypes(f.pool, sound)
	for _, l := range sound {
		f.add(rules.Resolved(l, types))
	}
	for _, l := range sound {
		l.File.Complete()
		l.Proto.SourceCodeInfo = l.File.SourceInfo()
	}
	return ctx.Err()
}

// diagnostics returns what there is to say about files. Warnings are of those that are asked for.
func (f *front) diagnostics(all []*unit) report.List {
	found := f.lostImports(all)
	for _, u := range all {
		found = append(found, u.found...)
	}
	if found.Errors() == 0 {
		for _, u := range all {
			if u.asked {
				found = append(found, u.linked.Unused()...)
			}
		}
	}
	return slices.DeleteFunc(found, func(d report.Diagnostic) bool {
		return d.Severity == report.Warning && !f.asked[d.File]
	})
}
