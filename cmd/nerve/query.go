package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/query"
	"github.com/octopus-framework/octopus/nerve/query/format"
)

// queryFlags are the parts of a question and how it is answered.
type queryFlags struct {
	schema       schemaFlags
	q            query.Query
	selects, by  string
	order        string
	since, until string
	from, to     uint64
	memory       string
	format, out  string
	enums        string
	explain      bool
	follow       bool
	file         bool
}

func queryCommand() *cobra.Command {
	var f queryFlags
	cmd := &cobra.Command{
		Use:   "query QUEUE [QUESTION]",
		Short: "Filter records, take values out of them and add them up",
		Long: `Filter records, take values out of them and add them up, straight from their
encodings. A question is a list of columns, and behind the words by, where,
having, order and limit the other parts; each has a flag, too.

Columns are paths (user.id, items[0].sku, labels["k"]; items[].sku for a row for
each element, items[*].sku for a list), record.id, record.time and record.size,
expressions in CEL, and aggregates: count() sum(x) min(x) max(x) avg(x) first(x)
last(x) distinct(x) quantile(x, 0.99) top(x, 3). bucket(record.time,
duration("1m")) rounds times. Conditions are CEL: fields are names, enums are
compared with the names of their values.

Without --proto there are record.id, record.time and record.size, and the records
as bytes.

QUEUE is a queue, or with --file a file of length-delimited messages. It works
beside a running writer; the end is where the queue ends when it begins.`,
		Example: `  nerve query events --proto deposit.proto --type shop.v1.Deposit \
      'sum(amount), count() by user.id where type == CARD order -sum limit 20'
  nerve query events --proto deposit.proto --type shop.v1.Deposit --since 1h \
      'record.id, user.id, items[].sku where amount > 100' --format csv`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return usagef("'%s' takes a queue and a question, not %d arguments",
					cmd.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runQuery(cmd, args, &f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.selects, "select", "", "columns, between commas")
	flags.StringVar(&f.by, "by", "", "what rows are grouped by, between commas")
	flags.StringVar(&f.q.Where, "where", "", "condition on records, in CEL")
	flags.StringVar(&f.q.Having, "having", "", "condition on groups")
	flags.StringVar(&f.order, "order", "", "columns to sort by, - before one for the largest first")
	flags.IntVar(&f.q.Limit, "limit", 0, "stop after this many rows")
	flags.Uint64Var(&f.from, "from", 0, "begin with this id")
	flags.Uint64Var(&f.to, "to", 0, "end with this id")
	flags.StringVar(&f.since, "since", "",
		"records of this time (RFC 3339) or age (90s, 2h) and later")
	flags.StringVar(&f.until, "until", "", "records before this time or age")
	flags.BoolVar(&f.q.Inner, "inner", false, "with []: leave out records whose list is empty")
	flags.BoolVar(&f.q.Lazy, "lazy", false, "verify only what the question touches of a record")
	flags.BoolVar(&f.q.Strict, "strict", false,
		"stop at the first record that does not decode or has an error")
	flags.IntVar(&f.q.Workers, "workers", 0,
		"goroutines that read (default: processors; 1 behind a URL)")
	flags.StringVar(&f.memory, "memory", "256MiB", "limit for groups and sorted rows")
	flags.StringVar(&f.format, "format", "",
		"table, jsonl, csv, arrow (IPC stream) or parquet (default: by the name of the"+
			" file, else table on a terminal, else jsonl)")
	flags.StringVarP(&f.out, "output", "o", "", "write to this file")
	flags.StringVar(&f.enums, "enums", "names", "names or numbers")
	flags.BoolVar(&f.explain, "explain", false, "say what would be read, and how, and do nothing")
	flags.BoolVarP(&f.follow, "follow", "f", false,
		"wait for new records; groups by bucket(record.time, ...) are printed when they are over")
	flags.BoolVar(&f.file, "file", false, "QUEUE is a file of length-delimited messages")
	addSchemaFlags(cmd, &f.schema)
	return cmd
}

// question joins the one text with the flags.
func (f *queryFlags) question(args []string) (query.Query, error) {
	q := f.q
	if len(args) > 1 {
		parsed, err := query.Parse(args[1])
		if err != nil {
			return q, shown(err)
		}
		for _, both := range []struct {
			name        string
			inText, set bool
		}{
			{"select", len(parsed.Select) > 0, f.selects != ""},
			{"by", len(parsed.By) > 0, f.by != ""},
			{"where", parsed.Where != "", q.Where != ""},
			{"having", parsed.Having != "", q.Having != ""},
			{"order", len(parsed.Order) > 0, f.order != ""},
			{"limit", parsed.Limit > 0, q.Limit > 0},
		} {
			if both.inText && both.set {
				return q, usagef("%s is in the question and in --%s; say it once",
					both.name, both.name)
			}
		}
		if parsed.Where != "" {
			q.Where = parsed.Where
		}
		if parsed.Having != "" {
			q.Having = parsed.Having
		}
		if parsed.Limit > 0 {
			q.Limit = parsed.Limit
		}
		q.Select, q.By, q.Order = parsed.Select, parsed.By, parsed.Order
	}
	for flag, list := range map[*string]*[]string{
		&f.selects: &q.Select, &f.by: &q.By, &f.order: &q.Order} {
		if *flag != "" {
			*list = query.Split(*flag)
		}
	}
	q.From, q.To = nerve.ID(f.from), nerve.ID(f.to)
	var err error
	if f.since != "" {
		if q.Since, err = parseTime(f.since); err != nil {
			return q, err
		}
	}
	if f.until != "" {
		if q.Until, err = parseTime(f.until); err != nil {
			return q, err
		}
	}
	q.Memory, err = parseSize(f.memory)
	return q, err
}

// parseSize reads "256MiB" and the like.
func parseSize(s string) (int64, error) {
	units := []struct {
		name string
		size int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"K", 1 << 10}, {"M", 1 << 20},
		{"G", 1 << 30}, {"B", 1}, {"", 1}}
	for _, u := range units {
		number, found := strings.CutSuffix(s, u.name)
		if !found {
			continue
		}
		var n int64
		var rest string
		if got, _ := fmt.Sscanf(number+" .", "%d %s", &n, &rest); got == 2 && rest == "." && n > 0 {
			return n * u.size, nil
		}
	}
	return 0, usagef("%q is no size like 256MiB", s)
}

// shown is an error of a query with the text and a caret below the place.
func shown(err error) error {
	var e *query.Error
	if errors.As(err, &e) {
		return usagef("%s\n  %s", e, strings.ReplaceAll(e.Caret(), "\n", "\n  "))
	}
	return err
}

func runQuery(cmd *cobra.Command, args []string, f *queryFlags) error {
	q, err := f.question(args)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	isTerminal := f.out == "" && cli.IsTerminal(out)
	if end := strings.TrimPrefix(filepath.Ext(f.out), "."); f.format == "" &&
		slices.Contains([]string{"jsonl", "csv", "arrow", "parquet"}, end) {
		f.format = end
	}
	if f.format == "" {
		if f.format = "jsonl"; isTerminal && !wantJSON(cmd) {
			f.format = "table"
		}
	}
	if f.enums != "names" && f.enums != "numbers" {
		return usagef("no --enums %q; there are names and numbers", f.enums)
	}
	records, err := f.recordType(cmd, args[0])
	if err != nil {
		return err
	}
	src, done, err := f.source(cmd, args[0])
	if err != nil {
		return err
	}
	defer done()
	if q.Workers == 0 && !f.file && !open.IsFolder(args[0]) {
		q.Workers = 1
	}
	bar := newProgress(cmd.ErrOrStderr(), "query")
	var total int64
	bar.format = func(n int64) string { return fmt.Sprintf("%d records", n) }
	q.Progress = func(s query.Stats) { bar.update(s.Records, total) }
	plan, err := query.Compile(records, q)
	if err != nil {
		return withoutType(records, err)
	}
	start := plan.Run
	if f.follow {
		start = plan.Follow
	}
	result, err := start(cmd.Context(), src)
	if err != nil {
		return shown(err)
	}
	if f.explain {
		return explain(out, plan, result)
	}
	total = int64(result.Stats().Last - result.Stats().First + 1)
	err = f.write(out, result, bar)
	bar.done()
	if err != nil {
		return err
	}
	if line := duckDB(f.format, f.out); f.out != "" && line != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	return f.verdict(cmd.ErrOrStderr(), result.Stats())
}

// recordType is the type of the records that are asked, nil if nothing says it.
func (f *queryFlags) recordType(cmd *cobra.Command, place string) (*dynamic.Type, error) {
	if f.file {
		place = "file://" // nothing but the flags says it
	}
	schema, err := f.schema.of(cmd, place)
	return schema.records(), err
}

// source opens what is asked.
func (f *queryFlags) source(cmd *cobra.Command, place string) (query.Source, func(), error) {
	if !f.file {
		log, err := openRead(cmd, place)
		if err != nil {
			return nil, nil, err
		}
		return log, func() { log.Close() }, nil
	}
	in, err := os.Open(place)
	if err != nil {
		return nil, nil, err
	}
	info, err := in.Stat()
	if err == nil {
		var file *query.File
		if file, err = query.NewFile(in, info.Size()); err == nil {
			return file, func() { in.Close() }, nil
		}
		err = fmt.Errorf("%s: %w", place, err)
	}
	return nil, nil, errors.Join(err, in.Close())
}

// write writes the result to the file or standard output.
func (f *queryFlags) write(out io.Writer, result *query.Result, bar *progress) (err error) {
	if f.out != "" {
		file, err := os.Create(f.out)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		out = file
	}
	buffered := bufio.NewWriterSize(out, 1<<16)
	w, err := newResultWriter(f.format, buffered, result.Columns(),
		format.Options{EnumNumbers: f.enums == "numbers"})
	if err != nil {
		return err
	}
	for b, err := range result.Batches() {
		if err != nil {
			return err
		}
		bar.clear()
		if err := w.Write(b); err != nil {
			return err
		}
		if f.follow {
			if err := buffered.Flush(); err != nil {
				return err
			}
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return buffered.Flush()
}

// verdict says what was left out.
func (f *queryFlags) verdict(errs io.Writer, s query.Stats) error {
	if s.Undecodable > 0 {
		fmt.Fprintf(errs, "skipped: %d records that are no %s, the first is %d\n", s.Undecodable,
			f.schema.typeName, s.FirstUndecodable)
	}
	if s.Errors > 0 {
		at := ""
		if s.FirstError > 0 {
			at = fmt.Sprintf("record %d: ", s.FirstError)
		}
		fmt.Fprintf(errs, "errors: %d, first: %s%s\n", s.Errors, at, s.FirstErrorText)
	}
	return nil
}

// explain says how a query is answered.
func explain(out io.Writer, plan *query.Plan, result *query.Result) error {
	s := result.Stats()
	e := plan.Explain()
	fmt.Fprintf(out, "records   %d to %d (%d)\n", s.First, s.Last, s.Last-s.First+1)
	fmt.Fprintf(out, "fields    %s\n", strings.Join(e.Paths, ", "))
	for _, x := range e.Expressions {
		how := "columns"
		if !x.Columns {
			how = "interpreter, each record"
		}
		fmt.Fprintf(out, "%-9s %s (%s)\n", x.Part, x.Text, how)
	}
	check := "whole records"
	if e.Lazy {
		check = "what is touched"
	}
	fmt.Fprintf(out, "verified  %s\nworkers   %d of %d processors\n", check, e.Workers,
		runtime.GOMAXPROCS(0))
	return nil
}
