package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// inspect counts the lines of the Go files below dir. The error names those that gofmt would
// change.
func inspect(dir string) (lines int, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var errs []error
	names := make(chan string)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range names {
				n, err := inspectFile(name)
				mu.Lock()
				if lines += n; err != nil {
					errs = append(errs, err)
				}
				mu.Unlock()
			}
		})
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(name) == ".go" {
			names <- name
		}
		return err
	})
	close(names)
	wg.Wait()
	return lines, errors.Join(append(errs, err)...)
}

func inspectFile(name string) (lines int, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	formatted, err := format.Source(data)
	if err == nil && !bytes.Equal(data, formatted) {
		err = fmt.Errorf("%s is not formatted as gofmt has it", name)
	}
	return bytes.Count(data, []byte{'\n'}), err
}
