// Corpus compiles public schema sets with the gremlin command, from googleapis to Kubernetes,
// compiles the Go code that comes out, and prints a table. It fails when a set does; .proto files
// that protoc refuses too are left out and counted.
//
//	go run ./internal/corpus [SET...]
//
// A SET with a slash is a folder of schemas.
//
// Packages come from npm, Maven and the Go module proxy into .tools and the module cache.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
)

const (
	module      = "example.com/corpus"
	runtimePath = "github.com/octopus-framework/octopus/gremlin"
	// vetFiles is how many files a set may have for the go command to build and vet it; larger ones
	// are type-checked.
	vetFiles = 1500
	// rowFormat prints a row of the table; rows appear as sets are done.
	rowFormat = "%-32v %6v %8v %9v %7v %8v %7v %9v %12v %8v  %v\n"
)

func main() {
	keep := flag.String("keep", "", "folder in which to leave what was generated")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := corpus(ctx, *keep, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// bench is where a run works.
type bench struct {
	repo, temp, gremlin, protoc string
	fetch                       fetcher
}

func corpus(ctx context.Context, keep string, wanted []string) error {
	repo, err := os.Getwd()
	if err != nil {
		return err
	}
	temp := keep
	if temp == "" {
		if temp, err = os.MkdirTemp("", "corpus-*"); err != nil {
			return err
		}
		defer os.RemoveAll(temp)
	}
	b := &bench{repo: repo, temp: temp, gremlin: filepath.Join(temp, "gremlin"),
		fetch: fetcher{tools: filepath.Join(repo, ".tools"), done: map[string]string{}}}
	if _, err := run(repo, "go", "build", "-o", b.gremlin, "./cmd/gremlin"); err != nil {
		return err
	}
	if b.protoc = filepath.Join(b.fetch.tools, "bin", "protoc"); exec.Command(b.protoc,
		"--version").Run() != nil {
		if b.protoc, err = exec.LookPath("protoc"); err != nil {
			fmt.Fprintln(os.Stderr,
				"there is no protoc to put failures to: make tools installs one")
			b.protoc = ""
		}
	}
	fmt.Printf(rowFormat, "set", "files", "refused", "messages", "fields", "seconds", "cpu",
		"peak MiB", "lines/field", "verdict", "checked by")
	failed := 0
	all := append(slices.Clone(sets), b.shared()...)
	for _, name := range wanted {
		if strings.Contains(name, "/") {
			all = append(all, set{name: name, pieces: []piece{{from: name}}})
		}
	}
	for _, s := range all {
		if len(wanted) > 0 && !slices.Contains(wanted, s.name) {
			continue
		}
		r, err := b.run(ctx, s)
		if err != nil {
			failed++
			fmt.Fprintf(os.Stderr, "%s: %s\n", s.name, firstLines(err.Error(), 40))
			r.verdict = "FAILS"
		}
		fmt.Printf(rowFormat, s.name, r.files, r.refused, r.messages, r.fields,
			fmt.Sprintf("%.1f", r.took.Seconds()),
			fmt.Sprintf("%.1f", r.cpu.Seconds()), r.peak>>20,
			fmt.Sprintf("%.1f", float64(r.lines)/float64(max(1, r.fields))), r.verdict, r.checked)
	}
	if failed > 0 {
		return fmt.Errorf("%d sets fail", failed)
	}
	return nil
}

// shared returns the sets of the corpora beside the repository.
func (b *bench) shared() []set {
	roots, err := filepath.Glob(filepath.Join(b.repo, "..", "shared", "corpora", "proto", "*"))
	if err != nil || len(roots) == 0 {
		fmt.Fprintln(os.Stderr,
			"the shared corpora are not beside the repository; only the public sets are compiled")
	}
	var out []set
	for _, root := range roots {
		if filepath.Base(root) != "wkt" { // those come with the runtime, generated and tested
			out = append(out, set{name: filepath.Base(root), pieces: []piece{{from: root}}})
		}
	}
	return out
}

// result is a line of the table.
type result struct {
	files, refused, messages, fields, lines int
	// what gremlin generate took, by the clock and of processors
	took, cpu        time.Duration
	peak             int64 // its memory in bytes
	checked, verdict string
}

func (b *bench) run(ctx context.Context, s set) (r result, err error) {
	dir := filepath.Join(b.temp, filepath.Base(s.name))
	root, out := filepath.Join(dir, "proto"), filepath.Join(dir, "gen")
	if err := b.fetch.stage(s, root); err != nil {
		return r, err
	}
	if r, err = b.count(ctx, root, s.known); err != nil {
		return r, err
	}
	start := time.Now()
	cmd := exec.CommandContext(ctx, b.gremlin, "generate", "--quiet", "--no-config", "-I", root,
		"-o", out, "--module", module)
	var text bytes.Buffer
	cmd.Stderr = &text
	r.peak, err = runMeasured(cmd)
	r.took, r.cpu = time.Since(start), cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()
	if err != nil {
		return r, fmt.Errorf("gremlin generate: %w\n%s", err, &text)
	}
	if r.lines, err = inspect(out); err != nil {
		return r, err
	}
	r.verdict = "ok"
	if r.files > vetFiles {
		n, err := newChecker(map[string]string{module: out,
			runtimePath: filepath.Join(b.repo, "gremlin")}).all(module)
		r.checked = fmt.Sprintf("types of %d packages", n)
		return r, err
	}
	r.checked = "build, vet"
	mod := fmt.Sprintf("module %s\n\ngo 1.25\n\nrequire %s v0.0.0\n\nreplace %[2]s => %s\n", module,
		runtimePath, filepath.Join(b.repo, "gremlin"))
	if err := os.WriteFile(filepath.Join(out, "go.mod"), []byte(mod), 0o666); err != nil {
		return r, err
	}
	for _, verb := range []string{"build", "vet"} {
		cmd := exec.CommandContext(ctx, "go", verb, "./...")
		cmd.Dir = out
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if text, err := cmd.CombinedOutput(); err != nil {
			return r, fmt.Errorf("go %s: %w\n%s", verb, err, text)
		}
	}
	return r, nil
}

// count compiles the set in this process, to leave out what protoc refuses and to count the rest.
func (b *bench) count(ctx context.Context, root string, known []string) (result, error) {
	c, refused, err := compile(ctx, root, b.protoc, known)
	if err != nil {
		return result{}, err
	}
	r := result{files: len(c.Files), refused: len(refused)}
	if c.Diagnostics.Errors() > 0 {
		var errs []error
		for _, d := range c.Diagnostics {
			if d.Severity == report.Error {
				errs = append(errs, d)
			}
		}
		return r, errors.Join(errs...)
	}
	r.add(c)
	return r, nil
}

func (r *result) add(c *driver.Compilation) {
	for _, f := range c.Schema.Files {
		if !f.Generate {
			continue
		}
		for m := range f.AllMessages() {
			r.messages++
			r.fields += len(m.Fields)
		}
		r.fields += countExtensions(f)
	}
}

func countExtensions(f *schema.File) int {
	n := 0
	for range f.AllExtensions() {
		n++
	}
	return n
}
