package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/internal/dynamic"
)

// messageSchema turns records of one message type into JSON and back.
type messageSchema struct{ *dynamic.Type }

// compile compiles the .proto file, with imports found in importPaths and in
// its folder, and finds the message type in it.
func (f *schemaFlags) compile(ctx context.Context) (*messageSchema, error) {
	file := f.file
	src := compiler.NewSources(dynamic.Roots(f.importPaths, []string{file})...)
	paths, err := src.Resolve(file)
	if err != nil {
		return nil, err
	}
	res := compiler.Compile(ctx, compiler.Options{Sources: src, Files: paths})
	if res.Descriptors == nil {
		return nil, fmt.Errorf("%s does not compile:\n%w", file, res.Diagnostics[0])
	}
	t, err := dynamic.New(res, f.typeName, dynamic.Hex{Patterns: f.hex})
	var unknown *dynamic.UnknownTypeError
	if errors.As(err, &unknown) {
		if f.typeName == "" {
			return nil, usagef("--type NAME says which message of %s; %s", file, unknown.Hint())
		}
		return nil, usagef("%s: %v; %s", file, err, unknown.Hint())
	}
	var noField *dynamic.PatternError
	if errors.As(err, &noField) {
		return nil, usagef("--hex: %v", err)
	}
	return &messageSchema{t}, err
}

// toJSON decodes a record.
func (s *messageSchema) toJSON(data []byte) ([]byte, error) {
	return s.Convert(nil, dynamic.JSON, data, dynamic.Binary, dynamic.Options{ProtoNames: true})
}

// fromJSON encodes a record.
func (s *messageSchema) fromJSON(text []byte) ([]byte, error) {
	return s.Convert(nil, dynamic.Binary, text, dynamic.JSON, dynamic.Options{})
}

// check says what is wrong with a record: the structure, UTF-8, required fields.
func (s *messageSchema) check(record []byte) error { return s.Dynamic.CheckEncoding(record) }

// schemaFlags are the flags of commands that know a message type.
type schemaFlags struct {
	file, typeName string
	importPaths    []string
	hex            []string
}

func (f *schemaFlags) given() bool {
	return f.file != "" || f.typeName != "" || len(f.hex) > 0
}

func (f *schemaFlags) load(ctx context.Context) (*messageSchema, error) {
	if f.file == "" {
		return nil, usagef("--type and --hex are for --proto FILE")
	}
	return f.compile(ctx)
}
