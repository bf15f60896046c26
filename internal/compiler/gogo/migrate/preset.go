package migrate

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
)

// candidates are the presets that may have made a file, the more frequent ones first: where two fit
// equally well, the first is taken unless a script names the other.
func (f *File) candidates(named []string) []string {
	all := []string{"gogofaster", "gogofast", "gofast", "gogo", "gogoslick", "gogoroach"}
	switch {
	case f.Registry == "cosmos":
		all = []string{"gocosmos", "gogo"}
	case f.withoutTypes:
		all = []string{"k8s", "k8s-1.34"}
	case f.Registry == "golang":
		all = []string{"gofast", "gogofast", "gogo"}
	}
	slices.SortStableFunc(all, func(a, b string) int {
		return index(named, a) - index(named, b)
	})
	return all
}

func index(list []string, s string) int {
	if i := slices.Index(list, s); i >= 0 {
		return i
	}
	return len(list)
}

// findPresets finds the preset of each file: that of whose declarations the checked-in code differs
// least. What differs still was changed by hand, or by a script after the generator.
func (p *Plan) findPresets(ctx context.Context, progress *driver.Progress) error {
	best := map[*File]int{}
	var presets []string
	for _, f := range p.Files {
		for _, c := range f.candidates(p.namedPresets()) {
			if !slices.Contains(presets, c) {
				presets = append(presets, c)
			}
		}
	}
	for _, preset := range presets {
		texts, err := p.generate(ctx, func(f *File) string {
			if slices.Contains(f.candidates(p.namedPresets()), preset) {
				return preset
			}
			return f.candidates(p.namedPresets())[0]
		}, progress)
		if err != nil {
			return err
		}
		for _, f := range p.Files {
			candidates := f.candidates(p.namedPresets())
			if !slices.Contains(candidates, preset) {
				continue
			}
			text, ok := texts[f.Go]
			if !ok {
				return fmt.Errorf("%s would be generated under another name", f.Go)
			}
			ours, err := readGenerated(f.Go, text)
			if err != nil {
				return err
			}
			found := differences(declarations(f.generated.ast, f.generated.imports),
				declarations(ours.ast, ours.imports))
			score, had := len(found)*len(presets)+slices.Index(candidates, preset), f.Preset != ""
			if !had || score < best[f] {
				best[f], f.Preset, f.Patches = score, preset, found
			}
		}
	}
	return nil
}

// generate returns the code of all files under presets.
func (p *Plan) generate(ctx context.Context, preset func(*File) string,
	progress *driver.Progress) (map[string][]byte, error) {
	c, found := config.Parse(p.tree.path(config.Name), []byte(p.yaml(preset)), all.Backends())
	if len(found) > 0 {
		return nil, fmt.Errorf("the configuration that was made is wrong: %s", found[0].Message)
	}
	outcome, texts := driver.Texts(ctx, jobOf(c), progress)
	if outcome.Diagnostics.Errors() > 0 {
		for _, d := range outcome.Diagnostics {
			if d.Severity == 0 {
				return nil, &compileError{outcome}
			}
		}
	}
	return texts, nil
}

// compileError holds what the compiler found.
type compileError struct{ outcome *driver.Outcome }

// Error returns the errors, one a line.
func (e *compileError) Error() string {
	var lines []string
	for _, d := range e.outcome.Diagnostics {
		if d.Severity == 0 {
			lines = append(lines, fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Message))
		}
	}
	return strings.Join(lines, "\n")
}

// jobOf returns what gremlin generate makes of a configuration.
func jobOf(c *config.Config) driver.Job {
	roots := c.Roots
	if len(roots) == 0 {
		roots = []string{path.Dir(c.Path)}
	}
	return driver.Job{
		Input: driver.Input{Roots: roots, Config: c},
		Target: driver.Target{Backends: all.Backends(), Settings: backend.Settings{
			"module": c.Settings["module"],
			"grpc":   {On: false}, // no warning about services is wanted
		}},
		Out: c.Out,
	}
}
