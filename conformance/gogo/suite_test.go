package gogo_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// excluded are packages of gogo's test suite whose code is not replaced, each with its reason.
var excluded = map[string]string{
	"typedeclimport": "its checked-in code is that of an older generator: what gogo 1.3.2 makes of it does not compile either",
}

// TestSuite runs gogo's own test suite with our code in place of gogo's. Every test that passes
// with gogo's must pass.
func TestSuite(t *testing.T) {
	if testing.Short() && !oracle.Required("gogo-suite") {
		t.Skip("gogo's suite takes minutes")
	}
	module := gogoFolder(t)
	root := t.TempDir()
	tree := filepath.Join(root, "github.com/gogo/protobuf")
	if err := os.CopyFS(tree, os.DirFS(module)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(tree, func(name string, _ fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(name, 0o755)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	gremlin, err := filepath.Abs("../../gremlin")
	if err != nil {
		t.Fatal(err)
	}
	write(t, tree, map[string]string{"go.mod": "module github.com/gogo/protobuf\n\ngo 1.25.6\n\n" +
		"require github.com/octopus-framework/octopus/gremlin v0.1.0\n\n" +
		"replace github.com/octopus-framework/octopus/gremlin => " + gremlin + "\n"})
	baseline := verdicts(t, tree)
	replaced := replaceAll(t, root, tree)
	with := verdicts(t, tree)
	passed := 0
	for test, verdict := range baseline {
		if verdict != "pass" {
			continue
		}
		switch {
		case with[test] == "pass":
			passed++
		case slices.Contains(byChance, test):
			t.Logf("%s fails with ours, as it does now and then with gogo's code", test)
		default:
			t.Errorf("%s passes with gogo's code and not with ours: %q", test, with[test])
		}
	}
	t.Logf("%d files replaced; %d tests pass with gogo's code, %d of them with ours", replaced,
		count(baseline, "pass"), passed)
	if passed < 4000 || replaced < 100 {
		t.Errorf("the suite is larger than %d tests and %d files", passed, replaced)
	}
}

// byChance are tests that pick values by the clock and fail with gogo's own code for some of them:
// where a time is missing, its text is no Go.
var byChance = []string{"/stdtypes TestStdTypesGoString"}

func count(m map[string]string, verdict string) (n int) {
	for _, v := range m {
		if v == verdict {
			n++
		}
	}
	return n
}

// verdicts runs all tests below test and returns how each ended.
func verdicts(t *testing.T, tree string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", "test", "-vet=off", "-json", "./test/...")
	cmd.Dir = tree
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, _ := cmd.Output() // some fail with gogo's code too
	verdicts := map[string]string{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var e struct{ Action, Package, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		if strings.Contains(e.Output, "[build failed]") ||
			strings.Contains(e.Output, "[setup failed]") {
			t.Errorf("%s", e.Output)
		}
		if e.Test != "" && (e.Action == "pass" || e.Action == "fail") {
			verdicts[strings.TrimPrefix(e.Package, "github.com/gogo/protobuf/test")+" "+
				e.Test] = e.Action
		}
	}
	return verdicts
}

var outFlag = regexp.MustCompile(`--(gogo\w*)_out=`)

// replaceAll generates the code of every package of the suite anew. Its Makefile says by which
// plugin, its .proto the rest.
func replaceAll(t *testing.T, root, tree string) (replaced int) {
	t.Helper()
	roots := []string{root, tree, filepath.Join(tree, "protobuf")}
	err := filepath.WalkDir(filepath.Join(tree, "test"),
		func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".proto" {
				return err
			}
			dir, base := filepath.Split(name)
			if excluded[filepath.Base(filepath.Dir(name))] != "" {
				return nil
			}
			old := strings.TrimSuffix(name, ".proto") + ".pb.go"
			if _, err := os.Stat(old); err != nil {
				return nil // a schema of tests that call protoc
			}
			preset, parameter := "gogo", "paths=source_relative"+wellKnown()
			for _, makefile := range []string{dir + "Makefile", dir + "../Makefile"} {
				text, err := os.ReadFile(makefile)
				if err != nil {
					continue
				}
				if m := outFlag.FindSubmatch(text); m != nil {
					preset = string(m[1])
				}
				if bytes.Contains(text, []byte("plugins=grpc")) {
					parameter += ",plugins=grpc"
				}
				break
			}
			req := request(t, append([]string{dir}, roots...), parameter, base)
			for file, text := range ours(t, preset, req) {
				write(t, dir, map[string]string{file: text})
			}
			replaced++
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return replaced
}
