package main

import (
	"io"
	"os"

	"github.com/spf13/cobra"
)

// placeAndFiles is what nerve append takes.
func placeAndFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return onePlace(cmd, args)
	}
	return nil
}

// inputOf returns one reader over files, or standard input if there are none or one is "-". With
// lines the end of a file ends a line.
func inputOf(stdin io.Reader, files []string, lines bool) (
	in io.Reader, closeAll func(), err error,
) {
	var opened []*os.File
	closeAll = func() {
		for _, f := range opened {
			f.Close()
		}
	}
	if len(files) == 0 {
		return stdin, closeAll, nil
	}
	var readers []io.Reader
	for _, name := range files {
		var r io.Reader = stdin
		if name != "-" {
			f, err := os.Open(name)
			if err != nil {
				closeAll()
				return nil, nil, err
			}
			opened = append(opened, f)
			r = f
		}
		if lines {
			r = &lineEnded{in: r, last: '\n'}
		}
		readers = append(readers, r)
	}
	return io.MultiReader(readers...), closeAll, nil
}

// lineEnded is a text whose last line has an end.
type lineEnded struct {
	in   io.Reader
	last byte
}

// Read implements io.Reader.
func (r *lineEnded) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if n > 0 {
		r.last = p[n-1]
	}
	if err == io.EOF && n == 0 && r.last != '\n' && len(p) > 0 {
		p[0], r.last = '\n', '\n'
		return 1, nil
	}
	if err == io.EOF && n > 0 {
		err = nil // it comes again
	}
	return n, err
}
