package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/migrate"
	"github.com/octopus-framework/octopus/internal/version"
)

// migration is what the verbs have in common.
type migration struct {
	cli.Console
	dir    string
	asJSON bool
}

func (m *migration) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "gremlin-migrate",
		Short: "Replace code of gogo/protobuf's generators",
		Long: `Migrate replaces the generated code of a Go module that was made by plugins of
gogo/protobuf: same structs, methods, names and bytes, without gogo/protobuf. No
.proto and no call site changes. Every verb can be run again at any time.

Exit codes: 0 fine, 1 something was found, 2 wrong use.`,
		Example: `  gremlin migrate plan          # writes gremlin.yaml and MIGRATION.md, nothing else
  gremlin migrate verify        # old and new code in one program, before or after apply
  gremlin migrate apply         # replaces the files, one by one
  gremlin migrate status        # who still needs gogo/protobuf, and why`,
		Version:           version.String(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		Args:              cobra.NoArgs,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(*cobra.Command, []string) error { return m.CheckFlags() },
	}
	cmd.SetVersionTemplate("gremlin-migrate {{.Version}}\n")
	m.Flags(cmd.PersistentFlags())
	cmd.PersistentFlags().StringVarP(&m.dir, "dir", "C", ".", "folder of the Go module")
	cmd.PersistentFlags().BoolVar(&m.asJSON, "json", false, "write the result as JSON")
	cmd.AddCommand(m.planCommand(), m.applyCommand(), m.verifyCommand(), m.statusCommand())
	return cmd
}

// fault shows an error that is no wrong use.
func (m *migration) fault(err error) error {
	m.Show(report.List{{Message: err.Error()}})
	return cli.ErrFault
}

func (m *migration) progress() *driver.Progress {
	if !m.ShowsProgress() {
		return nil
	}
	return &driver.Progress{W: m.Err}
}

// result writes a result as JSON if that was asked for.
func (m *migration) result(v any) (done bool, err error) {
	if !m.asJSON {
		return false, nil
	}
	e := json.NewEncoder(m.Out)
	e.SetIndent("", "  ")
	return true, e.Encode(v)
}

func (m *migration) planCommand() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "plan [PACKAGE...]",
		Short: "Find what can be replaced; write gremlin.yaml and MIGRATION.md",
		Long: `Plan looks at the generated files of a module: each holds the descriptor of its
.proto, and its declarations tell which plugin made it. It writes gremlin.yaml and
a report of what was patched by hand, where generators are called and which uses of
protobuf libraries need a look. It changes nothing else.`,
		Example: `  gremlin migrate plan
  gremlin migrate plan -C ../service --json
  gremlin migrate plan pkg/store/storepb   # where .proto files cannot be compiled together`,
		RunE: func(cmd *cobra.Command, packages []string) error {
			t, err := migrate.Open(m.dir)
			if err != nil {
				return err
			}
			p, err := migrate.MakePlan(cmd.Context(), t,
				migrate.PlanOptions{Packages: packages, Force: force}, m.progress())
			if err != nil {
				return m.noPlan(p, err)
			}
			if done, err := m.result(p); done {
				return err
			}
			patched := 0
			for _, f := range p.Files {
				m.Say("%s: preset %s, registry %s", f.Go, f.Preset, f.Registry)
				patched += len(f.Patches)
			}
			for _, s := range p.Skipped {
				m.Say("left: %s", s)
			}
			m.Say("%d files, %d declarations that no preset explains, %d uses to look at",
				len(p.Files), patched, len(p.Risks))
			if len(p.Written) > 0 {
				m.Say("wrote %s", strings.Join(p.Written, ", "))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "write gremlin.yaml anew")
	return cmd
}

// noPlan shows why there is no plan, and in a line each why files are left as they are.
func (m *migration) noPlan(p *migrate.Plan, err error) error {
	d := report.Diagnostic{Message: err.Error()}
	switch {
	case p != nil && len(p.Skipped) > 0:
		for _, s := range p.Skipped {
			d.Notes = append(d.Notes, report.Note{Message: s})
		}
	case errors.Is(err, migrate.ErrNothing):
		d.Hint = "code of protobuf-go and vtprotobuf: docs/migrate.md, From protobuf-go and vtprotobuf"
	}
	m.Show(report.List{d})
	return cli.ErrFault
}

