package source

import (
	"io/fs"
	"strings"

	"github.com/bufbuild/protocompile/wellknownimports"
)

// WellKnown returns the import paths of the files that come with the compiler: google/protobuf/*,
// without those of plugins.
func WellKnown() []string {
	paths, _ := fs.Glob(wellknownimports.FS(), "google/protobuf/*.proto")
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
	data, err := fs.ReadFile(wellknownimports.FS(), importPath)
	return string(data), err == nil
}
