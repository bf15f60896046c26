// Package suites runs tests that others wrote for the storage of the collector against
// nerve_storage. They come from the module proxy, are copied to a temporary folder, and stay as
// they are, but for the one file that made a storage in memory.
package suites

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

const (
	exporterhelper = "go.opentelemetry.io/collector/exporter/exporterhelper@v0.161.0"
	ours           = "github.com/octopus-framework/octopus"
)

// all runs TestPersistentBlockingQueue too: two million requests take up to a minute.
var all = flag.Bool("all", false, "run the tests that take a minute, too")

// TestExporterhelper runs the tests of exporterhelper whose queues have a storage.
func TestExporterhelper(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a module of others")
	}
	dir := copyModule(t, exporterhelper)
	shim, err := os.ReadFile("testdata/mock_storage.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "internal/storagetest/mock_storage.go"), shim,
		0o666); err != nil {
		t.Fatal(err)
	}
	skip := "TestPersistentBlockingQueue"
	if *all {
		skip = "^$"
	}
	for _, s := range []struct {
		folder, run string
		tests       int // that must run, so that none is lost by a new name
	}{
		{"./internal/queue", "^(TestPersistent|TestToStorageClient)", 17},
		{"./internal/queuebatch", "^TestQueueBatchPersist", 3},
		{".", "WithPersistentQueue", 3},
	} {
		out, err := run(dir, "go", "test", "-v", "-run", s.run, "-skip", skip, "-bench",
			"^BenchmarkPersistentQueue", "-benchtime", "10x", s.folder)
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.folder, err, out)
		}
		passed := regexp.MustCompile(`(?m)^--- PASS: (\S+)`).FindAllSubmatch(out, -1)
		if len(passed) < s.tests {
			t.Fatalf("%s: %d tests passed, want %d\n%s", s.folder, len(passed), s.tests, out)
		}
		t.Logf("%s: %d tests passed", s.folder, len(passed))
	}
}

// copyModule copies a module to a folder where it can be changed, and where nerve_storage is that
// of the checkout.
func copyModule(t *testing.T, module string) string {
	t.Helper()
	got, err := run(t.TempDir(), "go", "mod", "download", "-json", module)
	if err != nil {
		oracle.Skip(t, "modules", "there is no "+module+" to be had: "+string(got))
	}
	var at struct{ Dir string }
	if err := json.Unmarshal(got, &at); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "module")
	if err := os.CopyFS(dir, os.DirFS(at.Dir)); err != nil {
		t.Fatal(err)
	}
	edit := []string{"mod", "edit", "-require=" + ours + "/nerve/nervestorage@v0.1.0"}
	for _, name := range replacedModules(t, dir) {
		edit = append(edit, "-dropreplace="+name)
	}
	for _, name := range []string{"/gremlin", "/nerve", "/nerve/nervestorage", "/internal/oracle"} {
		if _, err := os.Stat(filepath.Join(root, name, "go.mod")); err == nil {
			edit = append(edit, "-replace="+ours+name+"="+filepath.Join(root, name))
		}
	}
	if out, err := run(dir, "go", edit...); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// replacedModules returns what the go.mod in a folder replaces.
func replacedModules(t *testing.T, dir string) (names []string) {
	t.Helper()
	text, err := run(dir, "go", "mod", "edit", "-json")
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Replace []struct{ Old struct{ Path string } }
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		t.Fatal(err)
	}
	for _, r := range mod.Replace {
		names = append(names, r.Old.Path)
	}
	return names
}

// run runs a command in a folder, with the modules that it names. Temporary files go below it.
func run(dir, name string, args ...string) ([]byte, error) {
	tmp := filepath.Join(filepath.Dir(dir), "tmp")
	if err := os.MkdirAll(tmp, 0o777); err != nil {
		return nil, err
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -buildvcs=false -trimpath",
		"TMPDIR="+tmp)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		stdout.Write(stderr.Bytes())
	}
	return stdout.Bytes(), err
}
