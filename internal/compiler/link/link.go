// Package link joins described files: it finds what they import and what the names in them mean,
// and writes the full names into their descriptors.
//
// Names are looked up as protoc does, from the inside out by their first part, among what a file
// declares and imports, in one table of all symbols of a [Pool]. A pool can be linked step by step:
// files that have changed are dropped and linked again with those that depend on them.
package link

import (
	"iter"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
)

// Pool is the files of a compilation and their symbols.
type Pool struct {
	table
	files  []*File // files by number; nil for those that were dropped
	byPath map[string]*File
	names  *names
}

// names are symbols by the length of their names, made when the first name is not known.
type names struct {
	once              sync.Once
	types, extensions map[int][]id
	budget            atomic.Int64 // how many may still be compared
}

// File is a file of a pool.
type File struct {
	*describe.File
	// Imports are the files that are imported, in the order of the statements; nil for those that
	// are not there.
	Imports []Import

	pool   *Pool
	number uint32
	pkg    id
	first  id   // the first symbol; those of a file follow each other
	end    id   // id behind the last
	public bool // it has public imports

	broken  bool // it could not be read to its end
	lacking bool // what it gives to others may not be all
	blind   bool // what it sees may not be all
	held    int
}

// Import is an import statement.
type Import struct {
	Path   string
	File   *File
	Public bool
	Option bool // its declarations can only be used as options
	used   bool
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{table: newTable(), byPath: map[string]*File{}, names: &names{}}
}

// Options says how to link.
type Options struct {
	// Broken tells of a file that could not be read to its end, so that declarations are missing:
	// names that are not found in it or in what imports it are no errors. Nor are they in a file
	// that imports one which is not there.
	Broken func(path string) bool
	// Parallel is the number of files worked on at a time; 0 means one per CPU.
	Parallel int
}

// Link adds files to the pool, sets their types and full names, and returns them with each file
// behind what it imports, in the order of protoc's: that of files and their imports. What they
// import must be among them or in the pool already.
func (p *Pool) Link(files []*describe.File, o Options) ([]*File, report.List) {
	p.names = &names{}
	p.compact()
	added := make([]*File, len(files))
	for i, d := range files {
		f := &File{File: d, pool: p, number: uint32(len(p.files))}
		f.broken = o.Broken != nil && o.Broken(d.Path)
		p.files = append(p.files, f)
		p.byPath[d.Path] = f
		added[i] = f
	}
	var found report.List
	for _, f := range added {
		found = append(found, f.bindImports()...)
	}
	order, cycles := sorted(added)
	found = append(found, cycles...)
	findLost(order)
	symbols := 0
	for _, f := range order {
		symbols += count(f.Proto)
	}
	p.reserve(symbols)
	for _, f := range order {
		found = append(found, f.declare()...)
	}
	return order, append(found, p.resolve(order, o.Parallel)...)
}

// resolve resolves the names in files.
func (p *Pool) resolve(files []*File, parallel int) report.List {
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	found := make([]report.List, len(files))
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(parallel, len(files)) {
		wait.Go(func() {
			v := p.View()
			for i := int(next.Add(1)) - 1; i < len(files); i = int(next.Add(1)) - 1 {
				v.Enter(files[i])
				found[i] = v.resolveFile()
			}
		})
	}
	wait.Wait()
	return slices.Concat(found...)
}

// File returns the file of an import path, or nil.
func (p *Pool) File(path string) *File { return p.byPath[path] }

// Files yields all files of the pool.
func (p *Pool) Files() iter.Seq[*File] { return maps.Values(p.byPath) }

// Drop takes files out of the pool with their symbols. What depends on them has to be dropped, too.
func (p *Pool) Drop(paths ...string) {
	for _, path := range paths {
		f := p.byPath[path]
		if f == nil {
			continue
		}
		delete(p.byPath, path)
		p.files[f.number] = nil
		for n := f.first; n < f.end; n++ {
			p.kill(n)
		}
		for n := f.pkg; n != root; n = p.symbols[n].parent {
			in := &p.packages[p.symbols[n].file]
			if in.files--; in.files == 0 {
				p.kill(n)
			}
		}
	}
}

// compact makes the table anew when most of it is of files that are gone.
func (p *Pool) compact() {
	if p.dead < 1024 || 2*p.dead < len(p.symbols) {
		return
	}
	p.table = newTable()
	for _, f := range p.files {
		if f != nil {
			f.declare() // its errors are known
		}
	}
}
