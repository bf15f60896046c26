package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/octopus-framework/octopus/internal/compiler/plugin/host"
)

// pluginFlags adds the flags that are about plugins, and the output folder, which is that of the
// plugin in front of it if there is one.
func (a *app) pluginFlags(f *pflag.FlagSet) {
	f.Var(inOrder{"NAME[=PATH]", a.addPlugin}, "plugin",
		"run the plugin `NAME[=PATH]`, such as protoc-gen-go; may be repeated")
	f.Var(inOrder{"string", a.addPluginOption}, "opt",
		"option of the plugin before, as in --go_opt of protoc; may be repeated")
	f.VarP(inOrder{"string", a.setOut}, "out", "o", "output folder, of the plugin before if any")
}

// inOrder is a flag that means something for the plugin before it.
type inOrder struct {
	kind string
	set  func(string) error
}

// Set notes a value.
func (f inOrder) Set(value string) error { return f.set(value) }

// String returns the default, of which help shows nothing.
func (f inOrder) String() string { return "" }

// Type is what help shows for the value.
func (f inOrder) Type() string { return f.kind }

func (a *app) addPlugin(value string) error {
	name, path, given := strings.Cut(value, "=")
	if name == "" || given && path == "" {
		return fmt.Errorf("%q is not NAME or NAME=PATH", value)
	}
	if !given && strings.ContainsRune(name, filepath.Separator) {
		name, path = filepath.Base(name), name
	}
	if !strings.HasPrefix(name, host.Prefix) && path == "" {
		return fmt.Errorf("a plugin is called %sNAME, not %q", host.Prefix, name)
	}
	p := host.Plugin{Name: name, Path: path}
	if n := len(a.plugins); n > 0 {
		p.Out = a.plugins[n-1].Out
	}
	a.plugins = append(a.plugins, p)
	return nil
}

func (a *app) addPluginOption(value string) error {
	if len(a.plugins) == 0 {
		return errors.New("it stands behind the --plugin that it is for")
	}
	p := &a.plugins[len(a.plugins)-1]
	if p.Parameter != "" && value != "" {
		p.Parameter += ","
	}
	p.Parameter += value
	return nil
}

func (a *app) setOut(value string) error {
	if n := len(a.plugins); n > 0 {
		a.plugins[n-1].Out = value
	} else {
		a.out = value
	}
	return nil
}

// pluginsToRun returns the plugins of the flags, or those of the configuration if there are none.
func (a *app) pluginsToRun() ([]host.Plugin, error) {
	plugins := a.plugins
	if len(plugins) == 0 {
		for _, p := range a.config.Plugins {
			plugins = append(plugins, host.Plugin{Name: p.Name, Path: p.Path,
				Parameter: strings.Join(p.Options, ","), Out: p.Out})
		}
	}
	for _, p := range plugins {
		if p.Out == "" {
			return nil, fmt.Errorf("no output folder of plugin %s: give -o behind it, "+
				`or "out" in gremlin.yaml`, p.Name)
		}
	}
	return plugins, nil
}
