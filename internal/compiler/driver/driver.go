// Package driver is what the gremlin command does, without flags and terminals: choose files,
// compile, generate, and bring the output folder up to date as one step that happens or does not.
//
// Nothing is changed before everything is known to be right. Each file is generated and compared
// with what lies in the output folder; those that differ are written beside their places under
// temporary names, and renamed only when all of them are there. A file that would not change is not
// touched, so that the go command and make see no news.
package driver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/config"
)

// Input says what to compile.
type Input struct {
	Roots []string // folders that imports are relative to; none means the working folder
	// Files are paths on disk, folders or import paths. None means all files below the roots that
	// Config wants, except copies of the well-known files, whose Go code comes with the runtime.
	Files    []string
	Config   *config.Config // patterns, Go packages, more to import; nil means none
	Views    []config.View  // what some of the roots show; of the others all
	Parallel int            // files worked on at a time; 0 means one per CPU
	// IncludeImports asks for code for what the generated code imports, too.
	IncludeImports bool
	// Provided has .proto files that may be imported and lie in no root. [Generate] and [Watch]
	// take the files of the backends. Nil means none.
	Provided source.Provider
	// Ordered asks for Files in their order; otherwise they are sorted.
	Ordered bool
	// Descriptors only are wanted, for WriteDescriptors: there is no schema then.
	Descriptors bool
}

// Compilation is the outcome of compiling an Input.
type Compilation struct {
	*compiler.Result
	Sources *source.Set
	Files   []string // the import paths asked for, sorted unless Input.Ordered was set
	all     bool     // Files is everything below the roots
}

// Compile chooses the files and compiles them. Everything that is wrong is in the result's
// diagnostics.
func Compile(ctx context.Context, in Input, p *Progress) *Compilation {
	s, err := open(ctx, in)
	if err != nil {
		return &Compilation{Sources: s.sources, all: len(in.Files) == 0,
			Result: &compiler.Result{Diagnostics: report.List{{Message: err.Error()}}}}
	}
	return s.compile(ctx, in, p)
}

// List chooses the files of an Input. With imports they are compiled, and Files has what they
// import, too, apart from what is built in.
func List(ctx context.Context, in Input, imports bool, p *Progress) *Compilation {
	s, err := open(ctx, in)
	if err != nil || imports {
		in.Descriptors = true
		c := Compile(ctx, in, p)
		if c.Descriptors != nil {
			c.Files = nil
			for _, f := range c.Descriptors.File {
				if file, err := c.Sources.Open(f.GetName()); err == nil && !file.BuiltIn() {
					c.Files = append(c.Files, f.GetName())
				}
			}
			slices.Sort(c.Files)
		}
		return c
	}
	c := &Compilation{Sources: s.sources, Result: &compiler.Result{}}
	c.Files, c.Diagnostics = choose(s.sources, s.own, in)
	return c
}

// session is an Input that is compiled once or, with a compiler's session, more often.
type session struct {
	kept    *compiler.Session // nil: nothing is kept for another time
	sources *source.Set
	own     int // roots that files to be compiled come from; those behind are for imports
}

// open finds the roots of an Input. The session has sources also when there is an error.
func open(ctx context.Context, in Input) (*session, error) {
	roots, err := placeRoots(ctx, in)
	if len(roots) == 0 {
		roots = []string{"."}
	}
	s := &session{own: len(roots)}
	if in.Config != nil {
		roots = append(roots, in.Config.Imports...)
	}
	s.sources = source.New(roots...)
	if in.Provided != nil {
		s.sources.Provide(in.Provided)
	}
	if err != nil {
		return s, err
	}
	for _, v := range in.Views {
		s.sources.Limit(v.Root, v.Include, v.Exclude)
	}
	if in.Config != nil && in.Config.ImportHint != "" {
		s.sources.SetImportHint(in.Config.ImportHint)
	}
	return s, nil
}

// compile compiles what has changed since the last time.
func (s *session) compile(ctx context.Context, in Input, p *Progress) *Compilation {
	c := &Compilation{Sources: s.sources, all: len(in.Files) == 0}
	var found report.List
	c.Files, found = choose(s.sources, s.own, in)
	if found.Errors() > 0 {
		c.Result = &compiler.Result{Diagnostics: found}
		return c
	}
	defer p.Start(fmt.Sprintf("compiling %s", count(len(c.Files), "file")), 0)()
	o := compiler.Options{
		Files: c.Files, Parallel: in.Parallel,
		IncludeImports: in.IncludeImports, SourceInfo: compiler.PlacesOnly,
	}
	if in.Descriptors {
		o.SourceInfo, o.DescriptorsOnly = compiler.SourceInfoLater, true
	}
	if s.kept != nil {
		c.Result = s.kept.Compile(ctx, o)
	} else {
		o.Sources = s.sources
		c.Result = compiler.Compile(ctx, o)
	}
	return c
}

// choose returns the import paths of the files asked for. Those of the roots behind the first ones
// are for imports only.
func choose(src *source.Set, own int, in Input) ([]string, report.List) {
	var found report.List
	fail := func(err error, hint string) {
		found = append(found, report.Diagnostic{Message: err.Error(), Hint: hint})
	}
	if err := src.CheckRoots(); err != nil {
		fail(err, "")
		return nil, found
	}
	var files []string
	if len(in.Files) > 0 {
		for _, name := range in.Files {
			paths, err := src.Resolve(name)
			if err != nil {
				fail(err, fmt.Sprintf("the roots are %s; another is added with -I", src))
			}
			files = append(files, paths...)
		}
	} else {
		all, err := src.All()
		if err != nil {
			fail(err, "")
		}
		for _, f := range all {
			wanted := in.Config == nil || in.Config.Wants(f)
			if wanted && src.Provider(f) < own && !source.IsWellKnown(f) {
				files = append(files, f)
			}
		}
		// A file that belongs to a root inside another can be named by the outer one.
		if in.Config != nil {
			for _, f := range in.Config.Files {
				if strings.HasSuffix(f, ".proto") && in.Config.Wants(f) && src.Has(f) {
					files = append(files, f)
				}
			}
		}
	}
	if len(files) == 0 && len(found) == 0 {
		fail(fmt.Errorf("no .proto files below the roots %s", src), "name a root with -I")
	}
	if in.Ordered {
		return unique(files), found
	}
	slices.Sort(files)
	return slices.Compact(files), found
}

// unique returns a list without what has come before.
func unique(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// Check finds what keeps code from being generated. It must not be called after a compilation that
// failed.
func (c *Compilation) Check(in Input, t Target) { c.code(in, t, false) }

// add adds what a backend found, which knows import paths only.
func (c *Compilation) add(found report.List) {
	for _, d := range found {
		d.File = c.Sources.Name(d.File)
		for i := range d.Notes {
			d.Notes[i].File = c.Sources.Name(d.Notes[i].File)
		}
		c.Diagnostics = append(c.Diagnostics, d)
	}
	c.Diagnostics = c.Diagnostics.Sorted()
}

// count puts a number before a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
