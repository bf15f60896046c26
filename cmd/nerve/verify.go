package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
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

	Messages *recordsJSON `json:"messages,omitempty"` // what verify found, given a type
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
	var schema schemaFlags
	cmd := &cobra.Command{
		Use:   "verify QUEUE",
		Short: "Read everything and check every checksum and link",
		Long: `Read everything and check every checksum and link. Exit code 1 says that there
is damage, which is named with file, offset and records. Nothing is changed.

With --proto and --type each record is checked, too: that it is such a message, all
of it, its structure, UTF-8 and required fields. Records that are not are counted,
the first of them named with what is wrong and where, and the exit code is 1. That
is all there is to do for a queue behind a URL.`,
		Example: `  nerve verify events
  nerve verify events --json
  nerve verify events --proto deposit.proto --type bank.Deposit`,
		Args: onePlace,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd, args[0], &schema)
		},
	}
	addSchemaFlags(cmd, &schema)
	return cmd
}

func runVerify(cmd *cobra.Command, place string, schema *schemaFlags) error {
	var s *messageSchema
	if schema.given() {
		var err error
		if s, err = schema.load(cmd.Context()); err != nil {
			return err
		}
	}
	var report seglog.Report
	if open.IsFolder(place) {
		bar := newProgress(cmd.ErrOrStderr(), "verify")
		var err error
		report, err = untilInterrupted(cmd.Context(), func() (seglog.Report, error) {
			return seglog.Verify(place, seglog.VerifyOptions{Progress: bar.update})
		})
		bar.done()
		if err != nil {
			return err
		}
	} else if s == nil {
		return usageError{errNoSchema}
	}
	var messages *recordsJSON
	if s != nil {
		log, err := openRead(cmd, place)
		if err != nil {
			return err
		}
		defer log.Close()
		found, err := checkRecords(cmd.Context(), log, s)
		if err != nil {
			return err
		}
		messages = &found
	}
	if err := printVerified(cmd, place, report, messages); err != nil {
		return err
	}
	if len(report.Damage) > 0 || messages != nil && messages.Refused > 0 {
		return errReported
	}
	return nil
}

// printVerified prints what verify found: in the files, if there are some, and
// among the records, if they were looked at.
func printVerified(cmd *cobra.Command, place string, report seglog.Report,
	messages *recordsJSON) error {
	out := cmd.OutOrStdout()
	switch {
	case !wantJSON(cmd):
		if open.IsFolder(place) {
			printReport(out, report)
		}
		if messages != nil {
			messages.print(out)
		}
		return nil
	case open.IsFolder(place):
		j := jsonOf(report, false)
		j.Messages = messages
		return printJSON(out, j)
	}
	return printJSON(out, map[string]any{"messages": messages})
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
				return seglog.Repair(args[0], yes, seglog.VerifyOptions{Progress: bar.update})
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
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), jsonOf(report, yes && len(report.Damage) > 0))
			}
			printReport(cmd.OutOrStdout(), report)
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

// jsonOf returns the JSON form of a report.
func jsonOf(r seglog.Report, repaired bool) reportJSON {
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
	return j
}

func printReport(out io.Writer, r seglog.Report) {
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
	lost := uint64(0)
	for _, d := range r.Damage {
		if d.First > 0 && d.Last >= d.First {
			lost += uint64(d.Last - d.First + 1)
		}
	}
	if lost > 0 {
		fmt.Fprintf(out, "records that cannot be read: %d\n", lost)
	}
}

func printDamage(out io.Writer, damage []*nerve.CorruptError) {
	if len(damage) == 0 {
		fmt.Fprintln(out, "no damage")
	}
	for _, d := range damage {
		fmt.Fprintln(out, d)
	}
}
