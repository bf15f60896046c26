// Package collector runs a collector that the official builder makes with nerve's components, as a
// process that is killed.
package collector

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

const (
	builder = "go.opentelemetry.io/collector/cmd/builder@v0.161.0"
	ours    = "github.com/octopus-framework/octopus"
)

// manifest is what the builder is given: the components, and our modules as the checkout has them.
const manifest = `dist:
  name: otelcol
  output_path: %s
  module: example.com/otelcol
receivers:
  - gomod: go.opentelemetry.io/collector/receiver/otlpreceiver v0.161.0
  - gomod: ` + ours + `/nerve/nervecollector v0.1.0
    import: ` + ours + `/nerve/nervecollector/nervereceiver
exporters:
  - gomod: go.opentelemetry.io/collector/exporter/otlphttpexporter v0.161.0
  - gomod: ` + ours + `/nerve/nervecollector v0.1.0
    import: ` + ours + `/nerve/nervecollector/nerveexporter
extensions:
  - gomod: ` + ours + `/nerve/nervestorage v0.1.0
replaces:
`

var (
	build  sync.Once
	binary string // the collector, once it is built
)

func TestMain(m *testing.M) {
	status := m.Run()
	if binary != "" {
		os.RemoveAll(filepath.Dir(filepath.Dir(binary)))
	}
	os.Exit(status)
}

// built returns the collector's program, which is built once.
func built(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a collector")
	}
	build.Do(func() {
		dir, err := os.MkdirTemp("", "otelcol")
		if err != nil {
			t.Fatal(err)
		}
		binary = filepath.Join(dir, "out", "otelcol")
		root, err := filepath.Abs("../../../..")
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf(manifest, filepath.Join(dir, "out"))
		for _, name := range []string{
			"/gremlin", "/nerve", "/nerve/nervestorage", "/nerve/nervecollector",
			"/internal/oracle",
		} {
			text += fmt.Sprintf("  - %s%s => %s%s\n", ours, name, root, name)
		}
		config := filepath.Join(dir, "builder.yaml")
		if err := os.WriteFile(config, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		env := append(os.Environ(), "GOWORK=off", "GOBIN="+dir,
			"GOFLAGS=-mod=mod -buildvcs=false -trimpath")
		for _, args := range [][]string{
			{"go", "install", builder}, {filepath.Join(dir, "builder"), "--config", config},
		} {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir, cmd.Env = dir, env
			if out, err := cmd.CombinedOutput(); err != nil {
				if args[0] == "go" {
					oracle.Skip(t, "modules", "there is no "+builder+" to be had: "+string(out))
				}
				t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
			}
		}
	})
	if _, err := os.Stat(binary); err != nil {
		t.Fatal("the collector was not built: ", err)
	}
	return binary
}
