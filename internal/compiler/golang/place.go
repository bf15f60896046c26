package golang

import (
	"fmt"
	"path"
	"strings"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

// Place returns the path of a .proto file that decides where its Go code goes. That is its own,
// unless the configuration gives it a Go package ("import/path;name") below the module: then it is
// one in the folder of that package. A file that comes from another folder has the names of its
// folders in its name, so that files of one name can share a package: a/b/c.proto in the folder x
// becomes x/a_b_c.proto, in the folder a it becomes a/b_c.proto.
func Place(protoPath, module, goPackage string) string {
	importPath, _, _ := strings.Cut(goPackage, ";")
	folder, ok := below(module, importPath)
	dir, base := path.Dir(protoPath), path.Base(protoPath)
	switch {
	case !ok || folder == dir:
		return protoPath
	case dir == ".":
		return path.Join(folder, base)
	}
	dir = strings.TrimPrefix(dir, folder+"/")
	return path.Join(folder, strings.ReplaceAll(dir, "/", "_")+"_"+base)
}

// below returns the folder that an import path has in a module.
func below(module, importPath string) (folder string, ok bool) {
	if module == "" || importPath == "" {
		return "", false
	}
	if importPath == module {
		return ".", true
	}
	folder, ok = strings.CutPrefix(importPath, module+"/")
	return path.Clean(folder), ok && folder != ""
}

// place returns the path that decides where the code of f goes.
func (g *Generator) place(f *schema.File) string {
	if g.opts.SourceRelative {
		return f.Path
	}
	return Place(f.Path, g.opts.Module, g.opts.GoPackage[f.Path])
}

// CheckPlaces returns what keeps generated packages from compiling where Outputs puts them: folders
// that would hold several packages, packages that would lie in several folders, import paths that
// Go refuses.
func (g *Generator) CheckPlaces() (found []report.Diagnostic) {
	found = g.importable()
	inFolder, ofPackage := map[string]*schema.File{}, map[string]*schema.File{}
	for _, f := range g.files {
		pkg, folder := g.names.files[f].path, path.Dir(g.place(f))
		hint := fmt.Sprintf("name import paths below the module %q: each then gets its folder",
			g.opts.Module)
		switch {
		case g.opts.SourceRelative:
			hint =
				"without paths=source_relative, each package gets the folder of its import path below module"
		case g.opts.Module == "" && g.opts.Parameters:
			hint =
				"write module=PATH: each package then gets the folder of its import path below PATH"
		case g.opts.Module == "":
			hint =
				"give --module PATH: each package then gets the folder of its import path below PATH"
		}
		if first := inFolder[folder]; first == nil {
			inFolder[folder] = f
		} else if other := g.names.files[first].path; other != pkg {
			found = append(found, report.Diagnostic{File: f.Path, Hint: hint,
				Message: fmt.Sprintf("the folder %q would hold two Go packages: %q, and %q of %q",
					folder, pkg, other, first.Path)})
		}
		if first := ofPackage[pkg]; first == nil {
			ofPackage[pkg] = f
		} else if other := path.Dir(g.place(first)); other != folder {
			found = append(found, report.Diagnostic{File: f.Path, Hint: hint,
				Message: fmt.Sprintf("the Go package %q would lie in two folders: %q, and %q of %q",
					pkg, folder, other, first.Path)})
		}
	}
	return found
}

// isElsewhere tells whether the code of f is none that a run with this module makes: it comes with
// the runtime, or its Go package was said to be another one.
func (g *Generator) isElsewhere(f *schema.File) bool {
	importPath, _, _ := strings.Cut(g.opts.GoPackage[f.Path], ";")
	_, inside := below(g.opts.Module, importPath)
	return f.WellKnown || importPath != "" && !inside
}

// Missing returns the files whose Go code is imported by that of the generated ones, but is not
// generated with it, although it would belong below the same module. Where it lies comes beside it:
// Path is that of an Output.
func (g *Generator) Missing() (outs []Output) {
	seen := map[*schema.File]bool{}
	for _, f := range g.files {
		for u := range f.Uses(g.opts.services()) {
			other := u.File
			if !other.Generate && !seen[other] && !g.isElsewhere(other) {
				seen[other] = true
				outs = append(outs, Output{Path: OutputPath(g.place(other)), File: other})
			}
		}
	}
	return outs
}

// CheckModule returns an error if generated packages import each other and there is no module to
// import them from.
func (g *Generator) CheckModule() []report.Diagnostic {
	if g.opts.Module != "" {
		return nil
	}
	for _, f := range g.files {
		if g.opts.Connect && len(f.Services) != 0 && !g.isElsewhere(f) {
			return []report.Diagnostic{{File: f.Path, Hint: g.moduleHint(), Message: fmt.Sprintf(
				"the Connect code of the Go package in the folder %q would import it, and nothing says from where", g.names.files[f].path)}}
		}
		for u := range f.Uses(g.opts.services()) {
			from, to := g.names.files[f].path, g.names.files[u.File].path
			if from == to || g.isElsewhere(u.File) {
				continue
			}
			return []report.Diagnostic{{File: f.Path, Line: u.Pos.Line, Column: u.Pos.Column,
				Hint: g.moduleHint(),
				Message: fmt.Sprintf(
					"the Go package in the folder %q would import that in %q, and nothing says from where", from, to)}}
		}
	}
	return nil
}

// moduleHint says how the module is given.
func (g *Generator) moduleHint() string {
	if g.opts.Parameters {
		return "write module=PATH, the Go import path of the output folder"
	}
	return "give --module PATH, the Go import path of the output folder; in gremlin.yaml: module: PATH"
}
