package compiler

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/octopus-framework/octopus/compiler/report"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/lower"
)

var update = flag.Bool("update", false,
	"rewrite the goldens; the run still fails, so that it is looked at")

// unpack writes the files of an archive to a folder.
func unpack(t testing.TB, a *txtar.Archive) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// compileAll compiles all files below a folder and fails the test where that gives an error.
func compileAll(t testing.TB, roots ...string) (*source.Set, []string, *Result) {
	t.Helper()
	src := source.New(roots...)
	files, err := src.All()
	if err != nil {
		t.Fatal(err)
	}
	res := Compile(t.Context(), Options{Sources: src, Files: files})
	if res.Diagnostics.Errors() > 0 {
		var b strings.Builder
		if err := (report.Text{Source: src.Text}).Write(&b, res.Diagnostics); err != nil {
			t.Error(err)
		}
		t.Fatal(b.String())
	}
	return src, files, res
}

// TestLower compares the schema of the .proto files in each archive with the dump beside them in
// want.schema.
func TestLower(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var want string
			if last := len(archive.Files) - 1; archive.Files[last].Name == "want.schema" {
				want = string(archive.Files[last].Data)
				archive.Files = archive.Files[:last]
			}
			_, files, res := compileAll(t, unpack(t, archive))
			var got strings.Builder
			for _, f := range files {
				got.WriteString(dump(res.Schema.File(f)))
			}
			if got.String() == want {
				return
			}
			t.Errorf("schema is\n%s", got.String())
			if *update {
				archive.Files = append(archive.Files,
					txtar.File{Name: "want.schema", Data: []byte(got.String())})
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestOwnCopyOfAWellKnownFileWins(t *testing.T) {
	dir := unpack(t, txtar.Parse([]byte(`
-- google/protobuf/timestamp.proto --
syntax = "proto3";
package google.protobuf;
message Timestamp { int64 own = 77; }
-- a.proto --
syntax = "proto3";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
message A { google.protobuf.Timestamp t = 1; google.protobuf.Duration d = 2; }
`)))
	res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
	if res.Diagnostics.Errors() > 0 {
		t.Fatal(res.Diagnostics)
	}
	a := res.Schema.File("a.proto").Messages[0]
	if own := a.Fields[0].Message.Fields[0]; own.Number != 77 {
		t.Errorf("the built-in timestamp.proto was taken: %s = %d", own.Name, own.Number)
	}
	for _, f := range a.Fields {
		if file := f.Message.File; !file.WellKnown || file.Generate {
			t.Errorf("%s: WellKnown %v, Generate %v", file.Path, file.WellKnown, file.Generate)
		}
	}
	var order []string
	for _, f := range res.Descriptors.File {
		order = append(order, f.GetName())
	}
	if s := strings.Join(order,
		" "); s != "google/protobuf/timestamp.proto google/protobuf/duration.proto a.proto" {
		t.Errorf("order of descriptors is %s", s)
	}
}

func TestInternalErrorNamesTheFile(t *testing.T) {
	u := &unit{path: "a.proto"}
	u.guard(func(*unit) { panic("boom") })
	if len(u.found) != 1 || u.found[0].File != "a.proto" ||
		u.found[0].Message != "internal compiler error: boom" || !u.broken {
		t.Errorf("got %+v", u)
	}
}

func TestCompileEndsWithItsContext(t *testing.T) {
	dir := unpack(t, txtar.Parse([]byte("-- a.proto --\nsyntax = \"proto3\";\n")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	res := Compile(ctx, Options{Sources: source.New(dir), Files: []string{"a.proto"}})
	if res.Schema != nil || res.Diagnostics.Errors() != 1 {
		t.Errorf("got %+v", res)
	}
}

// TestWideFile compiles declarations that are all in one line, and wrong ones: that must not take a
// time that grows with the square of their number.
func TestWideFile(t *testing.T) {
	const n = 10_000
	for name, c := range map[string]struct {
		declaration string
		errors      int
	}{
		"right": {"message M%d { optional int32 a = 1; }", 0},
		"wrong": {"message M%d { optional None a = 1; }", n},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("syntax = \"proto2\"; package p;")
			for i := range n {
				fmt.Fprintf(&b, c.declaration, i)
			}
			src := source.New(unpack(t,
				&txtar.Archive{Files: []txtar.File{{Name: "a.proto", Data: []byte(b.String())}}}))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			res := Compile(ctx, Options{Sources: src, Files: []string{"a.proto"}})
			if got := res.Diagnostics.Errors(); got != c.errors {
				t.Errorf("%d errors: %v", got, res.Diagnostics[0])
			}
			if err := (report.Text{Source: src.Text}).Write(io.Discard,
				res.Diagnostics); err != nil || ctx.Err() != nil {
				t.Errorf("%v, %v", err, ctx.Err())
			}
		})
	}
}

// TestNoPanicBehindAnError compiles what once led to a panic behind an error.
func TestNoPanicBehindAnError(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.proto"),
		[]byte("syntax = \"proto3\"; message A { option{ } }"), 0o666); err != nil {
		t.Fatal(err)
	}
	res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
	if res.Diagnostics.Errors() == 0 {
		t.Error("no error")
	}
	for _, d := range res.Diagnostics {
		if strings.Contains(d.Message, "internal") {
			t.Error(d)
		}
	}
}

// TestLatin1 compiles a file with comments and strings that are not UTF-8, which protoc accepts;
// elsewhere it is an error.
func TestLatin1(t *testing.T) {
	const text = "syntax = \"proto3\"; // M\xfcller\n/* M\xfcller\n\xff */ // Ren\xe9 \"\nmessage A {} // \xe9\nmessage B { option deprecated = true; /* ' */ }\n" +
		"option java_package = \"a\\\"/*\"; // \xe9\n"
	for in, ok := range map[string]bool{text: true, text + "message \xe9 {}": false,
		text + "option java_outer_classname = \"/*\xe9*/\";": true} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(in), 0o666); err != nil {
			t.Fatal(err)
		}
		res := Compile(t.Context(), Options{Sources: source.New(dir), Files: []string{"a.proto"}})
		if (res.Schema != nil) != ok {
			t.Errorf("%q: %v", in, res.Diagnostics)
		}
		if ok {
			if got := res.Schema.Files[0].Messages[0].Comment; got.Leading != " Ren\ufffd \"" {
				t.Errorf("comment %q", got)
			}
		}
	}
}

