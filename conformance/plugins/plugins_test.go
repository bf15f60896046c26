// Package plugins compares what generators of others make when protoc runs them with what they make
// when gremlin does.
package plugins

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// plugins are the generators, by the modules that they come from.
var plugins = []struct{ name, program, options string }{
	{"go", "google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.11", ""},
	{"go-grpc", "google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2", ""},
	{"connect-go", "connectrpc.com/connect/cmd/protoc-gen-connect-go@v1.19.1", ""},
	{"go-vtproto", "github.com/planetscale/vtprotobuf/cmd/protoc-gen-go-vtproto@v0.6.0", ""},
	{"gogofaster", "github.com/gogo/protobuf/protoc-gen-gogofaster@v1.3.2", "plugins=grpc"},
	{"validate", "github.com/envoyproxy/protoc-gen-validate@v1.2.1", "lang=go"},
	{"grpc-gateway", "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway@v2.27.3",
		"generate_unbound_methods=true"},
	{"openapiv2", "github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-openapiv2@v2.27.3",
		"generate_unbound_methods=true"},
}

// roots are folders of .proto files, with how many plugins at least make something of them: others
// refuse a file, which both must tell.
var roots = map[string]int{
	"testdata":                              7,
	"../../../shared/corpora/proto/gtfs":    5,
	"../../../shared/corpora/proto/hyperpb": 2,
	"../../../shared/corpora/proto/k8s":     4,
	"../../../shared/corpora/proto/mvt":     5,
	"../../../shared/corpora/proto/osmpbf":  4,
	"../../../shared/corpora/proto/pprof":   5,
}

// TestPluginsOfOthers runs every plugin on every root by protoc and by gremlin: exit codes, files
// and their bytes are the same.
func TestPluginsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the plugins of others")
	}
	protoc, err := filepath.Abs("../../.tools/bin/protoc")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(protoc); err != nil {
		oracle.Skip(t, "protoc", "protoc 33.2 is not here; make tools installs it")
	}
	include, err := filepath.Abs("../../.tools/include")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	gremlin := filepath.Join(bin, "gremlin")
	if text, err := exec.Command("go", "build", "-o", gremlin,
		"../../cmd/gremlin").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, p := range plugins {
		c := exec.Command("go", "install", p.program)
		c.Dir = bin // outside of the workspace
		c.Env = append(os.Environ(), "GOBIN="+bin, "GOWORK=off")
		if text, err := c.CombinedOutput(); err != nil {
			oracle.Skip(t, "modules", p.program+" cannot be had: "+string(text))
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for root, least := range roots {
		t.Run(path.Base(root), func(t *testing.T) {
			files := protoFiles(t, root)
			made := 0
			for _, p := range plugins {
				options := p.options
				for _, f := range files {
					dir := path.Dir(f)
					if dir == "." {
						dir = "shop/v1"
					}
					options += ",M" + f + "=example.com/gen/" + dir
				}
				flags := []string{"--" + p.name + "_opt=" + strings.TrimPrefix(options, ",")}
				theirs, wantErr := generate(t, protoc, root, p.name, append(flags, "-I"+include),
					files)
				ours, err := generate(t, gremlin, root, p.name,
					append([]string{"protoc"}, flags...), files)
				if (err == nil) != (wantErr == nil) {
					t.Errorf("%s: %v, by protoc: %v", p.name, err, wantErr)
				}
				if wantErr != nil {
					continue
				}
				if len(theirs) > 0 {
					made++
				}
				for name := range maps.Keys(theirs) {
					if ours[name] != theirs[name] {
						t.Errorf("%s: %s is another file than that by protoc", p.name, name)
					}
				}
				if len(ours) != len(theirs) {
					t.Errorf("%s makes %d files, by protoc %d", p.name, len(ours), len(theirs))
				}
			}
			if made < least {
				t.Errorf("%d plugins make files, less than %d", made, least)
			}
		})
	}
}

// protoFiles lists the .proto files below a root.
func protoFiles(t *testing.T, root string) (files []string) {
	t.Helper()
	if _, err := os.Stat(root); err != nil {
		oracle.Skip(t, "shared", "../shared is not there")
	}
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(name, ".proto") {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// generate runs protoc or gremlin and returns the files by name.
func generate(t *testing.T, program, root, plugin string,
	args, files []string) (map[string]string, error) {
	t.Helper()
	out := t.TempDir()
	c := exec.Command(program, slices.Concat(args, []string{"-I.", "--" + plugin + "_out=" + out},
		files)...)
	c.Dir = root
	text, err := c.CombinedOutput()
	if err != nil {
		t.Logf("%s, %s: %v\n%s", filepath.Base(program), plugin, err, bytes.TrimSpace(text))
	}
	made := map[string]string{}
	walkErr := filepath.WalkDir(out, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		made[strings.TrimPrefix(name, out)] = string(data)
		return err
	})
	if walkErr != nil {
		t.Fatal(walkErr)
	}
	return made, err
}
