package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func trimCommand() *cobra.Command {
	var below uint64
	var before string
	cmd := &cobra.Command{
		Use:   "trim DIR",
		Short: "Give up the oldest records",
		Long: `Give up the oldest records, never those that a holding consumer still needs.
Space comes back by whole segments.`,
		Example: "  nerve trim events --below 1000000\n  nerve trim events --before 72h",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if below == 0 && before == "" {
				return usagef("say what to trim with --below or --before")
			}
			log, err := seglog.Open(args[0], seglog.Options{})
			if err != nil {
				return err
			}
			defer log.Close()
			was, _ := log.Bounds()
			to := nerve.ID(below)
			if before != "" {
				t, err := parseTime(before)
				if err != nil {
					return err
				}
				if to, err = log.Seek(t); err != nil {
					return err
				}
			}
			first, err := log.Trim(cmd.Context(), to)
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), map[string]any{"trimmed": first - was, "first": first})
			}
			fmt.Fprintf(cmd.OutOrStdout(), "trimmed %d records; the first is now %d\n", first-was, first)
			return nil
		},
	}
	cmd.Flags().Uint64Var(&below, "below", 0, "give up records with smaller ids")
	cmd.Flags().StringVar(&before, "before", "", "give up records before this time (RFC 3339) or older than this age (90s, 72h)")
	cmd.MarkFlagsMutuallyExclusive("below", "before")
	return cmd
}
