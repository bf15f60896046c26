package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
	"github.com/octopus-framework/octopus/nerve/work/deadletter"
)

// deadInfo is one line of the list of dead letters, and its JSON form.
type deadInfo struct {
	ID       nerve.ID  `json:"id"` // id in the queue of dead letters
	Consumer string    `json:"consumer"`
	Record   nerve.ID  `json:"record"` // id in the queue that the record came from
	Attempts uint32    `json:"attempts"`
	Failed   time.Time `json:"failed"`
	Bytes    int       `json:"bytes"`
	Reason   string    `json:"reason"`
}

func deadCommand() *cobra.Command {
	var show uint64
	var from string
	cmd := &cobra.Command{
		Use:   "dead QUEUE",
		Short: "List the dead letters in a queue of them",
		Long: `List what package nerve/work gave up: QUEUE is the queue of dead letters. With
--show the record itself of one of them is written, as it was.`,
		Example: `  nerve dead orders.dead
  nerve dead orders.dead --consumer billing --json
  nerve dead orders.dead --show 7 > record.bin`,
		Args: onePlace,
		RunE: func(cmd *cobra.Command, args []string) error {
			log, err := openRead(cmd, args[0])
			if err != nil {
				return err
			}
			defer log.Close()
			if cmd.Flags().Changed("show") {
				return showDead(cmd, log, nerve.ID(show))
			}
			return listDead(cmd, log, from)
		},
	}
	cmd.Flags().Uint64Var(&show, "show", 0, "write the record of this dead letter")
	cmd.Flags().StringVar(&from, "consumer", "", "only what this consumer gave up")
	return cmd
}

// deadLetters calls take for each dead letter from id on. Of a record that is no
// dead letter the error says so.
func deadLetters(ctx context.Context, log nerve.Log, id nerve.ID,
	take func(nerve.Record, *deadletter.DeadLetterReader, error) error) error {
	first, last := log.Bounds()
	id = max(id, first)
	if id > last {
		return nil
	}
	cursor, err := log.Read(ctx, id)
	if err != nil {
		return err
	}
	defer cursor.Close()
	var b nerve.Batch
	for id <= last {
		if err := cursor.Next(ctx, &b); err != nil {
			return err
		}
		for rec := range b.All() {
			var r deadletter.DeadLetterReader
			err := r.Unmarshal(rec.Data)
			if err == nil && (r.GetConsumer() == "" || r.GetId() == 0) {
				err = errors.New("it names no consumer and no record")
			}
			if err := take(rec, &r, err); err != nil {
				return err
			}
		}
		id = b.Last() + 1
	}
	return nil
}

func showDead(cmd *cobra.Command, log nerve.Log, id nerve.ID) error {
	if first, last := log.Bounds(); id < first || id > last {
		return fmt.Errorf("there is no record %d; there are %d to %d", id, first, last)
	}
	done := errors.New("done")
	err := deadLetters(cmd.Context(), log, id,
		func(_ nerve.Record, r *deadletter.DeadLetterReader, err error) error {
			if err != nil {
				return fmt.Errorf("record %d is no dead letter: %w", id, err)
			}
			if _, err := cmd.OutOrStdout().Write(r.GetData()); err != nil {
				return err
			}
			return done
		})
	if errors.Is(err, done) {
		return nil
	}
	return err
}

