package source

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/validate/ruletypes"
)

// builtIn has the files that come with the compiler, written by internal/wktprint.
//
//go:embed wellknown
var builtIn embed.FS

const builtInFolder = "wellknown"

// WellKnown returns the import paths of the files that come with the compiler: google/protobuf/*,
// without those of plugins.
func WellKnown() []string {
	paths, _ := fs.Glob(builtIn, builtInFolder+"/google/protobuf/*.proto")
	for i, p := range paths {
		paths[i] = strings.TrimPrefix(p, builtInFolder+"/")
	}
	return paths
}

// IsWellKnown tells whether the import path is that of a file that comes with the compiler.
func IsWellKnown(importPath string) bool {
	_, ok := wellKnown(importPath)
	return ok
}

func wellKnown(importPath string) (text string, ok bool) {
	if !fs.ValidPath(importPath) || !strings.HasSuffix(importPath, ".proto") {
		return "", false
	}
	data, err := builtIn.ReadFile(path.Join(builtInFolder, importPath))
	return string(data), err == nil
}

// IsBuiltIn tells whether a file comes with the compiler: it is well-known, or has the options of
// buf.validate.
func IsBuiltIn(importPath string) bool {
	return importPath == ruletypes.Path || IsWellKnown(importPath)
}

// rules provides the options of buf.validate.
func rules(importPath string) (text string, ok bool) {
	if importPath != ruletypes.Path {
		return "", false
	}
	return ruletypes.Declarations(), true
}
