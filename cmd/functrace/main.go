// Command functrace shows which chain of calls led to a function. Run it without arguments for its
// help.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/version"
)

const usage = `functrace shows which chain of calls led to a function.

  functrace run    [flags] [build flags] package [-- arguments]   build, run, show the calls
  functrace test   [flags] [build and test flags] packages        the same for go test
  functrace build  [flags] [build flags] packages                 build a program that records itself
  functrace inject [-w] [flags] file|folder|./... ...             put tracing into the sources (build tag trace)
  functrace remove [-w] file|folder|./... ...                     take it out again
  functrace report [--func NAME] [flags] recording ...            which chains reached a function?
  functrace top    [--sort COLUMN] recording ...                  calls, times, failures of each function
  functrace diff   good bad                                       which chains are called or fail otherwise?
  functrace blame  good ... -- bad ...                            which functions may be to blame?
  functrace view   [-o page.html] recording ...                   an HTML page of all that
  functrace mcp    recording ...                                  answer an agent's questions (MCP on stdio)
  functrace completion bash|zsh|fish                              a script that completes commands and flags

run, test and build leave the files on disk alone. Recordings are files named *.functrace.

  functrace run -o chains.functrace ./examples/chains
  functrace report --func D chains.functrace

functrace COMMAND -h lists the flags of a command.
`

// errUsage is wrapped by errors in how the command was called.
var errUsage = errors.New("usage")

// exitError is the exit code of a program or of the go command, which has said itself what is
// wrong.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// command is a command by its name.
type command struct {
	name string
	run  func(args []string, stdout, stderr io.Writer) error
}

// commands are all but help and version.
func commands() []command {
	edit := func(name string) command {
		return command{name, func(args []string, stdout, stderr io.Writer) error {
			return editSources(name, args, stdout, stderr)
		}}
	}
	return []command{{"run", runCommand}, {"test", testCommand}, {"build", buildCommand},
		edit("inject"), edit("remove"), {"report", reportCommand}, {"top", topCommand},
		{"diff", diffCommand}, {"blame", blameCommand}, {"view", viewCommand}, {"mcp", mcpCommand},
		{"completion", completionCommand}}
}

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Fprint(stdout, usage)
		return 0
	}
	if args[0] == "version" || args[0] == "--version" {
		fmt.Fprintln(stdout, "functrace", version.String())
		return 0
	}
	err := fmt.Errorf("%w: unknown command %q; functrace help lists the commands", errUsage, args[0])
	for _, c := range commands() {
		if c.name == args[0] {
			err = c.run(args[1:], stdout, stderr)
		}
	}
	var exit exitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	}
	fmt.Fprintln(stderr, "functrace:", err)
	if errors.Is(err, errUsage) {
		return exitcode.Usage
	}
	return exitcode.Failed
}
