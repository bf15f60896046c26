package main

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/plugin/host"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// protocFiles is what command lines of protoc are run on.
var protocFiles = map[string]string{
	"a.proto": `syntax = "proto2"; package a; import "sub/b.proto"; import "google/protobuf/descriptor.proto";
		// comment
		message M { optional b.B b = 1; optional string s = 2 [default = "x"]; repeated int32 p = 3 [packed = true];
		  optional group G = 4 { optional double d = 1; } extensions 100 to 200 [verification = UNVERIFIED]; }
		extend google.protobuf.MessageOptions { optional string src = 50001 [retention = RETENTION_SOURCE]; optional M m = 50000; }
		message O { option (src) = "gone"; option (m).s = "z"; option (m).b.x = 3; }`,
	"sub/b.proto": `syntax = "proto3"; package b;
		message B { int32 x = 1; repeated string s = 2; map<string, int32> m = 3; B c = 4; bytes b = 5; double d = 6;
		  float f = 7; bool o = 8; E e = 9; optional sint64 n = 10; oneof q { fixed32 r = 11; string t = 12; } }
		enum E { Z = 0; Y = 1; }`,
	"unused.proto":  `syntax = "proto3"; import "sub/b.proto";`,
	"bad.proto":     `syntax = "proto3"; message M { int32 x = 1; int32 y = 1; }`,
	"e.proto":       `edition = "2023"; message E { int32 x = 1; }`,
	"other/c.proto": `syntax = "proto3"; import "a.proto"; message C { a.M m = 1; }`,
	"flags.txt":     "-I.\n--good_out=out\na.proto\n",
	"text": `x: 3 s: "a\n\303\274" s: "b" m { key: "z" value: 1 } c { x: 1 c {} } b: "\xff\000" d: 1.5 f: -0.1
		o: true e: Y n: -5 t: "q"`,
	"wrong.text": `x: "text"`,
	"raw":        "\x08\x03\x12\x02hi\x1a\x02\x08\x01\x33\x08\x01\x34",
	"rubbish":    "\xff\xff\xff",
	"out/keep":   "",
}

