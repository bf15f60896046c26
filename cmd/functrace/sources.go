package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/trace/inject"
)

// editSources is inject and remove. Nothing is written unless every file parses.
func editSources(command string, args []string, stdout, stderr io.Writer) error {
	flags := newFlags(command, stderr)
	write := flags.Bool("w", false, "write the files instead of printing them")
	force := false
	var sel inject.Select
	if command == "inject" {
		selectFlags(flags, &sel)
		flags.BoolVar(&force, "force", false,
			"write the files although the code does not build (yet)")
	}
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() == 0 {
		return fmt.Errorf("%w: functrace %s [-w] file|folder|./... ...", errUsage, command)
	}
	files, err := goFiles(flags.Args())
	if err != nil {
		return err
	}
	type change struct {
		name string
		text []byte
	}
	var changes []change
	var broken error
	count := 0
	for _, dir := range folders(files) {
		var sources []*inject.Source
		for _, name := range siblings(dir, files) {
			src, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			s, err := inject.Parse(name, src)
			if err != nil {
				broken = errors.Join(broken, err)
				continue
			}
			sources = append(sources, s)
		}
		taken := inject.Names(sources)
		for _, s := range sources {
			if !slices.Contains(files, s.Name) {
				continue
			}
			out, n := []byte(nil), 0
			if command == "remove" {
				out, n = inject.Remove(s)
			} else {
				if why := s.Skipped(sel); why == "cgo file" {
					fmt.Fprintf(stderr, "functrace: left alone: %s: %s\n", s.Name, why)
				}
				out, n = inject.Inject(s, s.Package(), sel, taken)
			}
			if count += n; n > 0 || !*write {
				changes = append(changes, change{s.Name, out})
			}
		}
	}
	if broken != nil {
		return fmt.Errorf("nothing is written:\n%w", broken)
	}
	if *write && command == "inject" && !force && count > 0 {
		for _, dir := range folders(files) {
			if err := builds(dir, stderr); err != nil {
				return err
			}
		}
	}
	if count == 0 && command == "inject" && len(sel.Include) > 0 {
		return fmt.Errorf("%w: nothing in the files matches, or it is traced already",
			inject.ErrNoFunction)
	}
	for _, c := range changes {
		if !*write {
			if _, err := stdout.Write(c.text); err != nil {
				return err
			}
		} else if err := replaceFile(c.name, c.text); err != nil {
			return err
		}
	}
	if *write && command == "inject" && count > 0 {
		return sayRequirements(folders(files), stderr)
	}
	return nil
}

// sayRequirements says which modules of the folders do not provide the package that was injected,
// and what to do.
func sayRequirements(dirs []string, stderr io.Writer) error {
	said := make(map[string]bool)
	for _, dir := range dirs {
		cmd := exec.Command("go", "env", "GOMOD")
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			return err
		}
		mod := strings.TrimSpace(string(out))
		if mod == "" || mod == os.DevNull || said[mod] {
			continue
		}
		said[mod] = true
		find := exec.Command("go", "list", "-find", inject.ImportPath)
		find.Dir = dir
		if find.Run() != nil {
			fmt.Fprintf(stderr,
				"functrace: %s does not require the package that the files import now; run there:\n\tgo get %s\n", mod, inject.ImportPath)
		}
	}
	return nil
}

// builds lets the go command report what is wrong with a folder's package, if it lies in a module.
func builds(dir string, stderr io.Writer) error {
	cmd := exec.Command("go", "list", "-f", "{{if .Module}}{{len .GoFiles}}{{end}}", ".")
	cmd.Dir = dir
	if out, err := cmd.Output(); err == nil &&
		(len(bytes.TrimSpace(out)) == 0 || string(bytes.TrimSpace(out)) == "0") {
		return nil
	} else if err != nil && outsideModule(dir) {
		return nil
	}
	build := exec.Command("go", "build", "-o", os.DevNull, ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(stderr, "%s", out)
		return fmt.Errorf("%s does not build: nothing is written (-force writes)", dir)
	}
	return nil
}

func outsideModule(dir string) bool {
	cmd := exec.Command("go", "env", "GOMOD")
	cmd.Dir = dir
	out, err := cmd.Output()
	mod := strings.TrimSpace(string(out))
	return err == nil && (mod == "" || mod == os.DevNull)
}

// replaceFile writes a file so that it is never half written, with the permissions it had.
func replaceFile(name string, text []byte) error {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0) // a read-only file says so by its own name
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	_ = f.Close()
	temp, err := os.CreateTemp(filepath.Dir(name), ".functrace-*")
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", name, err)
	}
	_, err = temp.Write(text)
	err = errors.Join(err, temp.Chmod(info.Mode()), temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), name)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("cannot write %s: %w", name, err), os.Remove(temp.Name()))
	}
	return nil
}

// goFiles lists the Go files that the arguments name.
func goFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		root, deep := strings.CutSuffix(arg, "...")
		root = filepath.Clean(root)
		info, err := os.Stat(root)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			files = append(files, root)
			continue
		}
		err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			base := d.Name()
			hidden := strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")
			if d.IsDir() {
				if name != root && (!deep || hidden || base == "vendor" || base == "testdata") {
					return filepath.SkipDir
				}
			} else if strings.HasSuffix(base, ".go") && !hidden {
				files = append(files, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

func folders(files []string) (dirs []string) {
	for _, f := range files {
		if d := filepath.Dir(f); !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	return dirs
}

// siblings lists the chosen files of a folder and the other Go files beside them, whose names may
// be in the way.
func siblings(dir string, chosen []string) (names []string) {
	for _, f := range chosen {
		if filepath.Dir(f) == dir {
			names = append(names, f)
		}
	}
	others, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, f := range others {
		if !slices.Contains(names, f) {
			names = append(names, f)
		}
	}
	return names
}
