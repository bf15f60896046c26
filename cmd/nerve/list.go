package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/queues"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

// listed is a queue in a folder of queues.
type listed struct {
	Name  string `json:"name"`
	Error string `json:"error,omitempty"` // why nothing is known of it
	*logInfo
}

func listCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "list FOLDER|SERVER",
		Aliases: []string{"ls"},
		Short:   "List the queues in a folder of queues, or on a server",
		Long: `List the queues in a folder of queues, as nerve serve offers them and the package
nerve/queues opens them, or those on a server with which you may do something. Each
is a queue for all other commands: FOLDER/NAME, nerve://HOST:PORT/NAME.`,
		Example: "  nerve list events\n  nerve tail events/orders\n" +
			"  nerve list nerve://127.0.0.1:7171",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !open.IsFolder(args[0]) && !open.IsServer(args[0]) {
				return usagef("'%s' takes one folder or server", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if open.IsServer(args[0]) {
				return listServer(cmd, args[0])
			}
			if seglog.IsLog(args[0]) {
				return usagef("%s is a queue itself; 'nerve stats' tells of it", args[0])
			}
			names, err := queues.Names(args[0])
			if errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("%s does not exist, so there are no queues in it", args[0])
			}
			if err != nil {
				return err
			}
			list := []listed{}
			for _, name := range names {
				list = append(list, listedOf(cmd, filepath.Join(args[0], name), name))
			}
			if wantJSON(cmd) {
				return printJSON(cmd.OutOrStdout(), list)
			}
			return printList(cmd, list)
		},
	}
}

// servedQueue is what a server says of a queue.
type servedQueue struct {
	Name      string   `json:"name"`
	Roles     string   `json:"roles"` // the roles of whoever asks
	Error     string   `json:"error,omitempty"`
	Problem   string   `json:"problem,omitempty"`
	First     nerve.ID `json:"first"`
	Last      nerve.ID `json:"last"`
	Records   uint64   `json:"records"`
	Bytes     int64    `json:"bytes"`
	Consumers int      `json:"consumers"`
	Type      string   `json:"type,omitempty"` // the full name of the records' message
}

// listServer lists the queues on a server, as far as it tells who asks.
func listServer(cmd *cobra.Command, server string) error {
	var answer struct{ Queues []servedQueue }
	if err := askServer(cmd, server, "queues", &answer); err != nil {
		return err
	}
	list := []listed{}
	for _, q := range answer.Queues {
		one := listed{Name: q.Name, Error: q.Error}
		if q.Error == "" {
			one.logInfo = &logInfo{Queue: q.Name, First: q.First, Last: q.Last, Records: q.Records,
				Consumers: q.Consumers, FolderInfo: &FolderInfo{Bytes: q.Bytes}}
		}
		list = append(list, one)
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), answer.Queues)
	}
	return printList(cmd, list)
}

// askServer asks the server of a place, for as long as --timeout allows.
func askServer(cmd *cobra.Command, place, path string, v any) error {
	timeout, err := cmd.Flags().GetDuration("timeout")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(cmd.Context(), timeout,
		&nerve.TimeoutError{After: timeout})
	defer cancel()
	err = open.Ask(ctx, place, path, v)
	var unnamed *open.ProfileError
	if errors.As(err, &unnamed) {
		return usageError{err}
	}
	return err
}

func listedOf(cmd *cobra.Command, dir, name string) listed {
	log, err := openLog(cmd, dir, open.Read, seglog.Options{})
	if err != nil {
		return listed{Name: name, Error: bare(err)}
	}
	defer log.Close()
	info, err := infoOfLog(cmd.Context(), dir, log)
	if err != nil {
		return listed{Name: name, Error: bare(err)}
	}
	return listed{Name: name, logInfo: &info}
}

func printList(cmd *cobra.Command, list []listed) error {
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tRECORDS\tFIRST\tLAST\tSIZE\tNEWEST\tCONSUMERS")
	for _, q := range list {
		if q.logInfo == nil {
			fmt.Fprintf(w, "%s\t%s\n", q.Name, q.Error)
			continue
		}
		newest := "-"
		if q.Newest != nil {
			newest = q.Newest.Format(time.RFC3339)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\t%d\n", q.Name, q.Records, q.First, q.Last,
			humanBytes(q.Bytes), newest, q.Consumers)
	}
	return w.Flush()
}
