package nervestorage

import (
	"os"
	"path/filepath"
)

var defaultDirectory = filepath.Join(os.Getenv("ProgramData"), "Otelcol", "NerveStorage")
