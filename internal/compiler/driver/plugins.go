package driver

import (
	"context"
	"errors"
	"io"
	"path"
	"path/filepath"
	"slices"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/plugin/host"
)

// PluginJob is a run of plugins of protoc.
type PluginJob struct {
	Input
	Compiled *Compilation // files of Input with descriptors, without errors; nil: not compiled yet
	Plugins  []host.Plugin
	Check    bool      // write nothing and tell whether the output folders are up to date
	Warn     io.Writer // what plugins say on standard error
	// With is done when all files of plugins are there and have no names yet: they get them only if
	// it has no error. Nil means nothing.
	With func() *Outcome
}

// Plugins runs plugins side by side, and writes the files of all of them or none. The lists of the
// outcome have paths that begin with the output folders; those of With are in it.
func Plugins(ctx context.Context, j PluginJob, p *Progress) *Outcome {
	o := &Outcome{Compilation: j.Compiled}
	if j.Compiled == nil {
		in := j.Input
		in.Descriptors = true
		o.Compilation = Compile(ctx, in, p)
	}
	if o.Diagnostics.Errors() > 0 {
		return o
	}
	files, err := o.runPlugins(ctx, j, p)
	if err != nil {
		o.Fail(err)
		return o
	}
	if j.Compiled == nil {
		o.Result.Descriptors = nil // weighs most, and is not needed any more
	}
	var updates []*update
	for _, out := range files.Outs() {
		u := &update{out: out, check: j.Check, force: true}
		updates = append(updates, u)
		defer u.abandon()
		if err := u.begin(); err != nil {
			o.Fail(err)
			return o
		}
		for _, f := range files.List {
			if f.Out != out {
				continue
			}
			if err := u.add(text{path: f.Name, data: f.Data}); err != nil {
				o.Fail(err)
				return o
			}
		}
	}
	if j.With != nil {
		if o = j.With(); o.Diagnostics.Errors() > 0 {
			return o
		}
	}
	for _, u := range updates {
		if !j.Check {
			if err := u.commit(); err != nil {
				o.Fail(err)
				return o
			}
		}
		out := filepath.ToSlash(u.out)
		for _, list := range []struct{ to, from *[]string }{{&o.Written, &u.changed},
			{&o.Missing, &u.missing}, {&o.Unchanged, &u.unchanged}} {
			for _, name := range *list.from {
				*list.to = append(*list.to, path.Join(out, name))
			}
			slices.Sort(*list.to)
		}
	}
	return o
}

// runPlugins returns the files that plugins make of what was compiled.
func (o *Outcome) runPlugins(ctx context.Context, j PluginJob, p *Progress) (*host.Files, error) {
	defer p.Start("running "+count(len(j.Plugins), "plugin"), 0)()
	set, err := host.NewSet(o.Result, o.Files)
	if err != nil {
		return nil, err
	}
	return host.Run(ctx, set, j.Plugins, j.Warn)
}

// Fail adds an error, or each of several that are joined; nil is none.
func (o *Outcome) Fail(err error) {
	if err == nil {
		return
	}
	var list interface{ Unwrap() []error }
	if errors.As(err, &list) {
		for _, e := range list.Unwrap() {
			o.Fail(e)
		}
		return
	}
	o.Diagnostics = append(o.Diagnostics, report.Diagnostic{Message: err.Error()})
}
