package host_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/plugin/host"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// variable makes the program of the tests a plugin, which does what the variable says.
const variable = "GREMLIN_TEST_PLUGIN"

func TestMain(m *testing.M) {
	if does := os.Getenv(variable); does != "" {
		plugin(does)
		return
	}
	os.Exit(m.Run())
}

// plugin reads a request. "write FILE" keeps it; another first word is the parameter that the
// request may name another deed by.
func plugin(does string) {
	request, err := io.ReadAll(os.Stdin)
	if err != nil {
		panic(err)
	}
	r := &pluginpb.CodeGeneratorResponse{SupportedFeatures: proto.Uint64(3),
		MinimumEdition: proto.Int32(0), MaximumEdition: proto.Int32(99999)}
	if file, ok := strings.CutPrefix(does, "write "); ok {
		if err := os.WriteFile(file, request, 0o666); err != nil {
			panic(err)
		}
	} else {
		req := &pluginpb.CodeGeneratorRequest{}
		if err := proto.Unmarshal(request, req); err != nil {
			panic(err)
		}
		answer(req, r)
	}
	out, err := proto.Marshal(r)
	if err != nil {
		panic(err)
	}
	os.Stdout.Write(out)
}

// answer does what the parameter says: parts with semicolons between.
func answer(req *pluginpb.CodeGeneratorRequest, r *pluginpb.CodeGeneratorResponse) {
	for _, part := range strings.Split(req.GetParameter(), ";") {
		word, rest, _ := strings.Cut(part, " ")
		switch word {
		case "file": // file NAME TEXT
			name, text, _ := strings.Cut(rest, " ")
			r.File = append(r.File, &pluginpb.CodeGeneratorResponse_File{Name: &name,
				Content: &text})
		case "more": // more TEXT
			r.File = append(r.File, &pluginpb.CodeGeneratorResponse_File{Content: &rest})
		case "insert": // insert NAME POINT TEXT
			name, rest, _ := strings.Cut(rest, " ")
			point, text, _ := strings.Cut(rest, " ")
			r.File = append(r.File, &pluginpb.CodeGeneratorResponse_File{Name: &name,
				InsertionPoint: &point, Content: &text})
		case "list": // a file that names those asked for
			name := strings.ReplaceAll(filepath.Dir(req.FileToGenerate[0]), "/", "_") + ".txt"
			text := strings.Join(req.FileToGenerate, " ")
			r.File = append(r.File, &pluginpb.CodeGeneratorResponse_File{Name: &name,
				Content: &text})
		case "error":
			r.Error = &rest
		case "none":
			r.SupportedFeatures = nil
		case "upto":
			n, err := strconv.ParseInt(rest, 10, 32)
			if err != nil {
				panic(err)
			}
			r.MaximumEdition = proto.Int32(int32(n))
		case "exit":
			fmt.Fprintln(os.Stderr, "the plugin says why")
			os.Exit(3)
		case "rubbish":
			os.Stdout.WriteString("\xff\xff rubbish")
			os.Exit(0)
		case "hang":
			if err := os.WriteFile(rest, nil, 0o666); err != nil {
				panic(err)
			}
			select {}
		}
	}
}

// self is the program of the tests.
func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// compile compiles all files below a folder, in the order of their names.
func compile(t *testing.T, root string) (*host.Set, []string) {
	t.Helper()
	src := source.New(root)
	files, err := src.All()
	if err != nil {
		t.Fatal(err)
	}
	r := compiler.Compile(t.Context(), compiler.Options{Sources: src, Files: files,
		SourceInfo: compiler.SourceInfoLater, DescriptorsOnly: true})
	if r.Descriptors == nil {
		t.Fatal(r.Diagnostics)
	}
	set, err := host.NewSet(r, files)
	if err != nil {
		t.Fatal(err)
	}
	return set, files
}

// TestRequest compares requests, byte by byte, with those that protoc sends.
func TestRequest(t *testing.T) {
	tools, err := filepath.Abs("../../../../.tools")
	if err != nil {
		t.Fatal(err)
	}
	protoc := filepath.Join(tools, "bin", "protoc")
	if v, err := exec.Command(protoc, "--version").Output(); err != nil ||
		strings.TrimSpace(string(v)) != "libprotoc "+host.Version {
		oracle.Skip(t, "protoc", "protoc "+host.Version+" is not here; make tools installs it")
	}
	include := filepath.Join(tools, "include")
	roots, err := filepath.Glob("../../../../../shared/corpora/proto/*")
	if err != nil {
		t.Fatal(err)
	}
	if len(roots) == 0 {
		oracle.Missing(t, "shared", "../shared is not there; only the well-known files are asked")
	}
	for _, root := range append(roots, include) {
		t.Run(filepath.Base(root), func(t *testing.T) {
			// Ours of the well-known files have another text than those that come with protoc.
			all := t.TempDir()
			copyNew(t, all, root)
			copyNew(t, all, include)
			set, files := compile(t, all)
			for _, asked := range [][]string{files, files[:1]} {
				for _, parameter := range []string{"", "a=b,c"} {
					want := requestOfProtoc(t, protoc, all, asked, parameter)
					if got := set.Request(asked, parameter); !bytes.Equal(got, want) {
						t.Errorf("%d files: %d bytes, protoc sends %d other ones", len(asked),
							len(got), len(want))
					}
				}
			}
		})
	}
}

