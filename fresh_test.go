package octopus_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/backend/all"
	"github.com/octopus-framework/octopus/internal/compiler/config"
	"github.com/octopus-framework/octopus/internal/compiler/driver"
)

// TestGeneratedCodeIsFresh generates all code that is checked in once more and compares.
func TestGeneratedCodeIsFresh(t *testing.T) {
	configs, err := filepath.Glob("*/gremlin.yaml")
	for _, pattern := range []string{"*/*/gremlin.yaml", "*/*/*/gremlin.yaml"} {
		nested, _ := filepath.Glob(pattern)
		configs = append(configs, nested...)
	}
	if err != nil || len(configs) == 0 {
		t.Fatalf("no examples found: %v", err)
	}
	for _, file := range configs {
		if strings.HasPrefix(file, "lab") || strings.HasPrefix(file, "conformance") {
			continue // nothing there is checked in
		}
		t.Run(filepath.Dir(file), func(t *testing.T) {
			c, _, found := config.Load(file, all.Backends())
			for _, d := range found {
				t.Fatal(d)
			}
			job := driver.Job{
				Input:  driver.Input{Roots: c.Roots, Config: c},
				Target: driver.Target{Backends: all.Backends(), Settings: c.Settings},
				Out:    c.Out,
				Check:  true,
			}
			o := driver.Generate(context.Background(), job, nil)
			for _, d := range o.Diagnostics {
				t.Error(d)
			}
			if !o.UpToDate() {
				t.Errorf("not up to date: %v, stale: %v; run make generate", o.Written, o.Stale)
			}
			if len(o.Unchanged)+len(o.Written) == 0 {
				t.Error("nothing is generated here")
			}
		})
	}
	t.Run("gremlin", func(t *testing.T) {
		dir := t.TempDir()
		if out, err := exec.Command("go", "run", "./internal/wktgen",
			dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "*", "*.gremlin.go"))
		if len(files) == 0 {
			t.Fatal("nothing generated")
		}
		for _, file := range files {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := filepath.Rel(dir, file)
			got, err := os.ReadFile(filepath.Join("gremlin", name))
			if err != nil || string(got) != string(want) {
				t.Errorf("gremlin/%s is not up to date (%v); run make generate", name, err)
			}
		}
	})
}
