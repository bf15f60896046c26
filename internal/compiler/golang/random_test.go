package golang_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

var (
	seed = flag.Uint64("seed", 0,
		"the one schema that TestRandomSchemas makes; 0 stands for all of them")
	schemas = flag.Int("schemas", 100, "how many schemas TestRandomSchemas makes")
)

// TestRandomSchemas generates code for random schemas, whose names are those that generated code
// has uses of its own for, and type-checks it. A schema may be refused, with an error that says
// what to do; not all of them may be.
func TestRandomSchemas(t *testing.T) {
	imp := newImporter(t)
	first, last := uint64(1), uint64(*schemas)
	if testing.Short() {
		last = min(last, 20)
	}
	if *seed != 0 {
		first, last = *seed, *seed
	}
	generated := 0
	for s := first; s <= last; s++ {
		if checkRandomSchema(t, s, imp) {
			generated++
		}
	}
	if *seed == 0 && generated < int(last)/2 {
		t.Errorf("code was generated for %d of %d schemas only", generated, last)
	}
	t.Logf("code was generated for %d of %d schemas", generated, last-first+1)
}

// checkRandomSchema tells whether code was generated.
func checkRandomSchema(t *testing.T, seed uint64, imp *genImporter) bool {
	r := rand.New(rand.NewPCG(seed, 17))
	files := randomSchema(r)
	packages := map[string]string{}
	for _, f := range files {
		if r.IntN(8) == 0 {
			packages[f.path] = path.Join("example.com/gen", folders[r.IntN(len(folders))])
		}
	}
	fail := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s\nreplay with: go test ./internal/compiler/golang -run TestRandomSchemas -seed %d",
			fmt.Sprintf(format, args...), seed)
		if testing.Verbose() {
			for _, f := range files {
				t.Logf("-- %s --\n%s", f.path, f.text.String())
			}
		}
	}
	dir := t.TempDir()
	var names []string
	for _, f := range files {
		name := filepath.Join(dir, f.path)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		names = append(names, f.path)
	}
	res := compiler.Compile(context.Background(),
		compiler.Options{Sources: source.New(dir), Files: names})
	if res.Schema == nil {
		fail("the schema does not compile: %v", res.Diagnostics[0])
		return false
	}
	g, found := golang.New(res.Schema, golang.Options{
		Module: "example.com/gen", GoPackage: packages, JSON: true, PointerLists: seed%2 == 0,
		GRPC: true, GRPCMessages: seed%3 == 0,
		Connect: true, ConnectMessages: seed%5 == 0,
	})
	if g != nil {
		found = append(found, g.CheckPlaces()...)
	}
	for _, d := range found {
		if d.Severity == report.Error && d.Hint == "" {
			fail("an error without a hint: %v", d)
		}
	}
	if report.List(found).Errors() > 0 {
		return false
	}
	imp.reset()
	for _, o := range g.Outputs() {
		text, err := g.Generate(o)
		if err != nil {
			fail("%s: %v", o.Path, err)
			return false
		}
		if want, err := format.Source(text); err != nil || !bytes.Equal(text, want) {
			fail("%s is not as gofmt would have it (%v): %s", o.Path, err,
				firstDifference(text, want))
		}
		importPath := path.Join("example.com/gen", path.Dir(o.Path))
		f, err := parser.ParseFile(imp.fset, o.Path, text, parser.SkipObjectResolution)
		if err != nil {
			fail("%v", err)
			return false
		}
		imp.files[importPath] = append(imp.files[importPath], f)
	}
	for importPath := range imp.files {
		if _, err := imp.Import(importPath); err != nil {
			fail("%v", err)
			return true
		}
	}
	return true
}

// genImporter type-checks generated packages, and takes those that they need of the runtime from
// the compiler.
type genImporter struct {
	fset   *token.FileSet
	known  types.Importer
	files  map[string][]*ast.File
	passed map[string]*types.Package
}

