package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/dynamic"
)

// convertFlags say what to convert.
type convertFlags struct {
	protos    []string
	typeName  string
	from, to  string
	delimited bool
	indent    string
	out       string
	hex       []string
	options   dynamic.Options
}

func (a *app) convertCommand() *cobra.Command {
	var f convertFlags
	cmd := &cobra.Command{
		Use:   "convert --proto FILE --type NAME --from FORMAT --to FORMAT [INPUT]",
		Short: "Convert messages between binary, JSON and text",
		Long: `Convert reads a message from INPUT, or from standard input, and writes it in
another format: binary, json or text. Nothing is written when the input is at fault.

With --delimited it reads and writes any number of messages, one at a time:
binary messages each have their length before them, as a varint; JSON messages are
a line each; text messages are each followed by a line of three dashes.`,
		Example: `  gremlin convert --proto shop.proto --type shop.v1.Deposit --from binary --to json deposit.binpb
  gremlin convert --proto shop.proto --type shop.v1.Deposit --from text --to binary -o deposit.binpb deposit.txtpb
  cat events | gremlin convert --proto shop.proto --type shop.v1.Deposit --from binary --to json --delimited | jq .amount`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			t, err := a.messageType(cmd, f.protos, f.typeName, f.hex)
			if err != nil {
				return err
			}
			return a.convert(cmd.Context(), t, &f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.protos, "proto", nil,
		".proto file with the type; may be repeated for what Any and extensions hold")
	flags.StringVar(&f.typeName, "type", "",
		`full name of the message type, such as "shop.v1.Deposit"`)
	flags.StringVar(&f.from, "from", "", "format of the input: binary, json or text")
	flags.StringVar(&f.to, "to", "", "format of the output: binary, json or text")
	flags.BoolVar(&f.delimited, "delimited", false, "convert a stream of messages")
	flags.StringVarP(&f.out, "out", "o", "", "file to write (default: standard output)")
	flags.StringVar(&f.indent, "indent", "",
		`write json or text on several lines, indented by this many spaces, or by "tab"`)
	flags.BoolVar(&f.options.EmitDefaults, "emit-defaults", false,
		"json: write zero values of fields without presence too")
	flags.BoolVar(&f.options.ProtoNames, "proto-names", false,
		"json: write field names as the .proto file has them")
	flags.BoolVar(&f.options.EnumNumbers, "enum-numbers", false, "json: write enums as numbers")
	flags.StringArrayVar(&f.hex, "hex", nil, "json: fields of type bytes that are hex digits, by full "+
		"name; * stands for any part of it; may be repeated (also: hex in gremlin.yaml)")
	flags.BoolVar(&f.options.ShowUnknown, "show-unknown", false,
		"text: write unknown fields by number; that cannot be read again")
	flags.BoolVar(&f.options.DiscardUnknown, "discard-unknown", false,
		"pass over what the type does not have")
	a.schemaFlags(flags)
	for flag, values := range map[string][]string{"from": {"binary", "json", "text"},
		"to": {"binary", "json", "text"}} {
		_ = cmd.RegisterFlagCompletionFunc(flag,
			cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	return cmd
}

// schemaFlags are the flags of commands that compile files to know a type.
func (a *app) schemaFlags(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&a.roots, "root", "I", nil, "folder that imports are relative to; "+
		"may be repeated (default: that of gremlin.yaml, else of FILE)")
	flags.StringVar(&a.configPath, "config", "",
		"configuration file (default: gremlin.yaml in the working folder or above)")
	flags.BoolVar(&a.noConfig, "no-config", false, "read no configuration file")
}

// check finds wrong use.
func (f *convertFlags) check(cmd *cobra.Command) error {
	for _, name := range []string{"proto", "type", "from", "to"} {
		if !cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s is missing", name)
		}
	}
	formats := []string{string(dynamic.Binary), string(dynamic.JSON), string(dynamic.Text)}
	for flag, format := range map[string]string{"from": f.from, "to": f.to} {
		if !slices.Contains(formats, format) {
			return fmt.Errorf("--%s is binary, json or text, not %q", flag, format)
		}
	}
	only := map[string]string{"emit-defaults": "json", "proto-names": "json",
		"enum-numbers": "json", "show-unknown": "text"}
	for _, flag := range []string{"emit-defaults", "proto-names", "enum-numbers", "show-unknown"} {
		if cmd.Flags().Changed(flag) && f.to != only[flag] {
			return fmt.Errorf("--%s is for --to %s", flag, only[flag])
		}
	}
	var n int
	switch _, err := fmt.Sscanf(f.indent, "%d", &n); {
	case f.indent == "":
		return nil
	case f.indent == "tab":
		f.options.Indent = "\t"
	case err != nil || n < 1 || n > 64 || f.indent != fmt.Sprint(n):
		return fmt.Errorf("--indent is a number from 1 to 64 or \"tab\", not %q", f.indent)
	default:
		f.options.Indent = strings.Repeat(" ", n)
	}
	switch {
	case f.to == string(dynamic.Binary):
		return errors.New("--indent is for --to json and --to text")
	case f.delimited && f.to == string(dynamic.JSON):
		return errors.New(
			"--indent does not go with --delimited --to json, where each message is a line")
	}
	return nil
}

// messageType compiles the files and finds the type.
func (a *app) messageType(cmd *cobra.Command, protos []string, typeName string,
	hex []string) (*dynamic.Type, error) {
	out := a.out
	in, _, err := a.input(cmd, protos)
	if err != nil {
		return nil, err
	}
	a.out = out // that of the configuration is for generated code
	in.Roots = dynamic.Roots(in.Roots, protos)
	fields := dynamic.Hex{Patterns: hex}
	if in.Config != nil {
		given := in.Config.Settings
		fields.More = func(name string) bool { return given.Matches("json_hex", name) }
	}
	in.Config = &config.Config{}
	c := driver.Compile(cmd.Context(), in, a.progress())
	if c.Diagnostics.Errors() > 0 {
		a.show(c, c.Diagnostics)
		return nil, cli.ErrFault
	}
	t, err := dynamic.New(c.Result, typeName, fields)
	var unknown *dynamic.UnknownTypeError
	switch {
	case errors.As(err, &unknown):
		a.show(c, report.List{{Message: err.Error(), Hint: unknown.Hint()}})
		return nil, cli.ErrFault
	case err != nil:
		a.show(c, report.List{{Message: err.Error()}})
		return nil, cli.ErrFault
	}
	return t, nil
}

// convert reads and writes. It returns when ctx ends also if the input does not come to an end.
func (a *app) convert(ctx context.Context, t *dynamic.Type, f *convertFlags, args []string) error {
	fail := func(d report.Diagnostic) error {
		a.show(nil, report.List{d})
		return cli.ErrFault
	}
	name, in, err := a.openInput(args)
	if err != nil {
		return fail(report.Diagnostic{Message: err.Error()})
	}
	defer in.Close()
	out, err := createOutput(f.out, a.Out)
	if err != nil {
		return fail(report.Diagnostic{Message: err.Error()})
	}
	defer out.abort()
	progress := a.progress()
	if f.out == "" && cli.IsTerminal(a.Out) {
		progress = nil // the messages themselves are seen there
	}
	done := make(chan error, 1)
	stop := progress.Start("converting messages", -1)
	go func() {
		c := converter{t: t, f: f, in: in, out: out, progress: progress}
		done <- c.run(ctx)
	}()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	stop()
	if err == nil {
		err = out.commit()
	}
	var bad *messageError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &bad):
		d := bad.diagnostic(name)
		a.inputName, a.inputText = name, bad.text
		return fail(d)
	case errors.Is(err, context.Canceled):
		return fail(report.Diagnostic{Message: "interrupted"})
	}
	return fail(report.Diagnostic{Message: err.Error()})
}

