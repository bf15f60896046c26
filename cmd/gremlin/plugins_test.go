package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The plugins of the tests. The response of the first has the features optional and editions, and
// the file x.txt with "hi".
const (
	goodPlugin = "#!/bin/sh\ncat >/dev/null\n" +
		`printf '\020\003\172\015\012\005x.txt\172\004hi\n\n'` + "\n"
	badPlugin = "#!/bin/sh\ncat >/dev/null\necho it is broken >&2\nexit 4\n"
)

// pluginFolder makes a working folder with plugins and files.
func pluginFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Setenv("NO_COLOR", "1")
	t.Chdir(t.TempDir())
	files = maps.Clone(files)
	files["bin/protoc-gen-good"], files["bin/protoc-gen-bad"] = goodPlugin, badPlugin
	files["go.mod"] = "module example.com/m\n"
	if files["a.proto"] == "" {
		files["a.proto"] = "syntax = \"proto3\"; package a; message M { int32 x = 1; }"
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(filepath.Dir(mustAbs(t, "bin")), "bin")+":"+os.Getenv("PATH"))
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}

// TestPlugins runs plugins by flags and by gremlin.yaml: all files are written or none.
func TestPlugins(t *testing.T) {
	const yaml = "roots: [.]\nplugins:\n  - {name: protoc-gen-good, out: gen, opt: [a, b]}\n"
	for name, test := range map[string]struct {
		config string
		args   string
		code   int
		files  string // files that are new
		says   string
	}{
		"flags": {"", "generate --plugin protoc-gen-good -o gen", 0, "gen/x.txt", "1 written"},
		"path": {"", "generate --plugin ./bin/protoc-gen-good -o gen", 0, "gen/x.txt",
			"1 written"},
		"name and path": {"", "generate --plugin protoc-gen-q=bin/protoc-gen-good -o gen", 0,
			"gen/x.txt", "1 written"},
		"own code": {"", "generate -o own --plugin protoc-gen-good -o gen", 0,
			"gen/x.txt own/a.gremlin.go", "2 written"},
		"yaml":     {yaml, "generate", 0, "gen/x.txt", "1 written"},
		"own yaml": {yaml + "out: own\n", "generate", 0, "gen/x.txt own/a.gremlin.go", "2 written"},
		"check":    {yaml, "generate --check", 1, "", `generated file "gen/x.txt" is missing`},
		"twice": {"", "generate --plugin protoc-gen-good -o gen --plugin protoc-gen-good", 1, "",
			`protoc-gen-good: file "x.txt" is written twice`},
		"two folders": {"", "generate --plugin protoc-gen-good -o gen --plugin protoc-gen-good " +
			"-o other", 0, "gen/x.txt other/x.txt", "2 written"},
		"broken": {"", "generate -o own --plugin protoc-gen-good -o gen --plugin protoc-gen-bad",
			1, "", "protoc-gen-bad: the plugin failed: exit status 4"},
		"own code refused": {"", "generate -o a.proto --plugin protoc-gen-good -o gen", 1, "",
			`output "a.proto" is not a folder`},
		"no such plugin": {"", "generate --plugin protoc-gen-none -o gen", 1, "",
			`protoc-gen-none: the plugin cannot be started: "protoc-gen-none"`},
		"no folder": {"", "generate --plugin protoc-gen-good", 2, "",
			"no output folder of plugin protoc-gen-good"},
		"no plugin": {"", "generate --opt x -o gen", 2, "", "it stands behind the --plugin"},
		"name":      {"", "generate --plugin good -o gen", 2, "", "a plugin is called protoc-gen-NAME"},
		"watch": {"", "generate --watch --plugin protoc-gen-good -o gen", 2, "",
			"--watch is for code of gremlin"},
		"yaml without name": {"plugins: [{out: gen}]\n", "generate", 2, "",
			`an entry of "plugins" needs "name" and "out"`},
		"build":           {"", "build -o set.binpb", 0, "set.binpb", ""},
		"ls":              {"", "ls-files", 0, "", "a.proto\n"},
		"ls with imports": {"", "ls-files --include-imports b", 0, "", "a.proto\nb/b.proto\n"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			if test.config != "" {
				files["gremlin.yaml"] = test.config
			}
			if strings.HasSuffix(test.args, " b") {
				files["b/b.proto"] = "syntax = \"proto3\"; import \"a.proto\";" +
					"import \"google/protobuf/any.proto\"; message B { a.M m = 1; " +
					"google.protobuf.Any a = 2; }"
			}
			pluginFolder(t, files)
			before := tree(t)
			var out bytes.Buffer
			code := run(t.Context(), strings.Fields(test.args), nil, &out, &out)
			after := tree(t)
			maps.DeleteFunc(after, func(name, _ string) bool { _, was := before[name]; return was })
			got := strings.Join(slices.Sorted(maps.Keys(after)), " ")
			if code != test.code || got != test.files ||
				!strings.Contains(out.String(), test.says) {
				t.Errorf("exit code %d, files %q, want %d, %q and %q\n%s", code, got, test.code,
					test.files, test.says, out.String())
			}
		})
	}
}
