package report

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

const tools = "../../../.tools/"

// What is exported is read by the format's own definition: Perfetto's and OpenTelemetry's messages
// in Python, speedscope's JSON schema. pprof has a test of its own, with go tool pprof.
func TestExportedIsRead(t *testing.T) {
	python := tools + "python-trace/bin/python"
	schema := tools + "npm/node_modules/speedscope/dist/release/file-format-schema.json"
	for _, file := range []string{python, schema} {
		if _, err := os.Stat(file); err != nil {
			oracle.Skip(t, "trace-readers", "make tools-trace installs what reads exported traces")
		}
	}
	wants := map[Format]string{
		Perfetto: `goroutine 1 0 main.main
goroutine 1 1 main.setup
goroutine 1 1 main.wait
goroutine 5 0 main.A1
goroutine 5 1 main.B1
goroutine 5 2 main.D
goroutine 6 0 main.A2
goroutine 6 1 main.B2
goroutine 6 2 main.D outcome=returned an error error=</script> is text
`,
		OTLP: `trace 0 main.main
trace 1 main.setup
trace 1 main.wait
trace 1 main.A1
trace 2 main.B1
trace 3 main.D
trace 1 main.A2
trace 2 main.B2
trace 3 main.D functrace.outcome=returned an error functrace.error=</script> is text </script> is text
`,
		Speedscope: `example 7 goroutine 1 0 main.main
example 7 goroutine 1 1 main.setup
example 7 goroutine 1 1 main.wait
example 7 goroutine 5 0 main.A1
example 7 goroutine 5 1 main.B1
example 7 goroutine 5 2 main.D
example 7 goroutine 6 0 main.A2
example 7 goroutine 6 1 main.B2
example 7 goroutine 6 2 main.D
`,
	}
	for format, want := range wants {
		var b bytes.Buffer
		if err := Write(&b, []*Process{exampleProcess()}, format, WriteOptions{}); err != nil {
			t.Fatal(format, err)
		}
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(python, "testdata/read.py", string(format), file,
			schema).CombinedOutput()
		if got := strings.ReplaceAll(string(out), " \n", "\n"); err != nil || got != want {
			t.Errorf("%s: %v\n%s", format, err, got)
		}
	}
}
