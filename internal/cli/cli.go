// Package cli is what the commands share: what may have been meant, and whether somebody looks.
package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/octopus-framework/octopus/compiler/report"
)

// Similar returns the flag or command of cmd that may have been meant where err, of cobra, says
// that there is none of that name. It returns "" if nothing is near.
func Similar(cmd *cobra.Command, err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "unknown flag: --"); ok {
		return similarFlag(cmd, name)
	}
	var short, group string
	if n, _ := fmt.Sscanf(text, "unknown shorthand flag: %s in -%s", &short, &group); n == 2 &&
		len(group) > 1 { // a long flag with one dash
		return similarFlag(cmd, group)
	}
	var name string
	if n, _ := fmt.Sscanf(text, "unknown command %q for", &name); n == 1 {
		var names []string
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				names = append(names, c.Name())
			}
		}
		return first(report.Nearest(name, names))
	}
	return ""
}

func similarFlag(cmd *cobra.Command, name string) string {
	name, _, _ = strings.Cut(name, "=")
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := first(report.Nearest(name, names)); near != "" {
		return "--" + near
	}
	return ""
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// IsTerminal reports whether somebody looks at w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
