package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
)

// optionFlag is an option of a backend as a flag, and, when the flag is given, its value.
type optionFlag struct {
	app    *app
	option *backend.Option
	value  backend.Value
}

// backendFlags adds the flags that are options of backends.
func (a *app) backendFlags(cmd *cobra.Command) {
	options := backends.Options(backend.InFlags)
	for i := range options {
		o := &options[i]
		f := cmd.Flags().VarPF(&optionFlag{app: a, option: o}, o.FlagName(), "",
			strings.ReplaceAll(o.Doc, "`", ""))
		if o.Kind == backend.Flag {
			f.NoOptDefVal = "true"
		}
	}
	cmd.Flags().StringVar(&a.shape, "shape", "", "shape of the code: "+
		strings.Join(backends.Names(), " or ")+" (default: that of gremlin.yaml, or the first)")
}

// Set notes a value, which counts more than that of the configuration.
func (f *optionFlag) Set(text string) error {
	v, err := f.option.Parse(text)
	if err == nil {
		f.app.given = append(f.app.given, optionFlag{option: f.option, value: v})
	}
	return err
}

// String returns the default, of which help shows nothing.
func (f *optionFlag) String() string { return "" }

// Type is what help shows for the value.
func (f *optionFlag) Type() string {
	switch f.option.Kind {
	case backend.Flag:
		return "bool"
	case backend.Choice:
		return strings.Join(f.option.Values, "|")
	case backend.Text, backend.AnyText:
		return "string"
	}
	return "pattern"
}

// settings returns the options of the configuration with those of flags in their places.
func (a *app) settings() backend.Settings {
	s := maps.Clone(a.config.Settings)
	if s == nil {
		s = backend.Settings{}
	}
	for _, f := range a.given {
		delete(s, f.option.Name)
	}
	all := backends.Options(backend.InFlags)
	for _, f := range a.given {
		s.Set(f.option, f.value, all)
	}
	return s
}

// checkShape tells whether there is a backend of the name that --shape gives.
func (a *app) checkShape() error {
	if names := backends.Names(); a.shape != "" && !slices.Contains(names, a.shape) {
		return fmt.Errorf("--shape is %s, not %q", strings.Join(names, " or "), a.shape)
	}
	return nil
}

// findModule sets the import path of the output folder where nobody has given it.
func (a *app) findModule(s backend.Settings) error {
	const option = "module"
	if s[option].Text != "" {
		return nil
	}
	module, err := driver.ModuleOf(a.out)
	if err == nil && module != "" {
		s[option] = backend.Value{Text: module}
	}
	return err
}
