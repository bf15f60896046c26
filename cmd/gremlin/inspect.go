package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/anatomy"
	types "github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/dynamic"
)

// inspectFlags say what to take apart.
type inspectFlags struct {
	protos    []string
	typeName  string
	delimited bool
	json      bool
}

func (a *app) inspectCommand() *cobra.Command {
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect [--proto FILE --type NAME] [INPUT]",
		Short: "Show the bytes of an encoded message, field by field",
		Long: `Inspect takes a binary message apart, from INPUT or standard input: a line for
each field with its offset, its bytes and what they mean. Malformed input is shown as
far as it can be read, with the place and the reason, and ends with exit code 1.

Without --proto and --type fields have numbers only, and bytes that could be a message
are shown as one. Offsets and bytes are hexadecimal.`,
		Example: `  gremlin inspect deposit.binpb
  gremlin inspect --proto shop.proto --type shop.v1.Deposit deposit.binpb
  nerve tail events --bare -n 1 | gremlin inspect --json -`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if (len(f.protos) == 0) != (f.typeName == "") {
				return errors.New("--proto FILE and --type NAME go together")
			}
			var t *types.Type
			if f.typeName != "" {
				found, err := a.messageType(cmd, f.protos, f.typeName, nil)
				if err != nil {
					return err
				}
				t = found.Dynamic
			}
			err := a.inspect(t, &f, args)
			if err != nil && !errors.Is(err, cli.ErrFault) {
				a.show(nil, report.List{{Message: err.Error()}})
				return cli.ErrFault
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.protos, "proto", nil,
		".proto file with the type; may be repeated for what Any and extensions hold")
	flags.StringVar(&f.typeName, "type", "",
		`full name of the message type, such as "shop.v1.Deposit"`)
	flags.BoolVar(&f.delimited, "delimited", false,
		"a stream of messages, each with its length before it, as a varint")
	flags.BoolVar(&f.json, "json", false, "print a JSON object for each message")
	a.schemaFlags(flags)
	return cmd
}

func (a *app) inspect(t *types.Type, f *inspectFlags, args []string) error {
	_, in, err := a.openInput(args)
	if err != nil {
		return err
	}
	defer in.Close()
	if !f.delimited {
		b, err := io.ReadAll(io.LimitReader(in, gremlin.MaxSize+1))
		if err != nil {
			return err
		}
		if len(b) > gremlin.MaxSize {
			return errors.New("the input is longer than 2 GiB; is it a stream for --delimited?")
		}
		return a.printAnatomy(t, f, b)
	}
	var fault error
	s := dynamic.NewSplitter(in, dynamic.Binary)
	for {
		b, err := s.Next()
		switch {
		case err == io.EOF:
			return fault
		case err != nil:
			return fmt.Errorf("message %d at offset %d: %w", s.Number, s.Offset, err)
		}
		if !f.json {
			fmt.Fprintf(a.Out, "message %d at offset %d, %d bytes\n", s.Number, s.Offset,
				len(b))
		}
		switch err := a.printAnatomy(t, f, b); {
		case errors.Is(err, cli.ErrFault):
			fault = err
		case err != nil:
			return err
		}
	}
}

// printAnatomy prints one message. The error is cli.ErrFault where programs would not read it.
func (a *app) printAnatomy(t *types.Type, f *inspectFlags, b []byte) error {
	tree := anatomy.Of(b, t, anatomy.Options{})
	var out []byte
	if f.json {
		var err error
		if out, err = json.Marshal(tree); err != nil {
			return err
		}
		out = append(out, '\n')
	} else {
		out = tree.Append(nil, b, anatomy.PrintOptions{
			Color: cli.IsTerminal(a.Out) && os.Getenv("NO_COLOR") == ""})
	}
	if _, err := a.Out.Write(out); err != nil {
		return err
	}
	if tree.Error != "" {
		return cli.ErrFault
	}
	return nil
}
