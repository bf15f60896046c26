package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/octopus-framework/octopus/compiler/driver"
	"github.com/octopus-framework/octopus/compiler/report"
)

var importLine = regexp.MustCompile(`(?m)^\s*import\s+(?:public\s+|weak\s+|option\s+)?"([^"]+)"`)

// compile compiles the set below root. Files that do not compile are put to protoc: those that it refuses too are removed
// together with those that import them, and the rest is compiled again. What remains wrong is in the result.
func compile(ctx context.Context, root, protoc string) (c *driver.Compilation, refused []string, err error) {
	for {
		c = driver.Compile(ctx, driver.Input{Roots: []string{root}}, nil)
		bad := map[string]bool{}
		for _, d := range c.Diagnostics {
			if d.Severity == report.Error && d.File != "" {
				if rel, err := filepath.Rel(root, d.File); err == nil {
					bad[filepath.ToSlash(rel)] = true
				}
			}
		}
		if len(bad) == 0 || protoc == "" {
			return c, refused, nil
		}
		var gone []string
		for file := range bad {
			if !accepts(protoc, root, file) {
				gone = append(gone, file)
			}
		}
		if len(gone) == 0 {
			return c, refused, nil
		}
		gone, err := withImporters(root, c.Files, gone)
		if err != nil {
			return nil, nil, err
		}
		for _, file := range gone {
			if err := os.Remove(filepath.Join(root, filepath.FromSlash(file))); err != nil && !os.IsNotExist(err) {
				return nil, nil, err
			}
		}
		refused = append(refused, gone...)
	}
}

func accepts(protoc, root, file string) bool {
	return exec.Command(protoc, "-I", root, "-o", os.DevNull, file).Run() == nil
}

// withImporters adds to the files gone those that import them, however indirectly.
func withImporters(root string, files, gone []string) ([]string, error) {
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
