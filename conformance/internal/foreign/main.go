// Package foreign tests gremlin's code for schemas that are not part of this repository. Command
// scratch makes a program of it and of that code.
package foreign

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/conformance/internal/check"
	"github.com/octopus-framework/octopus/gremlin"
	"github.com/octopus-framework/octopus/gremlin/wkt"
)

// Type is a generated Reader and where its schema is.
type Type struct {
	Root   string
	Files  []string
	Name   string
	Reader reflect.Type
}

const usage = `usage: foreign COMMAND

  corpora DIR         read the messages that DIR/manifest.json lists
  mutations N SEED    read N random values of each type, and changes of them
  nasties FILE DIR    read the inputs of a file of JSON lines; larger ones are in DIR
  replay FILE         answer recorded requests of the conformance runner
  testee WAY          answer the conformance runner; WAY is message or reader
`

// suite is the types by their full name.
type suite struct {
	types map[string]check.Type
	known gremlin.Types // types of Anys and extensions that are known
}

// Main runs one of the tests on types and exits. extensions are those of the types.
func Main(types []Type, extensions []gremlin.ExtensionType) {
	args := os.Args[1:]
	s, err := load(types)
	if err == nil {
		s.known = known(types, extensions)
	}
	switch {
	case err != nil:
	case len(args) == 2 && args[0] == "corpora":
		err = s.corpora(args[1])
	case len(args) == 3 && args[0] == "mutations":
		err = s.mutations(args[1], args[2])
	case len(args) == 3 && args[0] == "nasties":
		err = s.nasties(args[1], args[2])
	case len(args) == 2 && args[0] == "replay":
		err = s.replay(args[1])
	case len(args) == 2 && args[0] == "testee":
		err = s.testee(args[1], os.Stdin, os.Stdout)
	default:
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "foreign:", err)
		os.Exit(1)
	}
}

// known returns what Any and extensions may hold in the tests.
func known(types []Type, extensions []gremlin.ExtensionType) gremlin.Types {
	ts := gremlin.Types{Extensions: extensions, Messages: []gremlin.Type{
		(*wkt.Any)(nil), (*wkt.Duration)(nil), (*wkt.Empty)(nil), (*wkt.FieldMask)(nil),
		(*wkt.Struct)(nil), (*wkt.Value)(nil),
		(*wkt.ListValue)(nil), (*wkt.Timestamp)(nil), (*wkt.BoolValue)(nil), (*wkt.BytesValue)(nil),
		(*wkt.DoubleValue)(nil),
		(*wkt.FloatValue)(nil), (*wkt.Int32Value)(nil), (*wkt.Int64Value)(nil),
		(*wkt.StringValue)(nil), (*wkt.UInt32Value)(nil),
		(*wkt.UInt64Value)(nil),
	}}
	for _, t := range types {
		ts.Messages = append(ts.Messages, reflect.Zero(t.Reader).Interface().(gremlin.Type))
	}
	return ts
}

// finder is what has descriptors.
type finder interface {
	FindDescriptorByName(protoreflect.FullName) (protoreflect.Descriptor, error)
}

// load compiles the schemas for the oracle.
func load(types []Type) (*suite, error) {
	s := &suite{types: map[string]check.Type{}}
	compiled := map[string]finder{}
	for _, t := range types {
		key := t.Root + " " + strings.Join(t.Files, " ")
		files := compiled[key]
		if files == nil {
			c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(
				&protocompile.SourceResolver{ImportPaths: []string{t.Root}})}
			linked, err := c.Compile(context.Background(), t.Files...)
			if err != nil {
				return nil, err
			}
			files = linked.AsResolver()
			if registry, err := own(linked); err == nil {
				files = registry
			}
			compiled[key] = files
		}
		d, err := files.FindDescriptorByName(protoreflect.FullName(t.Name))
		if err != nil {
			return nil, err
		}
		md := d.(protoreflect.MessageDescriptor)
		s.types[t.Name] = check.Type{Reader: t.Reader, Desc: md, New: func() proto.Message {
			return dynamicpb.NewMessage(md)
		}}
	}
	return s, nil
}

// own returns protobuf-go's descriptors of the files: those of protocompile do not know the
// required fields of editions. It has none of message sets.
func own(files linker.Files) (*protoregistry.Files, error) {
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		set.File = append(set.File, protodesc.ToFileDescriptorProto(f))
	}
	for _, f := range files {
		add(f)
	}
	return protodesc.NewFiles(set)
}

// tally counts failures and prints the first ones.
type tally struct{ run, failed int }

func (t *tally) check(name string, err error) {
	t.run++
	if err == nil {
		return
	}
	if t.failed++; t.failed <= 20 {
		text := err.Error()
		fmt.Printf("%s: %s\n", name, text[:min(len(text), 600)])
	}
}

func (t *tally) err(what string) error {
	fmt.Printf("%s: %d, %d failed\n", what, t.run, t.failed)
	if t.failed > 0 {
		return fmt.Errorf("%d of %d %s failed", t.failed, t.run, what)
	}
	if t.run == 0 {
		return fmt.Errorf("no %s", what)
	}
	return nil
}
