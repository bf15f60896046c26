package main

import (
	"os"
	"syscall"
)

func datasync(f *os.File) error { return syscall.Fdatasync(int(f.Fd())) }

// flush waits until the system has written what was left to write before: a log would wait for it in the journal it shares.
func flush() { syscall.Sync() }
