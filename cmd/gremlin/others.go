package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/version"
)

func (a *app) vetCommand() *cobra.Command {
	return a.otherCommand("vet", &cobra.Command{
		Use:   "vet [go vet flags] [PACKAGE...]",
		Short: "Find mistakes in the use of Readers, Messages and queues (command gremlin-vet)",
		Example: `  gremlin vet ./...
  gremlin vet -gremlinchain=false ./...`,
	})
}

func (a *app) migrateCommand() *cobra.Command {
	return a.otherCommand("migrate", &cobra.Command{
		Use:   "migrate plan|verify|apply|status",
		Short: "Replace code of gogo/protobuf's generators (command gremlin-migrate)",
		Example: `  gremlin migrate plan          # writes gremlin.yaml and MIGRATION.md, nothing else
  gremlin migrate --help`,
	})
}

// stopWait is how long another command may take to end when this one is to end.
const stopWait = 10 * time.Second

// otherCommand makes cmd run the command gremlin-NAME, which gets all arguments. It is one of its
// own because of what it weighs.
func (a *app) otherCommand(name string, cmd *cobra.Command) *cobra.Command {
	cmd.DisableFlagParsing = true
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		path, err := findOther(name)
		if err != nil {
			return err
		}
		other := exec.CommandContext(cmd.Context(), path, args...)
		other.Stdin, other.Stdout, other.Stderr = a.stdin, a.Out, a.Err
		other.Cancel = func() error { return other.Process.Signal(os.Interrupt) }
		other.WaitDelay = stopWait
		// It has said what is wrong.
		var exit *exec.ExitError
		switch err = other.Run(); {
		case !errors.As(err, &exit):
			return err
		case exit.ExitCode() == exitcode.Usage:
			return cli.ErrUsage
		}
		return cli.ErrFault
	}
	return cmd
}

// findOther returns the path of gremlin-NAME, which lies beside this program or in PATH.
func findOther(name string) (string, error) {
	program := "gremlin-" + name
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), program+filepath.Ext(self))
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return "", fmt.Errorf("%s is a command of its own; to install it: "+
			"go install github.com/octopus-framework/octopus/cmd/%s@%s", name, program,
			version.Query())
	}
	return path, nil
}
