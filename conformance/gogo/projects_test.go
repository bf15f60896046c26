package gogo_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/compiler/gogo/migrate"
	"github.com/octopus-framework/octopus/internal/oracle"
)

var projectsFlag = flag.String("projects", "small",
	"projects that TestProjects migrates: small, all, or names joined by commas")

// replacedProject is a public module whose generated code is replaced. It comes from the module
// cache or the module proxy, and is worked on as a copy.
type replacedProject struct {
	name, module string
	small        bool
	build        []string // what has to build and vet; none means ./...
	tests        []string // packages whose tests run with gogo's code and with ours; none: no tests
	files        int      // how many are replaced
	packages     []string // what is planned; none: everything
}

var replacedProjects = []replacedProject{
	{"raft", "go.etcd.io/raft/v3@v3.6.0", true, nil, []string{"./..."}, 1, nil},
	{"jaeger-idl", "github.com/jaegertracing/jaeger-idl@v0.14.0", true, nil, []string{"./..."}, 4, nil},
	{"errors", "github.com/cockroachdb/errors@v1.14.0", true, nil, []string{"./..."}, 10, nil},
	{"kvproto", "github.com/pingcap/kvproto@v0.0.0-20260608025309-50b863799195", false,
		[]string{"./pkg/..."}, nil, 34, nil},
	{"prometheus", "github.com/prometheus/prometheus@v0.316.0", false,
		[]string{"./prompb/...", "./storage/remote/...", "./model/textparse/..."},
		[]string{"./prompb/...", "./storage/remote/...", "./model/textparse/..."}, 4, nil},
	// Its own tests decode and encode the golden files of five releases.
	{"k8s", "k8s.io/api@v0.37.2", false, nil, []string{"."}, 60, nil},
	{"thanos", "github.com/thanos-io/thanos@v0.42.4", false,
		[]string{"./pkg/store/storepb/...", "./pkg/store/labelpb/..."},
		[]string{"./pkg/store/storepb/...", "./pkg/store/labelpb/..."}, 4,
		// Not all of its .proto files can be compiled together: names clash. In storepb somebody
		// cut a generated method out and wrote it by hand.
		[]string{"pkg/store/labelpb", "pkg/store/storepb/prompb", "pkg/store/hintspb"}},
}

// TestProjects replaces the generated code of public projects: their unmodified tests that pass
// with gogo's code must pass with ours, and verify must find no difference.
func TestProjects(t *testing.T) {
	if testing.Short() {
		t.Skip("downloads and builds projects of others")
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	for _, p := range replacedProjects {
		if *projectsFlag != "all" && !slices.Contains(strings.Split(*projectsFlag, ","), p.name) &&
			(*projectsFlag != "small" || !p.small) {
			continue
		}
		t.Run(p.name, func(t *testing.T) { p.run(t) })
	}
}

func (p *replacedProject) run(t *testing.T) {
	dir, ctx := p.fetch(t), context.Background()
	if p.name == "k8s" {
		text, err := os.ReadFile("testdata/k8s/golden_test.go.txt")
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, map[string]string{"gremlin_golden_test.go": string(text)})
	}
	before, known := p.verdicts(t, dir), p.vet(dir)
	tree := open(t, dir)
	plan, err := migrate.MakePlan(ctx, tree, migrate.PlanOptions{Packages: p.packages}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range plan.Files {
		for _, d := range f.Patches {
			t.Errorf("%s, preset %s: %s", f.Go, f.Preset, d)
		}
	}
	for _, s := range plan.Skipped {
		t.Logf("left: %s", s)
	}
	if len(plan.Files) != p.files {
		t.Errorf("%d files are planned, not %d", len(plan.Files), p.files)
	}
	done, err := migrate.Apply(ctx, tree, migrate.ApplyOptions{Build: p.build}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range done {
		if d.Failed != "" {
			t.Errorf("%s does not build: %s", d.Package, tail(d.Failed))
		}
	}
	for line := range p.vet(dir) {
		if !known[line] {
			t.Errorf("vet: %s", line)
		}
	}
	after, failed, passed := p.verdicts(t, dir), 0, 0
	for name, verdict := range before {
		switch {
		case verdict != "pass":
			failed++
		case after[name] == "pass":
			passed++
		default:
			t.Errorf("%s passes with gogo's code; with ours: %q", name, after[name])
		}
	}
	if p.name == "k8s" {
		t.Logf("%d files replaced; %d tests pass as with gogo's code, %d fail with that too",
			replaced(done), passed, failed)
		return // verify makes random values of types that are written by hand, which it cannot
	}
	v, err := migrate.Verify(ctx, tree, migrate.VerifyOptions{Rounds: 100}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range v.Differences {
		if i < 10 {
			t.Error(d.String())
		}
	}
	t.Logf("%d files replaced; %d tests pass as with gogo's code, %d fail with that too; "+
		"%d messages, %d values, %d inputs compared, %d differences", replaced(done), passed, failed,
		v.Messages, v.Values, v.Inputs, len(v.Differences))
}

// vet returns what go vet finds: with gogo's code, too, it finds something in some of them.
func (p *replacedProject) vet(dir string) map[string]bool {
	cmd := exec.Command("go", append([]string{"vet"}, or(p.build)...)...)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // it fails when it finds something
	found := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "go: downloading ") {
			found[line] = true
		}
	}
	return found
}

func or(patterns []string) []string {
	if len(patterns) == 0 {
		return []string{"./..."}
	}
	return patterns
}

// fetch copies the module into a temporary folder, under git, and lets it require our runtime.
func (p *replacedProject) fetch(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), p.name)
	cmd := exec.Command("go", "mod", "download", "-json", p.module)
	cmd.Dir = scratch(t)
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(out, &got) != nil || got.Dir == "" {
		oracle.Skip(t, "modules", p.module+" is not to be had: "+got.Error)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(got.Dir)); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.Type()&os.ModeSymlink != 0 {
			return err
		}
		if d.IsDir() {
			return os.Chmod(name, 0o755)
		}
		return os.Chmod(name, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	commit(t, dir)
	root, err := filepath.Abs("../../gremlin")
	if err != nil {
		t.Fatal(err)
	}
	const runtime = "github.com/octopus-framework/octopus/gremlin"
	run(t, dir, "mod", "edit", "-require", runtime+"@v0.1.0", "-replace", runtime+"="+root)
	return dir
}

// verdicts runs the project's own tests and returns how each ended.
func (p *replacedProject) verdicts(t *testing.T, dir string) map[string]string {
	t.Helper()
	verdicts := map[string]string{}
	if len(p.tests) == 0 {
		return verdicts
	}
	cmd := exec.Command("go", append([]string{"test", "-json", "-vet=off"}, p.tests...)...)
	cmd.Dir = dir
	out, _ := cmd.Output() // some fail with gogo's code too
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
			verdicts[e.Package+" "+e.Test] = e.Action
		}
	}
	if len(verdicts) == 0 {
		t.Errorf("no test of %s ran", p.name)
	}
	return verdicts
}
