// Pproftop prints the functions with the most samples of a pprof profile, as `go tool pprof -top`
// does, reading the profile through a Reader: nothing is decoded but what the question needs, and
// the profile is never held as Go values.
//
// Without an argument it reads the profile that the Go tree ships for building its own compiler.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/octopus-framework/octopus/examples/pproftop/profile"
)

//go:generate go run ../../cmd/gremlin generate

func main() {
	n := flag.Int("n", 10, "functions to print")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: pproftop [-n N] [FILE]\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, flag.Arg(0), *n); err != nil {
		fmt.Fprintln(os.Stderr, "pproftop:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, file string, n int) error {
	if file == "" {
		var err error
		if file, err = compilerProfile(); err != nil {
			return err
		}
	}
	b, err := read(file)
	if err != nil {
		return err
	}
	start := time.Now()
	top, err := flat(b)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	fmt.Fprintf(w, "%s: %.1f MB, read in %s\n", filepath.Base(file), float64(len(b))/1e6,
		time.Since(start).Round(10*time.Microsecond))
	top.print(w, n)
	return nil
}

// compilerProfile returns the path of the profile in the Go tree.
func compilerProfile() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("no file given and no Go tree found: %w", err)
	}
	return filepath.Join(strings.TrimSpace(string(root)), "src", "cmd", "compile", "default.pgo"),
		nil
}

// read returns the profile in a file, unpacked if it is gzip'ed, as profiles usually are.
func read(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		return b, err
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

// ranking is how many samples have a function as their leaf.
type ranking struct {
	unit  string
	total int64
	rows  []row
}

type row struct {
	name string
	flat int64
}

// flat adds up the last value of each sample, as pprof does by default, by the innermost function
// of its leaf.
func flat(b []byte) (*ranking, error) {
	var p profile.ProfileReader
	if err := p.Unmarshal(b); err != nil {
		return nil, err
	}
	// a nested message that is malformed would read as empty
	if err := p.CheckEncoding(); err != nil {
		return nil, err
	}
	types := p.GetSampleType()
	if len(types) == 0 {
		return nil, errors.New("the profile has no sample types")
	}
	strs := p.GetStringTable()
	str := func(i int64) string {
		if i < 0 || i >= int64(len(strs)) {
			return "?"
		}
		return strs[i]
	}
	value := len(types) - 1
	for i := range types {
		if d := p.GetDefaultSampleType(); d != 0 && types[i].GetType() == d {
			value = i
		}
	}
	byLocation := map[uint64]int64{}
	r := &ranking{unit: str(types[value].GetUnit())}
	for s := range p.Sample() {
		values := s.GetValue()
		if len(values) != len(types) {
			return nil, fmt.Errorf("a sample has %d values for %d sample types", len(values),
				len(types))
		}
		r.total += values[value]
		for leaf := range s.LocationId() {
			byLocation[leaf] += values[value]
			break
		}
	}
	byFunction := map[uint64]int64{}
	for l := range p.Location() {
		if sum := byLocation[l.GetId()]; sum != 0 {
			for line := range l.Line() {
				byFunction[line.GetFunctionId()] += sum
				break
			}
		}
	}
	byName := map[string]int64{}
	for f := range p.Function() {
		if sum := byFunction[f.GetId()]; sum != 0 {
			byName[str(f.GetName())] += sum
		}
	}
	for name, sum := range byName {
		r.rows = append(r.rows, row{name, sum})
	}
	slices.SortFunc(r.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(b.flat, a.flat), strings.Compare(a.name, b.name))
	})
	return r, nil
}

func (r *ranking) print(w io.Writer, n int) {
	fmt.Fprintf(w, "%12s %7s  %s\n", "flat", "flat%", "function")
	for _, row := range r.rows[:min(n, len(r.rows))] {
		flat := fmt.Sprintf("%d %s", row.flat, r.unit)
		if r.unit == "nanoseconds" {
			flat = fmt.Sprintf("%.2fs", float64(row.flat)/1e9)
		}
		fmt.Fprintf(w, "%12s %6.2f%%  %s\n", flat, 100*float64(row.flat)/float64(max(r.total, 1)),
			row.name)
	}
}