func newImporter(t *testing.T) *genImporter {
	t.Helper()
	const runtime = "github.com/octopus-framework/octopus/gremlin"
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		runtime+"/...", runtime+"/gremlingrpc", runtime+"/gremlingrpc/contract1",
		runtime+"/gremlinconnect", runtime+"/gremlinconnect/contract1")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) == 2 {
			exports[words[0]] = words[1]
		}
	}
	imp := &genImporter{}
	imp.reset()
	imp.known = importer.ForCompiler(token.NewFileSet(),
		"gc", func(p string) (io.ReadCloser, error) {
			if exports[p] == "" {
				return nil, fmt.Errorf("generated code imports %q", p)
			}
			return os.Open(exports[p])
		})
	return imp
}

func (imp *genImporter) reset() {
	imp.fset, imp.files, imp.passed = token.NewFileSet(), map[string][]*ast.File{},
		map[string]*types.Package{}
}

// Import implements types.Importer.
func (imp *genImporter) Import(importPath string) (*types.Package, error) {
	files, ours := imp.files[importPath]
	if !ours {
		return imp.known.Import(importPath)
	}
	if p := imp.passed[importPath]; p != nil {
		return p, nil
	}
	p, err := (&types.Config{Importer: imp}).Check(importPath, imp.fset, files, nil)
	imp.passed[importPath] = p
	return p, err
}

// The words that names are made of: what Go, the runtime and generated code use, and what is one in
// camel case.
var (
	typeWords = strings.Fields(
		"A B A_B AB a_b String Error Message Reader AReader NewAReader A_Reader M Get Json Gremlin Rt " +
			"Table tableOfA noA Timestamp Iter Seq E_A Any Type type func string nil int32 map range Unknown A_case _A Info " +
			"A_info A_name A_value Empty EmptyReader isA_O jsonOfA entryOfA A_JSONToWire Default_A_X B_X OReader")
	fieldWords = strings.Fields(
		"x X_1 x1 _x x_y X_Y string reset marshal unmarshal check_encoding validate size clone equal " +
			"get get_x has_x len_x append_x lookup_x which_o x_into raw err detach to_message type func range nil error len m b r " +
			"d e n off dst text unknown proto_message descriptor marshal_json append_json unmarshal_json gremlin_table value key " +
			"gremlin_append gremlin_decode a A_B or log_value format rt json iter gremlin o p get_string append_text " +
			"unmarshal_text x_ x__ X case default_x item i k v u w list init main true")
	oneofWords = strings.Fields("o O_O kind payload x_case which case get unknown value a_b string")
	enumWords  = strings.Fields(
		"UNSPECIFIED name value info A B X x String _ZERO A_B a nil O case O_case")
	folders = []string{"", "a", "rt", "json", "gremlin", "iter", "a/b", "type", "main", "string",
		"wkt", "a/json", "slices"}
	goNames = []string{"", "", "", ";rt", ";json", ";iter", ";string", ";gremlin", ";m", ";wkt",
		"x/y;len", "x/z", ";init"}
	scalars = strings.Fields(
		"int32 int64 uint32 uint64 sint32 sint64 fixed32 fixed64 sfixed32 sfixed64 " +
			"bool string bytes float double")
	keys      = strings.Fields("int32 int64 uint32 sint64 fixed32 bool string")
	wellKnown = strings.Fields("Timestamp Duration Any Struct Value Empty StringValue FieldMask")
)

// protoFile is a file of a random schema.
type protoFile struct {
	path, pkg string
	syntax    int // 2, 3 or 2023
	imports   []*protoFile
	text      bytes.Buffer
	messages  []string // full names
	enums     []string
}

// schemaMaker makes random schemas that compile.
type schemaMaker struct {
	*rand.Rand
	f      *protoFile
	scopes map[string]map[string]bool // names in use, by the full name of what is around
	long   string                     // behind some names
}

