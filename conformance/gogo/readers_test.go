package gogo_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestReaders generates Readers beside code in the shape of gogo, for schemas of all kinds, labels
// and options, and compares what they return with what gogo's contract decodes.
func TestReaders(t *testing.T) {
	module := gogoFolder(t)
	roots := []string{importRoot(t, module)}
	dir := scratch(t)
	var imports, pairs strings.Builder
	for _, preset := range []string{"gogofast", "gogoslick"} {
		for _, syntax := range []string{"proto2", "proto3"} {
			name := preset + syntax
			write(t, dir, map[string]string{name +
				".proto": schema(syntax, name, preset == "gogofast" || syntax == "proto3")})
			req := request(t, append([]string{dir}, roots...),
				"registry=none,readers=true,paths=source_relative", name+".proto")
			files := ours(t, preset, req)
			if len(files) != 2 {
				t.Errorf("%s: %v", name, slices.Sorted(maps.Keys(files)))
			}
			for file, text := range files {
				write(t, dir, map[string]string{name + "/" + file: text})
			}
			fmt.Fprintf(&imports, "\t%q\n",
				"github.com/octopus-framework/octopus/conformance/gogo/scratch/"+name)
			for _, m := range messages(files[name+".pb.go"]) {
				fmt.Fprintf(&pairs, "\t{%q, new(%s.%s), new(%[2]s.%[3]sReader)},\n", name+"."+m, name, m)
			}
		}
	}
	write(t, dir, map[string]string{"main.go": fmt.Sprintf(`package main

import (
	"fmt"

	"github.com/octopus-framework/octopus/conformance/gogo/internal/diff"
%s)

func main() {
	getters := 0
	for _, p := range []struct {
		name   string
		m      diff.Message
		reader any
	}{
%s	} {
		n, found := diff.Reader(p.name, p.m, p.reader, 1, 60)
		getters += n
		for _, f := range found {
			fmt.Println("DIFFERENT", f)
		}
	}
	fmt.Println(getters, "getters")
}
`, imports.String(), pairs.String())})
	got := run(t, dir, "run", ".")
	if strings.Contains(got, "DIFFERENT") {
		t.Error(got)
	}
	var n int
	if _, err := fmt.Sscan(lastLine(got), &n); err != nil || n < 10000 {
		t.Errorf("only %s were compared", lastLine(got))
	}
	t.Log(lastLine(got))
}