func (m *migration) applyCommand() *cobra.Command {
	var build []string
	cmd := &cobra.Command{
		Use:   "apply [PACKAGE...]",
		Short: "Replace generated files",
		Long: `Apply generates what gremlin.yaml says, builds the module and its tests with it
before anything is touched, and replaces the files, each by a rename. A package that
does not build with its new code stays as it is. However the run ends, the tree
builds; a second run finds nothing to do.`,
		Example: `  gremlin migrate apply
  gremlin migrate apply pkg/store/storepb`,
		RunE: func(cmd *cobra.Command, packages []string) error {
			t, err := migrate.Open(m.dir)
			if err != nil {
				return err
			}
			done, err := migrate.Apply(cmd.Context(), t,
				migrate.ApplyOptions{Packages: packages, Build: build}, m.progress())
			if err != nil {
				return m.fault(err)
			}
			replaced, unchanged := 0, 0
			var failed report.List
			for _, p := range done {
				replaced, unchanged = replaced+len(p.Replaced), unchanged+p.Unchanged
				if p.Failed != "" {
					failed = append(failed, report.Diagnostic{Message: fmt.Sprintf(
						"package %q stays as it is: it does not build with the new code\n%s",
						p.Package, p.Failed)})
				}
			}
			if done, err := m.result(done); done {
				return errors.Join(err, faultIf(len(failed) > 0))
			}
			m.Show(failed)
			m.Say("%d replaced, %d unchanged, %d packages that do not build", replaced, unchanged,
				len(failed))
			return faultIf(len(failed) > 0)
		},
	}
	cmd.Flags().StringSliceVar(&build, "build", nil,
		"packages that have to build, as the go command names them (default ./...)")
	return cmd
}

func faultIf(fault bool) error {
	if fault {
		return cli.ErrFault
	}
	return nil
}

func (m *migration) verifyCommand() *cobra.Command {
	var o migrate.VerifyOptions
	cmd := &cobra.Command{
		Use:   "verify [PACKAGE...]",
		Short: "Compare old and new code in one program",
		Long: `Verify compiles the old code of each package (from git HEAD, from --old, or what is
there as long as it has not been replaced) and the new code into one temporary
program and compares them: exported API, layout, tags, bytes, sizes, texts, equality
and verdicts, for random values, hostile input and files of --data. A difference is
shown with the value as a Go literal. Nothing is written into the tree.`,
		Example: `  gremlin migrate verify
  gremlin migrate verify --rounds 100000 --data captured/ pkg/store/storepb`,
		RunE: func(cmd *cobra.Command, packages []string) error {
			t, err := migrate.Open(m.dir)
			if err != nil {
				return err
			}
			o.Packages = packages
			v, err := migrate.Verify(cmd.Context(), t, o, m.progress())
			if err != nil {
				return m.fault(err)
			}
			if done, err := m.result(v); done {
				return errors.Join(err, faultIf(len(v.Differences) > 0))
			}
			var found report.List
			for _, d := range v.Differences {
				found = append(found, report.Diagnostic{Message: d.String()})
			}
			m.Show(found)
			m.Say("%d packages, %d messages, %d values, %d inputs, %d differences", v.Packages,
				v.Messages, v.Values, v.Inputs, len(v.Differences))
			return faultIf(len(v.Differences) > 0)
		},
	}
	cmd.Flags().IntVar(&o.Rounds, "rounds", 1000, "random values of each message")
	cmd.Flags().Int64Var(&o.Seed, "seed", 1, "seed of the random values")
	cmd.Flags().StringVar(&o.Old, "old", "", "folder with a copy of the module with the old code")
	cmd.Flags().StringVar(&o.Data, "data", "",
		"folder with captured messages, one a file, in folders by full names of messages")
	return cmd
}

func (m *migration) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Tell who still needs gogo/protobuf, and why",
		Example: `  gremlin migrate status
  gremlin migrate status --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			t, err := migrate.Open(m.dir)
			if err != nil {
				return err
			}
			s, err := migrate.Status(cmd.Context(), t)
			if err != nil {
				return m.fault(err)
			}
			if done, err := m.result(s); done {
				return err
			}
			m.Say("generated by gogo's plugins: %d files; by gremlin in their place: %d",
				s.Generated, s.Ours)
			for _, n := range s.Needs {
				m.Say("%s: %s (%s)", n.Package, n.Why, strings.Join(n.Imports, ", "))
			}
			for _, n := range s.Others {
				m.Say("module %s: %s", n.Package, strings.Join(n.Imports, ", "))
			}
			if len(s.Needs) == 0 && len(s.Others) == 0 {
				m.Say("nobody needs gogo/protobuf")
			}
			return nil
		},
	}
}
