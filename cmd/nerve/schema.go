package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/octopus-framework/octopus/compiler"
)

// messageSchema turns records of one message type into JSON and back. It is
// the only place that knows how .proto files are read.
type messageSchema struct {
	desc     protoreflect.MessageDescriptor
	resolver *dynamicpb.Types
}

// loadSchema compiles a .proto file, with imports found in importPaths and in
// its folder, and finds the message type in it.
func loadSchema(ctx context.Context, file, typeName string, importPaths []string) (*messageSchema, error) {
	src := compiler.NewSources(append(importPaths[:len(importPaths):len(importPaths)], filepath.Dir(file))...)
	paths, err := src.Resolve(file)
	if err != nil {
		return nil, err
	}
	res := compiler.Compile(ctx, compiler.Options{Sources: src, Files: paths})
	if res.Descriptors == nil {
		return nil, fmt.Errorf("%s does not compile:\n%w", file, res.Diagnostics[0])
	}
	files, err := protodesc.NewFiles(res.Descriptors)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	found, err := files.FindDescriptorByName(protoreflect.FullName(typeName))
	if desc, ok := found.(protoreflect.MessageDescriptor); ok {
		return &messageSchema{desc: desc, resolver: dynamicpb.NewTypes(files)}, nil
	}
	var there []string
	for _, p := range paths {
		if f, err := files.FindFileByPath(p); err == nil {
			there = appendMessages(there, f.Messages())
		}
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
