package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
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
		Use:     "list FOLDER",
		Aliases: []string{"ls"},
		Short:   "List the queues in a folder of queues",
		Long: `List the queues in a folder of queues, as nerve serve offers them and the package
nerve/queues opens them. Each is a queue for all other commands: FOLDER/NAME.`,
		Example: "  nerve list events\n  nerve tail events/orders",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 || !open.IsFolder(args[0]) {
				return usagef("'%s' takes one folder", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if queues.IsQueue(args[0]) {
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
