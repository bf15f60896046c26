package compiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/octopus-framework/octopus/compiler/source"
)

// memory returns sources with the given files, name and text in turns.
func memory(files ...string) *source.Set {
	s := source.FromFS(nil)
	for i := 0; i < len(files); i += 2 {
		s.Put(files[i], files[i+1])
	}
	return s
}

const head = `syntax = "proto3"; package p; `

// TestSessionCompilesWhatChanged looks at which descriptors are new after changes.
func TestSessionCompilesWhatChanged(t *testing.T) {
	src := memory(
		"a.proto", head+`message A {}`,
		"b.proto", head+`import "a.proto"; message B { A a = 1; }`,
		"c.proto", head+`import "b.proto"; message C { B b = 1; }`,
		"d.proto", head+`message D {}`)
	s := NewSession(src)
	before := map[string]any{}
	compile := func(want ...string) *Result {
		t.Helper()
		files, err := src.All()
		if err != nil {
			t.Fatal(err)
		}
		res := s.Compile(t.Context(), Options{Files: files})
		if res.Schema == nil {
			t.Fatal(res.Diagnostics)
		}
		var changed []string
		for _, f := range res.Descriptors.File {
			if before[f.GetName()] != f {
				changed = append(changed, f.GetName())
			}
			before[f.GetName()] = f
		}
		slices.Sort(changed)
		if !slices.Equal(changed, want) {
			t.Errorf("%q were compiled, want %q", changed, want)
		}
		all := Compile(t.Context(), Options{Sources: src, Files: files})
		if !proto.Equal(all.Descriptors, res.Descriptors) {
			t.Errorf("descriptors are\n%v\nwant\n%v", res.Descriptors, all.Descriptors)
		}
		return res
	}
	compile("a.proto", "b.proto", "c.proto", "d.proto")
	compile()
	src.Put("d.proto", head+`message D { int32 d = 1; }`)
	compile("d.proto")
	src.Put("b.proto", head+`import "a.proto"; message B { A a = 2; }`)
	compile("b.proto", "c.proto")
	src.Put("a.proto", head+`message A { int32 a = 1; }`)
	compile("a.proto", "b.proto", "c.proto")
	src.Put("e.proto", head+`import "c.proto"; message E { C c = 1; }`)
	compile("e.proto")
	src.Remove("e.proto")
	compile()
	// A name moves from one file to another.
	src.Put("d.proto", head+`message X {}`)
	src.Put("a.proto", head+`message A {} message D {}`)
	compile("a.proto", "b.proto", "c.proto", "d.proto")
}

// TestSessionTellsErrorsAgain: what is wrong is told in each run, until it is right.
func TestSessionTellsErrorsAgain(t *testing.T) {
	src := memory(
		"a.proto", head+`message A {}`,
		"b.proto", head+`import "a.proto"; message B { A a = 1; int32 old = 2 [deprecated = tru]; }`)
	s := NewSession(src)
	files := []string{"a.proto", "b.proto"}
	for i, step := range []struct {
		file, text string
		want       string // part of the only error, "" for none
	}{
		{"", "", "deprecated"},
		{"", "", "deprecated"},
		{"b.proto", head + `import "a.proto"; message B { A a = 1; }`, ""},
		{"a.proto", head + `message AA {}`, `"A"`},
		{"a.proto", head + `message A { `, "ends"},
		{"a.proto", head + `message A { int32 a = 1; }`, ""},
		{"c.proto", head + `message B { }`, ""}, // nobody asks for it
		{"b.proto", head + `message A { }`, "twice"},
		{"a.proto", head + `message AA { }`, ""},
	} {
		if step.file != "" {
			src.Put(step.file, step.text)
		}
		res := s.Compile(t.Context(), Options{Files: files})
		got := res.Diagnostics.Errors()
		if step.want == "" && got != 0 || step.want != "" && (got != 1 ||
			!strings.Contains(res.Diagnostics[0].Message, step.want)) {
			t.Errorf("step %d: %v", i, res.Diagnostics)
		}
	}
	// An import that was not there appears.
	src.Put("b.proto", head+`import "new.proto"; message B { New n = 1; }`)
	if res := s.Compile(t.Context(), Options{Files: files}); res.Diagnostics.Errors() != 1 {
		t.Errorf("without the import: %v", res.Diagnostics)
	}
	src.Put("new.proto", head+`message New { }`)
	if res := s.Compile(t.Context(), Options{Files: files}); res.Schema == nil {
		t.Errorf("with the import: %v", res.Diagnostics)
	}
}

