package main

import (
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/cli"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/compiler/plugin/host"
	"github.com/octopus-framework/octopus/internal/compiler/protoc"
	"github.com/octopus-framework/octopus/internal/dynamic"
	"github.com/octopus-framework/octopus/internal/version"
)

func (a *app) protocCommand() *cobra.Command {
	return &cobra.Command{
		Use:                "protoc [protoc's flags] FILE...",
		Short:              "Do what protoc does, with its command line",
		DisableFlagParsing: true,
		Long: `Protoc takes the command line of protoc: --proto_path (-I), --X_out, --X_opt, --plugin,
--descriptor_set_out (-o), --include_imports, --include_source_info, --retain_options,
--descriptor_set_in, --dependency_out, --encode, --decode, --decode_raw, --fatal_warnings,
--error_format, --version and @FILE.

All files are written or none. The languages that are part of protoc (cpp, java, python
and others) are not there, nor are archives as output.`,
		Example: `  gremlin protoc -I proto --go_out=gen --go_opt=paths=source_relative shop/v1/deposit.proto
  gremlin protoc -I proto -o shop.binpb --include_imports shop/v1/deposit.proto`,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := protoc.Parse(args)
			switch {
			case err != nil:
				return a.refuse(report.Diagnostic{Message: err.Error()})
			case c.Help:
				return cmd.Help()
			case c.Version:
				_, err := fmt.Fprintf(a.Out, "libprotoc %s (gremlin %s)\n", host.Version,
					version.String())
				return err
			}
			return a.protoc(cmd, c)
		},
	}
}

// refuse shows a diagnostic and returns the error that stands for it.
func (a *app) refuse(d report.Diagnostic) error {
	a.show(nil, report.List{d})
	return cli.ErrFault
}

// protoc does what a command line of protoc asks for.
func (a *app) protoc(cmd *cobra.Command, c *protoc.Command) error {
	for _, dir := range c.MissingRoots {
		a.show(nil, report.List{{Severity: report.Warning,
			Message: fmt.Sprintf("folder %q of --proto_path does not exist", dir)}})
	}
	if c.DecodeRaw {
		set, err := proto.Marshal(&descriptorpb.FileDescriptorSet{
			File: []*descriptorpb.FileDescriptorProto{{Name: proto.String("raw.proto"),
				MessageType: []*descriptorpb.DescriptorProto{{Name: proto.String("Raw")}}}}})
		if err != nil {
			return err
		}
		return a.protocConvert(cmd, set, "Raw", dynamic.Binary, dynamic.Text)
	}
	compiled := a.protocCompile(cmd, c)
	warned := len(compiled.Diagnostics) > compiled.Diagnostics.Errors()
	if compiled.Diagnostics.Errors() > 0 || c.FatalWarnings && warned {
		a.show(compiled, compiled.Diagnostics)
		return cli.ErrFault
	}
	if name := c.Encode + c.Decode; name != "" {
		set, err := compiled.DescriptorSet()
		if err != nil {
			return err
		}
		from, to := dynamic.Binary, dynamic.Text
		if c.Encode != "" {
			from, to = to, from
		}
		return a.protocConvert(cmd, set, name, from, to)
	}
	o := driver.Plugins(cmd.Context(), driver.PluginJob{Compiled: compiled, Plugins: c.Plugins,
		Warn: a.Err, With: func() *driver.Outcome { return protocDescriptors(c, compiled) },
	}, a.progress())
	if o.Diagnostics.Errors() == 0 && c.DependencyFile != "" {
		o.Fail(protocDependencies(c, o))
	}
	a.show(compiled, o.Diagnostics)
	if o.Diagnostics.Errors() > 0 {
		return cli.ErrFault
	}
	return nil
}

// protocCompile compiles the files, or finds them in descriptor sets.
func (a *app) protocCompile(cmd *cobra.Command, c *protoc.Command) *driver.Compilation {
	if len(c.Sets) > 0 {
		return driver.ReadSets(c.Sets, c.Files)
	}
	return driver.Compile(cmd.Context(), driver.Input{Roots: c.Roots, Files: c.Files,
		Ordered: true, Descriptors: true}, a.progress())
}

// protocDescriptors writes the descriptor set, if there is to be one.
func protocDescriptors(c *protoc.Command, compiled *driver.Compilation) *driver.Outcome {
	o := &driver.Outcome{Compilation: compiled}
	if c.DescriptorSet != "" {
		o.Fail(compiled.WriteDescriptors(c.DescriptorSet, driver.DescriptorSet{Imports: c.Imports,
			SourceInfo: c.SourceInfo, Stripped: !c.RetainOptions}))
	}
	return o
}

// protocDependencies writes which files the outputs depend on, for make.
func protocDependencies(c *protoc.Command, o *driver.Outcome) error {
	var b strings.Builder
	outputs := slices.Sorted(slices.Values(slices.Concat(o.Written, o.Unchanged)))
	if c.DescriptorSet != "" {
		outputs = append(outputs, c.DescriptorSet)
	}
	b.WriteString(strings.Join(outputs, " \\\n"))
	b.WriteString(":")
	for i, f := range o.Descriptors.File {
		if i > 0 {
			b.WriteString("\\\n")
		}
		b.WriteString(" " + path.Clean(o.Sources.Name(f.GetName())))
	}
	if err := os.WriteFile(c.DependencyFile, []byte(b.String()), 0o666); err != nil {
		return fmt.Errorf("the dependency file cannot be written: %w", err)
	}
	return nil
}

// protocConvert reads a message from standard input and writes it to standard output.
func (a *app) protocConvert(cmd *cobra.Command, set []byte, name string,
	from, to dynamic.Format) error {
	t, err := dynamic.FromSet(set, name, dynamic.Hex{})
	var unknown *dynamic.UnknownTypeError
	switch {
	case errors.As(err, &unknown):
		return a.refuse(report.Diagnostic{Message: err.Error(), Hint: unknown.Hint()})
	case err != nil:
		return a.refuse(report.Diagnostic{Message: err.Error()})
	}
	f := convertFlags{from: string(from), to: string(to)}
	if to == dynamic.Text {
		f.options = dynamic.Options{Indent: "  ", ShowUnknown: true}
	}
	return a.convert(cmd.Context(), t, &f, nil)
}
