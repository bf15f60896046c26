package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
)

// Job is a run of the generator.
type Job struct {
	Input
	Target
	Out   string // output folder; made when it is missing
	Check bool   // write nothing and tell whether the output folder is up to date
	// remove generated files that are left over: their .proto is gone, or JSON is not asked for any
	// more
	Prune bool
	Force bool // overwrite files that gremlin did not generate
}

// Outcome is what a run did, or under Job.Check would have done. The lists hold slash-separated
// paths below the output folder, sorted. They are empty when a diagnostic is an error.
type Outcome struct {
	*Compilation
	Written   []string // made or changed
	Missing   []string // the part of Written that did not exist before
	Unchanged []string // already right, not touched
	// left over: generated from a .proto that is gone, or with JSON that is not asked for any more
	Stale   []string
	Removed []string // such files that were removed
}

// UpToDate tells whether the output folder is as the run would leave it with Prune.
func (o *Outcome) UpToDate() bool {
	return len(o.Written) == 0 && len(o.Stale) == 0 && len(o.Removed) == 0
}

// text is one file to be.
type text struct {
	path     string // path below the output folder, slash-separated
	data     []byte
	replaces string // see [backend.Output]
}

// input is the Input with the .proto files of the backends.
func (j *Job) input() Input {
	in := j.Input
	if in.Provided == nil {
		in.Provided = j.Backends.Declarations
	}
	return in
}

// Generate runs the job. What is wrong is in the outcome's diagnostics; nothing was written then,
// unless a diagnostic says so.
func Generate(ctx context.Context, j Job, p *Progress) *Outcome {
	return generate(ctx, j, p, Compile(ctx, j.input(), p), nil)
}

// generate runs the job for what was compiled, as far as that has changed since w was done.
func generate(ctx context.Context, j Job, p *Progress, c *Compilation, w *watched) *Outcome {
	o := &Outcome{Compilation: c}
	if o.Diagnostics.Errors() > 0 {
		return o
	}
	codes := o.code(j.Input, j.Target, true)
	if codes == nil {
		return o
	}
	o.add(missingImports(codes, j.Out))
	o.Descriptors = nil // weighs as much as the schema, and only that is needed from here on
	outputs := outputsOf(codes)
	some, all := w.changed(o.Compilation, outputs)
	u := &update{out: j.Out, check: j.Check, force: j.Force}
	defer u.abandon()
	if err := u.begin(); err != nil {
		o.Fail(err)
		return o
	}
	if err := generateAll(ctx, some, j.Parallel, p, u.add); err != nil {
		o.Fail(err)
		return o
	}
	var stale []string
	if all {
		var err error
		if stale, err = findStale(j.Out, codes, outputs, o.Sources); err != nil {
			o.Fail(err)
			return o
		}
	}
	if !j.Check {
		if err := u.commit(); err != nil {
			o.Fail(err)
			return o
		}
		if j.Prune {
			removed, err := remove(j.Out, stale)
			o.Removed, stale = removed, stale[len(removed):]
			if err != nil {
				o.Fail(err)
				return o
			}
		}
	}
	w.done(o.Compilation, outputs)
	o.Written, o.Missing, o.Unchanged, o.Stale = u.changed, u.missing, u.unchanged, stale
	for _, list := range [][]string{o.Written, o.Missing, o.Unchanged} {
		slices.Sort(list)
	}
	return o
}

// Texts runs the job without an output folder and returns the texts of the files by their paths.
// What is wrong is in the outcome's diagnostics.
func Texts(ctx context.Context, j Job, p *Progress) (*Outcome, map[string][]byte) {
	o := &Outcome{Compilation: Compile(ctx, j.input(), p)}
	if o.Diagnostics.Errors() > 0 {
		return o, nil
	}
	codes := o.code(j.Input, j.Target, false)
	if codes == nil {
		return o, nil
	}
	texts := map[string][]byte{}
	err := generateAll(ctx, outputsOf(codes), j.Parallel, p, func(t text) error {
		texts[t.path] = t.data
		return nil
	})
	if err != nil {
		o.Diagnostics = append(o.Diagnostics, report.Diagnostic{Message: err.Error()})
	}
	return o, texts
}

// generateAll makes the texts in parallel and hands each to take, in this goroutine, in the order
// in which they are done. All errors are returned, joined in the order of outputs, unless the
// context ends.
func generateAll(ctx context.Context, outputs []backend.Output, parallel int, p *Progress,
	take func(text) error) error {
	defer p.Start("generating", len(outputs))()
	if parallel <= 0 {
		parallel = runtime.GOMAXPROCS(0)
	}
	type made struct {
		i int // index of the output
		text
		err error
	}
	done := make(chan made, parallel)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(parallel, len(outputs)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(outputs) &&
				ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				data, err := outputs[i].Generate()
				if err != nil {
					err = fmt.Errorf("%s: %w", outputs[i].File.Path, err)
				}
				done <- made{i, text{outputs[i].Path, data, outputs[i].Replaces}, err}
			}
		})
	}
	go func() {
		wg.Wait()
		close(done)
	}()
	errs := make([]error, len(outputs))
	for m := range done {
		if m.err == nil {
			m.err = take(m.text)
		}
		errs[m.i] = m.err
		p.Step()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// shownImports is how many missing imports are named.
const shownImports = 5

// missingImports warns of files whose code is imported, but neither generated by this run nor
// there already.
func missingImports(codes []*backend.Code, out string) report.List {
	var missing []string
	for _, code := range codes {
		for _, m := range code.Missing {
			if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(m.Path))); err != nil {
				missing = append(missing, m.File.Path)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	names := `"` + strings.Join(missing[:min(len(missing), shownImports)], `", "`) + `"`
	if more := len(missing) - shownImports; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return report.List{{
		Severity: report.Warning,
		Message:  "generated code imports that of files that were not asked for: " + names,
		Hint: "--include-imports generates it too; in gremlin.yaml: include_imports: true\n" +
			"if it lies elsewhere, gremlin.yaml says where: packages: " +
			fmt.Sprintf(`[{files: %q, go_package: "import/path"}]`,
				path.Join(path.Dir(missing[0]), "*.proto")),
	}}
}
