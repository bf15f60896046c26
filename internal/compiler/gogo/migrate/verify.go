package migrate

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/compiler/driver"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/migrate/sidebyside"
)

// VerifyOptions choose what is compared, and with what.
type VerifyOptions struct {
	Packages []string // folders in the tree; none means all
	Old      string   // folder of a copy of the module with the old code; "" means git's HEAD
	Data     string   // folder of captured messages: files in folders by full names of messages
	Rounds   int      // random values of each message
	Seed     int64
	// Change returns another text for a generated file: tests plant faults with it.
	Change func(file string, text []byte) []byte
}

// Verified is the result of a comparison.
type Verified struct {
	Packages    int                     `json:"packages"`
	Messages    int                     `json:"messages"`
	Values      int                     `json:"values"`
	Inputs      int                     `json:"inputs"`
	Differences []sidebyside.Difference `json:"differences"`
}

// The folders of the temporary program. They exist in an overlay only, below the package that is
// verified: what is internal to it is internal to them.
const (
	oldFolder     = "gremlinold"
	programFolder = "gremlinverify"
)

//go:embed sidebyside/sidebyside.go sidebyside/check.go sidebyside/differ.go sidebyside/fill.go
var sideBySide embed.FS

// Verify compares the old and the new code of packages.
func Verify(ctx context.Context, t *Tree, o VerifyOptions, progress *driver.Progress) (*Verified,
	error) {
	texts, err := t.texts(ctx, progress)
	if err != nil {
		return nil, err
	}
	if o.Change != nil {
		for name, text := range texts {
			texts[name] = o.Change(name, text)
		}
	}
	if o.Data != "" {
		if o.Data, err = filepath.Abs(o.Data); err != nil {
			return nil, err
		}
	}
	byDir := map[string][]string{}
	for name := range texts {
		byDir[path.Dir(name)] = append(byDir[path.Dir(name)], name)
	}
	dirs := slices.Sorted(maps.Keys(byDir))
	if len(o.Packages) > 0 {
		dirs = nil
		for _, p := range o.Packages {
			p = path.Clean(filepath.ToSlash(p))
			if byDir[p] == nil {
				return nil, fmt.Errorf("gremlin.yaml makes no code for the package %q", p)
			}
			dirs = append(dirs, p)
		}
	}
	defer progress.Start("comparing", len(dirs))()
	result := &Verified{Differences: []sidebyside.Difference{}}
	for _, dir := range dirs {
		if err := t.verify(ctx, dir, texts, o, result); err != nil {
			return nil, fmt.Errorf("package %s: %w", dir, err)
		}
		progress.Step()
	}
	return result, nil
}

// registration finds calls that only one of two copies of a package can make.
var registration = regexp.MustCompile(
	`(?:golang_)?proto\.Register(?:Enum|Type|MapType|File|Extension)` +
		`\((?:\([^)]*\)\([^)]*\)|[^()])*\)`)

// verify compares one package.
func (t *Tree) verify(ctx context.Context, dir string, texts map[string][]byte, o VerifyOptions,
	result *Verified) error {
	temp, err := os.MkdirTemp("", "gremlin-verify")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	over := &overlay{dir: temp}
	for name, text := range texts {
		if err := over.add(t.path(name), text); err != nil {
			return err
		}
	}
	messages, err := t.copyOld(ctx, over, dir, texts, o)
	if err != nil {
		return err
	}
	if len(messages) == 0 {
		return nil
	}
	if err := t.program(over, dir, messages, o); err != nil {
		return err
	}
	flag, err := over.write()
	if err != nil {
		return err
	}
	found, err := t.compareAPI(ctx, flag, dir)
	if err != nil {
		return err
	}
	program := filepath.Join(temp, "verify")
	if _, err := t.goTool(ctx, "build", flag, "-o", program,
		"./"+path.Join(dir, programFolder)); err != nil {
		if len(found) > 0 { // the API tells why
			result.Packages++
			result.Differences = append(result.Differences, found...)
			return nil
		}
		return err
	}
	out, err := run(ctx, temp, program)
	if err != nil {
		return err
	}
	var r sidebyside.Report
	out = bytes.TrimSpace(out)
	// What else the packages print, as gogo's registry does, comes before.
	if err := json.Unmarshal(out[bytes.LastIndexByte(out, '\n')+1:], &r); err != nil {
		return fmt.Errorf("the temporary program wrote no report: %w", err)
	}
	for i := range r.Differences {
		r.Differences[i].Package = dir
	}
	result.Packages++
	result.Messages += r.Messages
	result.Values += r.Values
	result.Inputs += r.Inputs
	result.Differences = append(append(result.Differences, found...), r.Differences...)
	return nil
}

