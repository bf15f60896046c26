package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/octopus-framework/octopus/internal/trace/report"
)

// output says where the calls of a run go.
type output struct {
	format string
	path   string
	tree   report.WriteOptions
}

func (o *output) flags(fs *flag.FlagSet) {
	fs.StringVar(&o.format, "format", "",
		report.FormatNames+", or raw for a recording (default: by the name of -o, else tree)")
	fs.StringVar(&o.path, "o", "",
		"write the calls to this `file` (default: standard error, when the program has ended)")
	treeFlags(fs, &o.tree)
}

// check refuses formats that there are not.
func (o *output) check() error {
	formats := append(strings.Split(report.FormatNames, ", "), "raw", "")
	if !slices.Contains(formats, o.format) {
		return fmt.Errorf("%w: unknown format %q (%s, raw)", errUsage, o.format,
			report.FormatNames)
	}
	return nil
}

// write converts the recordings in a folder.
func (o output) write(dir string, stderr io.Writer) (err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.functrace"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintln(stderr, "functrace: no instrumented function was called")
		return nil
	}
	format := o.format
	if format == "" {
		format = "tree"
		if strings.HasSuffix(o.path, ".functrace") {
			format = "raw"
		}
	}
	var w io.Writer = stderr
	if o.path != "" {
		f, err := os.Create(o.path)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		w = f
	}
	if format == "raw" {
		for _, name := range files {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			_, err = io.Copy(w, f)
			if err = errors.Join(err, f.Close()); err != nil {
				return err
			}
		}
		return nil
	}
	procs, err := report.ReadFiles(files...)
	if err != nil {
		return err
	}
	return report.Write(w, procs, report.Format(format), o.tree)
}
