package seglog

import (
	"bytes"
	"io"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/vfs"
)

// segment is what is known of one file without reading its batches. It is a
// value: the list of them is replaced, never changed in place.
type segment struct {
	first    nerve.ID
	last     nerve.ID // last id of a sealed segment; first-1 if it is empty
	sealed   bool
	path     string
	salt     uint32
	size     int64 // bytes of batches and header, as far as known
	lastNano int64
	lastCRC  uint32
	prevCRC  uint32 // checksum of the last batch of the segment before
	// damaged says that header or footer cannot be believed.
	damaged bool
}

// readFooter fills in what the footer of an open segment file says, and reports
// whether there is a valid one.
func (s *segment) readFooter(f vfs.File) (bool, error) {
	size, err := f.Size()
	if err != nil {
		return false, err
	}
	var b [trailerSize]byte
	if size < segmentHeaderSize+trailerSize {
		return false, nil
	}
	if _, err := f.ReadAt(b[:], size-trailerSize); err != nil {
		return false, err
	}
	t, _, _, ok := decodeTrailer(s.salt, b[:], size)
	if !ok || t.first != s.first {
		return false, nil
	}
	s.last, s.sealed, s.size, s.lastNano, s.lastCRC = t.last, true, t.dataEnd, t.lastNano, t.lastCRC
	return true, nil
}

// notASegment is what is wrong with a file that is not ours.
const notASegment = "the file has the name of a segment and nothing of one in it"

// isOurs reports whether a file is a segment of this log although its header
// is damaged: whether there is a footer, or a batch, that its name accounts
// for. Otherwise it is some other program's, whatever its name.
func (s *segment) isOurs(f vfs.File) (bool, error) {
	if !s.damaged || s.sealed {
		return true, nil
	}
	_, ok, err := s.nextBatch(f, 0)
	return ok, err
}

// readIndex returns the index of a sealed segment. An index that cannot be read
// is not an error: the search then walks from the first batch.
func (s *segment) readIndex(f vfs.File) []indexEntry {
	start := []indexEntry{{first: s.first, offset: segmentHeaderSize}}
	size, err := f.Size()
	if err != nil || size < segmentHeaderSize+trailerSize {
		return start
	}
	var b [trailerSize]byte
	if _, err := f.ReadAt(b[:], size-trailerSize); err != nil {
		return start
	}
	t, entries, crc, ok := decodeTrailer(s.salt, b[:], size)
	if !ok {
		return start
	}
	p := make([]byte, entries*indexEntrySize)
	if _, err := f.ReadAt(p, t.dataEnd); err != nil {
		return start
	}
	index, ok := decodeIndex(s.salt, p, crc)
	if !ok || len(index) == 0 {
		return start
	}
	return index
}

// found is a batch met by a walk.
type found struct {
	batchHeader
	offset int64
}

func (b *found) end() int64 { return b.offset + b.size() + int64(b.stored) }

// walk visits the batch headers of a segment from offset on, without reading
// bodies, until visit returns false or a place holds no header. It returns
// that place, and the reason why it holds none.
func (s *segment) walk(f vfs.File, offset int64, visit func(found) bool) (int64, string, error) {
	var b [keyedHeaderSize]byte
	for {
		n, err := f.ReadAt(b[:], offset)
		if err != nil && err != io.EOF {
			return offset, "", err
		}
		if n < batchHeaderSize {
			return offset, "the file ends here", nil
		}
		at := found{offset: offset}
		if reason := at.decode(s.salt, b[:n]); reason != "" {
			return offset, reason, nil
		}
		if !visit(at) {
			return offset, "", nil
		}
		offset = at.end()
	}
}

// nextBatch looks for the first valid batch header at or after offset, below
// which something is wrong.
func (s *segment) nextBatch(f vfs.File, offset int64) (at found, ok bool, err error) {
	buf := make([]byte, readChunk)
	for {
		n, err := f.ReadAt(buf, offset)
		if err != nil && err != io.EOF {
			return at, false, err
		}
		p := buf[:n]
		for pos := 0; ; pos++ {
			i := bytes.Index(p[pos:], []byte(batchMagic))
			if i < 0 || len(p)-pos-i < batchHeaderSize {
				break
			}
			pos += i
			at = found{offset: offset + int64(pos)}
			if at.decode(s.salt, p[pos:]) == "" {
				return at, true, nil
			}
		}
		if n < len(buf) {
			return at, false, nil
		}
		offset += int64(n - keyedHeaderSize + 1)
	}
}

// onlyZeros reports whether nothing was ever written at or after offset.
func onlyZeros(f vfs.File, offset int64) (bool, error) {
	buf := make([]byte, readChunk)
	zeros := make([]byte, readChunk)
	for {
		n, err := f.ReadAt(buf, offset)
		if err != nil && err != io.EOF {
			return false, err
		}
		if !bytes.Equal(buf[:n], zeros[:n]) {
			return false, nil
		}
		if n < len(buf) {
			return true, nil
		}
		offset += int64(n)
	}
}
