package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/compiler/plugin/host"
	"github.com/octopus-framework/octopus/internal/version"
)

// backends are those that make code.
var backends = all.Backends()

// run is the command; it returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, Console: cli.Console{Out: stdout, Err: stderr}}
	return a.Run(ctx, a.command(), args)
}

// app is the state of one run of the command.
type app struct {
	cli.Console
	stdin io.Reader

	roots      []string
	configPath string
	noConfig   bool
	out        string
	shape      string
	given      []optionFlag // flags in the order in which they came
	plugins    []host.Plugin
	imports    bool
	parallel   int
	verbose    bool

	config     *config.Config
	configText string

	// What is converted, to show the line of an error.
	inputName, inputText string
}

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "gremlin",
		Short: "Compile .proto files to fast Go",
		Long: `gremlin compiles .proto files (proto2, proto3, editions 2023 and 2024) to Go.
It needs no protoc and no plugins; google/protobuf/*.proto are built in.

Flags can be kept in a gremlin.yaml in the working folder or above it. Where there is none,
a buf.yaml says where the .proto files are, and buf's module cache has what they import.
Exit codes: 0 fine, 1 the input or output is at fault, 2 wrong use.`,
		Example: `  gremlin generate -I proto -o gen --module example.com/shop/gen
  gremlin check -I proto
  gremlin descriptors -I proto -o shop.binpb --include-imports`,
		Version:       version.String(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := a.CheckFlags(); err != nil {
				return err
			}
			if a.parallel < 0 {
				return fmt.Errorf("-j takes a number above 0, not %d", a.parallel)
			}
			return a.checkShape()
		},
	}
	root.SetVersionTemplate("gremlin {{.Version}}\n")
	pf := root.PersistentFlags()
	a.Flags(pf)
	pf.BoolVarP(&a.verbose, "verbose", "v", false, "name every file that is written")
	root.AddCommand(a.generateCommand(), a.checkCommand(), a.descriptorsCommand(),
		a.lsFilesCommand(), a.protocCommand(),
		a.convertCommand(), a.inspectCommand(), a.vetCommand(), a.migrateCommand(),
		a.versionCommand())
	return root
}

// inputFlags adds the flags that choose what is compiled.
func (a *app) inputFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&a.roots, "root", "I", nil,
		"folder that imports are relative to; may be repeated (default: the working folder)")
	f.StringVar(&a.configPath, "config", "",
		"configuration file (default: gremlin.yaml in the working folder or above, else buf.yaml)")
	f.BoolVar(&a.noConfig, "no-config", false, "read no configuration file")
	f.IntVarP(&a.parallel, "jobs", "j", 0, "files worked on at a time (default: one per CPU)")
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string,
		cobra.ShellCompDirective) {
		return []string{"proto"}, cobra.ShellCompDirectiveFilterFileExt
	}
}

// input merges configuration and flags; a flag wins.
func (a *app) input(cmd *cobra.Command, files []string) (driver.Input, driver.Target, error) {
	if err := a.loadConfig(); err != nil {
		return driver.Input{}, driver.Target{}, err
	}
	c := a.config
	var views []config.View
	if !cmd.Flags().Changed("root") {
		a.roots, views = c.Roots, c.Views
	}
	if len(a.roots) == 0 && c.Path != "" {
		a.roots = []string{filepath.Dir(c.Path)}
	}
	if a.out == "" && len(a.plugins) == 0 {
		a.out = c.Out
	}
	if a.shape != "" {
		c.Shape = a.shape
	}
	if f := cmd.Flags().Lookup("include-imports"); f != nil && !f.Changed {
		a.imports = c.IncludeImports
	}
	in := driver.Input{Roots: a.roots, Views: views, Files: files, Config: c, Parallel: a.parallel,
		IncludeImports: a.imports, Provided: backends.Declarations}
	return in, driver.Target{Backends: backends, Settings: a.settings()}, nil
}

func (a *app) loadConfig() error {
	a.config = &config.Config{}
	path := a.configPath
	if path == "" && !a.noConfig {
		dir, err := os.Getwd()
		if err != nil {
			return err
		}
		if path = config.Find(dir); path == "" {
			return nil
		}
		// Shown paths and roots are relative to the working folder, as if they had been flags.
		if rel, err := filepath.Rel(dir, path); err == nil {
			path = rel
		}
	}
	if path == "" {
		return nil
	}
	c, text, found := config.Load(path, backends)
	a.configPath, a.configText = path, text
	if len(found) > 0 {
		a.show(nil, found)
		return cli.ErrUsage
	}
	a.config = c
	return nil
}

// show writes diagnostics. Of the sources c may be nil.
func (a *app) show(c *driver.Compilation, found report.List) {
	a.Source = func(file string) (string, bool) {
		if a.configText != "" && file == a.configPath {
			return a.configText, true
		}
		if a.inputText != "" && file == a.inputName {
			return a.inputText, true
		}
		if c == nil {
			return "", false
		}
		return c.Sources.Text(file)
	}
	a.Show(found)
}

func (a *app) progress() *driver.Progress {
	if !a.ShowsProgress() {
		return nil
	}
	return &driver.Progress{W: a.Err}
}
