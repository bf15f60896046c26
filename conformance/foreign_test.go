package conformance

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// What is not part of the repository and may be absent.
const (
	officialSchemas = "../.tools/conformance/include"
	shared          = "../../shared"
	programs        = "testdata/scratch"
)

// need skips a test where a file of an oracle is absent.
func need(t *testing.T, name, file, hint string) {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		oracle.Skip(t, name, file+" is not there: "+hint)
	}
}

// run runs a command and shows the last lines that it prints.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
}

// TestOfficial replays what the official runner asked and reads recorded hostile inputs, all with
// the messages of the official suite. The runner itself is started by runner.sh.
func TestOfficial(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much code")
	}
	need(t, "runner", officialSchemas, "run conformance/runner.sh install")
	need(t, "shared", shared, "it holds the recorded inputs")
	run(t, "go", "run", "./internal/scratch", "official")
	program := filepath.Join(programs, "official", "foreign")
	t.Run("replay", func(t *testing.T) {
		run(t, program, "replay", filepath.Join(shared,
			"corpora/conformance_replay/conformance-v33.2.jsonl"))
	})
	t.Run("mutations", func(t *testing.T) {
		run(t, program, "mutations", strconv.Itoa(30**times), "1")
	})
	t.Run("nasties", func(t *testing.T) {
		run(t, program, "nasties", filepath.Join(shared, "nasties/proto3.jsonl.gz"),
			filepath.Join(shared, "nasties/cases"))
	})
}

// TestRandomSchemas makes schemas of random messages, whose code is generated and built, and reads
// random values of them and what mutations make of these: what holds for the types of this module
// holds for others.
func TestRandomSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much code")
	}
	for seed := range *times {
		run(t, "go", "run", "./internal/scratch", "random", strconv.Itoa(seed))
		run(t, filepath.Join(programs, "random", "foreign"), "mutations", "20", strconv.Itoa(seed))
	}
}

var allCorpora = flag.Bool("corpora", false,
	"read all real messages, also those whose schemas take minutes to compile")

// TestCorpora reads real messages with their real schemas.
func TestCorpora(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles much code")
	}
	set := "some"
	if *allCorpora {
		set = "corpora"
	}
	corpora := filepath.Join(shared, "corpora")
	need(t, "shared", corpora, "it holds the schemas and messages")
	run(t, "go", "run", "./internal/scratch", set, corpora)
	run(t, filepath.Join(programs, set, "foreign"), "corpora", corpora)
}
