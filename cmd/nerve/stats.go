package main

import (
	"context"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// logInfo is what stats prints, and its JSON form.
type logInfo struct {
	Queue     string     `json:"queue"`
	First     nerve.ID   `json:"first"`
	Last      nerve.ID   `json:"last"`
	Records   uint64     `json:"records"`
	Oldest    *time.Time `json:"oldest,omitempty"`
	Newest    *time.Time `json:"newest,omitempty"`
	Consumers int        `json:"consumers"`
	*FolderInfo
}

// FolderInfo is what is known of a queue in a folder alone.
type FolderInfo struct {
	Segments int      `json:"segments"`
	Bytes    int64    `json:"bytes"`      // bytes of batches and headers
	Files    int64    `json:"file_bytes"` // bytes of the files, prepared room included
	Closed   bool     `json:"closed"`     // cleanly, by its writer
	Damage   []string `json:"damage,omitempty"`
}

func statsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stats QUEUE",
		Short: "Show what a queue holds",
		Example: `  nerve stats events
  nerve stats events --json
  nerve stats 'postgres://app@db/shop?queue=orders'`,
		Args: onePlace,
		RunE: func(cmd *cobra.Command, args []string) error {
			log, err := openRead(cmd, args[0])
			if err != nil {
				return err
			}
			defer log.Close()
			info, err := infoOfLog(cmd.Context(), args[0], log)
			if err != nil {
				return err
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), info)
			}
			return printInfo(cmd, info)
		},
	}
}

// infoOfLog returns what is known of the log at a place.
func infoOfLog(ctx context.Context, place string, log nerve.Log) (logInfo, error) {
	pointers, err := log.Pointers(ctx)
	if err != nil {
		return logInfo{}, err
	}
	info := logInfo{Queue: open.Name(place), Consumers: len(pointers)}
	info.First, info.Last = log.Bounds()
	info.Records = uint64(info.Last - info.First + 1)
	info.Oldest = timeOf(ctx, log, info.First, info.Last)
	info.Newest = timeOf(ctx, log, info.Last, info.Last)
	if folder, ok := log.(*seglog.Log); ok {
		info.FolderInfo = infoOf(folder)
	}
	return info, nil
}

func infoOf(log *seglog.Log) *FolderInfo {
	stats := log.Stats()
	info := &FolderInfo{
		Segments: stats.Segments, Bytes: stats.Bytes, Closed: !log.Recovery().Unclean,
	}
	if n, err := log.FileBytes(); err == nil {
		info.Files = n
	}
	for _, d := range log.Damage() {
		info.Damage = append(info.Damage, d.Error())
	}
	return info
}

// timeOf returns the time of a record, nil if it cannot be read.
func timeOf(ctx context.Context, log nerve.Log, id, last nerve.ID) *time.Time {
	if id > last || id == 0 {
		return nil
	}
	cur, err := log.Read(ctx, id)
	if err != nil {
		return nil
	}
	defer cur.Close()
	var b nerve.Batch
	if err := cur.Next(ctx, &b); err != nil {
		return nil
	}
	t := time.Unix(0, b.UnixNano).UTC()
	return &t
}

func printInfo(cmd *cobra.Command, info logInfo) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "records\t%d\t(%d to %d)\n", info.Records, info.First, info.Last)
	if info.FolderInfo != nil {
		fmt.Fprintf(w, "segments\t%d\t(%s, files %s)\n", info.Segments, humanBytes(info.Bytes),
			humanBytes(info.Files))
	}
	if info.Oldest != nil && info.Newest != nil {
		fmt.Fprintf(w, "time\t%s\tto %s\n",
			info.Oldest.Format(time.RFC3339), info.Newest.Format(time.RFC3339))
	}
	fmt.Fprintf(w, "consumers\t%d\n", info.Consumers)
	if info.FolderInfo != nil {
		fmt.Fprintf(w, "closed\t%v\n", info.Closed)
		for _, d := range info.Damage {
			fmt.Fprintf(w, "damage\t%s\n", d)
		}
	}
	return w.Flush()
}