// FuzzCompile looks for input that panics, hangs or yields neither a schema nor an error.
func FuzzCompile(f *testing.F) {
	f.Add("syntax = \"proto3\"; message A { map<string, A> m = 1; oneof o { A a = 2; } }")
	f.Add("edition = \"2024\"; import option \"x\"; message A { int32 a = 1 [default = - - -1]; }")
	f.Add(
		"syntax = \"proto2\"; message A { optional group G = 1 { extensions 1 to max; } } extend A { }")
	f.Add("message A { option message_set_wire_format = true; extensions 4 to max; }")
	f.Add("import \"a.proto\"; enum E { A = 0x7fffffffffffffff; reserved \"\\xff\"; }")
	f.Fuzz(func(t *testing.T, in string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "a.proto"), []byte(in), 0o666); err != nil {
			t.Fatal(err)
		}
		src := source.New(dir)
		res := Compile(t.Context(), Options{Sources: src, Files: []string{"a.proto"}})
		if (res.Schema == nil) != (res.Diagnostics.Errors() > 0) {
			t.Errorf("schema %v, diagnostics %v", res.Schema, res.Diagnostics)
		}
		if err := (report.Text{Source: src.Text}).Write(new(strings.Builder),
			res.Diagnostics); err != nil {
			t.Error(err)
		}
	})
}

