package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/wire"
	"github.com/octopus-framework/octopus/nerve/serve/internal/core"
)

// localErrors are those that the process of a consumer makes of its own, and no server.
var localErrors = map[string]bool{
	"AckError": true, "CheckError": true, "DecodeError": true, "ReadOnlyConsumerError": true,
}

// sampleErrors are all that cross a transport, with a path in every text, and causes
// of several forms.
func sampleErrors(path string) (list []error) {
	disk := &fs.PathError{Op: "create", Path: path, Err: syscall.ENOSPC}
	rename := &os.LinkError{Op: "rename", Old: path, New: path + ".new", Err: syscall.EIO}
	for _, cause := range []error{disk, rename, errors.Join(disk, rename),
		&nerve.IOError{Op: "create", Path: path, Err: disk}} {
		for _, e := range wire.Errors() {
			v := reflect.ValueOf(e).Elem()
			for i := range v.NumField() {
				switch f := v.Field(i); f.Type() {
				case reflect.TypeFor[string]():
					f.SetString("of " + path)
				case reflect.TypeFor[error]():
					f.Set(reflect.ValueOf(cause))
				}
			}
			list = append(list, e)
		}
	}
	return list
}

// errorTypes returns the names of all types of package nerve that are errors.
func errorTypes(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../../../*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("package nerve: %v, %v", files, err)
	}
	names := make(map[string]bool)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil || f.Name.Name != "Error" {
				continue
			}
			if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
				names[star.X.(*ast.Ident).Name] = true
			}
		}
	}
	return names
}

func nameOf(err error) string {
	if err == nil {
		return "nil"
	}
	return reflect.TypeOf(err).Elem().Name()
}

// TestErrorsSurvive sends every error of package nerve, also wrapped and joined,
// through what clients get errors by: the type stays, and the root's path is in none.
func TestErrorsSurvive(t *testing.T) {
	dir := t.TempDir()
	root, err := core.Open(dir, core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "orders", "1.seg.tmp")
	disk := &fs.PathError{Op: "open", Path: path, Err: syscall.EMFILE}
	missing := errorTypes(t)
	for name := range localErrors {
		if !missing[name] {
			t.Errorf("there is no %s", name)
		}
		delete(missing, name)
	}
	for _, e := range sampleErrors(path) {
		name := nameOf(e)
		delete(missing, name)
		for form, err := range map[string]error{
			"plain":   e,
			"wrapped": fmt.Errorf("of %s: %w", path, e),
			"joined":  errors.Join(e, disk),
			"second":  errors.Join(disk, errors.New("no reason"), fmt.Errorf("then: %w", e)),
		} {
			check := func(transport, text, got string) {
				t.Helper()
				if strings.Contains(text, dir) || got != name {
					t.Errorf("%s %s over %s is %s, %q", form, name, transport, got, text)
				}
			}
			public := root.Public(err)
			check("Public", fmt.Sprintf("%v %+v", public, public), nameOf(wire.Typed(public)))
			sent, bad := wire.ReadError(wire.AppendError(nil, public))
			if bad != nil {
				t.Errorf("%s: %v", name, bad)
			}
			check("frames", sent.Error(), nameOf(sent))
			w := httptest.NewRecorder()
			fail(w, public)
			var p problem
			if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
				t.Error(err)
			}
			check("HTTP", w.Body.String(), p.Type)
		}
	}
	for name := range missing {
		t.Errorf("%s is neither sent nor local", name)
	}
	// Without a type the path goes, and what it is stays.
	for _, err := range []error{disk, fmt.Errorf("x: %w", disk), errors.Join(disk, disk)} {
		public := root.Public(err)
		if strings.Contains(public.Error(), dir) || !errors.Is(public, syscall.EMFILE) {
			t.Errorf("%q", public)
		}
	}
	for _, err := range []error{nerve.ErrClosed, nerve.ErrReadOnly} {
		if public := root.Public(err); public != err { //nolint:errorlint // it is the same one
			t.Errorf("%v became %v", err, public)
		}
	}
}
