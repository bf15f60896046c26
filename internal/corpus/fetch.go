package main

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const mavenCopy = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"

// fetcher brings packages onto this machine with the registries' own clients, npm and Maven ones
// into the folder tools, Go modules into the module cache.
type fetcher struct {
	tools string
	done  map[string]string // folders by the from of a piece
}

// folder returns where the package of a piece lies.
func (f *fetcher) folder(from string) (string, error) {
	if dir, ok := f.done[from]; ok {
		return dir, nil
	}
	dir, err := f.fetch(from)
	if err != nil {
		return "", fmt.Errorf("%s cannot be had: %w", from, err)
	}
	f.done[from] = dir
	return dir, nil
}

func (f *fetcher) fetch(from string) (string, error) {
	registry, name, ok := strings.Cut(from, ":")
	switch {
	case !ok:
		return from, nil
	case registry == "npm":
		name, version := name[:strings.LastIndex(name, "@")], name[strings.LastIndex(name, "@")+1:]
		dir := filepath.Join(f.tools, "npm", "node_modules", filepath.FromSlash(name))
		if data, err := os.ReadFile(filepath.Join(dir, "package.json")); err == nil {
			var p struct{ Version string }
			if json.Unmarshal(data, &p) == nil && p.Version == version {
				return dir, nil
			}
		}
		_, err := run("", "npm", "install", "--silent", "--no-audit", "--no-fund",
			"--ignore-scripts",
			"--prefix", filepath.Join(f.tools, "npm"), name+"@"+version)
		return dir, err
	case registry == "go":
		out, err := run(os.TempDir(), "go", "mod", "download", "-json", name)
		var m struct{ Dir string }
		if err == nil {
			err = json.Unmarshal(out, &m)
		}
		return m.Dir, err
	case registry == "maven":
		part := strings.Split(name, ":")
		jar := filepath.Join(f.tools, "maven", part[1]+"-"+part[2]+".jar")
		if _, err := os.Stat(jar); err != nil {
			if _, err := run("", "mvn", "-q", "-B", mavenCopy, "-Dartifact="+name,
				"-DoutputDirectory="+filepath.Dir(jar)); err != nil {
				return "", err
			}
		}
		dir := strings.TrimSuffix(jar, ".jar")
		r, err := zip.OpenReader(jar)
		if err != nil {
			return "", err
		}
		defer r.Close()
		return dir, copyProtos(dir, r, "")
	}
	return "", fmt.Errorf("unknown registry %q", registry)
}

// stage copies the .proto files of a set below root.
func (f *fetcher) stage(s set, root string) error {
	for _, p := range s.pieces {
		dir, err := f.folder(p.from)
		if err != nil {
			return err
		}
		if err := copyProtos(filepath.Join(root, p.at), os.DirFS(filepath.Join(dir, p.dir)),
			p.skip); err != nil {
			return fmt.Errorf("%s: %w", p.from, err)
		}
	}
	return nil
}

// copyProtos copies the .proto files of a tree, apart from those in the folder skip. A file that is
// there already stays.
func copyProtos(to string, tree fs.FS, skip string) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && skip != "" && name == skip {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		dst := filepath.Join(to, filepath.FromSlash(name))
		if _, err := os.Stat(dst); err == nil || d.IsDir() || filepath.Ext(name) != ".proto" {
			return nil
		}
		data, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(dst), 0o777); err != nil {
			return err
		}
		return os.WriteFile(dst, data, 0o666)
	})
}

// run runs a program and returns its standard output; the error has what it wrote to standard
// error.
func run(dir, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%s: %w: %s", name, err, exit.Stderr)
	}
	return out, err
}

// runMeasured runs a command and returns how much memory it had at most, in bytes, 0 where the
// system does not tell. The usage of resources that the system reports at its end is of no use: it
// counts what this process had when it started it.
func runMeasured(cmd *exec.Cmd) (peak int64, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-time.After(10 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
				var kib int64
				if _, err := fmt.Sscan(rest, &kib); err == nil {
					peak = max(peak, kib<<10)
				}
			}
		}
	}
}
