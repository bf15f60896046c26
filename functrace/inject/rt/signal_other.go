//go:build !unix

package rt

import "errors"

// snapshotOn has a signal make snapshots, where there are signals.
func snapshotOn(string) error { return errors.New("this system has no such signals") }
