package main

import (
	"errors"
	"fmt"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func copyCommand() *cobra.Command {
	var name string
	var skip bool
	cmd := &cobra.Command{
		Use:   "copy FROM TO",
		Short: "Copy a queue to another place",
		Long: `Copy the records of a queue, up to the last one there is when it begins, to
the end of another one, which is made if need be, and then its consumers, where
the other has none of that name: their pointers, and what they acknowledged above
those. FROM is not changed.

Run the same command again after an interrupt or failure, or to copy what came
since: it goes on where it was, and nothing is there twice. The other queue
remembers that by a key and a pointer, under the name of FROM; --name keeps it
the same when FROM moves.

Records get the ids that come next in the other queue, and the time of the
copy. The map of ids is printed.`,
		Example: `  nerve copy events 'mysql://app@db/shop?queue=events'
  nerve copy kafka://broker:9092/events backup`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("'%s' takes two queues, not %d arguments", cmd.CommandPath(),
					len(args))
			}
			if open.Name(args[0]) == open.Name(args[1]) {
				return usagef("%s would be copied into itself", open.Name(args[0]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == "" {
				name = open.Name(args[0])
			}
			return runCopy(cmd, args[0], args[1], name, skip)
		},
	}
	cmd.Flags().StringVar(&name, "name", "",
		"what the other queue knows FROM by (default its place)")
	cmd.Flags().BoolVar(&skip, "skip-damage", false,
		"report records that are lost and go on behind them")
	return cmd
}

func runCopy(cmd *cobra.Command, from, to, name string, skip bool) error {
	source, err := openRead(cmd, from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := openLog(cmd, to, open.Create, seglog.Options{})
	if err != nil {
		return err
	}
	bar := newProgress(cmd.ErrOrStderr(), "copy")
	bar.format = func(n int64) string { return strconv.FormatInt(n, 10) + " records" }
	c := copier{
		from: source, to: target, name: name, progress: bar.update,
		lost: func(err error) bool {
			bar.clear()
			fmt.Fprintln(cmd.ErrOrStderr(), bare(err))
			return skip
		},
	}
	err = c.run(cmd.Context())
	bar.done()
	if err := printCopy(cmd, &c); err != nil {
		return err
	}
	if cmd.Context().Err() != nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "nerve: interrupted; run the same command again to go on")
		return errReported
	}
	if err == nil && c.damaged {
		return errReported
	}
	return err
}

// copyJSON is the outcome for machines. Map does not go below MapFrom, if that is
// not 0.
type copyJSON struct {
	Records   uint64         `json:"records"` // copied now
	MapFrom   nerve.ID       `json:"map_from,omitempty"`
	Map       []copiedJSON   `json:"map"` // spans of all copies
	Consumers []consumerJSON `json:"consumers"`
}

type copiedJSON struct {
	First   nerve.ID `json:"first"`
	Last    nerve.ID `json:"last"`
	ToFirst nerve.ID `json:"to_first"`
	ToLast  nerve.ID `json:"to_last"`
}

type consumerJSON struct {
	Name    string   `json:"name"`
	Pointer nerve.ID `json:"pointer"`
	To      nerve.ID `json:"to"`
}

func printCopy(cmd *cobra.Command, c *copier) error {
	out := cmd.OutOrStdout()
	result := copyJSON{Records: c.copied, Map: []copiedJSON{}, Consumers: c.consumers}
	for _, r := range c.ids.ranges {
		result.Map = append(result.Map, copiedJSON{r.from, r.end(), r.to, r.to + nerve.ID(r.n) - 1})
	}
	if c.ids.cut > 0 {
		result.MapFrom = c.ids.cut + 1
	}
	if wantJSON(cmd) {
		return printJSON(out, result)
	}
	fmt.Fprintf(out, "copied %d records\n", c.copied)
	if len(result.Map) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "FROM\tTO")
	if result.MapFrom > 0 {
		fmt.Fprintf(w, "below %d\tin order, not remembered where\n", result.MapFrom)
	}
	for _, r := range result.Map {
		fmt.Fprintf(w, "%d to %d\t%d to %d\n", r.First, r.Last, r.ToFirst, r.ToLast)
	}
	err := w.Flush()
	for _, p := range c.consumers {
		fmt.Fprintf(out, "consumer %s at %d is at %d\n", p.Name, p.Pointer, p.To)
	}
	return err
}

// sourceError says that a queue is not the one that was copied before.
func sourceError(format string, args ...any) error {
	return errors.New(fmt.Sprintf(format, args...) +
		"; if FROM is another queue now, say so with another --name")
}