// TestOldDescriptorProto: a root may have a descriptor.proto from before protobuf 3. As with protoc
// there are the options that it has, and those of the language are what they are.
func TestOldDescriptorProto(t *testing.T) {
	const old = `syntax = "proto2";
package google.protobuf;
message FileOptions { optional string java_package = 1; extensions 1000 to max; }
`
	dir := unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "google/protobuf/descriptor.proto", Data: []byte(old)},
		{Name: "a.proto",
			Data: []byte("syntax = \"proto3\"; message A { int32 a = 1 [deprecated = true]; }")},
		{Name: "b.proto",
			Data: []byte(
				"syntax = \"proto2\"; import \"google/protobuf/descriptor.proto\"; extend google.protobuf.FileOptions { optional int32 b = 1000; } option (b) = 1;")},
	}})
	src := source.New(dir)
	files := []string{"a.proto", "b.proto"}
	res := Compile(t.Context(), Options{Sources: src, Files: files})
	if res.Schema == nil || len(res.Diagnostics) != 0 {
		t.Fatal(res.Diagnostics)
	}
	if protoc := ourProtoc(t); protoc != "" {
		want, said, err := describedByProtoc(t, protoc, []string{dir}, files...)
		if err != nil {
			t.Fatal(said)
		}
		compareDescriptors(t, res.Descriptors, want, func(string) bool { return true }, true)
	}
}

// TestCopyOfDescriptorProto: the options of a copy of descriptor.proto are those that the copy
// itself declares.
func TestCopyOfDescriptorProto(t *testing.T) {
	f, err := source.FromFS(nil).Open("google/protobuf/descriptor.proto")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(
		"optional .google.protobuf.Edition edition_introduced = 1;",
		"optional .google.protobuf.Edition edition_introduced = 1; optional string why = 9;",
		"EDITION_LEGACY = 900;", "EDITION_LEGACY = 900; EDITION_OWN = 950;",
		"edition: EDITION_LEGACY", "edition: EDITION_OWN",
		"edition_introduced: EDITION_2023",
		"edition_introduced: EDITION_OWN why: \"\"").Replace(f.Text)
	dir := unpack(t, &txtar.Archive{Files: []txtar.File{{Name: "mine/copy.proto",
		Data: []byte(text)}}})
	res := Compile(t.Context(), Options{Sources: source.New(dir),
		Files: []string{"mine/copy.proto"}})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	if protoc := ourProtoc(t); protoc != "" {
		want, said, err := describedByProtoc(t, protoc, []string{dir}, "mine/copy.proto")
		if err != nil {
			t.Fatal(said)
		}
		compareDescriptors(t, res.Descriptors, want, func(string) bool { return true }, false)
	}
}

// TestWellKnownFiles compares the files that come with the compiler with those that lowering takes
// for well-known, and their descriptors with those of the files that come with protoc.
func TestWellKnownFiles(t *testing.T) {
	files := append(source.WellKnown(), "google/protobuf/compiler/plugin.proto")
	for _, name := range files {
		if !lower.IsWellKnown(name) {
			t.Errorf("%s comes with the compiler and is not well-known", name)
		}
	}
	if len(files) != 15 || lower.IsWellKnown("google/protobuf/x.proto") {
		t.Errorf("%d files", len(files))
	}
	res := Compile(t.Context(), Options{Sources: source.FromFS(nil), Files: files})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	protoc := needProtoc(t)
	include := filepath.Join("..", ".tools", "include")
	files = slices.DeleteFunc(files, func(name string) bool {
		return !exists(filepath.Join(include, name))
	})
	if len(files) < 12 {
		t.Errorf("protoc comes with %d files", len(files))
	}
	want, said, err := describedByProtoc(t, protoc, []string{include}, files...)
	if err != nil {
		t.Fatal(said)
	}
	ours := map[string]*descriptorpb.FileDescriptorProto{}
	for _, f := range res.Descriptors.File {
		ours[f.GetName()] = f
	}
	got := &descriptorpb.FileDescriptorSet{}
	for _, f := range want.File {
		got.File = append(got.File, ours[f.GetName()])
	}
	compareDescriptors(t, got, want, func(string) bool { return true }, false)
}
