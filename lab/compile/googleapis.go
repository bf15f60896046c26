package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The package of npm that has googleapis, in the version that make corpus compiles.
const (
	npmPackage = "google-proto-files"
	npmVersion = "5.0.3"
)

// googleapis returns the folder of the package, which npm installs if it is not there.
func googleapis(tools string) (string, error) {
	dir := filepath.Join(tools, "npm", "node_modules", npmPackage)
	if data, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil {
		var p struct{ Version string }
		if json.Unmarshal(data, &p) == nil && p.Version == npmVersion {
			return dir, nil
		}
	}
	out, err := exec.Command("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts",
		"--prefix", filepath.Join(tools, "npm"), npmPackage+"@"+npmVersion).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("npm install %s: %w\n%s", npmPackage, err, out)
	}
	return dir, nil
}

var imports = regexp.MustCompile(`(?m)^\s*import\s+(?:public\s+|weak\s+)?"([^"]+)"`)

// stage copies the files of a package whose paths start with wanted, and what they import, below root; what is below
// google/protobuf comes with each tool. It returns their import paths and how large they are.
func stage(from, root, wanted string) (files []string, size int64, err error) {
	var queue []string
	tree := os.DirFS(from)
	err = fs.WalkDir(tree, "google", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == "google/protobuf":
			return fs.SkipDir
		case path.Ext(name) == ".proto" && strings.HasPrefix(name, wanted):
			queue = append(queue, name)
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	seen := map[string]bool{}
	for len(queue) != 0 {
		name := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		if seen[name] || strings.HasPrefix(name, "google/protobuf/") {
			continue
		}
		seen[name] = true
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return nil, 0, err
		}
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return nil, 0, err
		}
		if err := os.WriteFile(to, text, 0o666); err != nil {
			return nil, 0, err
		}
		for _, m := range imports.FindAllSubmatch(text, -1) {
			queue = append(queue, string(m[1]))
		}
		files, size = append(files, name), size+int64(len(text))
	}
	slices.Sort(files)
	return files, size, nil
}
