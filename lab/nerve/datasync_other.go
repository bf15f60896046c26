//go:build !linux

package main

import (
	"errors"
	"os"
	"time"
)

func datasync(f *os.File) error { return f.Sync() }

func flush() {}

func processorTime() time.Duration { return 0 }

func evict(string) error { return errors.New("only Linux can drop files from its cache") }
