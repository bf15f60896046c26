package inject

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Config says what Build instruments. Patterns is required.
type Config struct {
	Dir      string   // where the go command runs; "" is the current directory
	Flags    []string // build flags for the go command, such as -tags
	Patterns []string // packages or files, as for go build
	Test     bool     // the packages are to be tested
	// import path patterns of the packages to instrument; none: those of the main modules
	Packages []string
	Select   Select
	Args     bool // record argument values and the texts of errors
}

// Overlay is what Build made.
type Overlay struct {
	File      string   // the file for go build -overlay; see Command
	Tags      []string // build tags that must be set as well
	Functions []string // the names of the functions that are traced
	Skipped   []string // files that were left alone, each with the reason
	dir       string
	env       environment
	root      string // the Go installation, if it is not the go command's choice
}

// Remove deletes the files of the overlay.
func (o *Overlay) Remove() error { return os.RemoveAll(o.dir) }

// Errors of Build.
var (
	ErrNoFunction = errors.New("no function is selected")

	// ErrBroken says that the code does not build as it is; the go command tells why.
	ErrBroken = errors.New("the code does not build")
)

// Build instruments the selected functions of the packages that the patterns need, and writes an
// overlay for the go command. The caller removes it. No file of the program is touched, and go.mod,
// go.work and vendor folders need not know of functrace: its runtime package is overlaid into the
// standard library, or, where the program imports functrace itself, over that package. An overlay
// among the Flags is taken into the new one.
func Build(c Config) (*Overlay, error) {
	env, err := goEnvironment(c)
	if err != nil {
		return nil, err
	}
	pkgs, err := list(c)
	if err != nil {
		return nil, err
	}
	o := &Overlay{env: env}
	if slices.ContainsFunc(pkgs, func(p listed) bool { return p.ImportPath == ImportPath }) {
		o.Tags = []string{"trace"}
		if pkgs, err = list(c, o.tags(c.Flags)); err != nil {
			return nil, err
		}
	}
	if o.dir, err = os.MkdirTemp("", "functrace-"); err != nil {
		return nil, err
	}
	err = o.fill(c, pkgs)
	if err != nil {
		return nil, errors.Join(err, o.Remove())
	}
	return o, nil
}

func (o *Overlay) fill(c Config, pkgs []listed) error {
	given, err := readOverlay(c, o.env.flags(c.Flags))
	if err != nil {
		return err
	}
	rtPath, files, err := o.layRuntime(pkgs)
	if err != nil {
		return err
	}
	copies, err := o.instrument(c, pkgs, rtPath, given)
	if err != nil {
		return err
	}
	maps.Copy(files, copies)
	if err := o.moveCached(c, pkgs, files, given); err != nil {
		return err
	}
	return o.write(files, given)
}

// instrument returns the instrumented copies, by the name of the original.
func (o *Overlay) instrument(c Config, pkgs []listed, runtimePath string,
	given map[string]string) (map[string][]byte, error) {
	wanted, err := wantedPackages(c.Packages)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte)
	seen := make(map[string]bool)
	matched := false
	for _, p := range pkgs {
		importPath, _, _ := strings.Cut(p.ImportPath, " ")
		own := importPath == ImportPath || importPath == RuntimePath
		main := importPath == "command-line-arguments" || p.Module != nil && p.Module.Main
		if p.Standard || own || !wanted(importPath, main) ||
			strings.HasSuffix(importPath, ".test") {
			continue
		}
		matched = true
		sources, err := parsePackage(p, given)
		if err != nil {
			return nil, err
		}
		// The runtime calls the package of a program main, wherever it lies.
		pkgPath := importPath
		if p.Name == "main" {
			pkgPath = "main"
		}
		names := packageNames(sources)
		for _, s := range sources {
			if seen[s.Name] {
				continue
			}
			seen[s.Name] = true
			if why := s.Skipped(c.Select); why != "" {
				o.Skipped = append(o.Skipped, s.Name+": "+why)
				continue
			}
			copied, functions := instrument(s, pkgPath, runtimePath, names, c.Select, c.Args)
			o.Functions = append(o.Functions, functions...)
			if copied != nil {
				out[s.Name] = copied
			}
		}
	}
	if !matched {
		return nil,
			fmt.Errorf(
				"%w: no package that is built matches %s; the standard library cannot be instrumented",
				ErrNoFunction, strings.Join(c.Packages, " "))
	}
	if len(o.Functions) == 0 {
		return nil, fmt.Errorf("%w: no function matches (%s)", ErrNoFunction, c.Select.describe())
	}
	return out, nil
}

// parsePackage parses the files of a package, those given in place of others among them.
func parsePackage(p listed, given map[string]string) (sources []*Source, err error) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		actual := name
		if to := given[name]; to != "" {
			actual = to
		}
		src, err := os.ReadFile(actual)
		if err != nil {
			return nil, err
		}
		s, err := Parse(name, src)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBroken, err)
		}
		sources = append(sources, s)
	}
	return sources, nil
}
