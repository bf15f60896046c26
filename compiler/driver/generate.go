package driver

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/compiler/golang"
	"github.com/octopus-framework/octopus/compiler/report"
)

// Job is a run of the generator.
type Job struct {
	Input
	Backend
	Out   string // output folder; made when it is missing
	Check bool   // write nothing and tell whether the output folder is up to date
	Prune bool   // remove generated files that are left over: their .proto is gone, or JSON is not asked for any more
	Force bool   // overwrite files that gremlin did not generate
}

// Outcome is what a run did, or under Job.Check would have done. The lists hold slash-separated paths below the output
// folder, sorted. They are empty when a diagnostic is an error.
type Outcome struct {
	*Compilation
	Written   []string // made or changed
	Missing   []string // the part of Written that did not exist before
	Unchanged []string // already right, not touched
	Stale     []string // left over: generated from a .proto that is gone, or with JSON that is not asked for any more
	Removed   []string // such files that were removed
}

// UpToDate tells whether the output folder is as the run would leave it with Prune.
func (o *Outcome) UpToDate() bool {
	return len(o.Written) == 0 && len(o.Stale) == 0 && len(o.Removed) == 0
}

// text is one file to be.
type text struct {
	path string // below the output folder, slash-separated
	data []byte
}

// Generate runs the job. What is wrong is in the outcome's diagnostics; nothing was written then, unless a diagnostic
// says so.
func Generate(ctx context.Context, j Job, p *Progress) *Outcome {
	o := &Outcome{Compilation: Compile(ctx, j.Input, p)}
	if o.Diagnostics.Errors() > 0 {
		return o
	}
	g := o.Resolve(j.Input, j.Backend)
	if o.Diagnostics.Errors() > 0 || g == nil {
		return o
	}
	fail := func(err error) {
		var list interface{ Unwrap() []error }
		if errors.As(err, &list) {
			for _, e := range list.Unwrap() {
				o.Diagnostics = append(o.Diagnostics, report.Diagnostic{Message: e.Error()})
			}
			return
		}
		o.Diagnostics = append(o.Diagnostics, report.Diagnostic{Message: err.Error()})
	}
	outputs := g.Outputs()
	texts, err := generateAll(ctx, g, outputs, j.Parallel, p)
	if err != nil {
		fail(err)
		return o
	}
	plan, err := compare(j.Out, texts, j.Force)
	if err != nil {
		fail(err)
		return o
	}
	stale, err := findStale(j.Out, texts, o.Sources)
	if err != nil {
		fail(err)
		return o
	}
	if !j.Check {
		if err := write(j.Out, plan.changed); err != nil {
			fail(err)
			return o
		}
		if j.Prune {
			removed, err := remove(j.Out, stale)
			o.Removed, stale = removed, stale[len(removed):]
			if err != nil {
				fail(err)
				return o
			}
		}
	}
	for _, t := range plan.changed {
		o.Written = append(o.Written, t.path)
	}
	o.Missing, o.Unchanged, o.Stale = plan.missing, plan.unchanged, stale
	return o
}

// generateAll makes the texts in parallel. All errors are returned, joined.
func generateAll(ctx context.Context, g *golang.Generator, outputs []golang.Output, parallel int, p *Progress) ([]text, error) {
	defer p.Start("generating", len(outputs))()
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	texts := make([]text, len(outputs))
	errs := make([]error, len(outputs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(parallel, len(outputs)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(outputs) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				data, err := g.Generate(outputs[i])
				if err != nil {
					err = fmt.Errorf("%s: %w", outputs[i].File.Path, err)
				}
				texts[i], errs[i] = text{outputs[i].Path, data}, err
				p.Step()
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return texts, errors.Join(errs...)
}
