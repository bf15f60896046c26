// Package inject holds the sources of package rt, which the command functrace lays over the
// programs that it builds. Nobody else needs it.
package inject

import "embed"

// Runtime is the files of package rt, below the folder rt, its tests among them.
//
//go:embed rt/*.go rt/*.s
var Runtime embed.FS
