package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/gremlin/anatomy"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/place"
	"github.com/octopus-framework/octopus/nerve"
)

// tailFlags say what to print, from where and how.
type tailFlags struct {
	from   uint64
	since  string
	last   uint64
	limit  uint64
	follow bool
	format string
	bare   bool
	skip   bool
	where  string
	schema schemaFlags

	inspect bool
}

func tailCommand() *cobra.Command {
	var f tailFlags
	cmd := &cobra.Command{
		Use:   "tail QUEUE",
		Short: "Print records, and follow new ones",
		Long: `Print records, by default the last ten, and with --follow those to come.

A line is the id, the time and the record, between tabs. Records are printed as
they are, or as hex, or as JSON if their type is known: by --proto and --type, by
the server, or by a nerve.yaml in the folder; --format raw or hex and --bare leave
them as they are. On a terminal, what would
control it is escaped; a pipe or a file gets the bytes as they are, ends of lines
in them, too: --json and --format hex have a line for each record whatever it is. A record that does not decode is printed as hex with the
reason. With --inspect each record is taken apart, field by field, as "gremlin
inspect" does. It works beside a running writer and shows only what is durable.`,
		Example: `  nerve tail events -f
  nerve tail events --from 1 --limit 100 --format hex
  nerve tail events --since 1h --proto deposit.proto --type bank.Deposit
  nerve tail events --json | jq .data
  nerve tail kafka://broker:9092/events -f`,
		Args: onePlace,
		RunE: func(cmd *cobra.Command, args []string) error { return runTail(cmd, args[0], &f) },
	}
	flags := cmd.Flags()
	flags.Uint64Var(&f.from, "from", 0, "begin with this id")
	flags.StringVar(&f.since, "since", "",
		"begin with records of this time (RFC 3339) or age (90s, 2h)")
	flags.Uint64VarP(&f.last, "last", "n", 10, "begin this many records before the end")
	flags.Uint64Var(&f.limit, "limit", 0, "stop after this many records")
	flags.BoolVarP(&f.follow, "follow", "f", false, "wait for new records")
	flags.StringVar(&f.format, "format", "raw", "raw or hex")
	flags.BoolVar(&f.inspect, "inspect", false,
		"print the bytes of each record field by field, with the type if there is one")
	flags.BoolVar(&f.bare, "bare", false, "print the record alone")
	flags.BoolVar(&f.skip, "skip-damage", false, "report damaged records and go on behind them")
	flags.StringVar(&f.where, "where", "", "records that meet this condition in CEL,"+
		" such as 'user.id == 7'; -n counts those")
	addSchemaFlags(cmd, &f.schema)
	cmd.MarkFlagsMutuallyExclusive("from", "since", "last")
	return cmd
}

func runTail(cmd *cobra.Command, place string, f *tailFlags) error {
	p := &recordPrinter{flags: f, json: wantJSON(cmd), out: bufio.NewWriter(cmd.OutOrStdout()),
		escape: cli.IsTerminal(cmd.OutOrStdout())}
	if f.format != "raw" && f.format != "hex" {
		return usagef("no format %q; there are raw and hex", f.format)
	}
	// Whoever says how records are to look gets them like that.
	asked := f.schema.given() || f.where != ""
	if asked || !cmd.Flags().Changed("format") && !f.bare {
		var err error
		if p.schema, err = f.schema.of(cmd, place); err != nil && asked {
			return err
		}
	}
	if f.where != "" {
		var err error
		if p.where, err = newWhere(p.schema.records(), f.where); err != nil {
			return withoutType(p.schema.records(), err)
		}
	}
	log, err := openRead(cmd, place)
	if err != nil {
		return err
	}
	defer log.Close()
	defer p.where.report(cmd.ErrOrStderr())
	next, err := f.start(cmd.Context(), log)
	if p.where != nil && f.from == 0 && f.since == "" {
		next, err = p.where.lastOf(cmd.Context(), log, f.last)
		p.where.match.Reset()
	}
	if err != nil {
		return err
	}
	damaged := false
	for {
		next, err = p.printFrom(cmd.Context(), log, next)
		behind, lost := lostBehind(err)
		if !lost {
			break
		}
		if err := p.out.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), err)
		damaged = true
		if !f.skip {
			break
		}
		next = max(next, behind) + 1
	}
	switch {
	case damaged:
		err = errReported
	case f.follow && cmd.Context().Err() != nil:
		err = nil // being interrupted is how following ends
	}
	return errors.Join(p.out.Flush(), err)
}

// lostBehind reports whether err is about records that cannot be read, and the
// last of them.
func lostBehind(err error) (nerve.ID, bool) {
	var corrupt *nerve.CorruptError
	var lost *nerve.LostError
	switch {
	case errors.As(err, &corrupt):
		return corrupt.Last, true
	case errors.As(err, &lost):
		return lost.Last, true
	}
	return 0, false
}