// copyNew copies the .proto files of a folder that are not in another one yet.
func copyNew(t *testing.T, to, from string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		at := filepath.Join(to, name)
		if _, gone := os.Stat(at); err != nil || gone == nil {
			return err
		}
		if d.IsDir() {
			return os.Mkdir(at, 0o777)
		}
		data, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return err
		}
		return os.WriteFile(at, data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// requestOfProtoc returns what protoc sends.
func requestOfProtoc(t *testing.T, protoc, root string, files []string,
	parameter string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "request")
	cmd := exec.Command(protoc, append([]string{"-I", root,
		"--plugin=protoc-gen-test=" + self(t), "--test_out=" + t.TempDir(),
		"--test_opt=" + parameter}, files...)...)
	cmd.Env = append(os.Environ(), variable+"=write "+out)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("protoc: %v\n%s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

const schema = "syntax = \"proto3\"; package a; message M { optional int32 x = 1; }"

// write makes a folder of files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestRun runs plugins that do well and badly.
func TestRun(t *testing.T) {
	t.Setenv(variable, "parameter")
	root := write(t, map[string]string{"a/a.proto": schema,
		"b/b.proto": "edition = \"2023\"; import \"a/a.proto\"; message B { a.M m = 1; }"})
	set, _ := compile(t, root)
	const frame = "file x.go {\n  // @@protoc_insertion_point(p)\n} /* @@protoc_insertion_point(q) */\n"
	for name, test := range map[string]struct {
		does []string
		want string // the files, or the error
	}{
		"one":       {[]string{"file x.go text"}, "gen/x.go=text"},
		"parts":     {[]string{"file x.go te;more xt;file y.go y"}, "gen/x.go=text gen/y.go=y"},
		"both":      {[]string{"file x.go x", "file y.go y"}, "gen/x.go=x gen/y.go=y"},
		"same file": {[]string{"file x.go x", "file ./x.go y"}, `1: file "x.go" is written twice`},
		"twice":     {[]string{"file x.go x;file a/../x.go y"}, `0: file "x.go" is written twice`},
		"outside":   {[]string{"file ../x.go x"}, `file "../x.go" of the plugin would not be in`},
		"absolute":  {[]string{"file /tmp/x.go x"}, "would not be in the output folder"},
		"dot":       {[]string{"file . x"}, "would not be in the output folder"},
		"nameless":  {[]string{"more x"}, "the first file of the plugin has no name"},
		"folder":    {[]string{"file x x", "file x/y y"}, `file "x" is to be written, and "x/y"`},
		"exit":      {[]string{"exit", "file x x"}, "0: the plugin failed: exit status 3"},
		"two fail":  {[]string{"exit", "rubbish"}, "1: the plugin answers no CodeGeneratorResponse"},
		"rubbish":   {[]string{"rubbish"}, "the plugin answers no CodeGeneratorResponse: "},
		"error":     {[]string{"file x x;error why"}, "0: why"},
		"features":  {[]string{"none;file x x"}, "a/a.proto has optional fields in proto3"},
		"editions":  {[]string{"upto 998"}, "b/b.proto is of edition 2023, and the plugin knows"},
		"insert": {[]string{frame, "insert x.go p one\n\ntwo", "insert x.go q three"},
			"gen/x.go={\n  one\n  \n  two\n  // @@protoc_insertion_point(p)\n} three\n/* @@protoc_insertion_point(q) */\n"},
		"no point": {[]string{frame, "insert x.go r x"}, `1: file "x.go" has no insertion point "r"`},
		"no file":  {[]string{"insert x.go r x", frame}, `0: file "x.go", which is inserted into`},
	} {
		t.Run(name, func(t *testing.T) {
			var plugins []host.Plugin
			for i, does := range test.does {
				plugins = append(plugins, host.Plugin{Name: fmt.Sprint(i), Path: self(t),
					Parameter: does, Out: "gen"})
			}
			got := ""
			files, err := host.Run(t.Context(), set, plugins, io.Discard)
			if err != nil {
				if got = err.Error(); files != nil && name != "folder" {
					t.Error("there are files and an error")
				}
			} else {
				var all []string
				for _, f := range files.List {
					all = append(all, f.Out+"/"+f.Name+"="+string(f.Data))
				}
				got = strings.Join(all, " ")
			}
			if err == nil && got != test.want || !strings.Contains(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestFolders(t *testing.T) {
	t.Setenv(variable, "parameter")
	root := write(t, map[string]string{"a/a.proto": schema, "a/b.proto": "syntax = \"proto3\";",
		"c/c.proto": "syntax = \"proto3\";"})
	set, _ := compile(t, root)
	files, err := host.Run(t.Context(), set, []host.Plugin{{Name: "p", Path: self(t),
		Parameter: "list", Out: "gen", Folders: true}}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files.List {
		got = append(got, f.Name+"="+string(f.Data))
	}
	if want := []string{"a.txt=a/a.proto a/b.proto", "c.txt=c/c.proto"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestHanging ends a run whose plugin does not end.
func TestHanging(t *testing.T) {
	t.Setenv(variable, "parameter")
	set, _ := compile(t, write(t, map[string]string{"a.proto": schema}))
	started := filepath.Join(t.TempDir(), "started")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			if _, err := os.Stat(started); err == nil || ctx.Err() != nil {
				cancel()
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	files, err := host.Run(ctx, set, []host.Plugin{{Name: "p", Path: self(t),
		Parameter: "hang " + started, Out: "gen"}}, io.Discard)
	if files != nil || err == nil || !strings.Contains(err.Error(), "stopped") {
		t.Errorf("%v, %v", files, err)
	}
}

func TestNoProgram(t *testing.T) {
	set, _ := compile(t, write(t, map[string]string{"a.proto": schema}))
	_, err := host.Run(t.Context(), set, []host.Plugin{{Name: "protoc-gen-nothing-of-the-kind"}},
		io.Discard)
	const want = `"protoc-gen-nothing-of-the-kind": executable file not found`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
