package suites

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const contrib = "github.com/open-telemetry/opentelemetry-collector-contrib/extension/storage"

// fromFilestorage are the tests of file_storage that say what any storage does, and what they call.
// The others look into bbolt.
var fromFilestorage = []string{
	"TestClientOperations", "TestClientBatchOperations", "TestWalk", "TestExtensionIntegrity",
	"TestClientHandlesSimpleCases", "TestTwoClientsWithDifferentNames",
	"TestComponentNameWithUnsafeCharacters", "TestGetClientErrorsOnDeletedDirectory",
	"newTestExtension", "newTestEntity",
}

// TestFilestorage runs tests of file_storage: a program takes them out of its sources, and the
// names of its types stand for ours.
func TestFilestorage(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module of others")
	}
	dir := copyModule(t, contrib+"/filestorage@v0.161.0")
	shim, err := os.ReadFile("testdata/filestorage.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	mapped := filepath.Join(dir, "mapped")
	if err := os.Mkdir(mapped, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(mapped, "shim_test.go"), shim, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"client_test.go", "extension_test.go"} {
		text := takeTests(t, filepath.Join(dir, name), fromFilestorage)
		if err := os.WriteFile(filepath.Join(mapped, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// after_close asks for the words of an error.
	out, err := run(dir, "go", "test", "-v", "-skip", "TestWalk/after_close", "./mapped")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	passed := regexp.MustCompile(`(?m)^ *--- PASS: (\S+)`).FindAllSubmatch(out, -1)
	if want := 17; len(passed) < want {
		t.Fatalf("%d tests passed, want %d\n%s", len(passed), want, out)
	}
	t.Logf("%d tests passed", len(passed))
}

// takeTests returns a file with the functions of that name alone. Subtests that look into the
// database are left out.
func takeTests(t *testing.T, name string, functions []string) []byte {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kept []ast.Decl
	used := map[string]bool{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !slices.Contains(functions, f.Name.Name) {
			continue
		}
		f.Body.List = slices.DeleteFunc(f.Body.List, func(s ast.Stmt) bool {
			return selects(s, "client", "db")
		})
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil { // no variable
					used[x.Name] = true
				}
			}
			return true
		})
		kept = append(kept, f)
	}
	imports := &ast.GenDecl{Tok: token.IMPORT, Lparen: 1}
	for _, spec := range file.Imports {
		from, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(from)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if used[name] {
			imports.Specs = append(imports.Specs, spec)
		}
	}
	file.Decls, file.Imports = append([]ast.Decl{imports}, kept...), nil
	var text bytes.Buffer
	if err := format.Node(&text, fset, file); err != nil {
		t.Fatal(err)
	}
	return []byte(strings.NewReplacer("package filestorage", "package mapped").
		Replace(text.String()))
}

// selects reports whether somewhere in n a field of a variable is named.
func selects(n ast.Node, variable, field string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == field {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == variable {
				found = true
			}
		}
		return !found
	})
	return found
}

// TestStoragetest compares nerve_storage with contrib's storage in memory, over random operations.
func TestStoragetest(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module of others")
	}
	dir := copyModule(t, contrib+"@v0.161.0")
	text, err := os.ReadFile("testdata/random_test.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "storagetest", "random_test.go"), text,
		0o666); err != nil {
		t.Fatal(err)
	}
	out, err := run(dir, "go", "test", "-v", "-run", "^TestRandom$", "./storagetest")
	if err != nil || !bytes.Contains(out, []byte("--- PASS: TestRandom")) {
		t.Fatalf("%v\n%s", err, out)
	}
}
