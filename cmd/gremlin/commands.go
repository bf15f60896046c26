package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/version"
)

func (a *app) generateCommand() *cobra.Command {
	var check, prune, force, watch bool
	cmd := &cobra.Command{
		Use:   "generate [FILE...]",
		Short: "Generate Go code, or run plugins of protoc",
		Long: `Generate writes OUT/path/name.gremlin.go for every path/name.proto.

With --plugin it runs plugins of protoc instead, which get the request that protoc
sends. --opt and --out behind a plugin are its options and its folder; without an own
one it has the folder of the plugin before. All plugins run side by side.

FILE is a path on disk below a root, a folder, or an import path; without FILE all
.proto files below the roots are taken. Either all files are written or none;
files that would not change are not touched.`,
		Example: `  # everything below proto/
  gremlin generate -I proto -o gen --module example.com/shop/gen

  # in CI: fail when the checked-in code is not what the .proto files give
  gremlin generate -I proto -o gen --module example.com/shop/gen --check

  # while you edit
  gremlin generate -I proto -o gen --module example.com/shop/gen --watch

  # code of protoc-gen-go and protoc-gen-go-grpc
  gremlin generate -I proto --plugin protoc-gen-go --opt paths=source_relative -o gen \
    --plugin protoc-gen-go-grpc --opt paths=source_relative

  # in a Go file beside the .proto files
  //go:generate go tool gremlin generate -I . -o . --module example.com/shop/events`,
		RunE: func(cmd *cobra.Command, files []string) error {
			in, target, err := a.input(cmd, files)
			if err != nil {
				return err
			}
			plugins, err := a.pluginsToRun()
			if err != nil {
				return err
			}
			if a.out == "" && len(plugins) == 0 {
				return errors.New(`no output folder: give -o or "out" in gremlin.yaml`)
			}
			if len(plugins) > 0 && watch {
				return errors.New("--watch is for code of gremlin, not for plugins")
			}
			if check && prune {
				return errors.New("--check writes nothing, so that --prune cannot go with it")
			}
			if check && watch {
				return errors.New("--check writes nothing, so that --watch cannot go with it")
			}
			if a.out != "" {
				if err := a.findModule(target.Settings); err != nil {
					return err
				}
			}
			job := driver.Job{Input: in, Target: target, Out: a.out, Check: check, Prune: prune,
				Force: force}
			if watch {
				return a.watch(cmd.Context(), job)
			}
			generate := func() *driver.Outcome {
				return driver.Generate(cmd.Context(), job, a.progress())
			}
			if a.out == "" {
				generate = nil
			}
			var o *driver.Outcome
			if len(plugins) == 0 {
				o = generate()
			} else {
				o = driver.Plugins(cmd.Context(), driver.PluginJob{Input: in, Plugins: plugins,
					Check: check, Warn: a.Err, With: generate}, a.progress())
			}
			a.show(o.Compilation, o.Diagnostics)
			if o.Diagnostics.Errors() > 0 {
				return cli.ErrFault
			}
			if check {
				return a.reportCheck(o)
			}
			a.reportWritten(o)
			return nil
		},
	}
	a.inputFlags(cmd)
	a.backendFlags(cmd)
	f := cmd.Flags()
	a.pluginFlags(f)
	f.BoolVar(&a.imports, "include-imports", false,
		"generate code for what the generated code imports, too")
	f.BoolVar(&check, "check", false, "write nothing; exit 1 when the output is not up to date")
	f.BoolVar(&prune, "prune", false, "remove generated files that are left over")
	f.BoolVar(&watch, "watch", false, "generate again whenever a .proto file changes, until Ctrl-C")
	f.BoolVar(&force, "force", false, "overwrite files that gremlin did not generate")
	return cmd
}

// watch generates whenever something changes.
func (a *app) watch(ctx context.Context, job driver.Job) error {
	return driver.Watch(ctx, job, a.progress(), func(o *driver.Outcome) {
		a.show(o.Compilation, o.Diagnostics)
		if o.Diagnostics.Errors() == 0 {
			a.reportWritten(o)
		}
		a.Say("watching .proto files: %d", len(o.Files))
	})
}

// reportCheck names what is not up to date.
func (a *app) reportCheck(o *driver.Outcome) error {
	if o.UpToDate() {
		a.Say("up to date")
		return nil
	}
	missing := map[string]bool{}
	for _, f := range o.Missing {
		missing[f] = true
	}
	var found report.List
	for _, f := range o.Written {
		what := "is out of date"
		if missing[f] {
			what = "is missing"
		}
		found = append(found, report.Diagnostic{Message: fmt.Sprintf("generated file %q %s",
			f, what)})
	}
	for _, f := range o.Stale {
		found = append(found,
			report.Diagnostic{Message: fmt.Sprintf(
				"generated file %q is left over: this run does not make it", f)})
	}
	last := &found[len(found)-1]
	last.Hint = `run "gremlin generate"`
	if len(o.Stale) > 0 {
		last.Hint = `run "gremlin generate --prune"`
	}
	a.show(nil, found)
	return cli.ErrFault
}

