package driver

import (
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
)

// WriteDescriptors writes the FileDescriptorSet of a compilation without errors to a file, as
// protoc --descriptor_set_out does: the files asked for, with what they import and with source info
// only when asked.
func (c *Compilation) WriteDescriptors(file string, imports, sourceInfo bool) error {
	var files []int
	for i, f := range c.Descriptors.File {
		if _, asked := slices.BinarySearch(c.Files, f.GetName()); asked || imports {
			files = append(files, i)
		}
	}
	u := &update{out: filepath.Dir(file)}
	defer u.abandon()
	if err := u.stageFrom(filepath.Base(file), func(w io.Writer) error {
		return c.encode(w, files, sourceInfo)
	}); err != nil {
		return err
	}
	return u.commit()
}

// encode writes files, some at a time: all of them are far more than their descriptors.
func (c *Compilation) encode(w io.Writer, files []int, sourceInfo bool) error {
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
					if parts[p], errs[p] = c.AppendFile(parts[p], i, sourceInfo); errs[p] != nil {
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
