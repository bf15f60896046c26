package options

import (
	"sync"

	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/describe"
	"github.com/octopus-framework/octopus/internal/compiler/link"
	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// descriptorProto is the descriptor.proto that comes with the compiler.
var descriptorProto struct {
	once  sync.Once
	types *types
}

// builtIn returns the types of the descriptor.proto that comes with the compiler, for files that
// nobody reads together with another one.
func builtIn() *types {
	descriptorProto.once.Do(func() {
		f, err := source.FromFS(nil).Open("google/protobuf/descriptor.proto")
		if err != nil {
			panic(err) // it is part of the program
		}
		tree, _ := syntax.Parse("google/protobuf/descriptor.proto", f.Text)
		file, _ := describe.Describe(tree)
		file.BuiltIn = true
		pool := link.NewPool()
		files, _ := pool.Link([]*describe.File{file}, link.Options{})
		Read(pool, files, Options{})
		descriptorProto.types = newTypes(pool)
	})
	return descriptorProto.types
}

// named returns the message of a full name, or nil.
func (t *types) named(name string) *message { return t.message(t.pool.Find(name)) }
