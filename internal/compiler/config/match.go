package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/octopus-framework/octopus/internal/compiler/backend"
)

func known[T any](keys map[string]T) string {
	return strings.Join(slices.Sorted(maps.Keys(keys)), ", ")
}

// Wants tells whether the patterns of the configuration choose the file with the given import path.
func (c *Config) Wants(importPath string) bool {
	match := func(pattern string) bool { return doublestar.MatchUnvalidated(pattern, importPath) }
	return (len(c.Files) == 0 || slices.ContainsFunc(c.Files, match)) &&
		!slices.ContainsFunc(c.Exclude, match)
}

// SettingsOf returns the backend that makes the code of a file, "" for the first, and what entries
// of packages set for it. Of entries that match a later one wins; one that names a shape takes back
// what those before have set for theirs.
func (c *Config) SettingsOf(importPath, protoPackage string, backends backend.List) (shape string,
	s backend.Settings) {
	shape, s = c.Shape, backend.Settings{}
	every := backends[:min(1, len(backends))].Options(backend.InPackages)
	for _, p := range c.Packages {
		if !p.matches(importPath, protoPackage) {
			continue
		}
		if p.Shape != "" {
			shape = p.Shape
			maps.DeleteFunc(s, func(name string, _ backend.Value) bool { return !has(every, name) })
		}
		maps.Copy(s, p.Settings)
	}
	return shape, s
}

func (p *Package) matches(importPath, protoPackage string) bool {
	return p.Package != "" && p.Package == protoPackage || p.Files != "" &&
		doublestar.MatchUnvalidated(p.Files, importPath)
}
