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
		Short: "Generate Go code",
		Long: `Generate writes OUT/path/name.gremlin.go for every path/name.proto.

FILE is a path on disk below a root, a folder, or an import path; without FILE all
.proto files below the roots are taken. Either all files are written or none;
files that would not change are not touched.`,
		Example: `  # everything below proto/
  gremlin generate -I proto -o gen --module example.com/shop/gen

  # in CI: fail when the checked-in code is not what the .proto files give
  gremlin generate -I proto -o gen --module example.com/shop/gen --check

  # while you edit
  gremlin generate -I proto -o gen --module example.com/shop/gen --watch

  # in a Go file beside the .proto files
  //go:generate go tool gremlin generate -I . -o . --module example.com/shop/events`,
		RunE: func(cmd *cobra.Command, files []string) error {
			in, target, err := a.input(cmd, files)
			if err != nil {
				return err
			}
			if a.out == "" {
				return errors.New(`no output folder: give -o or "out" in gremlin.yaml`)
			}
			if check && prune {
				return errors.New("--check writes nothing, so that --prune cannot go with it")
			}
			if check && watch {
				return errors.New("--check writes nothing, so that --watch cannot go with it")
			}
			if err := a.findModule(target.Settings); err != nil {
				return err
			}
			job := driver.Job{Input: in, Target: target, Out: a.out, Check: check, Prune: prune,
				Force: force}
			if watch {
				return a.watch(cmd.Context(), job)
			}
			o := driver.Generate(cmd.Context(), job, a.progress())
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
	f.StringVarP(&a.out, "out", "o", "", "output folder")
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
	var imports, sourceInfo bool
	cmd := &cobra.Command{
		Use:   "descriptors -o FILE [FILE...]",
		Short: "Write a FileDescriptorSet, as protoc --descriptor_set_out does",
		Example: `  gremlin descriptors -I proto -o shop.binpb --include-imports
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
				if err := c.WriteDescriptors(out, imports, sourceInfo); err != nil {
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
	f.BoolVar(&imports, "include-imports", false, "include all files that the files import")
	f.BoolVar(&sourceInfo, "include-source-info", false, "include comments and positions")
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
