package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"
)

// messageSchema turns records of one message type into JSON and back. It is
// the only place that knows how .proto files are read.
type messageSchema struct {
	desc     protoreflect.MessageDescriptor
	resolver linker.Resolver
}

// loadSchema compiles a .proto file, with imports found in its folder and in
// importPaths, and finds the message type in it.
func loadSchema(ctx context.Context, file, typeName string, importPaths []string) (*messageSchema, error) {
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			ImportPaths: append([]string{filepath.Dir(file)}, importPaths...),
		}),
	}
	files, err := compiler.Compile(ctx, filepath.Base(file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	resolver := files.AsResolver()
	found, err := resolver.FindDescriptorByName(protoreflect.FullName(typeName))
	if desc, ok := found.(protoreflect.MessageDescriptor); ok {
		return &messageSchema{desc: desc, resolver: resolver}, nil
	}
	var there []string
	for _, f := range files {
		there = appendMessages(there, f.Messages())
	}
	if err != nil && len(there) == 0 {
		return nil, fmt.Errorf("%s has no messages", file)
	}
	return nil, usagef("%s has no message %q; it has %s", file, typeName, strings.Join(there, ", "))
}

func appendMessages(names []string, list protoreflect.MessageDescriptors) []string {
	for i := range list.Len() {
		if m := list.Get(i); !m.IsMapEntry() {
			names = appendMessages(append(names, string(m.FullName())), m.Messages())
		}
	}
	return names
}

// toJSON decodes a record.
func (s *messageSchema) toJSON(data []byte) ([]byte, error) {
	m := dynamicpb.NewMessage(s.desc)
	if err := (proto.UnmarshalOptions{Resolver: s.resolver}).Unmarshal(data, m); err != nil {
		return nil, err
	}
	return protojson.MarshalOptions{Resolver: s.resolver, UseProtoNames: true}.Marshal(m)
}

// fromJSON encodes a record.
func (s *messageSchema) fromJSON(text []byte) ([]byte, error) {
	m := dynamicpb.NewMessage(s.desc)
	if err := (protojson.UnmarshalOptions{Resolver: s.resolver}).Unmarshal(text, m); err != nil {
		return nil, err
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// schemaFlags are the flags of commands that know a message type.
type schemaFlags struct {
	file, typeName string
	importPaths    []string
}

func (f *schemaFlags) given() bool { return f.file != "" || f.typeName != "" }

func (f *schemaFlags) load(ctx context.Context) (*messageSchema, error) {
	if f.file == "" || f.typeName == "" {
		return nil, usagef("--proto FILE and --type NAME go together")
	}
	return loadSchema(ctx, f.file, f.typeName, f.importPaths)
}
