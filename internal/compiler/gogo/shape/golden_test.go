package shape_test

import (
	"context"
	"flag"
	"os"
	"regexp"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/gogoproto"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/options"
	"github.com/octopus-framework/octopus/internal/compiler/gogo/shape"
)

var update = flag.Bool("update", false,
	"rewrite the golden; the run still fails, so that it is looked at")

// compressed is the descriptor, whose bytes are the compressor's.
var compressed = regexp.MustCompile(`(?s)\[\]byte\{.*?\n\}`)

// TestGolden compares generated code with what was looked at. conformance/gogo compares it with
// gogo's.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		file, preset, registry, golden string // golden is what the names of goldens start with
	}{
		{"deposit.proto", "gogofaster", shape.RegistryGogo, ""},
		{"presets.proto", "gofast", shape.RegistryGolang, "gofast_"},
		{"presets.proto", "gocosmos", shape.RegistryCosmos, "gocosmos_"},
		{"presets.proto", "k8s", shape.RegistryNone, "k8s_"},
	} {
		for path, text := range generated(t, c.file, c.preset, c.registry) {
			name := "testdata/" + c.golden + path + ".golden"
			want, err := os.ReadFile(name)
			if err != nil && !*update {
				t.Fatal(err)
			}
			if string(want) != text {
				t.Errorf("%s is\n%s", name, text)
				if *update {
					if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// generated returns the files of a schema, by path, without the bytes of the descriptor.
func generated(t *testing.T, file, preset, registry string) map[string]string {
	t.Helper()
	sources := source.New("testdata")
	sources.Provide(gogoproto.Text)
	res := compiler.Compile(context.Background(), compiler.Options{
		Sources: sources, Files: []string{file},
	})
	if res.Diagnostics.Errors() > 0 {
		t.Fatal(res.Diagnostics)
	}
	facts, found := options.Read(res.Descriptors.File, func(path string) string {
		if path == file {
			return preset
		}
		return ""
	})
	if found.Errors() > 0 {
		t.Fatal(found)
	}
	g, found := shape.New(res.Schema, facts,
		shape.Options{File: func(string) shape.FileOptions {
			return shape.FileOptions{Suffix: ".pb.go", Registry: registry}
		}})
	if found.Errors() > 0 {
		t.Fatal(found)
	}
	out := map[string]string{}
	for _, o := range g.Outputs() {
		text, err := g.Generate(o)
		if err != nil {
			t.Fatal(err)
		}
		out[o.Path] = string(compressed.ReplaceAll(text, []byte("[]byte{}")))
	}
	if (len(out) == 1) != (registry == shape.RegistryNone) {
		t.Errorf("%d outputs with registry %s", len(out), registry)
	}
	return out
}
