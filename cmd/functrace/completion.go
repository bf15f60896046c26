package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// completionCommand writes a script that completes commands and flags in a shell. What it offers is
// what the commands declare.
func completionCommand(args []string, stdout, _ io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("%w: functrace completion bash|zsh|fish", errUsage)
	}
	switch args[0] {
	case "bash":
		fmt.Fprintf(stdout, bashScript, "", words(), cases())
	case "zsh": // understands bash's
		fmt.Fprintf(stdout, bashScript, "autoload -U +X bashcompinit && bashcompinit\n", words(),
			cases())
	case "fish":
		fmt.Fprintf(stdout, "complete -c functrace -n __fish_use_subcommand -f -a '%s'\n", words())
		for _, c := range commands() {
			for _, f := range c.flags() {
				fmt.Fprintf(stdout,
					"complete -c functrace -n '__fish_seen_subcommand_from %s' -l %s -d '%s'\n",
					c.name, f.Name, strings.NewReplacer("'", "", "`", "").Replace(f.Usage))
			}
		}
	default:
		return fmt.Errorf("%w: functrace completion bash|zsh|fish", errUsage)
	}
	return nil
}

const bashScript = `%s_functrace() {
	local cur=${COMP_WORDS[COMP_CWORD]} flags=
	if [ "$COMP_CWORD" = 1 ]; then
		COMPREPLY=($(compgen -W "%s" -- "$cur"))
		return
	fi
	case ${COMP_WORDS[1]} in
%s	esac
	case $cur in
	-*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
	*) COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -o filenames -F _functrace functrace
`

// words are the names of the commands.
func words() string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return strings.Join(names, " ")
}

// cases are the flags of each command, as cases of a shell.
func cases() string {
	var b strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&b, "\t%s) flags=\"", c.name)
		for i, f := range c.flags() {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString("--" + f.Name)
		}
		b.WriteString("\" ;;\n")
	}
	return b.String()
}

// flags are those that a command declares: it is asked for its help, which it writes nowhere.
func (c command) flags() (list []*flag.Flag) {
	declared = func(fs *flag.FlagSet) { fs.VisitAll(func(f *flag.Flag) { list = append(list, f) }) }
	defer func() { declared = nil }()
	_ = c.run([]string{"-h"}, io.Discard, io.Discard)
	return list
}

// declared, if set, gets the flags that a command has declared.
var declared func(*flag.FlagSet)
