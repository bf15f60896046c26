package compiler

import "github.com/octopus-framework/octopus/compiler/source"

// Sources is where files come from: package source has those in a file system and in memory.
type Sources = source.Set

// NewSources returns the sources below the given folders; none means the working folder.
func NewSources(roots ...string) *Sources { return source.New(roots...) }

// IsWellKnown tells whether the import path is that of a file that comes with the compiler.
func IsWellKnown(importPath string) bool { return source.IsWellKnown(importPath) }

// IsBuiltIn tells whether a file comes with the compiler: it is well-known, or has the options of
// gogo/protobuf or buf.validate.
func IsBuiltIn(importPath string) bool { return source.IsBuiltIn(importPath) }
