package inject

import (
	"embed"
	"io/fs"
	"strings"
)

// RuntimePath is the package that instrumented code calls, where the program requires the octopus module.
const RuntimePath = ImportPath + "/inject/rt"

// Where the program does not require the octopus module, package rt is laid elsewhere.
const (
	// localModule is a module of its own in a temporary folder, which an overlaid go.mod or go.work file names.
	localModule = "functrace.local/rt"

	// overlayDir is a folder overlaid into a main module with a vendor folder, whose list of modules cannot be added to.
	// The go command ignores names with an underscore in patterns such as ./..., but imports them. It cannot run the
	// assembler for a folder that is not there, so goroutine ids come from runtime.Stack in that case.
	overlayDir = "_functrace"
)

//go:embed rt/*.go rt/*.s
var runtimeFiles embed.FS

// runtimeSources returns the source files of package rt, without its tests, and without assembly if so asked.
func runtimeSources(assembly bool) (map[string][]byte, error) {
	entries, err := fs.ReadDir(runtimeFiles, "rt")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		name := e.Name()
		if strings.HasSuffix(name, "_test.go") || !assembly && (strings.HasSuffix(name, ".s") || name == "asm_stubs.go") {
			continue
		}
		src, err := runtimeFiles.ReadFile("rt/" + name)
		if err != nil {
			return nil, err
		}
		if name == "asm_none.go" && !assembly {
			_, rest, _ := strings.Cut(string(src), "\n")
			src = []byte(rest)
		}
		if strings.HasSuffix(name, ".go") {
			src = []byte(requireLanguage(string(src)))
		}
		files[name] = src
	}
	return files, nil
}

// requireLanguage lets a file use the language it is written in, whatever the go line of the module it is laid in says.
func requireLanguage(src string) string {
	const want = "go1.22"
	if rest, ok := strings.CutPrefix(src, "//go:build "); ok {
		constraint, rest, _ := strings.Cut(rest, "\n")
		return "//go:build (" + constraint + ") && " + want + "\n" + rest
	}
	return "//go:build " + want + "\n\n" + src
}
