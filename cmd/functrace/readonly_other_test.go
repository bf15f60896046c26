//go:build !linux

package main

import "testing"

// obedient runs the command in a folder. Run by root, tests that expect file modes to count fail.
func obedient(t *testing.T, dir string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return functrace(t, dir, args...)
}
