package compiler

import (
	"fmt"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/lower"
)

// Described returns what a compilation of files gives that are described already, as those of a
// FileDescriptorSet are: the files asked for and all they import, in protoc's order. Of files with
// the same name the first one counts. The result has no schema, and the descriptors of fds.
func Described(fds *descriptorpb.FileDescriptorSet, files []string) *Result {
	known := map[string]*descriptorpb.FileDescriptorProto{}
	for _, f := range fds.GetFile() {
		if known[f.GetName()] == nil {
			known[f.GetName()] = f
		}
	}
	res := &Result{Descriptors: &descriptorpb.FileDescriptorSet{}}
	const waiting, done = 1, 2
	state := map[string]int{}
	var add func(path, importer string)
	add = func(path, importer string) {
		f := known[path]
		switch {
		case state[path] == done:
			return
		case state[path] == waiting:
			res.Diagnostics = append(res.Diagnostics, report.Diagnostic{File: importer,
				Message: fmt.Sprintf("%q is imported in a circle", path)})
			return
		case f == nil:
			message := "the file is in no descriptor set"
			if importer != "" {
				message = fmt.Sprintf("imported file %q is in no descriptor set", path)
				path = importer
			}
			res.Diagnostics = append(res.Diagnostics, report.Diagnostic{File: path,
				Message: message})
			return
		}
		state[path] = waiting
		for _, imported := range f.Dependency {
			add(imported, path)
		}
		for _, imported := range f.OptionDependency {
			if known[imported] != nil {
				add(imported, path)
			}
		}
		state[path] = done
		res.Descriptors.File = append(res.Descriptors.File, f)
	}
	for _, f := range files {
		add(f, "")
	}
	if res.Diagnostics.Errors() == 0 {
		_, found := lower.Lower(res.Descriptors, files)
		res.Diagnostics = append(res.Diagnostics, found...)
	}
	if res.Diagnostics.Errors() > 0 {
		res.Descriptors = nil
	}
	return res
}
