package octopus_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// target is the first line of one of the Makefile: name, what it needs, what help says of it.
var target = regexp.MustCompile(`(?m)^([a-z-]+):([^#=\n]*)## (.*)\n((?:\t.*\n)*)`)

// TestLabTargetsAreQuick demands that each measurement of the lab can be tried in minutes, and that
// help says how: lab-quick for lab, a variable with -quick for every other.
func TestLabTargetsAreQuick(t *testing.T) {
	makefile, err := os.ReadFile("Makefile")
	if err != nil {
		t.Fatal(err)
	}
	option := regexp.MustCompile(`\(([A-Z]+)=-quick`)
	others := map[string]bool{"lab-quick": true, "lab-code": true, "lab-test": true}
	found := 0
	for _, m := range target.FindAllStringSubmatch(string(makefile), -1) {
		name, help, recipe := m[1], m[3], m[4]
		if !strings.HasPrefix(name, "lab-") || others[name] {
			continue
		}
		found++
		v := option.FindStringSubmatch(help)
		if v == nil {
			t.Errorf("%s: help names no VARIABLE=-quick: %s", name, help)
			continue
		}
		if !strings.Contains(recipe, "$("+v[1]+")") {
			t.Errorf("%s: nothing gets $(%s):\n%s", name, v[1], recipe)
		}
	}
	if found < 5 {
		t.Fatalf("%d targets of the lab: the Makefile is not understood", found)
	}
}
