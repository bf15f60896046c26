package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strings"
)

// checker type-checks packages from source. It is how large sets are checked: the go command would
// take many minutes and gigabytes of its cache. A package is checked as a whole and forgotten; what
// imports it is given a second one without the bodies of functions, whose variables are most of a
// package.
type checker struct {
	folders map[string]string // folder by the import path of a module
	std     types.Importer
	done    map[string]*types.Package // packages that were checked, without bodies
}

func newChecker(folders map[string]string) *checker {
	return &checker{folders: folders, std: importer.ForCompiler(token.NewFileSet(), "source", nil),
		done: map[string]*types.Package{}}
}

// Import implements types.Importer.
func (c *checker) Import(path string) (*types.Package, error) {
	if pkg, ok := c.done[path]; ok {
		if pkg == nil {
			return nil, fmt.Errorf("package %q imports itself or is wrong", path)
		}
		return pkg, nil
	}
	for module, folder := range c.folders {
		if rest, ok := strings.CutPrefix(path+"/", module+"/"); ok {
			c.done[path] = nil
			pkg, err := c.check(path, filepath.Join(folder, filepath.FromSlash(rest)), false)
			c.done[path] = pkg
			return pkg, err
		}
	}
	return c.std.Import(path)
}

func (c *checker) check(path, folder string, bodies bool) (*types.Package, error) {
	found, err := build.Default.ImportDir(folder, 0) // it knows build constraints
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range found.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(folder, name), nil,
			parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	conf := types.Config{Importer: c, IgnoreFuncBodies: !bodies}
	pkg, err := conf.Check(path, fset, files, nil)
	if err != nil {
		return nil, err
	}
	return pkg, nil
}

// all checks every package of a module and returns what is wrong with each.
func (c *checker) all(module string) (packages int, err error) {
	root := c.folders[module]
	var errs []error
	last := ""
	walkErr := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		dir := filepath.Dir(name)
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || dir == last {
			return err
		}
		last = dir
		rel, err := filepath.Rel(root, dir)
		if err != nil {
			return err
		}
		packages++
		path := module
		if rel != "." {
			path += "/" + filepath.ToSlash(rel)
		}
		if _, err := c.check(path, dir, true); err != nil {
			errs = append(errs, err)
		}
		return nil
	})
	return packages, errors.Join(append(errs, walkErr)...)
}
