package gogo_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	oldPath = "github.com/octopus-framework/octopus/conformance/gogo/scratch/old/"
	newPath = "github.com/octopus-framework/octopus/conformance/gogo/scratch/new/"
)

// wellKnown maps the well-known files to gogo's package of them.
func wellKnown() (out string) {
	for _, f := range strings.Fields("any api duration empty field_mask source_context struct timestamp type wrappers") {
		out += ",Mgoogle/protobuf/" + f + ".proto=github.com/gogo/protobuf/types"
	}
	return out +
		",Mgoogle/protobuf/descriptor.proto=github.com/gogo/protobuf/protoc-gen-gogo/descriptor"
}

// scratch makes a module for generated code.
func scratch(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, map[string]string{"go.sum": string(sum), "go.mod": fmt.Sprintf(`module github.com/octopus-framework/octopus/conformance/gogo/scratch

go 1.25.6

require (
	github.com/gogo/protobuf v1.3.2
	github.com/octopus-framework/octopus/conformance/gogo v0.0.0
	github.com/octopus-framework/octopus/gremlin v0.1.0
)

replace (
	github.com/octopus-framework/octopus => %[1]s
	github.com/octopus-framework/octopus/gremlin => %[1]s/gremlin
	github.com/octopus-framework/octopus/conformance/gogo => %[1]s/conformance/gogo
)
`, root)})
	return dir
}

var registerEnum = regexp.MustCompile(`(?m)^\tproto\.RegisterEnum\(.*$`)

var messageType = regexp.MustCompile(`(?m)^type ([A-Z]\w*) struct \{\n`)

// rounds is how many values of each message are compared: 8000 make a million.
var rounds = flag.Int("rounds", 400, "values of each message that TestIdentity compares")

// TestIdentity generates code for schemas of all kinds, labels and options with gogo's generator
// and with ours, and compares layouts, bytes, texts and verdicts of random messages and damaged
// encodings in a program that has both.
func TestIdentity(t *testing.T) {
	module := gogoFolder(t)
	roots := []string{importRoot(t, module)}
	dir := scratch(t)
	rounds := *rounds
	if testing.Short() {
		rounds = 10
	}
	var imports, pairs strings.Builder
	var names []string
	for _, preset := range []string{"gogofast", "gogofaster", "gogoslick"} {
		for _, syntax := range []string{"proto2", "proto3"} {
			name := preset + syntax
			write(t, dir, map[string]string{name +
				".proto": schema(syntax, name, preset == "gogofast" || syntax == "proto3")})
			req := request(t, append([]string{dir}, roots...), "paths=source_relative"+wellKnown(),
				name+".proto")
			old, ours := gogos(t, preset, req), ours(t, preset, req)
			for file, text := range old {
				// Enums cannot be registered twice; messages can.
				text = registerEnum.ReplaceAllString(text, "")
				write(t, dir, map[string]string{"old/" + name + "/" + file: text})
			}
			for file, text := range ours {
				write(t, dir, map[string]string{"new/" + name + "/" + file: text})
			}
			names = append(names, name)
			compareHelpers(t, name, old[name+".pb.go"], ours[name+".pb.go"])
			fmt.Fprintf(&imports, "\told%[1]s %[2]q\n\tnew%[1]s %[3]q\n", name, oldPath+name,
				newPath+name)
			for _, m := range messages(ours[name+".pb.go"]) {
				fmt.Fprintf(&pairs,
					"\t{%[3]q, func() diff.Message { return &old%[1]s.%[2]s{} }, func() diff.Message { return &new%[1]s.%[2]s{} }},\n",
					name, m, name+"."+m)
			}
		}
	}
	write(t, dir, map[string]string{"main.go": fmt.Sprintf(`package main

import (
	"fmt"
	"os"

	"github.com/octopus-framework/octopus/conformance/gogo/internal/diff"
%s)

var pairs = []diff.Pair{
%s}

func main() {
	stats, differences := diff.Run(pairs, diff.Options{Seed: 1, Rounds: %d})
	for _, d := range differences {
		fmt.Println(d)
	}
	fmt.Printf("%%d messages, %%+v\n", len(pairs), stats)
	if len(differences) > 0 {
		os.Exit(1)
	}
}
`, imports.String(), pairs.String(), rounds)})
	t.Log(lastLine(run(t, dir, "run", ".")))
	for _, name := range names {
		compareAPI(t, dir, name)
	}
}

func lastLine(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return lines[len(lines)-1]
}

// messages returns the names of the messages in generated code.
func messages(text string) []string {
	found := map[string]bool{}
	for _, m := range messageType.FindAllStringSubmatch(text, -1) {
		if strings.Contains(text, "func (*"+m[1]+") ProtoMessage()") {
			found[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
