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
	LagBytes *int64    `json:"lag_bytes,omitempty"` // folders know it
	LagAge   string    `json:"lag_age"`
	Hold     bool      `json:"hold"`
	Saved    time.Time `json:"saved"`
}

func consumersCommand() *cobra.Command {
	var remove, set string
	cmd := &cobra.Command{
		Use:   "consumers QUEUE",
		Short: "List consumers with their pointers and lag",
		Long: `List consumers: the pointer, up to which everything is acknowledged, and what
lies behind it in records, in stored bytes (of a queue in a folder), and as the
age of the oldest of them. With --remove a consumer is forgotten, and what it held may be
trimmed. --set moves the pointer of one that is not open elsewhere: to the oldest record,
behind the newest, before the record with an ID or the first one appended at or after a TIME
(2026-01-31T12:00:00Z, or 90m for so long ago).`,
		Example: `  nerve consumers events
  nerve consumers events --json
  nerve consumers events --remove billing
  nerve consumers events --set billing=oldest
  nerve consumers events --set billing=2026-01-31T12:00:00Z`,
		Args: onePlace,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case set != "" && remove != "":
				return usagef("--set and --remove do not go together")
			case cmd.Flags().Changed("set"):
				return setConsumer(cmd, args[0], set)
			}
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
	cmd.Flags().StringVar(&set, "set", "",
		"move the pointer of a consumer: NAME=oldest|newest|ID|TIME")
	return cmd
}

func listConsumers(cmd *cobra.Command, place string) error {
	log, err := openRead(cmd, place)
	if err != nil {
		return err
	}
	defer log.Close()
	pointers, err := log.Pointers(cmd.Context())
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
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%v\t%s\n",
			c.Name, c.Pointer, c.Lag, lagBytes(c), c.LagAge, c.Hold, c.Saved.Format(time.RFC3339))
	}
	return w.Flush()
}

// lagBytes is what the list says of the bytes behind a consumer.
func lagBytes(c consumerInfo) string {
	if c.LagBytes == nil {
		return "-"
	}
	return humanBytes(*c.LagBytes)
}

func describe(ctx context.Context, log nerve.Log, p nerve.Pointer) consumerInfo {
	first, last := log.Bounds()
	info := consumerInfo{
		Name: p.Name, Pointer: p.ID, Hold: p.Hold, Saved: p.Saved.UTC(), LagAge: "0s",
	}
	folder, isFolder := log.(*seglog.Log)
	if isFolder {
		info.LagBytes = new(int64)
	}
	oldest := max(p.ID+1, first)
	if oldest > last {
		return info
	}
	info.Lag = uint64(last - oldest + 1)
	if isFolder {
		*info.LagBytes = folder.BytesAfter(oldest - 1)
	}
	info.LagAge = "unknown"
	cur, err := log.Read(ctx, oldest)
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

func removeConsumer(cmd *cobra.Command, place, name string) error {
	log, err := openExisting(cmd, place)
	if err != nil {
		return err
	}
	defer log.Close()
	pointers, err := log.Pointers(cmd.Context())
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
