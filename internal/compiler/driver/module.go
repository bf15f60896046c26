package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// ModuleOf returns the Go import path of a folder, which need not exist yet, by the nearest go.mod
// in it or above it. It is empty where there is none.
func ModuleOf(folder string) (string, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return "", fmt.Errorf("folder %q has no place: %w", folder, err)
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		name := filepath.Join(dir, "go.mod")
		text, err := os.ReadFile(name)
		switch {
		case err == nil:
			module := modulePath(string(text))
			if module == "" {
				return "", fmt.Errorf("%q names no module: give --module", name)
			}
			rel, err := filepath.Rel(dir, folder)
			return path.Join(module, filepath.ToSlash(rel)), err
		case errors.Is(err, fs.ErrPermission):
			return "", fmt.Errorf("%q cannot be read to find the module: %w; give --module", name,
				bare(err))
		case dir == filepath.Dir(dir):
			return "", nil
		}
	}
}

// modulePath returns the path in the module directive of a go.mod.
func modulePath(text string) string {
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		words := strings.Fields(line)
		if len(words) != 2 || words[0] != "module" {
			continue
		}
		if unquoted, err := strconv.Unquote(words[1]); err == nil {
			return unquoted
		}
		return words[1]
	}
	return ""
}
