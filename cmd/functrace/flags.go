package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/cli/exitcode"
	"github.com/octopus-framework/octopus/internal/trace/inject"
)

// patterns is a flag of regular expressions that may be repeated.
type patterns []*regexp.Regexp

func (p *patterns) String() string { return "" }

func (p *patterns) Set(s string) error {
	re, err := regexp.Compile(s)
	*p = append(*p, re)
	return err
}

func newFlags(name string, out io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet("functrace "+name, flag.ContinueOnError)
	fs.SetOutput(out)
	return fs
}

func selectFlags(fs *flag.FlagSet, sel *inject.Select) {
	fs.Var((*patterns)(&sel.Include), "include",
		"only functions whose full `name` matches this expression (repeatable)")
	fs.Var((*patterns)(&sel.Exclude), "exclude",
		"no functions whose full `name` matches this expression (repeatable)")
	fs.BoolVar(&sel.Exported, "exported", false, "only exported functions and methods")
	fs.IntVar(&sel.MinLines, "min-lines", 0, "only functions of at least `n` lines")
	fs.BoolVar(&sel.Generated, "generated", false, "generated files too")
	fs.BoolVar(&sel.Tests, "tests", false, "test files too")
}

func parse(fs *flag.FlagSet, args []string) error {
	if declared != nil {
		declared(fs)
	}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return exitError(0)
	} else if err != nil {
		return exitError(exitcode.Usage) // the flag set has said why
	}
	return nil
}

// goFlagsWithValue are the flags of go build and go test whose value may be the next argument.
var goFlagsWithValue = strings.Fields(`C overlay p asmflags buildmode compiler gccgoflags gcflags installsuffix ldflags mod modfile
	pgo pkgdir tags toolexec covermode coverpkg coverprofile run bench benchtime count cpu fuzz fuzztime list parallel skip
	shuffle timeout vet exec outputdir blockprofile blockprofilerate cpuprofile fuzzminimizetime memprofile memprofilerate
	mutexprofile mutexprofilefraction trace`)

// testOnly are the flags of go test that go list does not know.
var testOnly = strings.Fields(`run bench benchtime benchmem count cpu fuzz fuzztime list parallel skip shuffle timeout vet exec
	outputdir blockprofile blockprofilerate coverprofile cpuprofile fuzzminimizetime memprofile memprofilerate mutexprofile
	mutexprofilefraction trace v short failfast fullpath artifacts json c o`)

// goArgs are the arguments of run, test and build, sorted by whom they are for.
type goArgs struct {
	dir      string   // folder that the flag -C names
	own      []string // flags of functrace
	flags    []string // flags of the go command
	list     []string // those of them that go list knows
	packages []string
	program  []string // after --
}

// split sorts arguments. Flags that fs knows are ours, all others are the go command's.
func split(fs *flag.FlagSet, args []string) (g goArgs, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			g.program = args[i+1:]
			break
		}
		if !strings.HasPrefix(arg, "-") {
			g.packages = append(g.packages, arg)
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		own := fs.Lookup(name)
		takes := slices.Contains(goFlagsWithValue, name)
		if own != nil {
			b, ok := own.Value.(interface{ IsBoolFlag() bool })
			takes = !ok || !b.IsBoolFlag()
		}
		both := []string{arg}
		if takes && !hasValue {
			if i++; i == len(args) {
				return g, fmt.Errorf("%w: flag %s needs a value", errUsage, arg)
			}
			both = append(both, args[i])
		}
		switch {
		case own != nil || name == "h" || name == "help":
			g.own = append(g.own, both...)
		case name == "C":
			_, g.dir, _ = strings.Cut(strings.Join(both, "="), "=")
		default:
			g.flags = append(g.flags, both...)
			if !slices.Contains(testOnly, name) {
				g.list = append(g.list, both...)
			}
		}
	}
	if len(g.packages) == 0 {
		g.packages = []string{"."}
	}
	return g, nil
}
