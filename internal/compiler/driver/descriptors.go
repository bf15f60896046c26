package driver

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"sync"
)

// DescriptorSet says what a FileDescriptorSet has.
type DescriptorSet struct {
	Imports    bool // what the files import
	SourceInfo bool
	Stripped   bool // no options whose retention is that of the source
}

// WriteDescriptors writes the FileDescriptorSet of a compilation without errors to a file, as
// protoc --descriptor_set_out does: the files asked for, or these and all that they import, each
// behind its imports.
func (c *Compilation) WriteDescriptors(file string, set DescriptorSet) error {
	asked := map[string]bool{}
	for _, f := range c.Files {
		asked[f] = true
	}
	var files []int
	for i, f := range c.Descriptors.File {
		if set.Imports || asked[f.GetName()] {
			files = append(files, i)
		}
	}
	u := &update{out: filepath.Dir(file)}
	defer u.abandon()
	if err := u.stageFrom(filepath.Base(file), func(w io.Writer) error {
		return c.encode(w, files, set)
	}); err != nil {
		return err
	}
	return u.commit()
}

// encode writes files, some at a time: all of them are far more than their descriptors.
func (c *Compilation) encode(w io.Writer, files []int, set DescriptorSet) error {
	appendFile := c.AppendFile
	if set.Stripped {
		appendFile = c.AppendStripped
	}
	const atATime = 64
	parts, errs := make([][]byte, runtime.GOMAXPROCS(0)), make([]error, runtime.GOMAXPROCS(0))
	for len(files) > 0 {
		var wait sync.WaitGroup
		for p := range parts {
			some := files[:min(atATime, len(files))]
			files = files[len(some):]
			wait.Go(func() {
				parts[p] = parts[p][:0]
				for _, i := range some {
					parts[p], errs[p] = appendFile(parts[p], i, set.SourceInfo)
					if errs[p] != nil {
						return
					}
				}
			})
		}
		wait.Wait()
		for p, part := range parts {
			if errs[p] != nil {
				return fmt.Errorf("the descriptors cannot be encoded: %w", errs[p])
			}
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
	}
	return nil
}
