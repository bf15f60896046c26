package compiler

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// unit is a file of a session.
type unit struct {
	path   string
	source *source.File
	err    error // why there is no source
	// what the file declares; nil when there is no source
	described *describe.File
	linked    *link.File
	imports   []string // import paths, in the order of the statements
	found     report.List
	unused    report.List // warnings of imports
	info      SourceInfo
	right     bool // it has no error, nor has what it imports
	broken    bool // the text has errors
	asked     bool // the file is not merely imported
}

// read reads the files with the given import paths and all that they import, unless known has them
// already, and returns those that it has read.
func read(ctx context.Context, src *source.Set, paths []string, known map[string]*unit,
	parallel int) map[string]*unit {
	r := reading{src: src, units: map[string]*unit{}, known: known}
	r.wake.L = &r.mu
	r.add(paths)
	stop := context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.stopped = true
		r.wake.Broadcast()
	})
	defer stop()
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(r.work)
	}
	wait.Wait()
	return r.units
}

// reading is the state of read: files that wait, and those that are done.
type reading struct {
	src   *source.Set
	known map[string]*unit

	mu      sync.Mutex
	wake    sync.Cond // when there is more to do, or nothing any more
	units   map[string]*unit
	waiting []*unit
	busy    int // units that are being read
	stopped bool
}

// add makes units of the paths that are not known.
func (r *reading) add(paths []string) {
	for _, p := range paths {
		if r.units[p] != nil || r.known[p] != nil {
			continue
		}
		u := &unit{path: p}
		r.units[p] = u
		r.waiting = append(r.waiting, u)
	}
}

func (r *reading) work() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.stopped {
		if len(r.waiting) == 0 {
			if r.busy == 0 {
				return
			}
			r.wake.Wait()
			continue
		}
		u := r.waiting[len(r.waiting)-1]
		r.waiting = r.waiting[:len(r.waiting)-1]
		r.busy++
		r.mu.Unlock()
		u.guard(func(u *unit) { u.read(r.src) })
		r.mu.Lock()
		r.busy--
		r.add(u.imports)
		r.wake.Broadcast()
	}
}

// read opens the file, parses and describes it.
func (u *unit) read(src *source.Set) {
	if u.source, u.err = src.Open(u.path); u.err != nil {
		return
	}
	tree, found := syntax.Parse(u.path, u.source.Text)
	u.found = found
	u.broken = found.Errors() > 0
	u.described, found = describe.Describe(tree)
	u.described.BuiltIn = u.source.BuiltIn()
	u.found = append(u.found, found...)
	for _, i := range u.described.Imports {
		u.imports = append(u.imports, tree.String(i.Path))
	}
}

// guard calls f, and makes an error of its panic.
func (u *unit) guard(f func(*unit)) {
	defer func() {
		if p := recover(); p != nil {
			u.broken = true
			u.found = append(u.found, report.Panic(u.path, p))
		}
	}()
	f(u)
}

// incomplete tells whether declarations may be missing.
func (u *unit) incomplete() bool { return u.described.Tree.Incomplete }

// missing tells whether there is no such file.
func (u *unit) missing() bool { return errors.Is(u.err, fs.ErrNotExist) }
