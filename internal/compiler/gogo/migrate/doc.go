// Package migrate replaces code of gogo/protobuf's generators by code in shape gogo: gremlin
// migrate.
//
// [MakePlan] looks at what is checked in, not at what build scripts claim: a generated file holds
// the descriptor of its .proto, and its declarations tell by which preset it was made. [Apply]
// generates what gremlin.yaml says and replaces one file after another, each by a rename, after a
// trial build in which none has been touched. [Verify] compiles the old and the new package into
// one program, which compares them. [Status] lists who still needs gogo.
//
// find.go reads the tree, generated.go one generated file, declarations.go what a file declares,
// preset.go finds the preset, roots.go the folders of imports, scripts.go and risks.go what a
// reader of the report should know.
package migrate

import (
	"path/filepath"
)

// Tree is a Go module on disk.
type Tree struct {
	Dir    string // folder of the go.mod
	Module string // its path
}

// path returns where a file of the tree lies.
func (t *Tree) path(name string) string { return filepath.Join(t.Dir, filepath.FromSlash(name)) }
