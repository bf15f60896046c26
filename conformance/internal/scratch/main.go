// Scratch builds a program with gremlin's code for schemas that are not part of this repository,
// and with the tests of package foreign that run on them.
//
//	go run ./internal/scratch official       testdata/scratch/official/foreign: the messages of the official conformance suite
//	go run ./internal/scratch corpora DIR    testdata/scratch/corpora/foreign: what DIR/manifest.json lists
//	go run ./internal/scratch some DIR       testdata/scratch/some/foreign: the same without what takes minutes to compile
//	go run ./internal/scratch random SEED    testdata/scratch/random/foreign: messages that nobody would think of
//	go run ./internal/scratch schemas DIR    testdata/scratch/schemas/foreign: all messages of the .proto files below DIR
//
// The messages of the conformance suite come from ../.tools/conformance (see runner.sh). The
// environment variable GREMLIN names the command that generates, "go run ./cmd/gremlin" in the
// repository by default.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	scratch  = "testdata/scratch"
	module   = "github.com/octopus-framework/octopus/conformance/" + scratch
	large    = "k8s" // the unit that most of the generated code is for
	included = "../.tools/conformance/include"
)

// unit is a set of files that is generated in one run.
type unit struct {
	name, root string
	files      []string // files that hold the types
	types      []string
	names      []goType
}

// goType is one registered message type.
type goType struct{ Name, Import, Reader string }

// goExtension finds the variables of extensions in generated code.
var goExtension = regexp.MustCompile(`(?m)^var (E_\w+) = `)

// extensions returns the variables of extensions in the code of a package below module.
func extensions(pkg string) (names []string, err error) {
	files, err := filepath.Glob(filepath.Join(scratch,
		filepath.FromSlash(strings.TrimPrefix(pkg, module)), "*.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range goExtension.FindAllSubmatch(text, -1) {
			names = append(names, string(m[1]))
		}
	}
	return names, err
}

func main() {
	var units []unit
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 1 && args[0] == "official":
		units, err = official()
	case len(args) == 2 && (args[0] == "corpora" || args[0] == "some"):
		units, err = corpora(args[1])
		if args[0] == "some" {
			units = slices.DeleteFunc(units, func(u unit) bool { return u.name == large })
		}
	case len(args) == 2 && args[0] == "random":
		units, err = random(args[1])
	case len(args) == 2 && args[0] == "schemas":
		units, err = schemasBelow(args[1])
	default:
		fmt.Fprintln(os.Stderr,
			"usage: scratch official | scratch corpora DIR | scratch some DIR | scratch random SEED | scratch schemas DIR")
		os.Exit(2)
	}
	if err == nil {
		err = build(os.Args[1], units)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "scratch:", err)
		os.Exit(1)
	}
}

// build generates the code of units and builds the program.
func build(name string, units []unit) error {
	dir := path.Join(scratch, name)
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for i := range units {
		if err := units[i].generate(name); err != nil {
			return fmt.Errorf("%s: %w", units[i].root, err)
		}
	}
	if err := writeMain(dir, units); err != nil {
		return err
	}
	return command(".", "go", "build", "-o", dir+"/foreign", "./"+dir)
}

// official returns the messages of the conformance suite, a unit each, because each has a Go
// package of its own.
func official() (units []unit, err error) {
	const p = "protobuf_test_messages."
	for i, u := range []struct{ file, typ string }{
		{"test_messages_proto2.proto", p + "proto2.TestAllTypesProto2"},
		{"test_messages_proto3.proto", p + "proto3.TestAllTypesProto3"},
		{"test_messages_edition2023.proto", p + "editions.TestAllTypesEdition2023"},
		{"test_messages_proto2_editions.proto", p + "editions.proto2.TestAllTypesProto2"},
		{"test_messages_proto3_editions.proto", p + "editions.proto3.TestAllTypesProto3"},
	} {
		file := "google/protobuf/" + u.file
		if _, err := os.Stat(filepath.Join(included, file)); err != nil {
			return nil, fmt.Errorf("%w; run runner.sh install", err)
		}
		units = append(units, unit{name: fmt.Sprint("m", i), root: included, files: []string{file},
			types: []string{u.typ}})
	}
	return units, nil
}

// corpora returns the schemas of a corpus as its manifest names them.
func corpora(dir string) (units []unit, err error) {
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return nil, err
	}
	var entries []struct{ Proto_root, Proto, Type string }
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, err
	}
	byRoot := map[string]*unit{}
	for _, e := range entries {
		u := byRoot[e.Proto_root]
		if u == nil {
			u = &unit{root: filepath.Join(dir, e.Proto_root)}
			byRoot[e.Proto_root] = u
		}
		files := []string{e.Proto}
		if strings.Contains(e.Proto, "*") {
			found, _ := filepath.Glob(filepath.Join(u.root, e.Proto))
			for i := range found {
				found[i], _ = filepath.Rel(u.root, found[i])
			}
			files = found
		}
		for _, f := range files {
			if !slices.Contains(u.files, f) {
				u.files = append(u.files, f)
			}
		}
		if !slices.Contains(u.types, e.Type) {
			u.types = append(u.types, e.Type)
		}
		if e.Type == "OSMPBF.BlobHeader" && !slices.Contains(u.types, "OSMPBF.Blob") {
			u.types = append(u.types, "OSMPBF.Blob") // which follows it in a file
		}
	}
	for root, u := range byRoot {
		u.name = strings.Map(func(r rune) rune {
			if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
				return r
			}
			return -1
		}, path.Base(root))
		units = append(units, *u)
	}
	slices.SortFunc(units, func(a, b unit) int { return strings.Compare(a.name, b.name) })
	return units, nil
}

