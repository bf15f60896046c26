package workload

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// realSets are the workloads of real data: which files of the corpus, by folder and beginning of the name.
var realSets = []struct{ name, typ, files, of string }{
	{"Pprof", "Profile", "data/pprof/", "perftools.profiles.Profile"},
	{"VectorTiles", "Tile", "data/mvt/bangkok", "vector_tile.Tile"},
	{"OsmBlocks", "PrimitiveBlock", "data/osm/delaware", "OSMPBF.PrimitiveBlock"},
	{"Gtfs", "Feed", "data/gtfs/", "transit_realtime.FeedMessage"},
}

// realBytes is how much of a set is taken at most, so that the checks of all implementations stay short. A larger message is
// left out.
const realBytes = 1 << 20

// All returns the workloads that are made up and those of the real data below the folder corpora. Without the folder there
// are none of these.
func All(corpora string) ([]Workload, error) {
	all := Made()
	manifest, err := os.ReadFile(filepath.Join(corpora, "manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	} else if err != nil {
		return nil, err
	}
	var files []struct {
		File, Type, Framing string
		OK                  bool
	}
	if err := json.Unmarshal(manifest, &files); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	for _, set := range realSets {
		w, total := Workload{Name: set.name, Type: set.typ}, 0
		for _, f := range files {
			if !f.OK || f.Type != set.of || !strings.HasPrefix(f.File, set.files) {
				continue
			}
			b, err := os.ReadFile(filepath.Join(corpora, f.File))
			if err != nil {
				return nil, err
			}
			messages, err := unframe(b, f.Framing)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", f.File, err)
			}
			for _, m := range messages {
				if total+len(m) <= realBytes {
					total += len(m)
					w.Data = append(w.Data, m)
				}
			}
		}
		if len(w.Data) > 0 {
			all = append(all, w)
		}
	}
	return all, nil
}

// unframe takes the messages out of a file, in one of the framings of the corpus.
func unframe(b []byte, framing string) ([][]byte, error) {
	switch framing {
	case "raw":
		return [][]byte{b}, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		b, err = io.ReadAll(r)
		return [][]byte{b}, err
	case "uvarint":
		var all [][]byte
		for len(b) > 0 {
			n, w := binary.Uvarint(b)
			if w <= 0 || n > uint64(len(b)-w) {
				return nil, io.ErrUnexpectedEOF
			}
			all = append(all, b[w:w+int(n)])
			b = b[w+int(n):]
		}
		return all, nil
	}
	return nil, fmt.Errorf("unknown framing %q", framing)
}
