package plugin

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/backend"
)

// programPrefix is what names of plugins start with; one called ownPrefix and the name of a backend
// is for that backend.
const (
	programPrefix = "protoc-gen-"
	ownPrefix     = programPrefix + "gremlin-"
)

// parsed is what parameters say.
type parsed struct {
	backend  backend.Backend
	settings backend.Settings
	packages map[string]string // Go packages by .proto path
}

// parameter is one of --gremlin_opt.
type parameter struct{ key, value string }

// parameters reads what --gremlin_opt gave, joined by commas. An unknown one is an error: a
// misspelt parameter must not silently do nothing. program is the name that the plugin was started
// under.
func parameters(text, program string, backends backend.List) (p parsed, found report.List) {
	p = parsed{settings: backend.Settings{}, packages: map[string]string{}}
	var list []parameter
	for param := range strings.SplitSeq(text, ",") {
		if param != "" {
			key, value, _ := strings.Cut(param, "=")
			list = append(list, parameter{key, value})
		}
	}
	p.backend = p.choose(list, strings.TrimSuffix(filepath.Base(program), ".exe"), backends)
	options := (backend.List{p.backend}).Options(backend.InParameters)
	for _, param := range list {
		if d := p.set(param, options, backends); d != nil {
			found = append(found, *d)
		}
	}
	return p, found
}

// choose returns the backend that is asked for: by the name of the program, by shape=NAME, or by an
// option that is for one backend alone.
func (p *parsed) choose(list []parameter, program string, backends backend.List) backend.Backend {
	chosen := backends[0]
	if name, ok := strings.CutPrefix(program, ownPrefix); ok && backends.Named(name) != nil {
		chosen = backends.Named(name)
	}
	name, _ := strings.CutPrefix(program, programPrefix)
	for _, b := range backends {
		for _, o := range b.Options() {
			if slices.Contains(o.Programs, name) {
				chosen, p.settings[o.Name] = b, backend.Value{Text: name}
			}
			if len(o.Programs) > 0 && slices.ContainsFunc(list, func(param parameter) bool {
				return param.key == o.Name
			}) {
				chosen = b
			}
		}
	}
	for _, param := range list {
		if b := backends.Named(param.value); param.key == shape && param.value != "" && b != nil {
			chosen = b
		}
	}
	return chosen
}

// shape is the parameter that names a backend.
const shape = "shape"

// set does what one parameter says, or returns what is wrong with it.
func (p *parsed) set(param parameter, options []backend.Option,
	backends backend.List) *report.Diagnostic {
	if file, ok := strings.CutPrefix(param.key, "M"); ok && file != "" {
		if p.packages[file] = param.value; param.value == "" {
			return &report.Diagnostic{Message: fmt.Sprintf("parameter %q needs a Go package",
				param.key), Hint: "write M" + file + "=import/path;name"}
		}
		return nil
	}
	if param.key == shape {
		if names := backends.Names(); !slices.Contains(names, param.value) {
			return &report.Diagnostic{Hint: "one of " + strings.Join(names, ", "),
				Message: fmt.Sprintf("there is no shape %q", param.value)}
		}
		return nil
	}
	for i := range options {
		o := &options[i]
		if o.Name != param.key {
			continue
		}
		v, err := o.Parse(param.value)
		if wrong := (*backend.WrongValue)(nil); errors.As(err, &wrong) {
			return &report.Diagnostic{Message: "parameter " + wrong.Error(), Hint: wrong.Hint()}
		}
		p.settings.Set(o, v, options)
		return nil
	}
	return p.unknown(param.key, options, backends)
}

// unknown words an error about a parameter that the backend does not have.
func (p *parsed) unknown(key string, options []backend.Option,
	backends backend.List) *report.Diagnostic {
	names, usages := []string{shape}, []string{"Mfile.proto=import/path;name", shape + "=NAME"}
	for i := range options {
		names, usages = append(names, options[i].Name), append(usages, options[i].Usage())
	}
	d := &report.Diagnostic{Message: fmt.Sprintf("unknown parameter %q", key),
		Hint: "known parameters: " + strings.Join(usages, ", ")}
	if near := report.Nearest(key, names); len(near) > 0 {
		d.Hint = fmt.Sprintf("did you mean %q?\n", near[0]) + d.Hint
	}
	for _, b := range backends {
		for _, o := range (backend.List{b}).Options(backend.InParameters) {
			if o.Name == key {
				d.Message = fmt.Sprintf("parameter %q is for shape %s, not %s", key, b.Name(),
					p.backend.Name())
			}
		}
	}
	return d
}

// Usage returns a line for each parameter, for the help of the program.
func Usage(backends backend.List) string {
	var b strings.Builder
	line := func(usage, doc string) { fmt.Fprintf(&b, "  %-34s %s\n", usage, doc) }
	for i, of := range backends {
		if i > 0 {
			fmt.Fprintf(&b, "Parameters of shape %s:\n", of.Name())
		}
		for _, o := range (backend.List{of}).Options(backend.InParameters) {
			line(o.Usage(), strings.ReplaceAll(o.Doc, "`", ""))
		}
		if i == 0 {
			line("Mfile.proto=import/path;name", "Go package of a file; either part may be missing")
			line("shape="+strings.Join(backends.Names(), "|"), "the shape of the code")
		}
	}
	return b.String()
}
