//go:build !linux

package vfs

import "os"

// OpenDirect implements File: other systems have no such thing, or one with other
// rules.
func (osFile) OpenDirect(path string) (File, error) {
	return nil, &os.PathError{Op: "open", Path: path, Err: ErrNoDirect}
}

// Memory implements FS.
func (OS) Memory(int) ([]byte, func(), error) { return nil, nil, ErrNoDirect }
