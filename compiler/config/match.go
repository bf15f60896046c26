package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
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

// GoPackage returns the Go package that the configuration gives to a file, "" when it gives none.
// The last entry that matches wins.
func (c *Config) GoPackage(importPath, protoPackage string) string {
	for _, p := range slices.Backward(c.Packages) {
		if p.GoPackage != "" && p.matches(importPath, protoPackage) {
			return p.GoPackage
		}
	}
	return ""
}

// Shape returns the shape that the configuration gives to a file. The last entry that matches and
// names one wins.
func (c *Config) Shape(importPath, protoPackage string) Shape {
	for _, p := range slices.Backward(c.Packages) {
		if p.Shape.Name != "" && p.matches(importPath, protoPackage) {
			return p.Shape
		}
	}
	return Shape{}
}

func (p *Package) matches(importPath, protoPackage string) bool {
	return p.Package != "" && p.Package == protoPackage || p.Files != "" &&
		doublestar.MatchUnvalidated(p.Files, importPath)
}

// Matches tells whether a pattern matches a full name. A * stands for any number of letters and
// dots.
func (p *Pattern) Matches(fullName string) bool {
	return doublestar.MatchUnvalidated(p.Text, fullName)
}

// IsHex tells whether JSON has hex digits for the field of type bytes with the given full name.
func (o *Options) IsHex(fullName string) bool {
	return slices.ContainsFunc(o.Hex, func(p Pattern) bool { return p.Matches(fullName) })
}

// Hooked tells whether a message is said to have a method AfterUnmarshal.
func (s *Shape) Hooked(fullName string) bool {
	return s.Hooks != "" && doublestar.MatchUnvalidated(s.Hooks, fullName)
}

// HasString tells whether a message is said to have a method String that is written by hand.
func (s *Shape) HasString(fullName string) bool {
	return s.OwnString != "" && doublestar.MatchUnvalidated(s.OwnString, fullName)
}

// HookedBefore tells whether a message is said to have a method BeforeMarshal.
func (s *Shape) HookedBefore(fullName string) bool {
	return s.Before != "" && doublestar.MatchUnvalidated(s.Before, fullName)
}
