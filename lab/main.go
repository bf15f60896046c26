// Command lab measures gremlin beside other protobuf implementations.
//
//	lab quick   the table on a terminal, and out/quick.json
//	lab full    everything, out/results.json
//	lab json    JSON alone, the summary on a terminal, and out/json.json
//	lab list    workloads, implementations and operations
//
// It is run in the folder of module lab. Every implementation runs in a process of its own and by turns with the others; what
// it computes is compared with google.golang.org/protobuf before it is timed.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/lab/internal/bench"
	"github.com/octopus-framework/octopus/lab/jsonlab"
	"github.com/octopus-framework/octopus/lab/jsonlab/kit"
	"github.com/octopus-framework/octopus/lab/worker"
	"github.com/octopus-framework/octopus/lab/workload"
)

// options are what the flags say.
type options struct {
	workloads, impls, ops []string
	rounds                int
	slice                 time.Duration
	out                   string
	corpora               string
}

var commands = map[string]func(options) error{"quick": quick, "full": full, "json": justJSON, "list": list}

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "lab:", err)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		args = []string{""}
	}
	command, ok := commands[args[0]]
	if !ok {
		return fmt.Errorf("unknown command %q; there are: full, json, list, quick", args[0])
	}
	var o options
	var workloads, impls, ops string
	flags := flag.NewFlagSet("lab "+args[0], flag.ContinueOnError)
	flags.StringVar(&workloads, "workload", "", "only these, with commas between")
	flags.StringVar(&impls, "impl", "", "only these implementations, with commas between")
	flags.StringVar(&ops, "op", "", "only these operations, with commas between")
	flags.IntVar(&o.rounds, "rounds", 9, "rounds, of which the median counts")
	flags.DurationVar(&o.slice, "slice", 8*time.Millisecond, "how long one implementation runs in a round")
	flags.StringVar(&o.out, "out", "out", "folder to write to")
	flags.StringVar(&o.corpora, "corpora", "../../shared/corpora", "folder with real data; it may be absent")
	if err := flags.Parse(args[1:]); err != nil {
		return err // with the list of flags
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if o.rounds < 1 || o.slice <= 0 {
		return errors.New("-rounds and -slice must be above zero")
	}
	o.workloads, o.impls, o.ops = split(workloads), split(impls), split(ops)
	for _, op := range o.ops {
		known := worker.Ops
		if args[0] == "json" {
			known = kit.Ops
		}
		if !slices.Contains(known, op) {
			return fmt.Errorf("no operation %q; there are: %s", op, strings.Join(known, ", "))
		}
	}
	return command(o)
}

func split(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' })
}

// list prints what names there are.
func list(o options) error {
	all, err := workload.All(o.corpora)
	if err != nil {
		return err
	}
	l, err := bench.New(true, nil)
	if err != nil {
		return err
	}
	defer l.Close()
	fmt.Println("workloads:")
	for _, w := range all {
		fmt.Printf("  %-22s %5d messages of type %s, %d bytes each\n", w.Name, len(w.Data), w.Type, w.Size())
	}
	fmt.Println("implementations:")
	for _, i := range l.Impls {
		ops := slices.DeleteFunc(slices.Clone(worker.Ops), func(op string) bool { return !slices.Contains(i.Types["Submit"], op) })
		fmt.Printf("  %-24s %-9s %s\n", i.Name, i.Version, strings.Join(ops, " "))
	}
	fmt.Println("operations:", strings.Join(worker.Ops, " "))
	fmt.Println("workloads of JSON, for lab json:")
	for _, w := range jsonlab.Workloads() {
		fmt.Printf("  %-22s %5d bytes\n", w.Name, w.Size())
	}
	fmt.Println("its operations:", strings.Join(kit.Ops, " "))
	return nil
}

// progress writes a line over the last one, when standard error is a terminal.
func progress(format string, args ...any) {
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		fmt.Fprintf(os.Stderr, "\r\x1b[K"+format, args...)
	}
}

// writeJSON writes v to a file of the folder, which it makes.
func writeJSON(folder, name string, v any) error {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, append(b, '\n'), 0o666); err != nil {
		return err
	}
	fmt.Println("wrote", path)
	return nil
}
