package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/seglog"
)

func appendCommand() *cobra.Command {
	var format, file, compression string
	var schema schemaFlags
	cmd := &cobra.Command{
		Use:   "append QUEUE [FILE...]",
		Short: "Append records from files or standard input",
		Long: `Append records from files or standard input. The queue is made if need be.

Formats:
  lines      each line is a record, without its end
  delimited  each record follows its length as a varint
  json       each JSON object is a message of --proto and --type, stored in its
             binary form; it is the default with --proto

With --proto and --type a delimited record must be such a message, all of it: its
structure, UTF-8, required fields. The first that is not ends the command.`,
		Example: `  echo hello | nerve append events
  nerve append events dump.bin --format delimited
  nerve append events --proto deposit.proto --type bank.Deposit < deposits.json
  nerve append events dump.bin --format delimited --proto deposit.proto --type bank.Deposit
  nerve append 'mysql://app@db/shop?queue=orders' orders.txt more.txt`,
		Args: placeAndFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema.given() && !cmd.Flags().Changed("format") {
				format = "json"
			}
			split, err := splitter(cmd.Context(), format, &schema)
			if err != nil {
				return err
			}
			kind, err := seglog.ParseCompression(compression)
			if err != nil {
				return usageError{err}
			}
			if !open.IsFolder(args[0]) && cmd.Flags().Changed("compress") {
				return usagef("--compress is for folders; a server is told in its URL")
			}
			files := args[1:]
			if file != "" {
				files = append(files, file)
			}
			in, closeAll, err := inputOf(cmd.InOrStdin(), files, format == "lines")
			if err != nil {
				return err
			}
			defer closeAll()
			return runAppend(cmd, args[0], kind, in, split)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&format, "format", "lines", "lines, delimited or json")
	flags.StringVar(&file, "file", "", "the same as FILE")
	flags.StringVar(&compression, "compress", "none",
		"of a queue in a folder: none, s2, zstd or lz4")
	addSchemaFlags(cmd, &schema)
	return cmd
}

func addSchemaFlags(cmd *cobra.Command, f *schemaFlags) {
	cmd.Flags().StringVar(&f.file, "proto", "", "the .proto file of the records")
	cmd.Flags().StringVar(&f.typeName, "type", "", "the full name of their message type")
	cmd.Flags().StringArrayVarP(&f.importPaths, "proto-path", "I",
		nil, "a folder for imports of the .proto file, may be repeated")
	cmd.Flags().StringArrayVar(&f.hex, "hex", nil,
		"fields of type bytes that are hex digits in JSON, by full name; * stands for any part of"+
			" it; may be repeated")
}

// splitFunc returns the next record of the input, io.EOF after the last.
type splitFunc func(in *bufio.Reader) ([]byte, error)

func splitter(ctx context.Context, format string, schema *schemaFlags) (splitFunc, error) {
	if format == "lines" && schema.given() {
		return nil, usagef("--proto and --type are for --format json and delimited")
	}
	switch format {
	case "lines":
		return nextLine, nil
	case "delimited":
		if !schema.given() {
			return nextDelimited, nil
		}
		s, err := schema.load(ctx)
		if err != nil {
			return nil, err
		}
		return func(in *bufio.Reader) ([]byte, error) {
			record, err := nextDelimited(in)
			if err == nil {
				err = s.check(record)
			}
			return record, err
		}, nil
	case "json":
		s, err := schema.load(ctx)
		if err != nil {
			return nil, err
		}
		var dec *json.Decoder
		return func(in *bufio.Reader) ([]byte, error) {
			if dec == nil {
				dec = json.NewDecoder(in)
			}
			var text json.RawMessage
			if err := dec.Decode(&text); err != nil {
				return nil, err
			}
			return s.fromJSON(text)
		}, nil
	default:
		return nil, usagef("no format %q; there are lines, delimited and json", format)
	}
}

func nextLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull) && len(line) <= seglog.DefaultMaxRecord:
			continue
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, fmt.Errorf("the line is longer than the limit of %d bytes",
				seglog.DefaultMaxRecord)
		case errors.Is(err, io.EOF) && len(line) > 0:
			err = nil
		}
		return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
	}
}

func nextDelimited(in *bufio.Reader) ([]byte, error) {
	n, err := binary.ReadUvarint(in)
	if err != nil {
		return nil, err
	}
	if n > seglog.DefaultMaxRecord {
		return nil, &nerve.TooLargeError{What: "record", Size: int(min(n, math.MaxInt)),
			Limit: seglog.DefaultMaxRecord}
	}
	record := make([]byte, n)
	if _, err := io.ReadFull(in, record); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return record, nil
}

// interruptible is a reader whose Read returns when ctx ends, whatever the reader
// behind it waits for.
type interruptible struct {
	ctx context.Context
	in  io.Reader
}

// Read implements io.Reader. It is not called again after an error.
func (r interruptible) Read(p []byte) (int, error) {
	return untilInterrupted(r.ctx, func() (int, error) { return r.in.Read(p) })
}

// pendingHandles bounds how many appends run ahead of their commits.
const pendingHandles = 4096

func runAppend(
	cmd *cobra.Command, place string, compression seglog.Compression, in io.Reader, split splitFunc,
) error {
	log, err := openLog(cmd, place, open.Create, seglog.Options{Compression: compression})
	if err != nil {
		return err
	}
	queue := nerve.New(log, nerve.Options{})
	handles := make(chan nerve.Handle, pendingHandles)
	outcome := make(chan appended, 1)
	ctx, cancel := context.WithCancelCause(cmd.Context())
	defer cancel(nil)
	go func() { outcome <- collect(handles, cancel) }()

	input := bufio.NewReaderSize(interruptible{ctx, in}, 1<<20)
	number := 0
	for err == nil {
		var record []byte
		number++
		if record, err = split(input); err != nil {
			break
		}
		var h nerve.Handle
		if h, err = queue.AppendAsync(ctx, record); err == nil {
			handles <- h
		}
	}
	close(handles)
	done := <-outcome
	closeErr := queue.Close()
	if errors.Is(err, io.EOF) {
		err = nil
	} else if err != nil && done.err == nil {
		err = fmt.Errorf("input record %d: %w", number, err)
	}
	if done.err != nil {
		err = done.err
	}
	if wantJSON(cmd) {
		_ = printJSON(cmd.OutOrStdout(), map[string]any{"records": done.count, "first": done.first,
			"last": done.last})
	} else if done.count > 0 {
		fmt.Fprintf(cmd.OutOrStdout(), "appended %d records, %d to %d\n", done.count, done.first,
			done.last)
	} else {
		fmt.Fprintln(cmd.OutOrStdout(), "appended nothing")
	}
	return errors.Join(err, closeErr)
}

type appended struct {
	count       int
	first, last nerve.ID
	err         error
}

// collect waits for all appends, and stops the input at the first that fails.
func collect(handles <-chan nerve.Handle, cancel context.CancelCauseFunc) (sum appended) {
	for h := range handles {
		id, err := h.Wait(context.Background())
		if err != nil {
			if sum.err == nil {
				sum.err = err
				cancel(err)
			}
			continue
		}
		if sum.count == 0 {
			sum.first = id
		}
		sum.count++
		sum.last = id
	}
	return sum
}
