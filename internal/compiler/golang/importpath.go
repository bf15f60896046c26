package golang

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// wrongPath tells what the go command finds wrong with an import path, "" if nothing is.
func wrongPath(importPath string) string {
	if importPath == "." {
		return "" // no module is known, and nothing imports the package
	}
	for elem := range strings.SplitSeq(importPath, "/") {
		short, _, _ := strings.Cut(strings.ToLower(elem), ".")
		switch {
		case elem == "":
			return "has an empty part"
		case elem[0] == '.', elem[len(elem)-1] == '.':
			return fmt.Sprintf("has a dot at an end of %q", elem)
		case elem == "vendor":
			return `has a folder "vendor", which the go command keeps for itself`
		case slices.Contains(devices, short):
			return fmt.Sprintf(
				"has the folder %q, which is a device on Windows, so that Go forbids it", elem)
		}
		if i := strings.IndexFunc(elem, notInPath); i >= 0 {
			return fmt.Sprintf("has the character %q, which Go forbids there", []rune(elem[i:])[0])
		}
	}
	return ""
}

// devices are the names of files that Windows has everywhere.
var devices = strings.Fields("con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 " +
	"lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")

func notInPath(r rune) bool {
	if r >= unicode.MaxASCII {
		return true
	}
	return !strings.ContainsRune("-._~+", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// importable finds generated files whose packages, or those that they import, Go does not let be
// imported.
func (g *Generator) importable() (found []report.Diagnostic) {
	seen := map[string]bool{}
	for _, f := range g.files {
		from := g.names.files[f].path
		if why := wrongPath(from); why != "" && !seen[from] {
			seen[from] = true
			found = append(found, report.Diagnostic{File: f.Path, Hint: g.packageHint(f, ""),
				Message: fmt.Sprintf("the Go import path %q %s", from, why)})
		}
		for u := range f.Uses(g.opts.services()) {
			to := g.names.files[u.File].path
			if !hidden(from, to) || seen[from+" "+to] {
				continue
			}
			seen[from+" "+to] = true
			found = append(found, report.Diagnostic{
				File: f.Path, Line: u.Pos.Line, Column: u.Pos.Column,
				Hint: g.packageHint(u.File, ""),
				Message: fmt.Sprintf("the Go package %q is internal, and %q may not import it", to,
					from)})
		}
	}
	return found
}

// hidden tells whether a package may not be imported by another because a folder above it is called
// internal.
func hidden(from, to string) bool {
	i := strings.LastIndex("/"+to+"/", "/internal/")
	if i < 0 || from == to {
		return false
	}
	around := strings.Trim(("/" + to)[:i], "/")
	return around != "" && from != around && !strings.HasPrefix(from, around+"/")
}

// packageHint says how the files beside f, and f, are given another Go package; an empty one stands
// for any.
func (g *Generator) packageHint(f *schema.File, goPackage string) string {
	if goPackage == "" {
		goPackage = g.opts.Module + "/PATH"
	}
	return goPackageHint(g.opts, f.Path, goPackage)
}
