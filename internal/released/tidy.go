package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// tidy checks that go.mod and go.sum of m are as go mod tidy leaves them, or makes them so. The
// sums of our own modules are left out: they change with every commit until a version is tagged.
func (m packed) tidy(root string, env []string, write bool) error {
	dir := filepath.Join(root, m.dir)
	if write {
		if _, err := output(env, dir, "go", "mod", "tidy"); err != nil {
			return err
		}
		return dropOwnSums(filepath.Join(dir, "go.sum"))
	}
	cmd := exec.Command("go", "mod", "tidy", "-diff")
	cmd.Dir, cmd.Env = dir, env
	var stderr strings.Builder
	cmd.Stderr = &stderr
	diff, err := cmd.Output()
	if err != nil && len(diff) == 0 {
		return errors.New(stderr.String())
	}
	for line := range strings.Lines(string(diff)) {
		changed := (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "+++") &&
			!strings.HasPrefix(line, "---")
		if changed && !ownSum(line[1:]) {
			return errors.New(
				"go.mod or go.sum is not tidy; run go run ./internal/released -tidy\n" +
					string(diff))
		}
	}
	return nil
}

// ownSum tells whether a line of a go.sum is about a module of ours.
func ownSum(line string) bool {
	name, _, _ := strings.Cut(line, " ")
	return (name == rootModule || strings.HasPrefix(name, rootModule+"/")) &&
		strings.Contains(line, " h1:")
}

func dropOwnSums(name string) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !ownSum(line) {
			kept.WriteString(line)
		}
	}
	if kept.Len() == 0 {
		return os.Remove(name)
	}
	return os.WriteFile(name, []byte(kept.String()), 0o666)
}