// openInput opens the file that a command was given, or standard input.
func (a *app) openInput(args []string) (name string, in io.ReadCloser, err error) {
	if len(args) == 0 || args[0] == "-" {
		return "standard input", io.NopCloser(a.stdin), nil
	}
	file, err := os.Open(args[0])
	if err != nil {
		return "", nil, fmt.Errorf("input %q cannot be read: %w", args[0], errors.Unwrap(err))
	}
	return args[0], file, nil
}

// messageError is about a message of the input.
type messageError struct {
	where     string // "message 3 at offset 120: ", empty when there is but one
	firstLine int    // first line of the message in the input
	// the input up to the message, as empty lines, and the message; empty for binary
	text  string
	cause error
}

func (e *messageError) Error() string { return e.where + e.cause.Error() }

func (e *messageError) diagnostic(file string) report.Diagnostic {
	d := report.Diagnostic{File: file, Message: e.Error()}
	var at *dynamic.Error
	if errors.As(e.cause, &at) && at.Line > 0 {
		d.Line, d.Column, d.Message = at.Line+e.firstLine-1, at.Column, e.where+at.Message
	}
	return d
}

// converter converts one message or a stream.
type converter struct {
	t        *dynamic.Type
	f        *convertFlags
	in       io.Reader
	out      *output
	progress *driver.Progress
	buf, msg []byte
}

func (c *converter) run(ctx context.Context) error {
	from, to := dynamic.Format(c.f.from), dynamic.Format(c.f.to)
	if !c.f.delimited {
		b, err := io.ReadAll(io.LimitReader(c.in, gremlin.MaxSize+1))
		if err != nil {
			return err
		}
		if len(b) > gremlin.MaxSize {
			return errors.New("the input is longer than 2 GiB; is it a stream for --delimited?")
		}
		if c.msg, err = c.t.Convert(c.msg[:0], to, b, from, c.f.options); err != nil {
			return c.fault(err, &dynamic.Splitter{Line: 1}, b)
		}
		if to != dynamic.Binary && (len(c.msg) == 0 || c.msg[len(c.msg)-1] != '\n') {
			c.msg = append(c.msg, '\n')
		}
		return c.out.write(c.msg)
	}
	s := dynamic.NewSplitter(c.in, from)
	for ctx.Err() == nil {
		b, err := s.Next()
		if err == io.EOF {
			return nil
		}
		if err == nil {
			c.msg, err = c.t.Convert(c.msg[:0], to, b, from, c.f.options)
		}
		if err != nil {
			return c.fault(err, s, b)
		}
		c.buf = dynamic.AppendDelimited(c.buf[:0], to, c.msg)
		if err := c.out.write(c.buf); err != nil {
			return err
		}
		c.progress.Step()
	}
	return ctx.Err()
}

// fault returns the error about the message that s returned last.
func (c *converter) fault(err error, s *dynamic.Splitter, b []byte) error {
	e := &messageError{firstLine: s.Line, cause: err}
	if s.Number > 0 {
		e.where = fmt.Sprintf("message %d at offset %d: ", s.Number, s.Offset)
	}
	if c.f.from != string(dynamic.Binary) {
		e.text = strings.Repeat("\n", s.Line-1) + string(b)
	}
	return e
}
