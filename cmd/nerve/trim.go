package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve"
)

func trimCommand() *cobra.Command {
	var below uint64
	var before string
	cmd := &cobra.Command{
		Use:   "trim QUEUE",
		Short: "Give up the oldest records",
		Long: `Give up the oldest records, never those that a holding consumer still needs.
Space in a folder comes back by whole segments.`,
		Example: "  nerve trim events --below 1000000\n  nerve trim events --before 72h",
		Args:    onePlace,
		RunE: func(cmd *cobra.Command, args []string) error {
			if below == 0 && before == "" {
				return usagef("say what to trim with --below or --before")
			}
			var oldest time.Time
			if before != "" {
				var err error
				if oldest, err = parseTime(before); err != nil {
					return err
				}
			}
			log, err := openExisting(cmd, args[0])
			if err != nil {
				return err
			}
			defer log.Close()
			was, _ := log.Bounds()
			to := nerve.ID(below)
			if before != "" {
				if to, err = log.Seek(cmd.Context(), oldest); err != nil {
					return err
				}
			}
			first, err := log.Trim(cmd.Context(), to)
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(),
					map[string]any{"trimmed": first - was, "first": first})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "trimmed %d records; the first is now %d\n", first-was,
				first)
			return nil
		},
	}
	cmd.Flags().Uint64Var(&below, "below", 0, "give up records with smaller ids")
	cmd.Flags().StringVar(&before, "before", "",
		"give up records before this time (RFC 3339) or older than this age (90s, 72h)")
	cmd.MarkFlagsMutuallyExclusive("below", "before")
	return cmd
}
