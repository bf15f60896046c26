package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/octopus-framework/octopus/cmd/nerve/internal/open"
	"github.com/octopus-framework/octopus/compiler"
	descriptor "github.com/octopus-framework/octopus/gremlin/dynamic"
	"github.com/octopus-framework/octopus/internal/dynamic"
	"github.com/octopus-framework/octopus/internal/nerveyaml"
	"github.com/octopus-framework/octopus/nerve/remote"
)

// messageSchema turns records of one message type into JSON and back.
type messageSchema struct{ *dynamic.Type }

// compile compiles the .proto file, with imports found in importPaths and in
// its folder, and finds the message type in it.
func (f *schemaFlags) compile(ctx context.Context) (*messageSchema, error) {
	file := f.file
	src := dynamic.Sources(f.importPaths, []string{file})
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

// records is the type of the records, nil if it is not known.
func (s *messageSchema) records() *descriptor.Type {
	if s == nil {
		return nil
	}
	return s.Dynamic
}

// withoutType is what is wrong with a question; if the type of the records is not known, it says
// how to name it.
func withoutType(t *descriptor.Type, err error) error {
	if t != nil {
		return shown(err)
	}
	return usagef("%v\n--proto FILE and --type NAME say what the records are, or a nerve.yaml to the"+
		" queue or its server", shown(err))
}

func (f *schemaFlags) load(ctx context.Context) (*messageSchema, error) {
	if f.file == "" {
		return nil, usagef("--type and --hex are for --proto FILE")
	}
	return f.compile(ctx)
}

// of returns the type of the records at a place: that of the flags, else the one that
// its server knows, or the nerve.yaml in its folder. It is nil if nothing says it.
func (f *schemaFlags) of(cmd *cobra.Command, place string) (*messageSchema, error) {
	switch {
	case f.file != "":
		return f.compile(cmd.Context())
	case open.IsServer(place):
		return f.ofServer(cmd, place)
	case open.IsFolder(place):
		return f.ofFolder(cmd.Context(), place)
	case f.given():
		return f.load(cmd.Context())
	}
	return nil, nil
}

// ofServer asks a server for the type of the records of a queue. --type names another
// one of its files.
func (f *schemaFlags) ofServer(cmd *cobra.Command, place string) (*messageSchema, error) {
	var answer struct {
		Type  string
		Files []byte
		Hex   []string
	}
	err := askServer(cmd, place, "queues/"+url.PathEscape(open.QueueOf(place))+"/schema", &answer)
	var none *remote.AnswerError
	if errors.As(err, &none) && none.Status == http.StatusNotFound && !f.given() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := dynamic.FromSet(answer.Files, cmp.Or(f.typeName, answer.Type),
		dynamic.Hex{Patterns: append(answer.Hex, f.hex...)})
	if err != nil {
		return nil, usagef("the schema of the server: %w", err)
	}
	f.typeName = cmp.Or(f.typeName, answer.Type)
	return &messageSchema{t}, nil
}

// ofFolder reads the nerve.yaml of a queue in a folder.
func (f *schemaFlags) ofFolder(ctx context.Context, place string) (*messageSchema, error) {
	path, err := filepath.Abs(place)
	if err != nil {
		return nil, err
	}
	q, err := nerveyaml.Of(filepath.Dir(path), "", filepath.Base(path))
	if err != nil {
		return nil, err
	}
	if q == nil || q.Proto == "" {
		if f.given() {
			return f.load(ctx)
		}
		return nil, nil
	}
	f.file, f.typeName = q.File(), cmp.Or(f.typeName, q.Type)
	f.importPaths, f.hex = append(f.importPaths, q.Roots()...), append(f.hex, q.Hex...)
	return f.compile(ctx)
}
