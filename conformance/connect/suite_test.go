package connect

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/compiler"
	"github.com/octopus-framework/octopus/compiler/source"
	"github.com/octopus-framework/octopus/internal/compiler/schema"
	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestSuite runs the whole suite against the handler and the client: three protocols, two codecs.
// Nothing is known to fail.
func TestSuite(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite takes a minute")
	}
	bin := t.TempDir()
	build(t, suite(t), bin, "./cmd/connectconformance")
	build(t, ".", bin, "./server", "./client")
	for mode, least := range map[string]int{"server": 3500, "client": 4500} {
		t.Run(mode, func(t *testing.T) {
			run := exec.CommandContext(t.Context(), filepath.Join(bin, "connectconformance"),
				"--conf", "config.yaml", "--mode", mode, "--",
				filepath.Join(bin, mode))
			out, err := run.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			said := regexp.MustCompile(`(?m)^(\d+) passed, 0 failed$`).FindSubmatch(out)
			if said == nil {
				t.Fatalf("no summary:\n%s", out)
			}
			if n, err := strconv.Atoi(string(said[1])); err != nil || n < least {
				t.Errorf("only %s cases were tried", said[1])
			}
			t.Logf("%s", said[0])
		})
	}
}

// version is that of the suite. It is no requirement of this module: its runner needs older
// versions of others than this repository.
const version = "v1.0.7"

// suite returns the folder with the sources of the suite.
func suite(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "mod", "download", "-json",
		"connectrpc.com/conformance@"+version).Output()
	var module struct{ Dir string }
	if err := errors.Join(err, json.Unmarshal(out, &module)); err != nil {
		oracle.Skip(t, "modules", "the suite, connectrpc.com/conformance, cannot be downloaded: "+
			err.Error())
	}
	return module.Dir
}

func build(t *testing.T, dir, bin string, packages ...string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"build", "-o", bin}, packages...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestSchema compares suite.proto with the schema that the suite has: what ours declares must be
// there, with the same numbers and types, and so must all fields of what travels between client and
// server.
func TestSchema(t *testing.T) {
	theirs := map[string]*schema.Message{}
	services := map[string]*schema.Method{}
	const folder = "connectrpc/conformance/v1/"
	files := []string{folder + "service.proto", folder + "config.proto",
		folder + "server_compat.proto", folder + "client_compat.proto"}
	for _, f := range load(t, filepath.Join(suite(t), "proto"), files...).Files {
		for m := range f.AllMessages() {
			theirs[m.FullName] = m
		}
		for _, s := range f.Services {
			for _, m := range s.Methods {
				services[s.FullName+"."+m.Name] = m
			}
		}
	}
	fields, methods := 0, 0
	ours := load(t, ".", "suite/suite.proto").File("suite/suite.proto")
	for m := range ours.AllMessages() {
		other := theirs[m.FullName]
		if other == nil {
			t.Errorf("the suite has no message %s", m.FullName)
			continue
		}
		if travels := !strings.Contains(m.Name, "Compat") &&
			m.Name != "ClientResponseResult"; travels && len(m.Fields) != len(other.Fields) {
			t.Errorf("%s has %d fields, not %d", m.FullName, len(m.Fields), len(other.Fields))
		}
		numbers := map[int32]*schema.Field{}
		for _, fd := range other.Fields {
			numbers[fd.Number] = fd
		}
		for _, fd := range m.Fields {
			o := numbers[fd.Number]
			if o == nil || o.Name != fd.Name || o.Kind != fd.Kind || o.Repeated != fd.Repeated ||
				(o.Oneof == nil) != (fd.Oneof == nil) {
				t.Errorf("%s is not as the suite has it: %+v", fd.FullName, o)
			}
			fields++
		}
	}
	for _, s := range ours.Services {
		for _, m := range s.Methods {
			o := services[s.FullName+"."+m.Name]
			if o == nil || o.Input.FullName != m.Input.FullName ||
				o.Output.FullName != m.Output.FullName || o.Idempotency != m.Idempotency ||
				o.ClientStreaming != m.ClientStreaming || o.ServerStreaming != m.ServerStreaming {
				t.Errorf("%s.%s is not as the suite has it", s.FullName, m.Name)
			}
			methods++
		}
	}
	if fields < 90 || methods != 6 {
		t.Errorf("%d fields and %d methods were compared", fields, methods)
	}
}

func load(t *testing.T, dir string, files ...string) *schema.Schema {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, files[0])); err != nil {
		t.Fatal(err)
	}
	res := compiler.Compile(t.Context(), compiler.Options{Sources: source.New(dir),
		Files: files})
	if res.Schema == nil {
		t.Fatal(res.Diagnostics)
	}
	return res.Schema
}
