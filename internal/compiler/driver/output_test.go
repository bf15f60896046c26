package driver

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octopus-framework/octopus/internal/compiler/backend"
	"github.com/octopus-framework/octopus/internal/compiler/golang"
)

// target makes native code.
var target = Target{Backends: backend.List{golang.Backend{}},
	Settings: backend.Settings{"module": {Text: "m"}}}

// listing returns the files and folders below dir, temporary ones included.
func listing(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		if name != dir {
			out = append(out, filepath.ToSlash(strings.TrimPrefix(name,
				dir+string(filepath.Separator))))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func put(t *testing.T, name, data string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
}

// write is an update of the folder dir with all texts; the first error ends it.
func write(dir string, texts []text) error {
	u := &update{out: dir}
	defer u.abandon()
	for _, t := range texts {
		if err := u.stage(t); err != nil {
			return err
		}
	}
	return u.commit()
}

func TestAFailedWriteLeavesTheFolderAsItWas(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.gremlin.go"), header+"old")
	put(t, filepath.Join(dir, "z"), "a file where a folder is wanted")
	err := write(dir, []text{
		{path: "a.gremlin.go", data: []byte("new")},
		{path: "new/deep/b.gremlin.go", data: []byte("new")},
		{path: "z/c.gremlin.go", data: []byte("new")},
	})
	if err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Fatalf("got %v", err)
	}
	if got := listing(t, dir); !slices.Equal(got, []string{"a.gremlin.go", "z"}) {
		t.Errorf("left behind: %v", got)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "a.gremlin.go")); string(data) != header+"old" {
		t.Errorf("the old file is now %q", data)
	}
}

func TestARenameThatFailsTellsWhatWasWritten(t *testing.T) {
	dir := t.TempDir()
	// a folder with the name of the second file
	put(t, filepath.Join(dir, "b.gremlin.go", "in-the-way"), "")
	err := write(dir, []text{{path: "a.gremlin.go", data: []byte("a")}, {path: "b.gremlin.go",
		data: []byte("b")},
		{path: "c.gremlin.go", data: []byte("c")}})
	if err == nil || !strings.HasSuffix(err.Error(), "written were: a.gremlin.go") {
		t.Errorf("got %v", err)
	}
	if got := listing(t, dir); !slices.Equal(got,
		[]string{"a.gremlin.go", "b.gremlin.go", "b.gremlin.go/in-the-way"}) {
		t.Errorf("the folder has %v", got)
	}
}

func TestUnchangedFilesAreNotTouched(t *testing.T) {
	dir, proto := t.TempDir(), t.TempDir()
	put(t, filepath.Join(proto, "p", "a.proto"), "syntax = \"proto3\"; package p; message A {}")
	job := Job{Input: Input{Roots: []string{proto}}, Target: target, Out: dir}
	if o := Generate(t.Context(), job, nil); o.Diagnostics.Errors() > 0 || len(o.Written) != 1 {
		t.Fatalf("%v %v", o.Written, o.Diagnostics)
	}
	name := filepath.Join(dir, "p", "a.gremlin.go")
	past := time.Unix(1, 0)
	if err := os.Chtimes(name, past, past); err != nil {
		t.Fatal(err)
	}
	o := Generate(t.Context(), job, nil)
	info, err := os.Stat(name)
	if err != nil || !info.ModTime().Equal(past) || !o.UpToDate() || len(o.Unchanged) != 1 {
		t.Errorf("touched at %v: %v %v", info.ModTime(), err, o)
	}
	put(t, filepath.Join(proto, "p", "a.proto"), "syntax = \"proto3\"; package p; message B {}")
	if o := Generate(t.Context(), job, nil); len(o.Written) != 1 {
		t.Errorf("a changed file was not written: %v", o)
	}
}

func TestForceOverwritesAForeignFile(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a.gremlin.go"), "package mine")
	texts := []text{{path: "a.gremlin.go", data: []byte(header)}, {path: "b.gremlin.go",
		data: []byte(header)}}
	u := &update{out: dir}
	if err := errors.Join(u.add(texts[0]), u.add(texts[1])); err == nil {
		t.Error("no error without force")
	}
	if got := listing(t, dir); !slices.Equal(got, []string{"a.gremlin.go"}) {
		t.Errorf("written in spite of the error: %v", got)
	}
	u = &update{out: dir, force: true}
	if err := errors.Join(u.add(texts[0]), u.add(texts[1]), u.commit()); err != nil ||
		len(u.changed) != 2 || len(u.missing) != 1 {
		t.Errorf("got %+v %v", u, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "a.gremlin.go")); string(data) != header {
		t.Errorf("the file is %q", data)
	}
}

// TestAFileThatIsNotOursStopsAllOfThem generates three files of which the last may not be
// overwritten.
func TestAFileThatIsNotOursStopsAllOfThem(t *testing.T) {
	dir, proto := t.TempDir(), t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		put(t, filepath.Join(proto, name, name+".proto"),
			"syntax = \"proto3\"; package "+name+"; message A {}")
	}
	put(t, filepath.Join(dir, "c", "c.gremlin.go"), "package mine")
	o := Generate(t.Context(), Job{Input: Input{Roots: []string{proto}},
		Target: target, Out: dir}, nil)
	if o.Diagnostics.Errors() != 1 || len(o.Written) != 0 {
		t.Errorf("written %v, %v", o.Written, o.Diagnostics)
	}
	if got := listing(t, dir); !slices.Equal(got, []string{"c", "c/c.gremlin.go"}) {
		t.Errorf("the folder has %v", got)
	}
}

func TestBareErrorsNameNoPath(t *testing.T) {
	_, err := os.Open(filepath.Join(t.TempDir(), "none"))
	if got := bare(err); !errors.Is(got, os.ErrNotExist) || strings.Contains(got.Error(), "none") {
		t.Errorf("got %v", got)
	}
}