func randomSchema(r *rand.Rand) (files []*protoFile) {
	s := &schemaMaker{Rand: r, scopes: map[string]map[string]bool{}}
	if r.IntN(3) == 0 {
		s.long = strings.Repeat("_long", 1+r.IntN(30))
	}
	for i := range 1 + r.IntN(5) {
		f := &protoFile{
			path:   path.Join(folders[r.IntN(len(folders))], fmt.Sprintf("f%d.proto", i)),
			pkg:    fmt.Sprintf("p%d", r.IntN(3)),
			syntax: []int{2, 3, 2023}[r.IntN(3)],
		}
		for _, other := range files {
			// A folder later in the list imports only those before it, so that packages are in no
			// circle.
			if slices.Index(folders, dirOf(other)) <= slices.Index(folders, dirOf(f)) {
				f.imports = append(f.imports, other)
			}
		}
		s.f = f
		s.file(goNames[r.IntN(len(goNames))])
		files = append(files, f)
	}
	return files
}

func dirOf(f *protoFile) string { return strings.Trim(path.Dir(f.path), ".") }

func (s *schemaMaker) p(format string, args ...any) { fmt.Fprintf(&s.f.text, format+"\n", args...) }

func (s *schemaMaker) chance(of int) bool { return s.IntN(of) == 0 }

// name returns one of words that is not in use in a scope, not even in other case or without
// underscores.
func (s *schemaMaker) name(words []string, scope string) string {
	used := s.scopes[scope]
	if used == nil {
		used = map[string]bool{}
		s.scopes[scope] = used
	}
	for i := 0; ; i++ {
		name := words[s.IntN(len(words))]
		if s.long != "" && s.chance(3) {
			name += s.long
		}
		if i > 20 {
			name = fmt.Sprintf("%s%d", strings.TrimRight(name, "_"), i)
		}
		if key := oneCase(name); !used[key] {
			used[key] = true
			return name
		}
	}
}

