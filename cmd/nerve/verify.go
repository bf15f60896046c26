package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// reportJSON is a seglog.Report for machines.
type reportJSON struct {
	Segments  int          `json:"segments"`
	Batches   int          `json:"batches"`
	Records   uint64       `json:"records"`
	Bytes     int64        `json:"bytes"`
	Consumers int          `json:"consumers"`
	TornBytes int64        `json:"torn_bytes"`
	Damage    []damageJSON `json:"damage"`
	Lost      []rangeJSON  `json:"lost"`
	Repaired  bool         `json:"repaired"`
}

type rangeJSON struct {
	First nerve.ID `json:"first"`
	Last  nerve.ID `json:"last"`
}

type damageJSON struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	rangeJSON
	Reason string `json:"reason"`
}

func verifyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "verify DIR",
		Short: "Read everything and check every checksum and link",
		Long: `Read everything and check every checksum and link. Exit code 1 says that there
is damage, which is named with file, offset and records. Nothing is changed.`,
		Example: "  nerve verify events\n  nerve verify events --json",
		Args:    oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			bar := newProgress(cmd.ErrOrStderr(), "verify")
			report, err := untilInterrupted(cmd.Context(), func() (seglog.Report, error) {
				return seglog.Verify(args[0], seglog.CheckOptions{Progress: bar.update})
			})
			bar.done()
			if err != nil {
				return err
			}
			if err := printReport(cmd, report, false); err != nil {
				return err
			}
			if len(report.Damage) > 0 {
				return errReported
			}
			return nil
		},
	}
}

func repairCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "repair DIR",
		Short: "Make a damaged queue usable, giving up the damaged records",
		Long: `Make a damaged queue usable. Without --yes it only shows what would be lost.

Damaged records become a range that readers meet as an error and step over; all
other records keep their ids. Every file that is replaced is kept beside the new
one with the suffix ".damaged" and the time.`,
		Example: "  nerve repair events\n  nerve repair events --yes",
		Args:    oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			bar := newProgress(cmd.ErrOrStderr(), "repair")
			repair := func() (seglog.Report, error) {
				return seglog.Repair(args[0], yes, seglog.CheckOptions{Progress: bar.update})
			}
			ctx := cmd.Context()
			if yes {
				ctx = context.WithoutCancel(ctx) // half a repair helps nobody
			}
			report, err := untilInterrupted(ctx, repair)
			bar.done()
			if err != nil {
				return err
			}
			repaired := yes && len(report.Damage) > 0
			if err := printReport(cmd, report, repaired); err != nil || wantJSON(cmd) {
				return err
			}
			switch {
			case len(report.Damage) == 0:
				fmt.Fprintln(cmd.OutOrStdout(), "there is nothing to repair")
			case yes:
				fmt.Fprintln(cmd.OutOrStdout(),
					"repaired; the replaced files are kept with the suffix .damaged")
			default:
				fmt.Fprintln(cmd.OutOrStdout(),
					"nothing was changed; run again with --yes to give these records up")
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	return cmd
}

func printReport(cmd *cobra.Command, r seglog.Report, repaired bool) error {
	out := cmd.OutOrStdout()
	if wantJSON(cmd) {
		j := reportJSON{
			Segments: r.Segments, Batches: r.Batches, Records: r.Records, Bytes: r.Bytes,
			Consumers: r.Consumers, TornBytes: r.TornBytes, Repaired: repaired,
			Damage: []damageJSON{}, Lost: []rangeJSON{},
		}
		for _, d := range r.Damage {
			j.Damage = append(j.Damage, damageJSON{d.File, d.Offset, rangeJSON{d.First, d.Last},
				d.Reason})
		}
		for _, l := range r.Lost {
			j.Lost = append(j.Lost, rangeJSON{l.First, l.Last})
		}
		return printJSON(out, j)
	}
	fmt.Fprintf(out, "records %d good, batches %d, segments %d, %s; consumers %d\n",
		r.Records, r.Batches, r.Segments, humanBytes(r.Bytes), r.Consumers)
	if r.TornBytes > 0 {
		fmt.Fprintf(out,
			"%d bytes at the end were being written when the machine went down; nobody was told that they are durable\n", r.TornBytes)
	}
	for _, l := range r.Lost {
		fmt.Fprintf(out, "records %d to %d were given up by an earlier repair\n", l.First, l.Last)
	}
	printDamage(out, r.Damage)
	return nil
}

func printDamage(out io.Writer, damage []*nerve.CorruptError) {
	if len(damage) == 0 {
		fmt.Fprintln(out, "no damage")
	}
	for _, d := range damage {
		fmt.Fprintln(out, d)
	}
}
