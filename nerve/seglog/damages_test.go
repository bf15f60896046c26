package seglog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octopus-framework/octopus/nerve"
)

// damage is a way to harm a log: the steps of a file in testdata/damage.
type damage [][]string

// damages reads testdata/damage, whose README.md says what the steps are.
func damages(t *testing.T) map[string]damage {
	t.Helper()
	list, err := filepath.Glob(filepath.Join("testdata", "damage", "*.txt"))
	if err != nil || len(list) == 0 {
		t.Fatalf("damages: %v, %v", list, err)
	}
	all := map[string]damage{}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var d damage
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
				d = append(d, words)
			}
		}
		if len(d) == 0 {
			t.Fatalf("%s has no steps", path)
		}
		all[strings.TrimSuffix(filepath.Base(path), ".txt")] = d
	}
	return all
}

// harm does the steps to a log, at places that rng chooses.
func (d damage) harm(t *testing.T, dir string, rng *rand.Rand) {
	t.Helper()
	for _, words := range d {
		if err := harm(dir, rng, words[0], words[1:]); err != nil {
			t.Fatalf("%s: %v", strings.Join(words, " "), err)
		}
	}
}

func harm(dir string, rng *rand.Rand, verb string, args []string) error {
	list, err := segments(dir)
	if err != nil {
		return err
	}
	if verb == "swap" {
		i := rng.IntN(len(list) - 1)
		return swap(list[i], list[i+1])
	}
	if len(args) == 0 {
		return fmt.Errorf("%s of what?", verb)
	}
	if verb == "write" {
		return writeForeign(dir, rng, args[0])
	}
	var path string
	switch args[0] {
	case "last":
		path = list[len(list)-1]
	case "sealed":
		path = list[rng.IntN(len(list)-1)]
	case "any":
		path = list[rng.IntN(len(list))]
	case "state":
		path = filepath.Join(dir, "state")
	default:
		return fmt.Errorf("no file %q", args[0])
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	switch verb {
	case "cut":
		b = b[:rng.IntN(len(b))]
	case "zero":
		from, to := rng.IntN(len(b)), len(b)
		if slices.Contains(args, "sector") {
			from = from / 512 * 512
			to = min(to, from+512)
		}
		clear(b[from:to])
	case "flip":
		most, err := strconv.Atoi(args[len(args)-1])
		if err != nil {
			return err
		}
		for range 1 + rng.IntN(most) {
			b[rng.IntN(len(b))] ^= byte(1 + rng.IntN(255))
		}
	case "remove":
		return os.Remove(path)
	case "copy":
		return writeNew(randomSegment(dir, rng), b)
	default:
		return fmt.Errorf("no step %q", verb)
	}
	return os.WriteFile(path, b, 0o644)
}

func swap(one, other string) error {
	between := one + "x"
	for _, move := range [][2]string{{one, between}, {other, one}, {between, other}} {
		if err := os.Rename(move[0], move[1]); err != nil {
			return err
		}
	}
	return nil
}

func writeForeign(dir string, rng *rand.Rand, name string) error {
	text := strings.Repeat("another program ", 1+rng.IntN(600))
	if name == "segment" {
		return writeNew(randomSegment(dir, rng), []byte(text))
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644)
}

// randomSegment names a segment that may be one of the log.
func randomSegment(dir string, rng *rand.Rand) string {
	return filepath.Join(dir, fmt.Sprintf("%020d.seg", 1+rng.IntN(2*damageRecords)))
}

// writeNew writes a file unless there is one: a segment of the log stays.
func writeNew(path string, content []byte) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return os.WriteFile(path, content, 0o644)
}

// segments returns the paths of the segments of a log, by their first record.
func segments(dir string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	list = slices.DeleteFunc(list, func(path string) bool {
		return len(filepath.Base(path)) != len(fmt.Sprintf("%020d.seg", nerve.ID(1)))
	})
	if err == nil && len(list) < 4 {
		err = fmt.Errorf("too few segments: %v", list)
	}
	slices.Sort(list)
	return list, err
}
