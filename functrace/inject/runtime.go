package inject

import (
	"embed"
	"io/fs"
	"strings"
)

// RuntimePath is the package that instrumented code calls, where the program requires the octopus module.
const RuntimePath = ImportPath + "/inject/rt"

// overlayDir is where package rt is laid in the main module of other programs. The go command ignores names with an
// underscore in patterns such as ./..., but imports them.
const overlayDir = "_functrace"

//go:embed rt/*.go rt/*.s
var runtimeFiles embed.FS

// runtimeSources returns the source files of package rt, without its tests.
func runtimeSources() (map[string][]byte, error) {
	entries, err := fs.ReadDir(runtimeFiles, "rt")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		if files[e.Name()], err = runtimeFiles.ReadFile("rt/" + e.Name()); err != nil {
			return nil, err
		}
	}
	return files, nil
}
