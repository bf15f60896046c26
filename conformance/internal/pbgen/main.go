// Pbgen generates code for the test schemas with protobuf-go's own generator, without protoc: the
// oracle that gremlin's code is compared with.
//
//	go run ./internal/pbgen
//
// It reads proto/ but for proto/sets/, and writes internal/pb/.
package main

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/cmd/protoc-gen-go/internal_gengo"
	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/pluginpb"
)

const (
	in      = "proto"
	out     = "internal/pb"
	pbPath  = "github.com/octopus-framework/octopus/conformance/internal/pb/"
	builtin = "google/protobuf/"
	refused = "sets" // protoc-gen-go refuses message sets
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "pbgen:", err)
		os.Exit(1)
	}
}

func run() error {
	var paths []string
	err := fs.WalkDir(os.DirFS(in), ".", func(p string, _ fs.DirEntry, err error) error {
		if path.Ext(p) == ".proto" && path.Dir(p) != refused {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(
		&protocompile.SourceResolver{ImportPaths: []string{in}})}
	files, err := c.Compile(context.Background(), paths...)
	if err != nil {
		return err
	}
	plugin, err := protogen.Options{}.New(request(paths, files))
	if err != nil {
		return err
	}
	for _, f := range plugin.Files {
		if f.Generate {
			internal_gengo.GenerateFile(plugin, f)
		}
	}
	return write(plugin.Response())
}

func request(paths []string, files linker.Files) *pluginpb.CodeGeneratorRequest {
	req := &pluginpb.CodeGeneratorRequest{FileToGenerate: paths}
	var params []string
	seen := map[string]bool{}
	var add func(protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		if seen[f.Path()] {
			return
		}
		seen[f.Path()] = true
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
		req.ProtoFile = append(req.ProtoFile, protoutil.ProtoFromFileDescriptor(f))
		if !strings.HasPrefix(f.Path(), builtin) {
			params = append(params, "M"+f.Path()+"="+pbPath+path.Dir(f.Path()))
		}
	}
	for _, f := range files {
		add(f)
	}
	req.Parameter = proto.String(strings.Join(append(params,
		"module="+strings.TrimSuffix(pbPath, "/")), ","))
	return req
}

func write(resp *pluginpb.CodeGeneratorResponse) error {
	if resp.Error != nil {
		return fmt.Errorf("%s", resp.GetError())
	}
	for _, f := range resp.File {
		name := filepath.Join(out, filepath.FromSlash(f.GetName()))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
