// Package describe turns the tree of a .proto file into its descriptor, as protoc's parser fills
// it: types have the names that stand in the text, options are not in it.
//
// Names are resolved by package link, options are read by package options; both write into the
// descriptor that they find here. Afterwards [File.SourceInfo] tells where everything is.
package describe

import (
	"sync"

	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/internal/compiler/syntax"
)

// File is a file that was described. Its descriptor belongs to one goroutine at a time; its methods
// may be called by many.
type File struct {
	Path    string // import path
	Tree    *syntax.File
	Proto   *descriptorpb.FileDescriptorProto
	Edition descriptorpb.Edition // EDITION_PROTO2 and EDITION_PROTO3 for files with a syntax
	BuiltIn bool                 // it comes with the program: there is no such file to look at
	// Imports holds the statements in the order of the text, those of options included.
	Imports []*syntax.Import
	// Statements holds what has options, in the order of the text.
	Statements []Statement

	index index
	again lazyTree
}

// lazyTree is the tree of a file, read once more after it was released.
type lazyTree struct {
	once sync.Once
	tree *syntax.File
}

// Release gives back the memory of the tree and of the statements, of which only the imports stay.
// It is called when nothing more is to be found out of them: places that are asked for later have
// the text read again.
func (f *File) Release() {
	f.Statements = nil
	f.Tree.Tokens, f.Tree.Decls = nil, nil
}

// tree returns the tree with its tokens.
func (f *File) tree() *syntax.File {
	if f.Tree.Tokens != nil {
		return f.Tree
	}
	f.again.once.Do(func() {
		f.again.tree, _ = syntax.Parse(f.Path, f.Tree.Text)
		f.again.tree.Indent = f.Tree.Indent // the text is without its byte order mark
	})
	return f.again.tree
}

// ImportSpan returns the place of the path of an import.
func (f *File) ImportSpan(i int) syntax.Span { return f.tree().Span(f.Imports[i].Path) }

// ImportStatement returns the place of an import.
func (f *File) ImportStatement(i int) syntax.Span { return f.tree().Span(f.Imports[i].Range) }

// Statement is the options of one declaration. Those of a list of ranges of extensions are there
// for each range; features of a map field are there for key and value of its entry, too.
type Statement struct {
	// Owner is the descriptor that gets the options: a *descriptorpb.FieldDescriptorProto, for
	// example.
	Owner any
	// Scope is the full name of the message, service or package where names of options are looked
	// up first; it is empty in a file without package.
	Scope   string
	Target  descriptorpb.FieldOptions_OptionTargetType
	Options []*syntax.Option
	// Paths is set by whoever reads the options when source info is wanted: for each of Options
	// numbers of fields and indices that lead to what it set, from the options message on.
	Paths [][]int32
}
