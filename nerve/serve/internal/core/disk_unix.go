//go:build linux || darwin

package core

import "syscall"

// freeSpace returns the bytes that a disk has left for others than root.
func freeSpace(dir string) (int64, bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}