func (a *app) reportWritten(o *driver.Outcome) {
	if a.verbose {
		for _, f := range o.Written {
			a.Say("wrote %s", f)
		}
	}
	for _, f := range o.Removed {
		a.Say("removed %s", f)
	}
	var left report.List
	for _, f := range o.Stale {
		left = append(left, report.Diagnostic{
			Severity: report.Warning,
			Message:  fmt.Sprintf("generated file %q is left over: this run does not make it", f),
			Hint:     "--prune removes it",
		})
	}
	a.show(nil, left)
	a.Say("%d written, %d unchanged", len(o.Written), len(o.Unchanged))
}

func (a *app) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [FILE...]",
		Short: "Compile and report what is wrong, write nothing",
		Example: `  gremlin check -I proto
  gremlin check -I proto --error-format=json shop/v1/deposit.proto`,
		RunE: func(cmd *cobra.Command, files []string) error {
			in, target, err := a.input(cmd, files)
			if err != nil {
				return err
			}
			c := driver.Compile(cmd.Context(), in, a.progress())
			if c.Diagnostics.Errors() == 0 {
				c.Check(in, target)
			}
			a.show(c, c.Diagnostics)
			if c.Diagnostics.Errors() > 0 {
				return cli.ErrFault
			}
			a.Say("no errors, files checked: %d", len(c.Files))
			return nil
		},
	}
	a.inputFlags(cmd)
	a.backendFlags(cmd)
	return cmd
}

func (a *app) descriptorsCommand() *cobra.Command {
	var out string
	var set driver.DescriptorSet
	cmd := &cobra.Command{
		Use:     "descriptors -o FILE [FILE...]",
		Aliases: []string{"build"},
		Short:   "Write a FileDescriptorSet, as protoc --descriptor_set_out does",
		Example: `  gremlin build -I proto -o shop.binpb
  gremlin descriptors -I proto -o shop.binpb --include-imports
  gremlin descriptors -I proto -o shop.binpb --include-source-info shop/v1/deposit.proto`,
		RunE: func(cmd *cobra.Command, files []string) error {
			if out == "" {
				return errors.New("no output file: give -o")
			}
			in, _, err := a.input(cmd, files)
			if err != nil {
				return err
			}
			in.Descriptors = true
			c := driver.Compile(cmd.Context(), in, a.progress())
			found := c.Diagnostics
			if found.Errors() == 0 {
				if err := c.WriteDescriptors(out, set); err != nil {
					found = append(found, report.Diagnostic{Message: err.Error()})
				}
			}
			a.show(c, found)
			if found.Errors() > 0 {
				return cli.ErrFault
			}
			return nil
		},
	}
	a.inputFlags(cmd)
	f := cmd.Flags()
	f.StringVarP(&out, "out", "o", "", "file to write")
	f.BoolVar(&set.Imports, "include-imports", false, "include all files that the files import")
	f.BoolVar(&set.SourceInfo, "include-source-info", false, "include comments and positions")
	return cmd
}

func (a *app) lsFilesCommand() *cobra.Command {
	var imports bool
	cmd := &cobra.Command{
		Use:   "ls-files [FILE...]",
		Short: "List the .proto files that would be compiled",
		Long: `Ls-files prints the paths of the files that the other commands would compile, as they
are on disk, one a line and sorted. With --include-imports they are compiled, and what
they import is listed, too, but for files that are built in.`,
		Example: `  gremlin ls-files -I proto
  gremlin ls-files --include-imports shop/v1/deposit.proto`,
		RunE: func(cmd *cobra.Command, files []string) error {
			in, _, err := a.input(cmd, files)
			if err != nil {
				return err
			}
			c := driver.List(cmd.Context(), in, imports, a.progress())
			a.show(c, c.Diagnostics)
			if c.Diagnostics.Errors() > 0 {
				return cli.ErrFault
			}
			for _, f := range c.Files {
				if _, err := fmt.Fprintln(a.Out, c.Sources.Name(f)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	a.inputFlags(cmd)
	cmd.Flags().BoolVar(&imports, "include-imports", false, "list what the files import, too")
	return cmd
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  gremlin version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.Out, "gremlin %s\n", version.String())
			return err
		},
	}
}
