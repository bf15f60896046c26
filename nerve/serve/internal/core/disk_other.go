//go:build !linux && !darwin

package core

// freeSpace does not know.
func freeSpace(string) (int64, bool) { return 0, false }
