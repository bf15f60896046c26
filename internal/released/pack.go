package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const rootModule = "github.com/octopus-framework/octopus"

// unpublished are the modules of go.work that are for tests only, and those below them.
const unpublished = "conformance"

// packed is a module of the checkout and the version under which the others require it.
type packed struct {
	module.Version
	dir   string // folder below the root of the repository, with slashes; "." is the root
	goMod []byte
}

// published returns the modules of go.work that are published, the root first. They must agree on
// one version for all.
func published(root string) ([]packed, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return nil, err
	}
	var all []packed
	version := ""
	for _, use := range work.Use {
		dir := filepath.ToSlash(filepath.Clean(use.Path))
		if dir == unpublished || strings.HasPrefix(dir, unpublished+"/") {
			continue
		}
		name := filepath.Join(root, dir, "go.mod")
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		mod, err := modfile.Parse(name, text, nil)
		if err != nil {
			return nil, err
		}
		if len(mod.Replace)+len(mod.Exclude) > 0 {
			return nil, fmt.Errorf("%s replaces or excludes: go install refuses such modules", name)
		}
		for _, r := range mod.Require {
			if r.Mod.Path != rootModule && !strings.HasPrefix(r.Mod.Path, rootModule+"/") {
				continue
			}
			if version == "" {
				version = r.Mod.Version
			} else if version != r.Mod.Version {
				return nil, fmt.Errorf("%s requires %s; others require %s", name, r.Mod, version)
			}
		}
		all = append(all, packed{module.Version{Path: mod.Module.Mod.Path}, dir, text})
	}
	if version == "" {
		return nil, errors.New("no module requires another one: what is the version?")
	}
	for i := range all {
		all[i].Version.Version = version
	}
	return all, nil
}

// pack writes what a module proxy serves for m: the files that git knows of, as they lie there, and
// new ones that it does not ignore. It returns the size of the zip file.
func (m packed) pack(root, proxy string) (int, error) {
	files, err := m.files(root)
	if err != nil {
		return 0, err
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, m.Version, files); err != nil {
		return 0, err
	}
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return 0, err
	}
	dir := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return 0, err
	}
	v := m.Version.Version
	info := fmt.Sprintf(`{"Version":%q,"Time":%q}`, v, time.Unix(0, 0).UTC().Format(time.RFC3339))
	for name, content := range map[string][]byte{
		"list": []byte(v + "\n"), v + ".info": []byte(info), v + ".mod": m.goMod,
		v + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return 0, err
		}
	}
	return archive.Len(), nil
}

// files lists the files of m, those of modules inside it left out. A module without a licence gets
// that of the repository, as the go command does it.
func (m packed) files(root string) ([]zip.File, error) {
	out, err := output(nil, filepath.Join(root, m.dir), "git", "ls-files", "-z", "--cached",
		"--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	names := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	var inner []string
	for _, name := range names {
		if dir, ok := strings.CutSuffix(name, "/go.mod"); ok {
			inner = append(inner, dir+"/")
		}
	}
	var files []zip.File
	for _, name := range names {
		if slices.ContainsFunc(inner, func(dir string) bool {
			return strings.HasPrefix(name, dir)
		}) {
			continue
		}
		f := file{name, filepath.Join(root, m.dir, name)}
		if _, err := f.Lstat(); errors.Is(err, os.ErrNotExist) {
			continue // removed, and not committed yet
		}
		files = append(files, f)
	}
	if !slices.Contains(names, "LICENSE") {
		files = append(files, file{"LICENSE", filepath.Join(root, "LICENSE")})
	}
	return files, nil
}

// file is a file of a module.
type file struct{ name, from string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.from) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.from) }

// output runs a command in a folder and returns its standard output; what went to standard error is
// in the error.
func output(env []string, dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out, exit.Stderr)
	}
	return string(out), err
}