// copyOld puts the old package into the overlay and returns the names of its messages. Its
// hand-written files are those of today, its generated ones what they were.
func (t *Tree) copyOld(ctx context.Context, over *overlay, dir string, texts map[string][]byte,
	o VerifyOptions) (messages map[string][]string, err error) {
	messages = map[string][]string{}
	entries, err := os.ReadDir(t.path(dir))
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[path.Join(dir, e.Name())] = true
	}
	for name := range texts {
		if path.Dir(name) == dir {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(t.path(name))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err != nil {
			return nil, err
		}
		_, generated := texts[name]
		if generated || isOurs(text) {
			if text, err = t.old(ctx, name, text, o.Old); err != nil {
				return nil, err
			}
			if text == nil {
				continue // there was none: a file that only ours has
			}
			g, err := readGenerated(name, text)
			if err != nil {
				return nil, err
			}
			maps.Copy(messages, g.messages())
			text = registration.ReplaceAll(text, nil)
		}
		target := filepath.Join(t.path(dir), oldFolder, path.Base(name))
		if err := over.add(target, text); err != nil {
			return nil, err
		}
	}
	return messages, nil
}

// old returns the text that a generated file had, nil if there was none.
func (t *Tree) old(ctx context.Context, name string, now []byte, folder string) ([]byte, error) {
	if folder != "" {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return text, err
	}
	if len(now) > 0 && !isOurs(now) {
		return now, nil // not replaced yet
	}
	text, err := t.committed(ctx, name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("the old code of %s is not in git's HEAD: name a copy with --old: %w",
			name, err)
	}
	if isOurs(text) {
		return nil, fmt.Errorf("%s in git's HEAD is gremlin's already: name a copy with --old", name)
	}
	return text, nil
}

// messages returns the types that have methods of messages, and the names of their generated
// methods.
func (g *generated) messages() map[string][]string {
	methods := map[string][]string{}
	for _, d := range g.ast.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Recv == nil || !f.Name.IsExported() {
			continue
		}
		receiver := f.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if id, ok := receiver.(*ast.Ident); ok && id.IsExported() {
			methods[id.Name] = append(methods[id.Name], f.Name.Name)
		}
	}
	maps.DeleteFunc(methods, func(_ string, names []string) bool {
		return !slices.Contains(names, "Reset")
	})
	return methods
}

// program writes the temporary program into the overlay.
func (t *Tree) program(over *overlay, dir string, messages map[string][]string,
	o VerifyOptions) error {
	base := path.Join(t.Module, dir)
	var pairs strings.Builder
	for _, m := range slices.Sorted(maps.Keys(messages)) {
		fmt.Fprintf(&pairs, "\t{Name: %q, Old: func() any { return &old.%[2]s{} }, "+
			"New: func() any { return &ours.%[2]s{} }, Methods: %#[3]v},\n", m, m, messages[m])
	}
	text := fmt.Sprintf(`package main

import (
	"fmt"
	"os"

	ours %q
	old %q
	"%s/sidebyside"
)

var pairs = []sidebyside.Pair{
%s}

func main() {
	o := sidebyside.Options{Seed: %d, Rounds: %d, Data: %q}
	if err := sidebyside.Run(os.Stdout, pairs, o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`, base, path.Join(base, oldFolder), path.Join(base, programFolder), &pairs, o.Seed, o.Rounds, o.Data)
	folder := filepath.Join(t.path(dir), programFolder)
	if err := over.add(filepath.Join(folder, "main.go"), []byte(text)); err != nil {
		return err
	}
	return fs.WalkDir(sideBySide, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := sideBySide.ReadFile(name)
		if err != nil {
			return err
		}
		return over.add(filepath.Join(folder, filepath.FromSlash(name)), text)
	})
}
