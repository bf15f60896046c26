package inject

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"time"
)

// overlayIndex is the file for -overlay.
type overlayIndex struct {
	Replace map[string]string // the file to read for a file; "" for none
}

// readOverlay reads the overlay that the flags name; its paths are absolute then.
func readOverlay(c Config, flags []string) (map[string]string, error) {
	given := make(map[string]string)
	name := flagValue(flags, "overlay")
	if name == "" {
		return given, nil
	}
	text, err := os.ReadFile(absolute(c, name))
	if err != nil {
		return nil, err
	}
	var index overlayIndex
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for from, to := range index.Replace {
		given[absolute(c, from)] = absolute(c, to)
	}
	return given, nil
}

// write puts the files into a temporary folder, and the overlay's index, which has the given
// replacements too. No text means no file.
func (o *Overlay) write(files map[string][]byte, given map[string]string) error {
	index := overlayIndex{maps.Clone(given)}
	n := 0
	for name, src := range files {
		n++
		to := ""
		if src != nil {
			to = filepath.Join(o.dir, fmt.Sprintf("%d-%s", n, filepath.Base(name)))
			// The go command takes new files for ones that may still change, and does not look for
			// them everywhere that it should; and it takes files of the same name, size and time
			// for the same.
			h := fnv.New32a()
			_, _ = h.Write(src)
			old := time.Unix(1e9+int64(h.Sum32()>>4), 0)
			if err := errors.Join(os.WriteFile(to, src, 0o600),
				os.Chtimes(to, old, old)); err != nil {
				return err
			}
		}
		index.Replace[name] = to
	}
	text, err := json.Marshal(index)
	if err != nil {
		return err
	}
	o.File = filepath.Join(o.dir, "overlay.json")
	return os.WriteFile(o.File, text, 0o600)
}
