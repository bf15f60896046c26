package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/lab/workload"
)

// set is messages of one kind.
type set struct {
	name     string
	messages [][]byte
}

// maxSet bounds the bytes that are taken of a kind, so that none takes all the time.
const maxSet = 4 << 20

// kinds are those of the real data: which types, and whether the elements of field 1 are the messages, as in a list of log lines.
var kinds = []struct {
	name, of string
	elements bool
}{
	{"log lines", "hyperpb.rsb.log.Logs", true},
	{"players of a game", "hyperpb.rsb.minecraft.Players", true},
	{"objects of Kubernetes", "k8s.io.", false},
	{"descriptors of files", "google.protobuf.FileDescriptorSet", true},
	{"map tiles", "vector_tile.Tile", false},
	{"blocks of OpenStreetMap", "OSMPBF.PrimitiveBlock", false},
	{"profiles of pprof", "perftools.profiles.Profile", false},
}

// batched are the kinds that are also measured as a queue stores them, many in a batch.
var batched = map[string]bool{"events of a shop (made up)": true, "log lines": true, "players of a game": true}

const batchSize = 64 << 10

func load(corpora string) ([]set, error) {
	manifest, err := os.ReadFile(filepath.Join(corpora, "manifest.json"))
	if err != nil {
		return nil, fmt.Errorf("the real messages are not there, see -corpora: %w", err)
	}
	var files []struct {
		File, Type, Framing string
		OK                  bool
	}
	if err := json.Unmarshal(manifest, &files); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	sets := []set{made()}
	for _, k := range kinds {
		s := set{name: k.name}
		total := 0
		for _, f := range files {
			if !f.OK || !strings.HasPrefix(f.Type, k.of) {
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
				parts := [][]byte{m}
				if k.elements {
					parts = elements(m)
				}
				for _, p := range parts {
					if len(p) > 0 && total+len(p) <= maxSet {
						total += len(p)
						s.messages = append(s.messages, p)
					}
				}
			}
		}
		if len(s.messages) == 0 {
			return nil, fmt.Errorf("there are no messages of %s in %s", k.of, corpora)
		}
		sets = append(sets, s)
	}
	for _, s := range sets {
		if batched[s.name] {
			sets = append(sets, batch(s))
		}
	}
	return sets, nil
}

// made are the events that the other parts of the lab use; they hold random digits, so they compress worse than many real ones.
func made() set {
	for _, w := range workload.Made() {
		if w.Type == "Deposit" && len(w.Data) > 100 {
			return set{"events of a shop (made up)", w.Data}
		}
	}
	panic("the lab has no events of a shop")
}

// batch packs messages with their lengths, 64 KiB at a time.
func batch(s set) set {
	b := set{name: s.name + ", batches of 64 KiB"}
	var packed []byte
	for _, m := range s.messages {
		packed = binary.AppendUvarint(packed, uint64(len(m)))
		packed = append(packed, m...)
		if len(packed) >= batchSize {
			b.messages = append(b.messages, packed)
			packed = nil
		}
	}
	if len(b.messages) == 0 {
		b.messages = append(b.messages, packed)
	}
	return b
}

// elements returns the values of field 1.
func elements(m []byte) (list [][]byte) {
	for len(m) > 0 {
		number, typ, n := protowire.ConsumeTag(m)
		size := protowire.ConsumeFieldValue(number, typ, m[max(n, 0):])
		if n < 0 || size < 0 {
			return list
		}
		if number == 1 && typ == protowire.BytesType {
			v, _ := protowire.ConsumeBytes(m[n:])
			list = append(list, v)
		}
		m = m[n+size:]
	}
	return list
}

// unframe takes the messages out of a file, in one of the framings of the corpus.
func unframe(b []byte, framing string) (all [][]byte, err error) {
	switch framing {
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		if b, err = io.ReadAll(r); err != nil {
			return nil, err
		}
	case "uvarint":
		for len(b) > 0 {
			n, w := binary.Uvarint(b)
			if w <= 0 || n > uint64(len(b)-w) {
				return nil, errors.New("a length is cut off")
			}
			all = append(all, b[w:w+int(n)])
			b = b[w+int(n):]
		}
		return all, nil
	}
	return [][]byte{b}, nil
}
