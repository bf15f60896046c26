// Wktprint writes the .proto files that come with the compiler, compiler/source/wellknown, from
// their descriptors: the declarations are those of protobuf, the words in them are ours. It is run
// when they change in a release of protobuf:
//
//	protoc -I INCLUDE --include_imports --retain_options -o set.binpb google/protobuf/*.proto ...
//	go run ./internal/wktprint set.binpb compiler/source/wellknown
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

//go:embed comments.txt
var words string

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: wktprint DESCRIPTOR-SET FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "wktprint:", err)
		os.Exit(1)
	}
}

func run(set, folder string) error {
	data, err := os.ReadFile(set)
	if err != nil {
		return err
	}
	var fds descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(data, &fds); err != nil {
		return fmt.Errorf("%s: %w", set, err)
	}
	comments := map[string]string{}
	for line := range strings.Lines(words) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		comments[name] = text
	}
	for _, f := range fds.File {
		name := filepath.Join(folder, filepath.FromSlash(f.GetName()))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		p := printer{comments: comments, used: map[string]bool{}}
		p.file(f)
		if err := os.WriteFile(name, []byte(p.String()), 0o666); err != nil {
			return err
		}
	}
	return nil
}
