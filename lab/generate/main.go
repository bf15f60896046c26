// Command generate writes the code of the lab that is generated: each peer's copy of the messages, by the peer's own
// generator, and for each implementation the loops that are timed and the program that serves them.
//
// It needs no protoc: the schemas are compiled by this project's compiler, and the plugins are sent what protoc would send.
// Every peer gets files, a proto package and a Go package of its own.
package main

import (
	"context"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler"
)

const module = "github.com/octopus-framework/octopus/lab"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "lab/generate:", err)
		os.Exit(1)
	}
}

// run works in the folder of module lab.
func run() error {
	fds, files, err := describe()
	if err != nil {
		return err
	}
	if err := runPlugins(fds, files); err != nil {
		return err
	}
	own, err := ownCode(fds)
	if err != nil {
		return err
	}
	for path, text := range own {
		if err := writeGo(path, text); err != nil {
			return err
		}
	}
	return nil
}

// describe compiles the schemas and returns the names of their files too.
func describe() (*descriptorpb.FileDescriptorSet, []string, error) {
	paths, err := filepath.Glob("schema/*.proto")
	if err != nil || len(paths) == 0 {
		return nil, nil, fmt.Errorf("no schemas here: run it in the folder lab (%v)", err)
	}
	files := make([]string, len(paths))
	for i, p := range paths {
		files[i] = filepath.Base(p)
	}
	slices.Sort(files)
	compiled := compiler.Compile(context.Background(), compiler.Options{Sources: compiler.NewSources("schema"), Files: files})
	for _, d := range compiled.Diagnostics {
		return nil, nil, fmt.Errorf("%v", d)
	}
	for _, f := range compiled.Descriptors.File {
		f.SourceCodeInfo = nil // the peers' code needs no comments
	}
	return compiled.Descriptors, files, nil
}

// ownCode returns what is written here and by no plugin, by path: loops, workers and small programs.
func ownCode(fds *descriptorpb.FileDescriptorSet) (map[string]string, error) {
	types, err := messages(fds)
	if err != nil {
		return nil, err
	}
	findPaths(types)
	all := map[string]string{}
	for _, i := range implementations() {
		all[filepath.Join(i.dir(), i.folder+".go")] = i.loops(types)
		all[filepath.Join(i.root(), "workers", i.folder, "main.go")] = i.worker()
		if i.minimal != "" {
			all[filepath.Join(i.root(), "minimal", i.folder, "main.go")] = i.smallProgram()
		}
	}
	return all, nil
}

// messages returns all messages of the schemas in the order of their names, map entries left out.
func messages(fds *descriptorpb.FileDescriptorSet) ([]protoreflect.MessageDescriptor, error) {
	reg, err := protodesc.NewFiles(fds)
	if err != nil {
		return nil, err
	}
	var all []protoreflect.MessageDescriptor
	reg.RangeFiles(func(f protoreflect.FileDescriptor) bool {
		for i := range f.Messages().Len() {
			all = append(all, f.Messages().Get(i))
		}
		return true
	})
	slices.SortFunc(all, func(a, b protoreflect.MessageDescriptor) int {
		return strings.Compare(string(a.Name()), string(b.Name()))
	})
	return all, nil
}

// writeGo formats text and writes it.
func writeGo(path, text string) error {
	formatted, err := format.Source([]byte(text))
	if err != nil {
		_ = os.WriteFile(filepath.Join(os.TempDir(), "generate-failed.go"), []byte(text), 0o666)
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, formatted, 0o666)
}
