// Command report draws what the gremlin lab measured: it reads results.json and writes index.html and summary.md beside it.
// The lab does this itself at the end of a full run; this is for raw files of other machines and days.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/octopus-framework/octopus/lab/report"
)

func main() {
	in := flag.String("in", "out/results.json", "the raw file of a run")
	brief := flag.String("brief", "", "file for the short form that the documentation quotes; nothing else is written then")
	flag.Parse()
	if err := run(*in, *brief); err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(in, brief string) error {
	r, err := report.ReadFile(in)
	if err != nil {
		return err
	}
	if brief != "" {
		var text bytes.Buffer
		if err := report.WriteBrief(&text, r); err != nil {
			return err
		}
		return os.WriteFile(brief, text.Bytes(), 0o666)
	}
	paths, err := report.WriteFiles(filepath.Dir(in), r)
	for _, path := range paths {
		fmt.Println("wrote", path)
	}
	return err
}