// start returns the first id to print.
func (f *tailFlags) start(ctx context.Context, log nerve.Log) (nerve.ID, error) {
	first, last := log.Bounds()
	switch {
	case f.from > 0:
		return nerve.ID(f.from), nil
	case f.since != "":
		t, err := parseTime(f.since)
		if err != nil {
			return 0, err
		}
		return log.Seek(ctx, t)
	case uint64(last-first+1) <= f.last:
		return first, nil
	default:
		return last - nerve.ID(f.last) + 1, nil
	}
}

// parseTime reads a point in time or an age.
func parseTime(s string) (time.Time, error) {
	t, ok := place.ParseTime(s, time.Local)
	if !ok {
		return t, usagef("%q is neither a time like 2026-01-31T12:00:00Z nor an age like 90s", s)
	}
	return t, nil
}

type recordPrinter struct {
	flags   *tailFlags
	json    bool
	schema  *messageSchema
	where   *whereFilter
	out     *bufio.Writer
	escape  bool // what a terminal would obey
	printed uint64
}

// printFrom prints until the end or the limit, and returns the id it stopped
// at.
func (p *recordPrinter) printFrom(
	ctx context.Context, log nerve.Log, next nerve.ID,
) (nerve.ID, error) {
	_, last := log.Bounds()
	if next > last && !p.flags.follow && p.flags.from == 0 {
		return next, nil
	}
	cur, err := log.Read(ctx, next)
	if err != nil {
		return next, err
	}
	defer cur.Close()
	var b nerve.Batch
	for p.flags.follow || next <= last {
		if err := cur.Next(ctx, &b); err != nil {
			return next, err
		}
		records := b.All()
		if p.where != nil {
			found, err := p.where.records(ctx, &b)
			if err != nil {
				return next, err
			}
			records = slices.Values(found)
		}
		for rec := range records {
			if err := p.print(rec); err != nil {
				return next, err
			}
			next = rec.ID + 1
			if p.printed++; p.printed == p.flags.limit {
				return next, nil
			}
		}
		next = b.Last() + 1
		if p.flags.follow {
			if err := p.out.Flush(); err != nil {
				return next, err
			}
		}
	}
	return next, nil
}

// tailRecord is the JSON form of a record. One of the contents is set.
type tailRecord struct {
	ID      nerve.ID        `json:"id"`
	Time    time.Time       `json:"time"`
	Data    []byte          `json:"data,omitzero"` // base64
	Hex     hexBytes        `json:"hex,omitzero"`
	Message json.RawMessage `json:"message,omitempty"`
	Error   string          `json:"error,omitempty"`
	Anatomy *anatomy.Tree   `json:"anatomy,omitempty"`
}

// hexBytes is hex in JSON.
type hexBytes []byte

// MarshalText implements encoding.TextMarshaler.
func (b hexBytes) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, b), nil }

// inspect takes a record apart, as a tree and as text without the last line's end.
func (p *recordPrinter) inspect(data []byte) (*anatomy.Tree, []byte) {
	var t *dynamic.Type
	if p.schema != nil {
		t = p.schema.Dynamic
	}
	tree := anatomy.Of(data, t, anatomy.Options{})
	return tree, bytes.TrimSuffix(tree.Append(nil, data, anatomy.PrintOptions{}), []byte("\n"))
}

func (p *recordPrinter) print(rec nerve.Record) error {
	r := tailRecord{ID: rec.ID, Time: rec.Time().UTC()}
	text := rec.Data
	switch {
	case p.flags.inspect:
		r.Anatomy, text = p.inspect(rec.Data)
	case p.schema != nil:
		message, err := p.schema.toJSON(rec.Data)
		if err == nil {
			r.Message, text = message, message
			break
		}
		r.Error, r.Hex = err.Error(), rec.Data
		text = fmt.Appendf(nil, "%x\t# %s", rec.Data, r.Error)
	case p.flags.format == "hex":
		r.Hex = rec.Data
		text = hex.AppendEncode(nil, rec.Data)
	default:
		r.Data = rec.Data
	}
	if p.json {
		return p.printRecord(r)
	}
	if !p.flags.bare {
		between := "\t"
		if p.flags.inspect {
			between = "\n"
		}
		fmt.Fprintf(p.out, "%d\t%s"+between, r.ID, r.Time.Format(time.RFC3339Nano))
	}
	if p.escape {
		text = escapeLines(text, p.flags.inspect)
	}
	_, _ = p.out.Write(text)
	return p.out.WriteByte('\n')
}

// printRecord prints a record as a line of JSON.
func (p *recordPrinter) printRecord(r tailRecord) error {
	if !p.escape {
		return printJSON(p.out, r)
	}
	var line bytes.Buffer
	if err := printJSON(&line, r); err != nil {
		return err
	}
	_, _ = p.out.Write(escapeControls(nil, bytes.TrimSuffix(line.Bytes(), []byte("\n"))))
	return p.out.WriteByte('\n')
}
