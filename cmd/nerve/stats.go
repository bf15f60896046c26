package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/nerve"
)

type logInfo struct {
	First     nerve.ID   `json:"first"`
	Last      nerve.ID   `json:"last"`
	Records   uint64     `json:"records"`
	Segments  int        `json:"segments"`
	Bytes     int64      `json:"bytes"`
	Oldest    *time.Time `json:"oldest,omitempty"`
	Newest    *time.Time `json:"newest,omitempty"`
	Consumers int        `json:"consumers"`
	Closed    bool       `json:"closed"` // cleanly, by its writer
	Damage    []string   `json:"damage,omitempty"`
}

func statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "stats DIR",
		Short:   "Show what a queue holds",
		Example: "  nerve stats events\n  nerve stats events --json",
		Args:    oneFolder,
		RunE: func(cmd *cobra.Command, args []string) error {
			log, err := openRead(args[0])
			if err != nil {
				return err
			}
			defer log.Close()
			pointers, err := log.Pointers(context.Background())
			if err != nil {
				return err
			}
			stats := log.Stats()
			info := logInfo{Segments: stats.Segments, Bytes: stats.Bytes, Consumers: len(pointers), Closed: !log.Recovery().Unclean}
			info.First, info.Last = log.Bounds()
			info.Records = uint64(info.Last - info.First + 1)
			info.Oldest = timeOf(cmd, log, info.First, info.Last)
			info.Newest = timeOf(cmd, log, info.Last, info.Last)
			for _, d := range log.Damage() {
				info.Damage = append(info.Damage, d.Error())
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), info)
			}
			return printInfo(cmd, info)
		},
	}
}

// timeOf returns the time of a record, nil if it cannot be read.
func timeOf(cmd *cobra.Command, log nerve.Log, id, last nerve.ID) *time.Time {
	if id > last || id == 0 {
		return nil
	}
	cur, err := log.Read(context.Background(), id)
	if err != nil {
		return nil
	}
	defer cur.Close()
	var b nerve.Batch
	if err := cur.Next(cmd.Context(), &b); err != nil {
		return nil
	}
	t := time.Unix(0, b.UnixNano).UTC()
	return &t
}

func printInfo(cmd *cobra.Command, info logInfo) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "records\t%d\t(%d to %d)\n", info.Records, info.First, info.Last)
	fmt.Fprintf(w, "segments\t%d\t(%s)\n", info.Segments, humanBytes(info.Bytes))
	if info.Oldest != nil && info.Newest != nil {
		fmt.Fprintf(w, "time\t%s\tto %s\n", info.Oldest.Format(time.RFC3339), info.Newest.Format(time.RFC3339))
	}
	fmt.Fprintf(w, "consumers\t%d\n", info.Consumers)
	fmt.Fprintf(w, "closed\t%v\n", info.Closed)
	for _, d := range info.Damage {
		fmt.Fprintf(w, "damage\t%s\n", d)
	}
	return w.Flush()
}
