// Command report draws what the gremlin lab measured: it reads results.json and writes index.html and summary.md beside it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/lab/report"
)

func main() {
	in := flag.String("in", "out/results.json", "the raw file of a run")
	flag.Parse()
	if err := run(*in); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(in string) error {
	r, err := report.ReadFile(in)
	if err != nil {
		return err
	}
	for _, out := range []struct {
		name  string
		write func(io.Writer, *report.Results) error
	}{{"index.html", report.WritePage}, {"summary.md", report.WriteSummary}} {
		name := filepath.Join(filepath.Dir(in), out.name)
		f, err := os.Create(name)
		if err != nil {
			return err
		}
		if err := out.write(f, r); err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		fmt.Println(name)
	}
	return nil
}
