package inject

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
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

// listed is what is asked of go list.
type listed struct {
	Dir, ImportPath, Name, ForTest string
	GoFiles, CgoFiles              []string
	Standard                       bool
	Module                         *module
	Error                          *struct{ Err string }
}

const listFields = "-json=Dir,ImportPath,Name,ForTest,GoFiles,CgoFiles,Standard,Module,Error"

func list(c Config, flags ...string) ([]listed, error) {
	args := []string{"list", "-e", "-deps", listFields}
	if c.Test {
		args = append(args, "-test")
	}
	args = slices.Concat(args, c.Flags, flags, c.Patterns)
	out, err := goOutput(c, args...)
	if err != nil {
		return nil, err
	}
	var pkgs []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Error != nil {
			return nil, fmt.Errorf("%w: %s", ErrBroken, p.Error.Err)
		}
		pkgs = append(pkgs, p)
	}
}

// goOutput runs the go command and returns what it writes to standard output.
func goOutput(c Config, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = c.Dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// environment is what is asked of go env.
type environment struct{ GOROOT, GOMODCACHE, GOMOD, GOWORK, GOFLAGS string }

// flags returns the flags that count with those given: the later ones take precedence.
func (e environment) flags(given []string) []string {
	return append(strings.Fields(e.GOFLAGS), given...)
}

func goEnvironment(c Config) (env environment, err error) {
	out, err := goOutput(c, "env", "-json", "GOROOT", "GOMODCACHE", "GOMOD", "GOWORK", "GOFLAGS")
	if err == nil {
		err = json.Unmarshal(out, &env)
	}
	return env, err
}

// absolute returns the full name of a file that an argument for the go command names.
func absolute(c Config, name string) string {
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	full, err := filepath.Abs(filepath.Join(c.Dir, name))
	if err != nil {
		return name
	}
	return full
}

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

// overlayIndex is the file for -overlay.
type overlayIndex struct {
	Replace map[string]string // the file to read for a file; "" for none
}

// readOverlay reads the overlay that the flags name; its paths are absolute then.
func readOverlay(c Config, flags []string) (map[string]string, error) {
	given := make(map[string]string)
	name := flagValue(flags, "overlay")
	if name == "" {
		return given, nil
	}
	text, err := os.ReadFile(absolute(c, name))
	if err != nil {
		return nil, err
	}
	var index overlayIndex
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for from, to := range index.Replace {
		given[absolute(c, from)] = absolute(c, to)
	}
	return given, nil
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
		var sources []*Source
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
			// The runtime calls the package of a program main, wherever it lies.
			pkgPath := importPath
			if p.Name == "main" {
				pkgPath = "main"
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

func (s Select) describe() string {
	var parts []string
	for _, re := range s.Include {
		parts = append(parts, "include "+re.String())
	}
	for _, re := range s.Exclude {
		parts = append(parts, "exclude "+re.String())
	}
	if s.Exported {
		parts = append(parts, "exported only")
	}
	if s.MinLines > 0 {
		parts = append(parts, fmt.Sprintf("at least %d lines", s.MinLines))
	}
	if !s.Generated {
		parts = append(parts, "no generated files")
	}
	if !s.Tests {
		parts = append(parts, "no test files")
	}
	return strings.Join(parts, ", ")
}

// wantedPackages compiles import path patterns, in which "..." stands for any text.
func wantedPackages(patterns []string) (func(path string, main bool) bool, error) {
	if len(patterns) == 0 {
		return func(_ string, main bool) bool { return main }, nil
	}
	var res []*regexp.Regexp
	for _, p := range patterns {
		expr := strings.ReplaceAll(regexp.QuoteMeta(p), `\.\.\.`, `.*`)
		if strings.HasSuffix(expr, `/.*`) {
			expr = strings.TrimSuffix(expr, `/.*`) + `(/.*)?`
		}
		re, err := regexp.Compile("^" + expr + "$")
		if err != nil {
			return nil, err
		}
		res = append(res, re)
	}
	return func(path string, _ bool) bool {
		return slices.ContainsFunc(res, func(re *regexp.Regexp) bool {
			return re.MatchString(path)
		})
	}, nil
}

// write puts the files into a temporary folder, and the overlay's index, which has the given
// replacements too. No text means no file.
func (o *Overlay) write(files map[string][]byte, given map[string]string) error {
	index := overlayIndex{maps.Clone(given)}
	n := 0
	for name, src := range files {
		n++
		to := ""
		if src != nil {
			to = filepath.Join(o.dir, fmt.Sprintf("%d-%s", n, filepath.Base(name)))
			// The go command takes new files for ones that may still change, and does not look for
			// them everywhere that it should; and it takes files of the same name, size and time
			// for the same.
			h := fnv.New32a()
			_, _ = h.Write(src)
			old := time.Unix(1e9+int64(h.Sum32()>>4), 0)
			if err := errors.Join(os.WriteFile(to, src, 0o600),
				os.Chtimes(to, old, old)); err != nil {
				return err
			}
		}
		index.Replace[name] = to
	}
	text, err := json.Marshal(index)
	if err != nil {
		return err
	}
	o.File = filepath.Join(o.dir, "overlay.json")
	return os.WriteFile(o.File, text, 0o600)
}

// tagsOf returns the build tags that the flags set.
func tagsOf(flags []string) []string {
	return strings.FieldsFunc(flagValue(flags, "tags"), func(r rune) bool {
		return r == ',' || r == ' '
	})
}

// flagValue returns the value of a flag, the last if it is there more than once, "" if it is not.
func flagValue(flags []string, name string) (last string) {
	for i, f := range flags {
		key, value, ok := strings.Cut(strings.TrimLeft(f, "-"), "=")
		if !strings.HasPrefix(f, "-") || key != name {
			continue
		}
		if !ok && i+1 < len(flags) {
			value = flags[i+1]
		}
		last = value
	}
	return last
}

// tags returns the flag that sets the tags of the overlay as well as those of the flags.
func (o *Overlay) tags(flags []string) string {
	return "-tags=" + strings.Join(append(slices.Clone(o.Tags), tagsOf(o.env.flags(flags))...), ",")
}

// Command returns a go command that uses the overlay: name is build, run, test or the like, flags
// are the Flags of Config or the like, args what comes after them. It runs in the current directory
// unless the caller sets another.
func (o *Overlay) Command(name string, flags []string, args ...string) *exec.Cmd {
	// the go command takes the last one of a kind
	all := append(append([]string{name}, flags...), "-overlay="+o.File)
	if len(o.Tags) > 0 {
		all = append(all, o.tags(flags))
	}
	cmd := exec.Command("go", append(all, args...)...)
	if o.root != "" {
		cmd = exec.Command(filepath.Join(o.root, "bin", "go"), append(all, args...)...)
		cmd.Env = append(os.Environ(), "GOROOT="+o.root, "GOTOOLCHAIN=local")
	}
	return cmd
}
