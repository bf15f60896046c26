package compiler

import (
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/lower"
	"github.com/octopus-framework/octopus/internal/compiler/options"
	"github.com/octopus-framework/octopus/internal/compiler/rules"
)

// Session compiles files that change: what is asked for again is compiled only as far as it, or
// what it imports, has changed in its sources since. One compilation runs at a time; others wait.
type Session struct {
	mu      sync.Mutex
	sources *source.Set
	pool    *link.Pool
	units   map[string]*unit // units by import path
	lowered *lower.Session
	// once tells that there is one compilation: trees and symbols, a third of what it has in
	// memory, are given back before the schema is made.
	once bool
}

// NewSession returns a session that has compiled nothing yet. When files have changed, tell the
// sources so by Refresh or Put before the next compilation.
func NewSession(sources *source.Set) *Session {
	s := &Session{sources: sources}
	s.reset()
	return s
}

// reset forgets everything.
func (s *Session) reset() {
	s.pool, s.units, s.lowered = link.NewPool(), map[string]*unit{}, lower.NewSession()
}

// run is one compilation of a session.
type run struct {
	*Session
	options Options
	asked   map[string]bool
	added   []*unit      // those that are compiled in this run, each behind its imports
	linked  []*link.File // those of them whose options can be read
}

// forget drops the files that have changed or were not right, which may be due to what has changed
// elsewhere, and those that depend on them.
func (r *run) forget(context.Context) {
	var gone []string
	dependents := map[string][]string{}
	for path, u := range r.units {
		for _, i := range u.imports {
			dependents[i] = append(dependents[i], path)
		}
		now, err := r.sources.Open(path)
		if err != nil || u.source != now || u.asked != r.asked[path] || !u.right ||
			u.info != r.options.SourceInfo {
			gone = append(gone, path)
		}
	}
	for i := 0; i < len(gone); i++ {
		u := r.units[gone[i]]
		if u == nil {
			continue
		}
		delete(r.units, gone[i])
		if u.linked != nil {
			r.pool.Drop(gone[i])
		}
		gone = append(gone, dependents[gone[i]]...)
	}
}

// read parses and describes what is not known yet.
func (r *run) read(ctx context.Context) {
	added := read(ctx, r.sources, r.options.Files, r.units, r.workers())
	if ctx.Err() != nil {
		return
	}
	for path, u := range added {
		u.asked = r.asked[path]
		r.units[path] = u
	}
	for _, u := range r.order(r.options.Files) {
		if added[u.path] != nil && u.described != nil {
			r.added = append(r.added, u)
		}
	}
}

// workers is the number of files worked on at a time.
func (r *run) workers() int {
	if r.options.Parallel > 0 {
		return r.options.Parallel
	}
	return runtime.GOMAXPROCS(0)
}

// order returns files and all that they import, each behind its imports, depth first as protoc
// does.
func (r *run) order(paths []string) []*unit {
	type step struct {
		u    *unit
		next int
	}
	var out []*unit
	seen := map[*unit]bool{}
	var stack []step
	push := func(path string) {
		if u := r.units[path]; u != nil && !seen[u] {
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
func (r *run) link(context.Context) {
	described := make([]*describe.File, len(r.added))
	for i, u := range r.added {
		described[i] = u.described
	}
	linked, found := r.pool.Link(described, link.Options{
		Broken:   func(path string) bool { return r.units[path].incomplete() },
		Parallel: r.workers(),
	})
	for _, l := range linked {
		r.units[l.Path].linked = l
	}
	r.tell(found)
}

// tell notes diagnostics at the files that they are about.
func (r *run) tell(found report.List) {
	for _, d := range found {
		u := r.units[d.File]
		u.found = append(u.found, d)
	}
}

// readOptions reads the options of the files that have no error so far, and import none that has.
func (r *run) readOptions(context.Context) {
	failing := map[*unit]bool{}
	for _, u := range r.added {
		bad := u.linked == nil || u.found.Errors() > 0
		for _, i := range u.imports {
			imported := r.units[i]
			bad = bad || imported.linked == nil || failing[imported] ||
				imported.found.Errors() > 0
		}
		if failing[u] = bad; !bad {
			r.linked = append(r.linked, u.linked)
		}
	}
	r.tell(options.Read(r.pool, r.linked, options.Options{Parallel: r.workers(), Paths: true,
		Asked: func(path string) bool { return r.asked[path] }}))
}

// check applies the rules: what declarations say by themselves in all files whose text is right,
// the rest in files whose options were read. Descriptors without errors are completed then.
func (r *run) check(context.Context) {
	types := rules.NewTypes(r.pool)
	resolved := make(map[*link.File]bool, len(r.linked))
	for _, l := range r.linked {
		resolved[l] = true
	}
	r.each(func(u *unit) {
		if !u.broken {
			u.found = append(u.found, rules.Declared(u.described, u.asked)...)
		}
		if !resolved[u.linked] {
			return
		}
		u.found = append(u.found, rules.Resolved(u.linked, types)...)
		u.right = u.found.Errors() == 0
	})
}

// finish completes the descriptors of files without errors, whose trees are not needed any more.
func (r *run) finish(context.Context) {
	r.each(func(u *unit) {
		if !u.right {
			return
		}
		u.described.Complete()
		if u.asked {
			u.unused = u.linked.Unused()
		}
		switch u.info = r.options.SourceInfo; u.info {
		case FullSourceInfo:
			u.described.Proto.SourceCodeInfo = u.described.SourceInfo()
		case PlacesOnly:
			u.described.Proto.SourceCodeInfo = u.described.Places()
		case SourceInfoLater:
			return
		}
		u.described.Release()
	})
}

// each calls f for every added file, for several at a time.
func (r *run) each(f func(*unit)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(r.workers(), len(r.added)) {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(r.added); i = int(next.Add(1)) - 1 {
				r.added[i].guard(f)
			}
		})
	}
	wait.Wait()
}

// diagnostics returns what there is to say about files. Warnings are of those that are asked for;
// an import seems unused where what uses it could not be read.
func (r *run) diagnostics(all []*unit) report.List {
	found := r.lostImports(all)
	for _, u := range all {
		found = append(found, u.found...)
	}
	if found.Errors() == 0 {
		for _, u := range all {
			found = append(found, u.unused...)
		}
	}
	return slices.DeleteFunc(found, func(d report.Diagnostic) bool {
		return d.Severity == report.Warning && !r.asked[d.File]
	})
}