func listDead(cmd *cobra.Command, log nerve.Log, consumer string) error {
	list := []deadInfo{}
	others := 0
	err := deadLetters(cmd.Context(), log, 1,
		func(rec nerve.Record, r *deadletter.DeadLetterReader, err error) error {
			switch {
			case err != nil:
				others++
			case consumer == "" || r.GetConsumer() == consumer:
				list = append(list, deadInfo{ID: rec.ID, Consumer: strings.Clone(r.GetConsumer()),
					Record: nerve.ID(r.GetId()), Attempts: r.GetAttempts(),
					Failed: r.GetFailed().AsTime(), Bytes: len(r.GetData()),
					Reason: strings.Clone(r.GetReason())})
			}
			return nil
		})
	if err != nil {
		return err
	}
	if others > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d records of this queue are no dead letters\n", others)
	}
	if wantJSON(cmd) {
		return printJSON(cmd.OutOrStdout(), list)
	}
	w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tCONSUMER\tRECORD\tATTEMPTS\tFAILED\tBYTES\tREASON")
	for _, d := range list {
		fmt.Fprintf(w, "%d\t%s\t%d\t%d\t%s\t%d\t%s\n", d.ID, d.Consumer, d.Record, d.Attempts,
			d.Failed.UTC().Format(time.RFC3339), d.Bytes, strconv.QuoteToGraphic(d.Reason))
	}
	return w.Flush()
}

// requeueName is the consumer whose pointer says what was requeued.
const requeueName = "nerve-requeue"

func requeueCommand() *cobra.Command {
	var ids []uint
	var from string
	cmd := &cobra.Command{
		Use:   "requeue DEAD QUEUE",
		Short: "Append the records of dead letters to a queue again",
		Long: `Append the records in DEAD, a queue of dead letters, to QUEUE again, which is mostly
the one that they came from. What was requeued is remembered by a pointer in DEAD, so
that the next time goes on behind it; after a crash a few may come twice. With --id only
these are requeued, whether they were before or not.`,
		Example: `  nerve requeue orders.dead orders
  nerve requeue orders.dead orders --id 3 --id 7
  nerve requeue orders.dead orders --consumer billing`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef("'%s' takes the queue of dead letters and the one to append to",
					cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if open.Name(args[0]) == open.Name(args[1]) {
				return usagef("the two queues are the same")
			}
			return requeue(cmd, args[0], args[1], from, ids)
		},
	}
	cmd.Flags().UintSliceVar(&ids, "id", nil, "only this dead letter, may be repeated")
	cmd.Flags().StringVar(&from, "consumer", "", "only what this consumer gave up")
	return cmd
}

func requeue(cmd *cobra.Command, from, to, consumer string, ids []uint) (err error) {
	deadLog, err := openExisting(cmd, from)
	if err != nil {
		return err
	}
	dead := nerve.New(deadLog, nerve.Options{})
	defer func() { err = errors.Join(err, dead.Close()) }()
	log, err := openLog(cmd, to, open.Write, seglog.Options{})
	if err != nil {
		return err
	}
	queue := nerve.New(log, nerve.Options{})
	defer func() { err = errors.Join(err, queue.Close()) }()
	pointer, err := dead.Consumer(requeueName, nerve.ConsumerOptions{Ephemeral: len(ids) > 0})
	if err != nil {
		return err
	}
	wanted := map[nerve.ID]bool{}
	for _, id := range ids {
		wanted[nerve.ID(id)] = true
	}
	done, others := 0, 0
	err = deadLetters(cmd.Context(), deadLog, pointer.Pointer()+1,
		func(rec nerve.Record, r *deadletter.DeadLetterReader, bad error) error {
			switch {
			case len(ids) > 0 && !wanted[rec.ID]:
				return nil
			case bad != nil:
				others++
			case consumer == "" || r.GetConsumer() == consumer:
				if _, err := queue.Append(cmd.Context(), r.GetData()); err != nil {
					return fmt.Errorf("dead letter %d: %w", rec.ID, err)
				}
				done++
			}
			delete(wanted, rec.ID)
			return pointer.Seek(nerve.StartAfter(rec.ID))
		})
	if others > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d records were passed over: they are no dead letters\n",
			others)
	}
	if wantJSON(cmd) {
		_ = printJSON(cmd.OutOrStdout(), map[string]any{"records": done})
	} else {
		fmt.Fprintf(cmd.OutOrStdout(), "requeued %d records\n", done)
	}
	if err == nil && len(wanted) > 0 {
		err = fmt.Errorf("%d of the dead letters that were named are not there", len(wanted))
	}
	return err
}
