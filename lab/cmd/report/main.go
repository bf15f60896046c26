// Command report draws what the gremlin lab measured: it reads results.json and writes index.html and summary.md beside it.
// The lab does this itself at the end of a full run; this is for raw files of other machines and days.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/lab/report"
)

func main() {
	in := flag.String("in", "out/results.json", "the raw file of a run")
	flag.Parse()
	if err := run(*in); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(in string) error {
	r, err := report.ReadFile(in)
	if err != nil {
		return err
	}
	paths, err := report.WriteFiles(filepath.Dir(in), r)
	for _, path := range paths {
		fmt.Println("wrote", path)
	}
	return err
}
