// Command gremlin-vet finds mistakes in Go code that uses Readers, Messages and queues. It runs go
// vet with itself as its tool. It is a command of its own because the analysis library is a seventh
// of what gremlin would weigh with it. See docs/gremlin-command.md.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/tools/go/analysis/unitchecker"

	"github.com/octopus-framework/octopus/internal/compiler/vet"
)

const usage = `Usage: gremlin-vet [go vet flags] [PACKAGE...]

Gremlin-vet looks at Go code that uses generated code and queues, by way of go vet, which must be
there:

  gremlinkept   strings, bytes, Readers and items kept longer than they are valid
  gremlinchain  getters that open the same nested message in every round of a loop
  gremlincopy   changes to the copies that a range over a list of Messages makes

It takes the flags of go vet, and --NAME=false to leave one of them out. It can also be the tool of
go vet itself, as editors use it:

  go vet -vettool=$(which gremlin-vet) ./...
`

func main() {
	args := os.Args[1:]
	if isVetTool(args) {
		unitchecker.Main(vet.Analyzers()...) // ends the program
	}
	for _, arg := range args {
		if arg == "-h" || arg == "--help" || arg == "-help" {
			fmt.Print(usage)
			return
		}
	}
	os.Exit(run(args))
}

// run runs go vet with this program as its tool, and returns the exit code.
func run(args []string) int {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gremlin-vet: cannot tell where this program is:", err)
		return 1
	}
	cmd := exec.Command("go", append([]string{"vet", "-vettool=" + self}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, exec.ErrNotFound):
		fmt.Fprintln(os.Stderr, "gremlin-vet: the go command is not in PATH: it runs this program")
	case !errors.As(err, &exit): // otherwise go vet has said what is wrong
		fmt.Fprintln(os.Stderr, "gremlin-vet:", err)
	}
	return 1
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
