package gogo_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/internal/oracle"
)

// TestRace writes and reads one message, and its Reader, from many goroutines under the race
// detector.
func TestRace(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program with the race detector")
	}
	module := gogoFolder(t)
	dir := scratch(t)
	if out, err := exec.Command("go", "build", "-race",
		"sync").CombinedOutput(); err != nil {
		oracle.Skip(t, "race", "there is no race detector: "+string(out))
	}
	write(t, dir, map[string]string{"race.proto": strings.Replace(schema("proto3", "race", true),
		"(gogoproto.stable_marshaler_all) = true", "(gogoproto.equal_all) = true", 1)})
	req := request(t, []string{dir, importRoot(t, module)},
		"registry=none,readers=true,paths=source_relative", "race.proto")
	for file, text := range ours(t, "gogofast", req) {
		write(t, dir, map[string]string{"race/" + file: text})
	}
	write(t, dir, map[string]string{"main.go": `package main

import (
	"fmt"
	"sync"

	"github.com/octopus-framework/octopus/conformance/gogo/internal/diff"
	"github.com/octopus-framework/octopus/conformance/gogo/scratch/race"
)

func main() {
	for _, m := range []diff.Message{new(race.Singular), new(race.Repeated), new(race.MapValues), new(race.Oneof),
		new(race.Customs), new(race.Times), new(race.Combinations)} {
		for seed := range int64(5) {
			diff.Fill(m, seed)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 20 {
						b, err := m.Marshal()
						if err != nil {
							return // a time out of range
						}
						_ = m.String()
						if len(b) != m.(interface{ Size() int }).Size() {
							fmt.Println("another size")
						}
						if _, err := m.(interface {
							XXX_Marshal([]byte, bool) ([]byte, error)
						}).XXX_Marshal(make([]byte, 0, len(b)), true); err != nil {
							fmt.Println(err)
						}
					}
				})
			}
			wg.Wait()
		}
	}
	fmt.Println("done")
}
`})
	if got := run(t, dir, "run", "-race", "."); got != "done\n" {
		t.Error(got)
	}
}
