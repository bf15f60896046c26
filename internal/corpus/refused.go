package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
)

var importLine = regexp.MustCompile(`(?m)^\s*import\s+(?:public\s+|weak\s+|option\s+)?"([^"]+)"`)

// compile compiles the set below root. Files that do not compile are put to protoc, together with
// those that they are said to collide with: what it refuses too is removed with all that imports
// it, and the rest is compiled again. So are the files known to fail. What remains wrong is in the
// result.
func compile(ctx context.Context, root, protoc string, known []string) (c *driver.Compilation,
	refused []string, err error) {
	gone := known
	for {
		if gone, err = withImporters(root, gone); err != nil {
			return nil, nil, err
		}
		for _, file := range gone {
			if err := os.Remove(filepath.Join(root, filepath.FromSlash(file))); err != nil &&
				!os.IsNotExist(err) {
				return nil, nil, err
			}
		}
		refused = append(refused, gone...)
		c = driver.Compile(ctx, driver.Input{Roots: []string{root}}, nil)
		if gone = refusedBy(protoc, root, c.Diagnostics); len(gone) == 0 {
			return c, refused, nil
		}
	}
}

// refusedBy returns the files with errors that protoc refuses too.
func refusedBy(protoc, root string, found report.List) []string {
	if protoc == "" {
		return nil
	}
	asked := map[string]bool{}
	var gone []string
	for _, d := range found {
		file := below(root, d.File)
		if d.Severity != report.Error || file == "" || asked[file] {
			continue
		}
		asked[file] = true
		args := []string{"-I", root, "-o", os.DevNull, file}
		for _, n := range d.Notes {
			if other := below(root, n.File); other != "" && !slices.Contains(args, other) {
				args = append(args, other)
			}
		}
		if exec.Command(protoc, args...).Run() != nil {
			gone = append(gone, file)
		}
	}
	return gone
}

// below returns the import path of a file, or "" when it does not lie below root.
func below(root, file string) string {
	rel, err := filepath.Rel(root, file)
	if file == "" || err != nil || !filepath.IsLocal(rel) {
		return ""
	}
	return filepath.ToSlash(rel)
}

// withImporters adds to the files gone those that import them, however indirectly.
func withImporters(root string, gone []string) ([]string, error) {
	files, err := source.New(root).All()
	if err != nil || len(gone) == 0 {
		return nil, err
	}
	importers := map[string][]string{}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		for _, m := range importLine.FindAllStringSubmatch(string(data), -1) {
			importers[m[1]] = append(importers[m[1]], file)
		}
	}
	seen := map[string]bool{}
	var out []string
	for len(gone) > 0 {
		file := gone[0]
		gone = gone[1:]
		if !seen[file] {
			seen[file] = true
			out = append(out, file)
			gone = append(gone, importers[file]...)
		}
	}
	return out, nil
}

// firstLines returns the start of a text that may be long.
func firstLines(text string, n int) string {
	lines := strings.SplitN(strings.TrimSpace(text), "\n", n+1)
	if len(lines) > n {
		lines[n] = "..."
	}
	return strings.Join(lines, "\n")
}
