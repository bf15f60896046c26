package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// output is a file that gets its name when all of it is there, or a stream. Its methods may be
// called at the same time.
type output struct {
	mu    sync.Mutex
	ended bool
	w     *bufio.Writer

	file *os.File // nil for a stream that is not ours to close
	name string   // name that the file gets; empty when it has it already
	mode fs.FileMode
}

// createOutput makes an output; an empty path or "-" stands for standard output. Devices and pipes
// are written as they are.
func createOutput(path string, stdout io.Writer) (*output, error) {
	if path == "" || path == "-" {
		return &output{w: bufio.NewWriterSize(stdout, 64<<10)}, nil
	}
	o := &output{name: path, mode: 0o644}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		o.name = real // a link stays one
	}
	var err error
	switch info, statErr := os.Stat(o.name); {
	case statErr == nil && info.IsDir():
		return nil, fmt.Errorf("output %q is a folder", path)
	case statErr == nil && !info.Mode().IsRegular():
		o.file, err = os.OpenFile(o.name, os.O_WRONLY, 0)
		o.name = ""
	default:
		if statErr == nil {
			o.mode = info.Mode().Perm()
		}
		o.file, err = os.CreateTemp(filepath.Dir(o.name), ".gremlin-*")
	}
	if err != nil {
		var of *fs.PathError
		if errors.As(err, &of) {
			err = of.Err
		}
		return nil, fmt.Errorf("output %q cannot be written: %w", path, err)
	}
	o.w = bufio.NewWriterSize(o.file, 64<<10)
	return o, nil
}

var errEnded = errors.New("the output has been closed")

func (o *output) write(b []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return errEnded
	}
	_, err := o.w.Write(b)
	return err
}

// commit ends the output well.
func (o *output) commit() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := o.w.Flush(); err != nil {
		return err
	}
	o.ended = true
	if o.file == nil {
		return nil
	}
	if o.name == "" {
		return o.file.Close()
	}
	err := o.file.Chmod(o.mode)
	if e := o.file.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(o.file.Name(), o.name)
	}
	if err != nil {
		os.Remove(o.file.Name())
	}
	return err
}

// abort leaves no file behind; after commit it does nothing. What a stream was given before the
// fault is written.
func (o *output) abort() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended {
		return
	}
	o.ended = true
	if o.file == nil || o.name == "" {
		_ = o.w.Flush() // the run has failed already
	}
	if o.file != nil {
		o.file.Close()
	}
	if o.name != "" && o.file != nil {
		os.Remove(o.file.Name())
	}
}
