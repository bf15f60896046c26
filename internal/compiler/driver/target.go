package driver

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/config"
)

// Target says who makes code, and how.
type Target struct {
	Backends backend.List
	Settings backend.Settings // settings of the run, those of Input.Config among them
}

// code asks every backend for the code of its files; written says that it will be written. What is
// wrong is added to the diagnostics, and nothing is returned then.
func (c *Compilation) code(in Input, t Target, written bool) (all []*backend.Code) {
	cfg := in.Config
	if cfg == nil {
		cfg = &config.Config{}
	}
	whose, files := map[string]backend.Backend{}, map[string]backend.Settings{}
	for _, f := range c.Schema.Files {
		shape, s := cfg.SettingsOf(f.Path, f.Package, t.Backends)
		whose[f.Path], files[f.Path] = t.Backends.Named(shape), s
	}
	c.checkFields(cfg, whose)
	for _, b := range t.Backends {
		r := &backend.Request{
			Schema: c.Schema, Descriptors: c.Descriptors,
			Settings: t.Settings, Files: files, Others: map[string]string{},
			Fields: cfg.Fields, Config: cfg.Path, All: c.all, Written: written,
		}
		for path, other := range whose {
			if other.Name() != b.Name() {
				r.Others[path] = other.Name()
			}
		}
		for _, p := range cfg.Packages {
			r.Packages = append(r.Packages, p.PackageSettings)
		}
		code, found := b.New(r)
		c.add(found)
		all = append(all, code)
	}
	c.add(conflicts(all))
	if c.Diagnostics.Errors() > 0 {
		return nil
	}
	return all
}

// conflicts finds outputs of different backends that would be the same file.
func conflicts(all []*backend.Code) (found report.List) {
	first := map[string]string{} // import paths by outputs
	for _, code := range all {
		if code == nil {
			continue
		}
		for _, o := range code.Outputs {
			key := strings.ToLower(o.Path)
			if other, ok := first[key]; ok {
				found = append(found, report.Diagnostic{File: o.File.Path,
					Message: fmt.Sprintf("output %q is also that of %q", o.Path, other)})
			}
			first[key] = o.File.Path
		}
	}
	return found
}

// outputsOf lists the files that all backends make, sorted by path.
func outputsOf(all []*backend.Code) (outs []backend.Output) {
	for _, code := range all {
		outs = append(outs, code.Outputs...)
	}
	slices.SortFunc(outs, func(a, b backend.Output) int { return strings.Compare(a.Path, b.Path) })
	return outs
}

// checkFields finds settings of fields that the backend of the field's file does not have, and
// patterns that no field matches.
func (c *Compilation) checkFields(cfg *config.Config, whose map[string]backend.Backend) {
	if len(cfg.Fields) == 0 {
		return
	}
	matched := make([]bool, len(cfg.Fields))
	for _, file := range c.Schema.Files {
		if file.WellKnown {
			continue
		}
		b := whose[file.Path]
		for m := range file.AllMessages() {
			for _, f := range m.Fields {
				for i := range cfg.Fields {
					if cfg.Fields[i].Matches(f.FullName) {
						matched[i] = true
						c.checkField(cfg, b, f.FullName, file.Path, cfg.Fields[i].Settings)
					}
				}
			}
		}
	}
	for i, f := range cfg.Fields {
		if !matched[i] && c.all {
			c.Diagnostics = append(c.Diagnostics, report.Diagnostic{File: cfg.Path,
				Line: f.Line, Column: f.Column,
				Message: fmt.Sprintf("no field in the .proto files is matched by %q", f.Pattern),
				Hint:    "full names have dots between: shop.v1.Deposit.time, or shop.v1.*.time"})
		}
	}
}

// checkField finds settings of one field that its backend does not have.
func (c *Compilation) checkField(cfg *config.Config, b backend.Backend, field, file string,
	given backend.Settings) {
	var known []string
	for _, o := range (backend.List{b}).Options(backend.InFields) {
		known = append(known, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(known, name) {
			c.Diagnostics = append(c.Diagnostics, report.Diagnostic{
				File: cfg.Path, Message: fmt.Sprintf(
					"%s is given for field %q of %s, whose code is in the %s shape", name, field, file,
					b.Name()),
				Hint: fmt.Sprintf("fields of %s files have %s", b.Name(),
					strings.Join(known, ", "))})
		}
	}
}
