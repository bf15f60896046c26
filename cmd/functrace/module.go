package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/octopus-framework/octopus/internal/trace/inject"
)

// versioned is a module of our own that requires a package in some version.
type versioned struct {
	dir     string // folder of the module
	workDir string // where the command was called
	goWork  string // the value of GOWORK there
}

// useVersion makes such a module, as go run does for package@version, and goes into its folder.
// What is instrumented is the module of the package, unless c says otherwise.
func useVersion(pkg, version string, c *inject.Config, stderr io.Writer) (*versioned, error) {
	if strings.HasPrefix(pkg, ".") || strings.HasPrefix(pkg, "/") || version == "" {
		return nil, fmt.Errorf("%w: a version is for a package in a module, such as "+
			"golang.org/x/tools/cmd/stringer@latest", errUsage)
	}
	v := &versioned{goWork: os.Getenv("GOWORK")}
	var err error
	if v.workDir, err = os.Getwd(); err != nil {
		return nil, err
	}
	if v.dir, err = os.MkdirTemp("", "functrace-module-"); err != nil {
		return nil, err
	}
	if err := v.enter(pkg, version, c, stderr); err != nil {
		return nil, errors.Join(err, v.leave(), v.remove())
	}
	return v, nil
}

func (v *versioned) enter(pkg, version string, c *inject.Config, stderr io.Writer) error {
	// Neither the workspace nor the module of the folder that we are in has a say, as with go run.
	if err := errors.Join(os.Chdir(v.dir), os.Setenv("GOWORK", "off")); err != nil {
		return err
	}
	for _, args := range [][]string{{"mod", "init", "functrace.run"},
		{"get", pkg + "@" + version}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			_, _ = stderr.Write(out)
			return fmt.Errorf("%s@%s cannot be had: go %s: %w", pkg, version, args[0], err)
		}
	}
	if len(c.Packages) > 0 {
		return nil
	}
	module, err := exec.Command("go", "list", "-f", "{{.Module.Path}}", pkg).Output()
	if err != nil {
		return fmt.Errorf("%s@%s has no such package: %w", pkg, version, err)
	}
	c.Packages = []string{strings.TrimSpace(string(module)) + "/..."}
	return nil
}

// leave goes back to where the command was called. It may be called twice.
func (v *versioned) leave() error {
	return errors.Join(os.Chdir(v.workDir), os.Setenv("GOWORK", v.goWork))
}

// remove removes the module.
func (v *versioned) remove() error { return os.RemoveAll(v.dir) }
