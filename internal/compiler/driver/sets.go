package driver

import (
	"fmt"
	"os"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
)

// ReadSets returns what Compile gives for files that are in FileDescriptorSets, those of the files
// named sets. No files means all.
func ReadSets(sets, files []string) *Compilation {
	c := &Compilation{Sources: source.New(), Result: &compiler.Result{}}
	all := &descriptorpb.FileDescriptorSet{}
	// Options of languages that this program knows stay bytes, as all custom options.
	o := proto.UnmarshalOptions{Merge: true, AllowPartial: true, Resolver: new(protoregistry.Types)}
	for _, name := range sets {
		data, err := os.ReadFile(name)
		if err != nil {
			err = bare(err)
		} else {
			err = o.Unmarshal(data, all)
		}
		if err != nil {
			c.Diagnostics = append(c.Diagnostics, report.Diagnostic{File: name,
				Message: fmt.Sprintf("the descriptor set cannot be read: %v", err)})
			return c
		}
	}
	if c.Files = unique(files); len(files) == 0 {
		for _, f := range all.File {
			c.Files = append(c.Files, f.GetName())
		}
		c.Files = unique(c.Files)
	}
	c.Result = compiler.Described(all, c.Files)
	return c
}
