package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/internal/version"
)

func (a *app) vetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vet [go vet flags] [PACKAGE...]",
		Short: "Find mistakes in the use of Readers, Messages and queues (command gremlin-vet)",
		Example: `  gremlin vet ./...
  gremlin vet -gremlinchain=false ./...`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			tool, err := findVet()
			if err != nil {
				return err
			}
			vet := exec.CommandContext(cmd.Context(), tool, args...)
			vet.Stdout, vet.Stderr = a.stdout, a.stderr
			var exit *exec.ExitError
			if err = vet.Run(); errors.As(err, &exit) {
				return errFault // it has said what is wrong
			}
			return err
		},
	}
}

// findVet returns the path of gremlin-vet, which lies beside this program or in PATH.
func findVet() (string, error) {
	if self, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), "gremlin-vet"+filepath.Ext(self))
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	tool, err := exec.LookPath("gremlin-vet")
	if err != nil {
		return "", fmt.Errorf("vet is a command of its own; to install it: "+
			"go install github.com/octopus-framework/octopus/cmd/gremlin-vet@%s", version.Query())
	}
	return tool, nil
}