// TestSessionOnDisk: Refresh notices what has changed in files, and roots that come to have them.
func TestSessionOnDisk(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		// Clocks of file systems may be coarse.
		later := time.Now().Add(time.Duration(len(text)) * time.Second)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
	}
	write("a.proto", head+`message A {}`)
	src := source.New(dir)
	s := NewSession(src)
	fields := func() string {
		t.Helper()
		src.Refresh()
		res := s.Compile(t.Context(), Options{Files: []string{"a.proto"}})
		if res.Schema == nil {
			return fmt.Sprint(res.Diagnostics)
		}
		return fmt.Sprint(len(res.Schema.File("a.proto").Messages[0].Fields))
	}
	if got := fields(); got != "0" {
		t.Error(got)
	}
	write("a.proto", head+`message A { int32 a = 1; }`)
	if got := fields(); got != "1" {
		t.Error(got)
	}
	const own = `import "google/protobuf/empty.proto"; message A { google.protobuf.Empty e = 1; }`
	write("a.proto", head+own)
	if got := fields(); got != "1" {
		t.Error(got)
	}
	write("google/protobuf/empty.proto", `syntax = "proto3"; package other; message Empty {}`)
	if got := fields(); !strings.Contains(got, "google.protobuf.Empty") {
		t.Error(got)
	}
	if err := os.Remove(filepath.Join(dir, "a.proto")); err != nil {
		t.Fatal(err)
	}
	if got := fields(); !strings.Contains(got, "does not exist") {
		t.Error(got)
	}
}

func TestSessionGoesOnAfterItWasStopped(t *testing.T) {
	s := NewSession(memory("a.proto", head+`message A {}`))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if res := s.Compile(ctx, Options{Files: []string{"a.proto"}}); res.Diagnostics.Errors() != 1 {
		t.Errorf("stopped: %v", res.Diagnostics)
	}
	if res := s.Compile(t.Context(), Options{Files: []string{"a.proto"}}); res.Schema == nil {
		t.Errorf("again: %v", res.Diagnostics)
	}
}

func TestCompileFromAFileSystem(t *testing.T) {
	fsys := fstest.MapFS{
		"p/a.proto":  {Data: []byte(head + `import "p/b.proto"; message A { B b = 1; }`)},
		"p/b.proto":  {Data: []byte(head + `message B {}`)},
		".x/c.proto": {Data: []byte("not asked for")},
		"d.txt":      {Data: []byte("neither")},
	}
	src := source.FromFS(fsys)
	files, err := src.All()
	if err != nil || !slices.Equal(files, []string{"p/a.proto", "p/b.proto"}) {
		t.Fatalf("%q, %v", files, err)
	}
	res := Compile(t.Context(), Options{Sources: src, Files: files})
	if res.Schema == nil || len(res.Descriptors.File) != 2 {
		t.Fatal(res.Diagnostics)
	}
	fsys["p/b.proto"].Data = []byte(head)
	res = Compile(t.Context(), Options{Sources: source.FromFS(fsys), Files: files})
	if len(res.Diagnostics) == 0 || res.Diagnostics[0].File != "p/a.proto" {
		t.Error(res.Diagnostics)
	}
	res = Compile(t.Context(), Options{Sources: source.FromFS(fsys), Files: []string{"none.proto"}})
	if len(res.Diagnostics) != 1 || !strings.Contains(res.Diagnostics[0].Message, "not exist") {
		t.Error(res.Diagnostics)
	}
}

// TestEdges compares verdicts and descriptors with protoc's where only one of several files is
// asked for, or has a name that is not UTF-8.
func TestEdges(t *testing.T) {
	protoc := needProtoc(t)
	for name, files := range map[string][]string{
		"an import path that is not UTF-8": {
			"b\xff.proto", head + `message B {}`,
			"a.proto", head + `import "b\xff.proto"; message A { B b = 1; }`},
		"an item of a message set in braces and by name": {
			"a.proto", `syntax = "proto2"; import "google/protobuf/descriptor.proto";
			message S { option message_set_wire_format = true; extensions 4 to max; }
			message R { required int32 a = 1; optional int32 b = 2;
				extend S { optional R r = 5; } }
			extend google.protobuf.FileOptions { optional S s = 50000; }
			option (s).(R.r) = {a: 1}; option (s).(R.r).b = 2;`},
		"beside a broken descriptor.proto": {
			"google/protobuf/descriptor.proto", `syntax = "proto2"; message FileOptions {`,
			"a.proto", head + `message A { int32 a = 1 [deprecated = true]; }`},
		"an option that an old descriptor.proto lacks": {
			"google/protobuf/descriptor.proto", `syntax = "proto2"; package google.protobuf;
			message FileOptions { optional string java_package = 1; extensions 1000 to max; }`,
			"a.proto", `syntax = "proto2"; import "google/protobuf/descriptor.proto";
			option deprecated = true;`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for i := 0; i < len(files); i += 2 {
				path := filepath.Join(dir, files[i])
				if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(files[i+1]), 0o666); err != nil {
					t.Skip("no such file names here:", err)
				}
			}
			res := Compile(t.Context(), Options{Sources: source.New(dir),
				Files: []string{"a.proto"}})
			want, said, err := describedByProtoc(t, protoc,
				[]string{dir, filepath.Join("..", ".tools", "include")}, "a.proto")
			if (err == nil) != (res.Schema != nil) {
				t.Fatalf("%v, protoc says %v: %s", res.Diagnostics, err, said)
			}
			if err == nil {
				compareDescriptors(t, res.Descriptors, want, func(path string) bool {
					return !source.IsWellKnown(path)
				}, true)
			}
		})
	}
}
