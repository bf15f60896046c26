package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/octopus-framework/octopus/compiler/vet"
)

func (a *app) vetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "vet [go vet flags] [PACKAGE...]",
		Short: "Find mistakes in the use of Readers, Messages and queues",
		Long: `Vet looks at Go code that uses generated code and queues, by way of go vet, which
must be there:

  gremlinkept   strings, bytes, Readers and items kept longer than they are valid
  gremlinchain  getters that open the same nested message in every round of a loop
  gremlincopy   changes to the copies that a range over a list of Messages makes

It takes the flags of go vet, and --NAME=false to leave one of them out. It can also be
the tool of go vet itself, as editors use it:

  go vet -vettool=$(which gremlin) ./...`,
		Example: `  gremlin vet ./...
  gremlin vet -gremlinchain=false ./...`,
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if arg == "-h" || arg == "--help" {
					return cmd.Help()
				}
			}
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("cannot tell where this program is: %w", err)
			}
			return runVet(cmd, self, args, a.stdout, a.stderr)
		},
	}
}

// runVet runs go vet with the program self as its tool.
func runVet(cmd *cobra.Command, self string, args []string, stdout, stderr io.Writer) error {
	vet := exec.CommandContext(cmd.Context(), "go",
		append([]string{"vet", "-vettool=" + self}, args...)...)
	vet.Stdout, vet.Stderr = stdout, stderr
	err := vet.Run()
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("the go command is not in PATH: gremlin vet is run by it")
	case errors.As(err, &exit):
		return errFault // go vet has said what is wrong
	}
	return err
}

// isVetTool tells whether the arguments are those that go vet gives to its tool.
func isVetTool(args []string) bool {
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return args[0] == "-V=full" || args[0] == "-flags" ||
		strings.HasPrefix(args[0], "-") && strings.HasSuffix(last, ".cfg") ||
		len(args) == 1 && strings.HasSuffix(last, "vet.cfg")
}

// beVetTool does what go vet asks of its tool, and ends the program.
func beVetTool() { unitchecker.Main(vet.Analyzers()...) }
