package inject

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"

	runtime "github.com/octopus-framework/octopus/functrace/inject"
)

// RuntimePath is the package that instrumented code calls, where the program imports package
// functrace.
const RuntimePath = ImportPath + "/inject/rt"

// Elsewhere package rt is laid over one of these folders of the Go installation's src. They are
// there in every release but hold no package, only folders of packages; a program that has a
// package of that name gets the next one. The program's go.mod, go.work and vendor folder need not
// know of a standard package, and unlike one in a folder that only the overlay knows, its assembly
// is assembled: the go command starts the assembler inside the folder.
var hostFolders = []string{"debug", "index", "compress"}

// runtimeSources returns the source files of package rt without its tests.
func runtimeSources() (map[string][]byte, error) {
	entries, err := runtime.Runtime.ReadDir("rt")
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		if name := e.Name(); !strings.HasSuffix(name, "_test.go") {
			if files[name], err = runtime.Runtime.ReadFile("rt/" + name); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// layRuntime returns the import path of package rt and its files, to be overlaid.
func (o *Overlay) layRuntime(pkgs []listed) (importPath string, files map[string][]byte,
	err error) {
	sources, err := runtimeSources()
	if err != nil {
		return "", nil, err
	}
	files = make(map[string][]byte)
	dir := ""
	for _, p := range pkgs {
		if p.ImportPath != RuntimePath {
			continue
		}
		// The program's version of octopus may be another one: its files go.
		importPath, dir = RuntimePath, p.Dir
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", nil, err
		}
		for _, e := range entries {
			if ext := filepath.Ext(e.Name()); ext == ".go" || ext == ".s" {
				files[filepath.Join(dir, e.Name())] = nil
			}
		}
	}
	if dir == "" {
		if importPath, err = hostFolder(pkgs); err != nil {
			return "", nil, err
		}
		root := o.env.GOROOT
		if beneath(root, o.env.GOMODCACHE) {
			if root, err = linkRoot(root); err != nil {
				return "", nil,
					fmt.Errorf(
						"the Go installation lies in the module cache and needs another name: %w",
						err)
			}
			o.root = root
		}
		dir = filepath.Join(root, "src", importPath)
	}
	for name, src := range sources {
		files[filepath.Join(dir, name)] = src
	}
	return importPath, files, nil
}

// hostFolder chooses one of hostFolders.
func hostFolder(pkgs []listed) (string, error) {
	for _, f := range hostFolders {
		if !slices.ContainsFunc(pkgs, func(p listed) bool {
			return !p.Standard && (p.ImportPath == f || strings.HasPrefix(p.ImportPath, f+"/"))
		}) {
			return f, nil
		}
	}
	return "", fmt.Errorf("the program has packages named like each of %s",
		strings.Join(hostFolders, ", "))
}

// linkRoot returns another name for a Go installation in the module cache, where the go command
// puts the toolchain that a go.mod file asks for, but where it does not let files be overlaid. The
// name is always the same, because what is compiled depends on it.
func linkRoot(root string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "functrace")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(root))
	link := filepath.Join(dir, fmt.Sprintf("go-%08x", h.Sum32()))
	if to, err := os.Readlink(link); err == nil && to == root {
		return link, nil
	}
	temp := fmt.Sprintf("%s.%d", link, os.Getpid())
	if err := os.Symlink(root, temp); err != nil {
		return "", err
	}
	return link, os.Rename(temp, link)
}
