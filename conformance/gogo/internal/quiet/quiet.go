// Package quiet silences package log while packages are initialized: gogo's registry says that it
// has all types twice. It imports little, so that it is initialized early.
package quiet

import (
	"io"
	"log"
)

func init() { log.SetOutput(io.Discard) }
