// Command generate writes the code of the lab that is generated: each peer's copy of the messages, by the peer's own
// generator, and for each implementation the loops that are timed and the program that serves them.
//
// It needs no protoc: the schemas are compiled by this project's compiler, and the plugins are sent what protoc would send.
// Every peer gets files, a proto package and a Go package of its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"go/format"
	"maps"
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
	check := flag.Bool("check", false, "write nothing; fail when the code that is there is another one")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "lab/generate:", err)
		os.Exit(1)
	}
}

// run works in the folder of module lab.
func run(check bool) error {
	fds, files, err := describe()
	if err != nil {
		return err
	}
	all, err := runPlugins(fds, files)
	if err != nil {
		return err
	}
	own, err := ownCode(fds)
	if err != nil {
		return err
	}
	maps.Copy(all, own)
	left, err := leftOver(fds, all)
	if err != nil {
		return err
	}
	for path, text := range all {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if !check {
			if err := write(path, formatted); err != nil {
				return err
			}
		} else if got, err := os.ReadFile(path); err != nil || string(got) != string(formatted) {
			return fmt.Errorf("%s is not fresh (%v): run make lab-generate", path, err)
		}
	}
	for _, path := range left {
		if check {
			return fmt.Errorf("%s is left over: run make lab-generate", path)
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

// leftOver returns the files beside the peers' copies of the messages that are not among those that are written.
func leftOver(fds *descriptorpb.FileDescriptorSet, written map[string]string) (left []string, err error) {
	for _, c := range copies(fds) {
		files, err := filepath.Glob(filepath.Join(c.dir(), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if _, ok := written[file]; !ok {
				left = append(left, file)
			}
		}
	}
	return left, nil
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

// write writes a file and the folders that it needs.
func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}
