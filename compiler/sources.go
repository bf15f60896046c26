package compiler

import "github.com/octopus-framework/octopus/compiler/source"

// Sources is where files come from: package source has those in a file system and in memory.
type Sources = source.Set

// NewSources returns the sources below the given folders; none means the working folder.
func NewSources(roots ...string) *Sources { return source.New(roots...) }