// schemasBelow returns all .proto files below a folder as one unit.
func schemasBelow(dir string) ([]unit, error) {
	u := unit{name: "s", root: dir}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".proto" {
			rel, _ := filepath.Rel(dir, name)
			u.files = append(u.files, filepath.ToSlash(rel))
		}
		return err
	})
	return []unit{u}, err
}

// generate runs gremlin on the files of u and those they import, and finds the Go names of the
// types.
func (u *unit) generate(program string) error {
	gen := path.Join(program, "gen", u.name)
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(
		&protocompile.SourceResolver{ImportPaths: []string{u.root}})}
	files, err := c.Compile(context.Background(), u.files...)
	if err != nil {
		return err
	}
	var all []string
	var add func(f protoreflect.FileDescriptor)
	add = func(f protoreflect.FileDescriptor) {
		_, err := os.Stat(filepath.Join(u.root, f.Path()))
		if err != nil || slices.Contains(all, f.Path()) || slices.Contains(builtin, f.Path()) {
			return
		}
		all = append(all, f.Path())
		for i := range f.Imports().Len() {
			add(f.Imports().Get(i).FileDescriptor)
		}
	}
	for _, f := range files {
		add(f)
	}
	u.files = all
	if files, err = c.Compile(context.Background(), all...); err != nil {
		return err
	}
	if u.types == nil { // all of them
		for _, f := range files {
			for i := range f.Messages().Len() {
				u.types = append(u.types, string(f.Messages().Get(i).FullName()))
			}
		}
	}
	for _, typ := range u.types {
		d, err := files.AsResolver().FindDescriptorByName(protoreflect.FullName(typ))
		if err != nil {
			return fmt.Errorf("%s: %w", typ, err)
		}
		if _, ok := d.Parent().(protoreflect.FileDescriptor); !ok {
			return fmt.Errorf("%s is not at the top level", typ)
		}
		u.names = append(u.names, goType{Name: typ,
			Import: path.Join(module, gen, path.Dir(d.ParentFile().Path())),
			Reader: goName(string(d.Name())) + "Reader"})
	}
	root, err := filepath.Abs(u.root)
	if err != nil {
		return err
	}
	out, err := filepath.Abs(filepath.Join(scratch, filepath.FromSlash(gen)))
	if err != nil {
		return err
	}
	gremlin := os.Getenv("GREMLIN")
	if gremlin == "" {
		gremlin = "go run ./cmd/gremlin"
	}
	args := append(strings.Fields(gremlin), "generate", "--quiet", "--no-config", "--json", "-I",
		root, "-o", out, "--module", path.Join(module, gen))
	return command("..", args[0], append(args[1:], all...)...)
}

// goName is what a message at the top level is called in Go.
func goName(name string) string {
	return lowerWord.ReplaceAllStringFunc(name, func(w string) string {
		return strings.ToUpper(strings.TrimPrefix(w, "_"))
	})
}

var lowerWord = regexp.MustCompile(`(?:^|_|[0-9])[a-z]`)

// builtin are the files of google/protobuf that the compiler has itself.
var builtin = []string{"google/protobuf/any.proto", "google/protobuf/duration.proto",
	"google/protobuf/empty.proto",
	"google/protobuf/field_mask.proto", "google/protobuf/struct.proto",
	"google/protobuf/timestamp.proto",
	"google/protobuf/wrappers.proto"}

func command(where, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = where, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

// writeMain writes the program.
func writeMain(dir string, units []unit) error {
	var b, found bytes.Buffer
	aliases := map[string]string{}
	b.WriteString(
		"package main\n\nimport (\n\"reflect\"\n\n\"github.com/octopus-framework/octopus/conformance/internal/foreign\"\n" +
			"\"github.com/octopus-framework/octopus/gremlin\"\n")
	for _, u := range units {
		for _, t := range u.names {
			if aliases[t.Import] == "" {
				aliases[t.Import] = fmt.Sprint("p", len(aliases))
				fmt.Fprintf(&b, "%s %q\n", aliases[t.Import], t.Import)
			}
		}
	}
	b.WriteString(")\n\nfunc main() {\nforeign.Main([]foreign.Type{\n")
	for _, u := range units {
		root, err := filepath.Abs(u.root)
		if err != nil {
			return err
		}
		for _, t := range u.names {
			fmt.Fprintf(&b,
				"{Root: %q, Files: %#v, Name: %q, Reader: reflect.TypeFor[*%s.%s]()},\n",
				root, u.files, t.Name, aliases[t.Import], t.Reader)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(aliases)) {
		names, err := extensions(pkg)
		if err != nil {
			return err
		}
		for _, x := range names {
			fmt.Fprintf(&found, "&%s.%s,\n", aliases[pkg], x)
		}
	}
	b.WriteString("}, []gremlin.ExtensionType{\n" + found.String() + "})\n}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "main.go"), text, 0o644)
}
