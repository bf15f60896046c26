package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/functrace/inject/rt"
	"github.com/octopus-framework/octopus/internal/trace/report"
)

// planted are the bugs of testdata/planted: the function that has it, inputs that go well and
// inputs that do not.
var planted = []struct {
	scenario, bug string
	good, bad     []string
}{
	{"config", "main.keyValue", []string{"a=1", "a=1;b=2", "x=y;z= 3"},
		[]string{"a=b=c", "a=1;u=x?y=1"}},
	{"price", "main.unitPrice", []string{"100,2", "7,1", "0,3"}, []string{"100,0", "5,0"}},
	{"cache", "main.(*cache).evict", []string{"1", "1,2,3", "1,2,1,2,3"},
		[]string{"1,2,3,4", "5,6,7,8,9"}},
	{"retry", "main.again", []string{"0", "1", "2"}, []string{"3", "7"}},
	{"ranges", "main.touches", []string{"1,5,9", "1,9", "1,4,20"}, []string{"1,3", "1,5,6"}},
	{"order", "main.process", []string{"5,0", "5,1", "-3,0"}, []string{"-5,1", "-1,1"}},
	{"escape", "main.escape", []string{"abc", "a%b", "x&y&z"}, []string{"a b", "1 2 3"}},
	{"date", "main.leap", []string{"2023,2,28", "2024,2,29", "1999,12,31"},
		[]string{"2000,2,29", "2400,2,29"}},
	{"close", "main.(*files).copyOne", []string{"1", "5,6", "7,8,9"}, []string{"0", "3,0,4"}},
	{"role", "main.normalize", []string{"ann:admin", "bob:guest", "cy: admin"},
		[]string{"ann:Admin", "bob:GUEST"}},
}

// How many of the planted bugs blame has among its first 1, 3 and 5 suspects, where functions with
// the score of the one with the bug count as before it; and the same for Ochiai over what was
// called, which is what tools for coverage do.
func TestBlamePlantedBugs(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "planted")
	source, err := filepath.Abs("testdata/planted")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, name := range []string{"main.go", "text.go", "numbers.go", "state.go"} {
		files = append(files, filepath.Join(source, name))
	}
	if code, _, stderr := functrace(t, dir, append([]string{"build", "-o", bin, "--args"},
		files...)...); code != 0 {
		t.Fatal(stderr)
	}
	var ours, called [3]int
	for _, p := range planted {
		folders := [2]string{t.TempDir(), t.TempDir()}
		for side, inputs := range [2][]string{p.good, p.bad} {
			for _, input := range inputs {
				cmd := exec.Command(bin, p.scenario, input)
				cmd.Env = append(os.Environ(), rt.EnvPath+"="+folders[side])
				if out, err := cmd.CombinedOutput(); (err == nil) != (side == 0) {
					t.Fatalf("%s %s: %v\n%s", p.scenario, input, err, out)
				}
			}
		}
		code, stdout, stderr := functrace(t, dir, "blame", "-n", "0", "--format", "json",
			folders[0], "--", folders[1])
		if code != 0 {
			t.Fatal(stderr)
		}
		var list []report.Suspect
		lines := json.NewDecoder(strings.NewReader(stdout))
		for lines.More() {
			var s report.Suspect
			if err := lines.Decode(&s); err != nil {
				t.Fatal(err)
			}
			list = append(list, s)
		}
		ours = count(ours, blameRank(list, p.bug))
		called = count(called, coverageRank(t, folders, p.bug))
		t.Logf("%-8s %-24s blame %d, coverage %d", p.scenario, p.bug, blameRank(list, p.bug),
			coverageRank(t, folders, p.bug))
	}
	t.Logf("of %d in the first 1, 3, 5: blame %v, Ochiai over coverage %v", len(planted), ours,
		called)
	for i, want := range plantedFound {
		if ours[i] < want {
			t.Errorf("%v bugs among the first 1, 3, 5, were %v", ours, plantedFound)
		}
	}
}

// count adds a rank to how many are among the first 1, 3 and 5.
func count(found [3]int, rank int) [3]int {
	for i, first := range []int{1, 3, 5} {
		if rank <= first {
			found[i]++
		}
	}
	return found
}

// blameRank is the place of a function among suspects, behind those with the same reasons.
func blameRank(list []report.Suspect, name string) int {
	scores := func(s report.Suspect) (all []float64) {
		for _, r := range s.Reasons {
			all = append(all, r.Score)
		}
		return all
	}
	at := slices.IndexFunc(list, func(s report.Suspect) bool { return s.Func == name })
	if at < 0 {
		return len(list) + 1
	}
	for at+1 < len(list) && slices.Equal(scores(list[at+1]), scores(list[at])) {
		at++
	}
	return at + 1
}

// coverageRank is the place of a function by what was called, behind those with the same score.
func coverageRank(t *testing.T, folders [2]string, name string) (rank int) {
	t.Helper()
	scores := make(map[string][2]int)
	for side, folder := range folders {
		procs, err := report.ReadFiles(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range procs {
			seen := make(map[string]bool)
			p.Walk(func(_ *report.Goroutine, c *report.Call, _ int) { seen[c.Func.Name] = true })
			for f := range seen {
				n := scores[f]
				n[side]++
				scores[f] = n
			}
		}
	}
	// With all bad cases in it, Ochiai's coefficient grows with this.
	score := func(f string) float64 {
		n := scores[f]
		return float64(n[1]) * float64(n[1]) / float64(n[0]+n[1])
	}
	for f := range scores {
		if score(f) >= score(name) {
			rank++
		}
	}
	return rank
}

// plantedFound is what blame finds; it may only get better.
var plantedFound = [3]int{2, 8, 8}
