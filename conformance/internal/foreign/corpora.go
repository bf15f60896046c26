package foreign

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/octopus-framework/octopus/conformance/internal/check"
)

// entry is a line of a corpus's manifest.
type entry struct {
	File, Type, Framing string
	OK                  bool
	Top_messages        int
}

// framed is one message of a file.
type framed struct {
	typ string
	b   []byte
}

// corpora reads every message of a corpus whose type there is and compares what is in it.
func (s *suite) corpora(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		return err
	}
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		return err
	}
	var files, messages tally
	leftOut := 0
	for _, e := range entries {
		if _, ok := s.types[e.Type]; !ok {
			leftOut++
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.File))
		if err != nil {
			return err
		}
		all, err := split(e, b)
		accepted := err == nil
		for i, f := range all {
			typ, ok := s.types[f.typ]
			if !ok {
				return fmt.Errorf("no type %s", f.typ)
			}
			typ.Reads = math.MaxInt
			messages.check(fmt.Sprintf("%s[%d]", e.File, i), check.Input(typ, f.b))
			accepted = accepted && typ.NewMessage().Unmarshal(f.b) == nil
		}
		if accepted != e.OK {
			err = fmt.Errorf("accepted: %v, want %v", accepted, e.OK)
		} else if accepted && len(all) < e.Top_messages {
			err = fmt.Errorf("%d messages, want %d", len(all), e.Top_messages)
		} else {
			err = nil
		}
		files.check(e.File, err)
	}
	fmt.Printf("left out, because the program was built without their types: %d files\n", leftOut)
	return errors.Join(files.err("files"), messages.err("messages"))
}

// split takes a file apart.
func split(e entry, b []byte) (all []framed, err error) {
	switch e.Framing {
	case "raw":
		return []framed{{e.Type, b}}, nil
	case "gzip":
		r, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		b, err = io.ReadAll(r)
		return []framed{{e.Type, b}}, err
	case "uvarint":
		for len(b) > 0 {
			m, n := protowire.ConsumeBytes(b)
			if n < 0 {
				return all, protowire.ParseError(n)
			}
			all, b = append(all, framed{e.Type, m}), b[n:]
		}
		return all, nil
	case "osmpbf":
		for len(b) > 0 {
			if len(b) < 4 || len(b)-4 < int(binary.BigEndian.Uint32(b)) {
				return all, io.ErrUnexpectedEOF
			}
			n := 4 + int(binary.BigEndian.Uint32(b))
			header := b[4:n]
			size, err := dataSize(header)
			if err != nil || len(b)-n < size {
				return all, errors.Join(err, io.ErrUnexpectedEOF)
			}
			all = append(all, framed{e.Type, header}, framed{"OSMPBF.Blob", b[n : n+size]})
			b = b[n+size:]
		}
		return all, nil
	}
	return nil, fmt.Errorf("unknown framing %q", e.Framing)
}

// dataSize reads field 3 of a BlobHeader.
func dataSize(b []byte) (int, error) {
	size := 0
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeField(b)
		if n < 0 {
			return 0, protowire.ParseError(n)
		}
		if _, _, tag := protowire.ConsumeTag(b); num == 3 && typ == protowire.VarintType {
			x, _ := protowire.ConsumeVarint(b[tag:])
			size = int(x)
		}
		b = b[n:]
	}
	return size, nil
}
