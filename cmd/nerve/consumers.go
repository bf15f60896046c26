package main

import (
	"context"
	"fmt"
	"sort"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// consumerInfo is one line of the list, and its JSON form.
type consumerInfo struct {
	Name     string    `json:"name"`
	Pointer  nerve.ID  `json:"pointer"`
	Lag      uint64    `json:"lag"`
	LagBytes int64     `json:"lag_bytes"`
	LagAge   string    `json:"lag_age"`
	Hold     bool      `json:"hold"`
	Saved    time.Time `json:"saved"`
}

func consumersCommand() *cobra.Command {
	var remove string
	cmd := &cobra.Command{
		Use:   "consumers DIR",
		Short: "List consumers with their pointers and lag",
		Long: `List consumers: the pointer, up to which everything is acknowledged, and what
lies behind it in records, in stored bytes, and as the age of the oldest of
them. With --remove a consumer is forgotten, and what it held may be
trimmed.`,
		Example: `  nerve consumers events
  nerve consumers events --json
  nerve consumers events --remove billing`,
		Args: oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("remove") {
				if err := nerve.CheckName(remove); err != nil {
					return usageError{err}
				}
				return removeConsumer(cmd, args[0], remove)
			}
			return listConsumers(cmd, args[0])
		},
	}
	cmd.Flags().StringVar(&remove, "remove", "", "forget this consumer")
	return cmd
}

func listConsumers(cmd *cobra.Command, dir string) error {
	log, err := openRead(dir)
	if err != nil {
		return err
	}
	defer log.Close()
	pointers, err := log.Pointers(context.Background())
	if err != nil {
		return err
	}
	sort.Slice(pointers, func(i, j int) bool { return pointers[i].Name < pointers[j].Name })
	list := make([]consumerInfo, 0, len(pointers))
	for _, p := range pointers {
		list = append(list, describe(cmd.Context(), log, p))
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), list)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tPOINTER\tLAG\tLAG BYTES\tLAG AGE\tHOLD\tSAVED")
	for _, c := range list {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%v\t%s\n", c.Name, c.Pointer, c.Lag, humanBytes(c.LagBytes), c.LagAge, c.Hold, c.Saved.Format(time.RFC3339))
	}
	return w.Flush()
}

func describe(ctx context.Context, log *seglog.Log, p nerve.Pointer) consumerInfo {
	first, last := log.Bounds()
	info := consumerInfo{Name: p.Name, Pointer: p.ID, Hold: p.Hold, Saved: p.Saved.UTC(), LagAge: "0s"}
	oldest := max(p.ID+1, first)
	if oldest > last {
		return info
	}
	info.Lag = uint64(last - oldest + 1)
	info.LagBytes = log.BytesAfter(oldest - 1)
	info.LagAge = "unknown"
	cur, err := log.Read(context.Background(), oldest)
	if err != nil {
		return info
	}
	defer cur.Close()
	var b nerve.Batch
	if err := cur.Next(ctx, &b); err == nil {
		info.LagAge = time.Since(time.Unix(0, b.UnixNano)).Round(time.Second).String()
	}
	return info
}

func removeConsumer(cmd *cobra.Command, dir, name string) error {
	log, err := openExisting(dir)
	if err != nil {
		return err
	}
	defer log.Close()
	pointers, err := log.Pointers(context.Background())
	if err != nil {
		return err
	}
	for _, p := range pointers {
		if p.Name == name {
			return log.RemovePointer(cmd.Context(), name)
		}
	}
	return fmt.Errorf("nerve: there is no consumer %q", name)
}
