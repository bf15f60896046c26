package main

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"
)

// programs are scenarios as txtar archives: files, and before them a command in a line. A line ">
// text" is what the command before prints.
//
//go:embed programs
var programs embed.FS

// scenarios returns all that is tried: what the guides say, the programs, and the packages of each
// module.
func scenarios(root string, modules []packed) (all []scenario, err error) {
	for _, g := range []struct{ name, module string }{
		{"docs/install.md", ""}, {"README.md", "example.com/shop"},
		{"README.zh.md", "example.com/shop"},
	} {
		text, err := os.ReadFile(filepath.Join(root, g.name))
		if err != nil {
			return nil, err
		}
		s := guide(string(text), g.module != "")
		s.name = "as " + g.name + " says"
		if len(s.steps) < 7 {
			return nil, fmt.Errorf("%s has %d files and commands", g.name, len(s.steps))
		}
		if g.module != "" { // its reader has one
			s.steps = append([]step{{command: "go mod init " + g.module}}, s.steps...)
		}
		all = append(all, s)
	}
	names, err := fs.Glob(programs, "programs/*.txtar")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(programs, name)
		if err != nil {
			return nil, err
		}
		s := script(txtar.Parse(text))
		s.name = strings.TrimSuffix(path.Base(name), ".txtar")
		all = append(all, s)
	}
	return append(all, everyPackage(modules)), nil
}

// script reads a scenario from an archive.
func script(a *txtar.Archive) (s scenario) {
	s.files = map[string]string{}
	for _, f := range a.Files {
		s.files[f.Name] = string(f.Data)
	}
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		if want, ok := strings.CutPrefix(line, "> "); ok {
			s.steps[len(s.steps)-1].want = want
		} else if line != "" && !strings.HasPrefix(line, "#") {
			s.steps = append(s.steps, step{command: line})
		}
	}
	return s
}

// everyPackage gets all modules and builds all their packages.
func everyPackage(modules []packed) scenario {
	get, build := "go get", "go build -mod=mod"
	for _, m := range modules {
		get += " " + m.Path + "@latest"
		build += " " + m.Path + "/..."
	}
	return scenario{name: "every package of every module", steps: []step{
		{command: "go mod init example.com/all"}, {command: get}, {command: build},
	}}
}
