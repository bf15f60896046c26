package main

import (
	"io/fs"
	"syscall"
)

// allocated returns how much of the disk a file takes.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
