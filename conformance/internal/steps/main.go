// Steps runs what must take time in proportion to its input, in a small and in a large size each,
// and counts the statements of the runtime and of generated code that are executed, and the bytes
// that are allocated. No clock is read, so the counts are the same on every machine.
//
//	go build -tags purego,count -cover -covermode=atomic -coverpkg=... ./internal/steps
//	steps DIR
//
// The tag purego is there because assembly is not counted, the tag count because a copy is one
// statement, however long. Statements are counted by the coverage counters, which are written to
// DIR/CASE for "go tool covdata textfmt"; standard output has a line for each: the case, its size,
// the bytes that were allocated.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/coverage"
	"strconv"
)

// work is one thing to count. Prepare makes its input of a size and returns what is counted.
type work struct {
	name    string
	sizes   [2]int
	prepare func(size int) (func() error, error)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: steps DIR")
		os.Exit(2)
	}
	for _, list := range [][]work{nested(), opened(), hostile()} {
		for _, w := range list {
			if err := w.count(os.Args[1]); err != nil {
				fmt.Fprintf(os.Stderr, "steps: %s: %v\n", w.name, err)
				os.Exit(1)
			}
		}
	}
}

// count runs w in both sizes and writes the counters.
func (w work) count(dir string) error {
	for i, size := range w.sizes {
		run, err := w.prepare(size)
		if err != nil {
			return err
		}
		if err := run(); err != nil { // fills the pools
			return err
		}
		to := filepath.Join(dir, w.name, strconv.Itoa(i))
		if err := os.MkdirAll(to, 0o777); err != nil {
			return err
		}
		if err := coverage.WriteMetaDir(to); err != nil {
			return err
		}
		var before, after runtime.MemStats
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
		runtime.ReadMemStats(&before)
		err = run()
		runtime.ReadMemStats(&after)
		if err != nil {
			return err
		}
		if err := coverage.WriteCountersDir(to); err != nil {
			return err
		}
		fmt.Println(w.name, size, after.TotalAlloc-before.TotalAlloc)
	}
	return nil
}
