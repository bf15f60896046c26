// Command generate writes the code of the lab that is generated: each peer's copy of the messages, by the peer's own
// generator, and for each implementation the loops that are timed and the program that serves them. None of it is in the
// repository. It is written again when something that it depends on has changed (stamp.go), and left alone otherwise.
//
// It needs no protoc: the schemas are compiled by this project's compiler, and the plugins are sent what protoc would send.
// Every peer gets files, a proto package and a Go package of its own.
package main

import (
	"context"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
)

const module = "github.com/octopus-framework/octopus/lab"

func main() {
	force := flag.Bool("force", false, "write it even if nothing has changed")
	flag.Parse()
	if err := run(*force); err != nil {
		fmt.Fprintln(os.Stderr, "lab/generate:", err)
		os.Exit(1)
	}
}

// run works in the folder of module lab.
func run(force bool) error {
	if err := buildOwn(); err != nil {
		return err
	}
	digest, err := inputs()
	if err != nil {
		return err
	}
	if !force && stamped(digest) {
		return nil
	}
	fmt.Println("lab/generate: writing the code of the peers (the first time their plugins are downloaded and built)")
	began := time.Now()
	if err := removeOld(); err != nil {
		return err
	}
	for _, write := range []func() error{writeOurs, writePeers, writeJSON, writeTimes, writeShapes} {
		if err := write(); err != nil {
			return err
		}
	}
	fmt.Printf("lab/generate: done after %.0f s\n", time.Since(began).Seconds())
	return stamp(digest)
}

// ownTools is the folder of our own commands, built from this tree.
const ownTools = "../.tools/lab/own"

// buildOwn builds gremlin and its plugin. The paths of the tree are not in them, so equal sources make equal files.
func buildOwn() error {
	tools, err := filepath.Abs(ownTools)
	if err != nil {
		return err
	}
	return command("..", "go", "build", "-trimpath", "-buildvcs=false", "-o", tools+"/", "./cmd/gremlin", "./cmd/protoc-gen-gremlin")
}

// command runs a command in a folder and returns what it printed with its error.
func command(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return nil
}

// writeOurs writes the messages in our own form, as the two gremlin.yaml say.
func writeOurs() error {
	gremlin, err := filepath.Abs(filepath.Join(ownTools, "gremlin"))
	if err != nil {
		return err
	}
	for _, dir := range []string{".", "jsonlab"} {
		if err := command(dir, gremlin, "generate"); err != nil {
			return err
		}
	}
	return nil
}

// writePeers writes the peers' copies of the messages, loops, workers and small programs.
func writePeers() error {
	fds, files, err := describe()
	if err != nil {
		return err
	}
	all, err := runPlugins(fds, files)
	if err != nil {
		return err
	}
	if err := writeAll(all); err != nil {
		return err
	}
	own, err := ownCode(fds)
	if err != nil {
		return err
	}
	return writeAll(own)
}

// writeJSON runs the generator of jsonlab.
func writeJSON() error { return command("jsonlab", "go", "run", "./generate") }

// writeAll formats and writes files by path.
func writeAll(files map[string]string) error {
	for path, text := range files {
		formatted, err := format.Source([]byte(text))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := write(path, formatted); err != nil {
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
	fds, err := compile("schema", files)
	return fds, files, err
}

// compile compiles files below a folder. Their comments are left out: the peers' code needs none.
func compile(root string, files []string) (*descriptorpb.FileDescriptorSet, error) {
	sources := source.New(root)
	sources.Provide(all.Backends().Declarations)
	compiled := compiler.Compile(context.Background(), compiler.Options{Sources: sources, Files: files})
	for _, d := range compiled.Diagnostics {
		return nil, fmt.Errorf("%v", d)
	}
	for _, f := range compiled.Descriptors.File {
		f.SourceCodeInfo = nil
	}
	return compiled.Descriptors, nil
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
