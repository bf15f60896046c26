package driver

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"time"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// How long Watch waits before it looks again: some times as long as a look took, but within bounds,
// so that large trees do not keep a processor busy.
const (
	lookShortest = 200 * time.Millisecond
	lookLongest  = 2 * time.Second
	lookShare    = 10
)

// Watch runs the job, and runs it again whenever a .proto file has changed, come or gone, until the
// context ends; then it returns nil. Only what has changed and what depends on it is compiled and
// generated again. Each outcome is handed to ran, in this goroutine; Unchanged has only files that
// were looked at. The error is one that waiting does not mend.
//
// Changes are found by looking at times and sizes of files again and again.
func Watch(ctx context.Context, j Job, p *Progress, ran func(*Outcome)) error {
	s, err := open(ctx, j.input())
	if err != nil {
		return err
	}
	s.kept = compiler.NewSession(s.sources)
	config := ""
	if j.Config != nil {
		config = j.Config.Path
	}
	configured := stamp(config)
	w := &watched{}
	for {
		o := generate(ctx, j, p, s.compile(ctx, j.Input, p), w)
		if ctx.Err() != nil {
			return nil
		}
		ran(o)
		if err := s.wait(ctx, func() error {
			if stamp(config) != configured {
				return fmt.Errorf("%s has changed: start again", config)
			}
			return nil
		}); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// wait returns when a source has changed, the context ends, or end returns an error.
func (s *session) wait(ctx context.Context, end func() error) error {
	before, _ := s.sources.All() // what cannot be read is an error of the next run
	pause := lookShortest
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		if err := end(); err != nil {
			return err
		}
		began := time.Now()
		changed := s.sources.Refresh()
		after, _ := s.sources.All()
		if changed || !slices.Equal(before, after) {
			return nil
		}
		pause = min(max(lookShare*time.Since(began), lookShortest), lookLongest)
	}
}

// stamp is what changes when a file does; "" for none.
func stamp(name string) string {
	info, err := os.Stat(name)
	if name == "" || err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime())
}

// watched is what was generated last.
type watched struct {
	asked   []string // files that were asked for; nil when nothing was done to the end yet
	files   map[*schema.File]bool
	outputs map[string]bool // paths
}

// changed returns those of outputs that are to be generated again; all tells whether that is all of
// them. A nil watched has generated nothing yet.
//
// A session gives files anew that have changed or import one that has. The Go code of a file
// depends on these and on the names in its own Go package, which is a folder; so it is generated
// again with its package, and with it all that imports a file of that package.
func (w *watched) changed(c *Compilation, outputs []backend.Output) (some []backend.Output,
	all bool) {
	if w == nil || w.asked == nil || !slices.Equal(w.asked, c.Files) {
		return outputs, true
	}
	dirty := map[*schema.File]bool{}
	for _, f := range c.Schema.Files {
		dirty[f] = !w.files[f]
	}
	packages := map[string]bool{}
	for _, o := range outputs {
		if dirty[o.File] || !w.outputs[o.Path] {
			packages[path.Dir(o.Path)] = true
		}
	}
	for _, o := range outputs {
		dirty[o.File] = dirty[o.File] || packages[path.Dir(o.Path)]
	}
	for _, f := range c.Schema.Files { // each after its imports
		dirty[f] = dirty[f] || slices.ContainsFunc(f.Imports, func(i schema.Import) bool {
			return dirty[i.File]
		})
	}
	for _, o := range outputs {
		if dirty[o.File] {
			some = append(some, o)
		}
	}
	return some, false
}

// done notes that everything is as it was compiled. A nil watched notes nothing.
func (w *watched) done(c *Compilation, outputs []backend.Output) {
	if w == nil {
		return
	}
	w.asked, w.files, w.outputs = c.Files, map[*schema.File]bool{}, map[string]bool{}
	for _, f := range c.Schema.Files {
		w.files[f] = true
	}
	for _, o := range outputs {
		w.outputs[o.Path] = true
	}
}