func oneCase(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

func (s *schemaMaker) file(goPackage string) {
	if s.f.syntax == 2023 {
		s.p(`edition = "2023";`)
	} else {
		s.p(`syntax = "proto%d";`, s.f.syntax)
	}
	s.p("package %s;", s.f.pkg)
	for _, other := range s.f.imports {
		s.p("import %q;", other.path)
	}
	for _, w := range []string{"timestamp", "duration", "any", "struct", "empty", "wrappers",
		"field_mask"} {
		s.p(`import "google/protobuf/%s.proto";`, w)
	}
	if goPackage != "" {
		s.p("option go_package = %q;", goPackage)
	}
	for range s.IntN(4) {
		if s.chance(3) {
			s.enum(s.f.pkg)
		}
		s.message(s.f.pkg, 0)
	}
	if s.f.syntax != 3 && s.chance(2) {
		s.extensions()
	}
	if s.chance(3) {
		s.service()
	}
}

func (s *schemaMaker) enum(scope string) {
	name := s.name(typeWords, scope)
	s.p("enum %s {", name)
	// Values are compared without the name of the enum.
	words := slices.DeleteFunc(slices.Clone(enumWords), func(w string) bool {
		return strings.HasPrefix(oneCase(w), oneCase(name))
	})
	for i := range 1 + s.IntN(3) {
		s.p("%s = %d;", s.name(words, scope), i)
	}
	s.p("}")
	s.f.enums = append(s.f.enums, scope+"."+name)
}

func (s *schemaMaker) message(scope string, depth int) {
	name := s.name(typeWords, scope)
	full := scope + "." + name
	s.p("message %s {", name)
	s.f.messages = append(s.f.messages, full)
	if depth < 3 {
		for range s.IntN(3) {
			s.message(full, depth+1)
		}
		if s.chance(2) {
			s.enum(full)
		}
	}
	number := 0
	next := func() int { number++; return number }
	for range s.IntN(7) {
		s.field(full, next())
	}
	for range s.IntN(2) {
		s.p("oneof %s {", s.name(oneofWords, full))
		for range 1 + s.IntN(3) {
			typ, _ := s.fieldType()
			s.p("%s %s = %d;", typ, s.name(fieldWords, full), next())
		}
		s.p("}")
	}
	if s.f.syntax == 2 && s.chance(3) {
		s.p("extensions 1000 to 2000;")
	}
	s.p("}")
}

func (s *schemaMaker) field(scope string, number int) {
	typ, isEnum := s.fieldType()
	name := s.name(fieldWords, scope)
	switch s.IntN(4) {
	case 0:
		s.p("repeated %s %s = %d;", typ, name, number)
	case 1:
		s.p("map<%s, %s> %s = %d;", keys[s.IntN(len(keys))], typ, name, number)
	default:
		label, option := "", ""
		switch {
		case s.f.syntax == 2:
			label = []string{"optional ", "optional ", "required "}[s.IntN(3)]
		case s.f.syntax == 3 && s.chance(2):
			label = "optional "
		}
		if def := map[string]string{"int32": "-3", "string": `"a\"b"`, "bytes": `"\x00\xff"`,
			"double": "nan",
			"float":  "-inf", "bool": "true",
			"uint64": "18446744073709551615"}[typ]; s.f.syntax != 3 && s.chance(2) && def != "" &&
			!isEnum {
			option = " [default = " + def + "]"
		}
		s.p("%s%s %s = %d%s;", label, typ, name, number, option)
	}
}

// fieldType returns a type that a field of the file may have.
func (s *schemaMaker) fieldType() (name string, isEnum bool) {
	from := s.f
	if n := len(s.f.imports); n > 0 && s.chance(2) {
		from = s.f.imports[s.IntN(n)]
	}
	switch {
	case s.chance(3) && len(from.messages) > 0:
		return "." + from.messages[s.IntN(len(from.messages))], false
	case s.chance(4) && len(from.enums) > 0 && (s.f.syntax == from.syntax || s.f.syntax != 3):
		return "." + from.enums[s.IntN(len(from.enums))], true
	case s.chance(5):
		return ".google.protobuf." + wellKnown[s.IntN(len(wellKnown))], false
	}
	return scalars[s.IntN(len(scalars))], false
}

func (s *schemaMaker) service() {
	name := s.name(typeWords, s.f.pkg)
	s.p("service %s {", name)
	for range s.IntN(4) {
		s.p("rpc %s(%s%s) returns (%s%s);", s.name(typeWords, s.f.pkg+"."+name),
			s.stream(), s.anyMessage(), s.stream(), s.anyMessage())
	}
	s.p("}")
}

func (s *schemaMaker) stream() string { return []string{"", "stream "}[s.IntN(2)] }

func (s *schemaMaker) anyMessage() string {
	if n := len(s.f.messages); n > 0 && s.chance(2) {
		return "." + s.f.messages[s.IntN(n)]
	}
	return ".google.protobuf." + wellKnown[s.IntN(len(wellKnown))]
}

// extensions extends a message that has room for extensions, if there is one.
func (s *schemaMaker) extensions() {
	room := "Room" + strings.TrimSuffix(path.Base(s.f.path), ".proto")
	if s.f.syntax == 2 {
		s.p("message %s { extensions 1 to 100; }", room)
	} else {
		s.p("message %s { extensions 1 to 100; reserved 200; }", room)
	}
	label := map[int]string{2: "optional "}[s.f.syntax]
	s.p("extend %s {", room)
	for i := range 1 + s.IntN(4) {
		typ, _ := s.fieldType()
		l := label
		if s.chance(3) {
			l = "repeated "
		}
		s.p("%s%s %s = %d;", l, typ, s.name(fieldWords, s.f.pkg), i+1)
	}
	s.p("}")
}
