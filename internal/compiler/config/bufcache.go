package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"go.yaml.in/yaml/v3"
)

// bufCache returns buf's cache folder, where buf itself looks for it, or "".
func bufCache() string {
	if dir := os.Getenv("BUF_CACHE_DIR"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_CACHE_HOME"); dir != "" {
		return filepath.Join(dir, "buf")
	}
	if runtime.GOOS == "windows" {
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "buf")
		}
		return ""
	}
	if dir := os.Getenv("HOME"); dir != "" {
		return filepath.Join(dir, ".cache", "buf")
	}
	return ""
}

// dependency is one that a buf.lock pins.
type dependency struct {
	name   string // buf.build/owner/name
	commit string
	digest string // what its digest is called, which is a folder of the cache
}

// dependencies adds the folders of what the buf.lock beside a buf.yaml pins, as far as buf's module
// cache has them. What is missing is no error before an import leads nowhere: it may be of no use,
// or come with the compiler.
func (c *Config) dependencies() {
	var missing []string
	locked := false
	for _, dir := range c.locks {
		deps, ok := readLock(filepath.Join(dir, "buf.lock"))
		locked = locked || ok
		for _, d := range deps {
			if folder := d.folder(bufCache()); folder != "" {
				c.Imports = append(c.Imports, folder)
			} else {
				missing = append(missing, fmt.Sprintf("%s:%s", d.name, d.commit))
			}
		}
	}
	switch {
	case len(missing) != 0:
		c.ImportHint = fmt.Sprintf("buf.lock has %s, which buf's module cache has not: "+
			`"buf build" downloads it`, strings.Join(missing, " and "))
	case c.hasDeps && !locked:
		c.ImportHint = `buf.yaml has deps and there is no buf.lock: "buf dep update" writes it, and ` +
			`"buf build" downloads them`
	}
}

// readLock reads a buf.lock; ok tells whether it could be read.
func readLock(name string) (deps []dependency, ok bool) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	var lock struct {
		Deps []struct {
			Name, Commit, Digest      string // version v2
			Remote, Owner, Repository string // before
		}
	}
	if yaml.Unmarshal(data, &lock) != nil {
		return nil, false
	}
	for _, d := range lock.Deps {
		if d.Name == "" {
			d.Name = d.Remote + "/" + d.Owner + "/" + d.Repository
		}
		digest, _, _ := strings.Cut(d.Digest, ":")
		deps = append(deps, dependency{d.Name, strings.ReplaceAll(d.Commit, "-", ""), digest})
	}
	return deps, true
}

// folder returns where a cache has the files of a dependency, or "". buf writes module.yaml last.
func (d dependency) folder(cache string) string {
	if cache == "" || !filepath.IsLocal(filepath.FromSlash(d.name)) || !filepath.IsLocal(d.commit) {
		return ""
	}
	for _, digest := range []string{d.digest, "b5", "shake256"} {
		if digest == "" || !filepath.IsLocal(digest) {
			continue
		}
		dir := filepath.Join(cache, "v3", "modules", digest, filepath.FromSlash(d.name), d.commit)
		if _, err := os.Stat(filepath.Join(dir, "module.yaml")); err == nil {
			return filepath.Join(dir, "files")
		}
	}
	return ""
}