// TestProtoc runs command lines of protoc, and compares exit codes, standard output and all files
// with those of protoc. What is said on standard error is worded otherwise. A line may have a file
// for standard input behind "<".
func TestProtoc(t *testing.T) {
	tools := mustAbs(t, "../../.tools")
	program := filepath.Join(tools, "bin", "protoc")
	if v, err := exec.Command(program, "--version").Output(); err != nil ||
		strings.TrimSpace(string(v)) != "libprotoc "+host.Version {
		oracle.Skip(t, "protoc", "protoc "+host.Version+" is not here; make tools installs it")
	}
	include := filepath.Join(tools, "include")
	for _, line := range []string{
		"-I. -o set a.proto",
		"-I. -o set --include_imports a.proto sub/b.proto",
		"-I. --include_source_info --descriptor_set_out=set a.proto unused.proto",
		"-I. -oset unused.proto a.proto",
		"-I. -oset a.proto a.proto",
		"-I. -o set --retain_options --include_imports --include_source_info a.proto",
		"--proto_path=sub -I . -o set b.proto sub/b.proto",
		"--proto_path sub:. -o set b.proto",
		"-Iq/r=sub -I. -o set q/r/b.proto",
		"-Inowhere -I. -o set a.proto",
		"-I. -o set ./a.proto ./sub/b.proto",
		"-I. -o set none.proto",
		"-I. -o set bad.proto",
		"-I. --fatal_warnings -o set unused.proto",
		"-Iother -o set a.proto",
		"-I. -o set -o set2 a.proto",
		"-I. -o",
		"a.proto",
		"-I. --unknown=x -o set a.proto",
		"-I. --nothing_opt=x -o set a.proto",
		"-I. --good_out=out a.proto",
		"-I. --good_out=x,y:out --good_opt=z a.proto sub/b.proto",
		"-I. --good_out out --good_opt z a.proto -o set",
		"-I. --good_out=nowhere a.proto",
		"-I. --bad_out=out a.proto",
		"-I. --good_out=out --bad_out=out a.proto",
		"-I. --good_out=out --good_out=out a.proto",
		"-I. --other_out=out a.proto",
		"-I. --plugin=protoc-gen-other=bin/protoc-gen-good --other_out=out a.proto",
		"-I. --plugin=bin/protoc-gen-good --good_out=out a.proto",
		"-I. --optional_out=out sub/b.proto",
		"-I. --optional_out=out e.proto",
		"-I. --optional_out=out unused.proto",
		"@flags.txt",
		"@none.txt",
		"-I. --good_out=out --dependency_out=deps a.proto",
		"-I. -o out/set --dependency_out=deps other/c.proto",
		"-I. -o ./set --good_out=./out --dependency_out=deps ./other/c.proto",
		"-I. -o set --dependency_out=deps a.proto sub/b.proto",
		"-I. --encode=b.B sub/b.proto < text",
		"-I. --encode=b.None sub/b.proto < text",
		"-I. --encode=b.B sub/b.proto < wrong.text",
		"-I. --encode b.B --decode b.B sub/b.proto < text",
		"-I. --decode=b.B sub/b.proto < raw",
		"-I. --decode=b.B sub/b.proto < rubbish",
		"-I. --decode=a.M a.proto < raw",
		"--decode_raw < raw",
		"--decode_raw < rubbish",
		"--decode_raw a.proto < raw",
		"--descriptor_set_in=all --good_out=out a.proto",
		"--descriptor_set_in=all -o set other/c.proto",
		"--descriptor_set_in=all --include_imports --include_source_info -o set other/c.proto a.proto",
		"--descriptor_set_in=all -o set none.proto",
		"--descriptor_set_in=some -o set a.proto",
		"--descriptor_set_in=some:all -o set --include_imports a.proto",
		"--descriptor_set_in=all --decode=b.B < raw",
		"--descriptor_set_in=all --dump_out=out a.proto other/c.proto",
		"-I. --dump_out=a,b:out --dump_opt=c --dump_opt=d unused.proto a.proto",
	} {
		t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
			line, stdin, _ := strings.Cut(line, " < ")
			args := strings.Fields(line)
			files := maps.Clone(protocFiles)
			files["bin/protoc-gen-dump"] = "#!/bin/sh\ncat > out/request\nprintf '\\020\\003'\n"
			files["bin/protoc-gen-optional"] = "#!/bin/sh\ncat >/dev/null\n"
			copied, err := os.ReadFile(filepath.Join(include, "google/protobuf/descriptor.proto"))
			if err != nil {
				t.Fatal(err)
			}
			files["google/protobuf/descriptor.proto"] = string(copied)
			type outcome struct {
				failed bool
				stdout string
				files  map[string]string
			}
			var said bytes.Buffer
			does := func(f func(in []byte, stdout *bytes.Buffer) bool) (o outcome) {
				pluginFolder(t, files)
				for set, args := range map[string][]string{
					"all":  {"--include_imports", "--include_source_info", "other/c.proto"},
					"some": {"a.proto"}} {
					c := exec.Command(program, append(args, "--retain_options", "-I.", "-o",
						set)...)
					if text, err := c.CombinedOutput(); err != nil {
						t.Fatalf("%v: %s", err, text)
					}
				}
				var in []byte
				if stdin != "" {
					in = []byte(protocFiles[stdin])
				}
				var stdout bytes.Buffer
				o.failed = f(in, &stdout)
				o.stdout, o.files = stdout.String(), contents(t)
				return o
			}
			want := does(func(in []byte, stdout *bytes.Buffer) bool {
				c := exec.Command(program, args...)
				c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(in), stdout, &said
				err := c.Run()
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					t.Fatal(err)
				}
				return err != nil
			})
			said.WriteString("---\n")
			got := does(func(in []byte, stdout *bytes.Buffer) bool {
				return run(t.Context(), append([]string{"protoc"}, args...), bytes.NewReader(in),
					stdout, &said) != 0
			})
			if got.failed != want.failed {
				t.Fatalf("failed: %v, protoc: %v\n%s", got.failed, want.failed, said.String())
			}
			if got.failed {
				return // protoc may have written a part
			}
			if got.stdout != want.stdout {
				t.Errorf("standard output is\n%q, protoc's is\n%q", got.stdout, want.stdout)
			}
			names := maps.Clone(got.files)
			maps.Copy(names, want.files)
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if got.files[name] != want.files[name] {
					t.Errorf("file %s is\n%q, protoc's is\n%q\n%s", name, got.files[name],
						want.files[name], said.String())
				}
			}
		})
	}
}

// contents returns the texts of all files in the working folder.
func contents(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name := range tree(t) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[name] = string(data)
	}
	return out
}
