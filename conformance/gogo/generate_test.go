package gogo_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/plugin"
	"github.com/octopus-framework/octopus/internal/oracle"

	// What generated programs of the tests call: Go would take results from its cache else, when
	// only that has changed.
	_ "github.com/octopus-framework/octopus/gremlin/gogo"
	_ "github.com/octopus-framework/octopus/gremlin/std"
	_ "github.com/octopus-framework/octopus/gremlin/std/field"
)

// gogoFolder returns where the module of gogo/protobuf lies.
func gogoFolder(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/gogo/protobuf").Output()
	dir := strings.TrimSpace(string(out))
	if err != nil || dir == "" {
		oracle.Skip(t, "modules", "github.com/gogo/protobuf is not in the module cache")
	}
	return dir
}

// importRoot makes a folder below which files of gogo's are found as imports name them.
func importRoot(t testing.TB, module string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "github.com/gogo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(module, filepath.Join(root, "github.com/gogo/protobuf")); err != nil {
		t.Fatal(err)
	}
	return root
}

// request compiles files and returns what a plugin is sent.
func request(t testing.TB, roots []string, parameter string,
	files ...string) *pluginpb.CodeGeneratorRequest {
	t.Helper()
	sources := source.New(roots...)
	sources.Provide(all.Backends().Declarations)
	res := compiler.Compile(context.Background(), compiler.Options{Sources: sources, Files: files})
	if res.Diagnostics.Errors() > 0 {
		t.Fatal(res.Diagnostics)
	}
	return &pluginpb.CodeGeneratorRequest{
		FileToGenerate: files, Parameter: proto.String(parameter),
		ProtoFile: res.Descriptors.File,
	}
}

// ours lets our generator answer under the name of a plugin of gogo's.
func ours(t testing.TB, preset string, req *pluginpb.CodeGeneratorRequest) map[string]string {
	t.Helper()
	resp, _ := plugin.Generate("protoc-gen-"+preset, all.Backends(), req)
	return texts(t, resp)
}

// gogos lets gogo's own plugin answer.
func gogos(t testing.TB, preset string, req *pluginpb.CodeGeneratorRequest) map[string]string {
	t.Helper()
	req = proto.Clone(req).(*pluginpb.CodeGeneratorRequest)
	for _, f := range req.ProtoFile { // gogo's descriptor.proto is old
		for _, m := range f.MessageType {
			dropFeatures(m)
		}
	}
	data, err := proto.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(pluginOf(t, preset))
	cmd.Stdin = bytes.NewReader(data)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gogo's plugin: %v\n%s", err, stderr.String())
	}
	resp := &pluginpb.CodeGeneratorResponse{}
	if err := proto.Unmarshal(out, resp); err != nil {
		t.Fatal(err)
	}
	return texts(t, resp)
}

func dropFeatures(m *descriptorpb.DescriptorProto) { m.ReservedRange = nil }

var plugins = map[string]string{}

// pluginOf builds a plugin of gogo's once.
func pluginOf(t testing.TB, preset string) string {
	t.Helper()
	if plugins[preset] == "" {
		name := filepath.Join(pluginFolder, "protoc-gen-"+preset)
		if out, err := exec.Command("go", "build", "-o",
			name, "github.com/gogo/protobuf/protoc-gen-"+preset).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		plugins[preset] = name
	}
	return plugins[preset]
}

var pluginFolder string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gogo")
	if err != nil {
		panic(err)
	}
	pluginFolder = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func texts(t testing.TB, resp *pluginpb.CodeGeneratorResponse) map[string]string {
	t.Helper()
	if resp.Error != nil {
		t.Fatal(resp.GetError())
	}
	out := map[string]string{}
	for _, f := range resp.File {
		out[f.GetName()] = f.GetContent()
	}
	return out
}

// write writes files below a folder.
func write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a command of go in a folder, outside of any workspace.
func run(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, tail(string(out)))
	}
	return string(out)
}

func tail(s string) string { return s[max(0, len(s)-6000):] }

var update = flag.Bool("update", false,
	"rewrite the goldens; the run still fails, so that it is looked at")

// golden compares a text with a file, line by line in any order of what a map yields.
func golden(t *testing.T, name, got string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(got), "\n")
	slices.Sort(lines)
	got = strings.Join(lines, "\n") + "\n"
	want, err := os.ReadFile(name)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	t.Errorf("got\n%s\nwant\n%s", got, want)
	if *update {
		write(t, ".", map[string]string{name: got})
	}
}
