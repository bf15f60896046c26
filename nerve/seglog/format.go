package seglog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"

	"github.com/octopus-framework/octopus/nerve"
)

// The bytes are drawn, each field with its reason, in docs/format/seglog.md.

// The formats that this package reads and writes: a log becomes one of
// keyedVersion with the first key, and one of idsVersion with the first id of an
// append. The version is in the state; segments all say formatVersion.
const (
	formatVersion = 1
	keyedVersion  = 2
	idsVersion    = 3
	newestVersion = idsVersion
)

const (
	segmentHeaderSize = 64
	batchHeaderSize   = 64
	keyedHeaderSize   = batchHeaderSize + 16
	partSize          = 24 // of an id and where its records are in the batch
	indexEntrySize    = 24
	trailerSize       = 64

	segmentMagic = "nerveseg"
	batchMagic   = "nervebat"
	trailerMagic = "nerveend"

	segmentSuffix = ".seg"
	tempSuffix    = ".tmp"
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	little     = binary.LittleEndian
)

func checksum(seed uint32, p []byte) uint32 { return crc32.Update(seed, castagnoli, p) }

// segmentName is the file of the segment that begins with first.
func segmentName(first nerve.ID) string { return fmt.Sprintf("%020d%s", first, segmentSuffix) }

// parseSegmentName reports whether name is that of a segment.
func parseSegmentName(name string) (first nerve.ID, ok bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	if !ok || len(digits) != 20 {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 64)
	return nerve.ID(n), err == nil && n > 0
}

// segmentsAmong returns the first records of the files that are named like a
// segment, in order.
func segmentsAmong(names []string) (firsts []nerve.ID) {
	for _, name := range names {
		if first, ok := parseSegmentName(name); ok {
			firsts = append(firsts, first)
		}
	}
	slices.Sort(firsts)
	return firsts
}

// saltOf seeds every checksum in a segment, so that bytes of another segment or
// another log never pass. It depends on nothing inside the file: a damaged
// segment header leaves the batches readable.
func saltOf(logID uint64, first nerve.ID) uint32 {
	var b [16]byte
	little.PutUint64(b[0:], logID)
	little.PutUint64(b[8:], uint64(first))
	return checksum(0, b[:])
}

type segmentHeader struct {
	logID   uint64
	first   nerve.ID
	prevCRC uint32 // checksum of the last batch of the segment before
	created int64  // unix nanoseconds
}

func (h segmentHeader) encode() []byte {
	b := make([]byte, segmentHeaderSize)
	copy(b, segmentMagic)
	little.PutUint32(b[8:], formatVersion)
	little.PutUint64(b[16:], h.logID)
	little.PutUint64(b[24:], uint64(h.first))
	little.PutUint32(b[32:], h.prevCRC)
	little.PutUint64(b[40:], uint64(h.created))
	little.PutUint32(b[12:], checksum(0, b[16:]))
	return b
}

// decodeSegmentHeader returns the header or the reason why it is none.
func decodeSegmentHeader(b []byte) (h segmentHeader, reason string) {
	switch {
	case len(b) < segmentHeaderSize:
		return h, "the segment header is cut off"
	case string(b[:8]) != segmentMagic:
		return h, "this is no segment header"
	case little.Uint32(b[12:]) != checksum(0, b[16:segmentHeaderSize]):
		return h, "the checksum of the segment header is wrong"
	case little.Uint32(b[8:]) != formatVersion:
		return h, fmt.Sprintf("segment format %d is unknown", little.Uint32(b[8:]))
	}
	return segmentHeader{
		logID:   little.Uint64(b[16:]),
		first:   nerve.ID(little.Uint64(b[24:])),
		prevCRC: little.Uint32(b[32:]),
		created: int64(little.Uint64(b[40:])),
	}, ""
}

// A batch holds records, or stands for records that a repair gave up. The header
// of a batch with a key is longer, and so is that of one with ids, which follow
// the records in the body.
const (
	kindRecords = 0
	kindLost    = 1
	kindKeyed   = 2
	kindIDs     = 3
)

type batchHeader struct {
	crc      uint32 // checksum of the header itself; the batch after repeats it
	bodyCRC  uint32 // checksum of the stored body
	first    nerve.ID
	unixNano int64
	synced   nerve.ID // durable for certain when this batch was written
	prevCRC  uint32
	count    uint32
	stored   uint32 // bytes of body in the file
	raw      uint32 // bytes of body after decompression
	codec    Compression
	kind     uint8
	key      nerve.Key // key of a batch of kindKeyed
	parts    uint32    // number of parts at the end of the body of a batch of kindIDs
}

func headerSize(kind uint8) int64 {
	if kind == kindKeyed || kind == kindIDs {
		return keyedHeaderSize
	}
	return batchHeaderSize
}

// size is the length of the header itself.
func (h *batchHeader) size() int64 { return headerSize(h.kind) }

// records is how many bytes of the stored body are records.
func (h *batchHeader) records() int { return int(h.stored) - int(h.parts)*partSize }

// appended is what is remembered of the batch.
func (h *batchHeader) appended() nerve.Appended {
	return nerve.Appended{Key: h.key, First: h.first, Last: h.last(), UnixNano: h.unixNano}
}

func (h *batchHeader) last() nerve.ID {
	if h.kind == kindLost {
		return h.synced // a range of any length takes one header
	}
	return h.first + nerve.ID(h.count) - 1
}

// encode writes the header to the front of space, sets h.crc, and returns what
// it wrote.
func (h *batchHeader) encode(salt uint32, space *[keyedHeaderSize]byte) []byte {
	*space = [keyedHeaderSize]byte{}
	b := space[:h.size()]
	copy(b, batchMagic)
	little.PutUint32(b[12:], h.bodyCRC)
	little.PutUint64(b[16:], uint64(h.first))
	little.PutUint64(b[24:], uint64(h.unixNano))
	little.PutUint64(b[32:], uint64(h.synced))
	little.PutUint32(b[40:], h.prevCRC)
	little.PutUint32(b[44:], h.count)
	little.PutUint32(b[48:], h.stored)
	little.PutUint32(b[52:], h.raw)
	b[56] = byte(h.codec)
	b[57] = h.kind
	if h.kind == kindKeyed {
		little.PutUint64(b[batchHeaderSize:], h.key.Producer)
		little.PutUint64(b[batchHeaderSize+8:], h.key.Seq)
	}
	if h.kind == kindIDs {
		little.PutUint32(b[batchHeaderSize:], h.parts)
	}
	h.crc = checksum(salt, b[12:])
	little.PutUint32(b[8:], h.crc)
	return b
}

// decode reads the header from b, which has at least batchHeaderSize bytes, and
// returns the reason if it is none.
func (h *batchHeader) decode(salt uint32, b []byte) (reason string) {
	if string(b[:8]) != batchMagic {
		return "this is no batch header"
	}
	size := headerSize(b[57])
	if int64(len(b)) < size {
		return "the batch header is cut off"
	}
	b = b[:size]
	*h = batchHeader{
		crc:      little.Uint32(b[8:]),
		bodyCRC:  little.Uint32(b[12:]),
		first:    nerve.ID(little.Uint64(b[16:])),
		unixNano: int64(little.Uint64(b[24:])),
		synced:   nerve.ID(little.Uint64(b[32:])),
		prevCRC:  little.Uint32(b[40:]),
		count:    little.Uint32(b[44:]),
		stored:   little.Uint32(b[48:]),
		raw:      little.Uint32(b[52:]),
		codec:    Compression(b[56]),
		kind:     b[57],
	}
	if h.kind == kindKeyed {
		h.key.Producer = little.Uint64(b[batchHeaderSize:])
		h.key.Seq = little.Uint64(b[batchHeaderSize+8:])
	}
	if h.kind == kindIDs {
		h.parts = little.Uint32(b[batchHeaderSize:])
	}
	switch {
	case h.crc != checksum(salt, b[12:]):
		return "the checksum of the batch header is wrong"
	case h.kind > kindIDs:
		return fmt.Sprintf("batches of kind %d are unknown", h.kind)
	case h.stored > maxBatchLimit || h.raw > maxBatchLimit, h.count == 0, h.first == 0,
		h.last() < h.first, uint64(h.parts)*partSize > uint64(h.stored):
		return "the batch header is out of range"
	}
	return ""
}

// indexEntry is the place of one batch. Entries are indexSpacing bytes or more
// apart.
type indexEntry struct {
	first    nerve.ID
	unixNano int64
	offset   int64
}

// trailer closes a segment that is complete. The index lies before it.
type trailer struct {
	first, last nerve.ID // last is first-1 in an empty segment
	lastNano    int64
	dataEnd     int64 // where the batches end and the index begins
	lastCRC     uint32
}

// encodeFooter returns index and trailer as they follow the last batch.
func encodeFooter(salt uint32, index []indexEntry, t trailer) []byte {
	b := make([]byte, len(index)*indexEntrySize+trailerSize)
	for i, e := range index {
		p := b[i*indexEntrySize:]
		little.PutUint64(p[0:], uint64(e.first))
		little.PutUint64(p[8:], uint64(e.unixNano))
		little.PutUint64(p[16:], uint64(e.offset))
	}
	p := b[len(index)*indexEntrySize:]
	copy(p, trailerMagic)
	little.PutUint32(p[12:], uint32(len(index)))
	little.PutUint64(p[16:], uint64(t.first))
	little.PutUint64(p[24:], uint64(t.last))
	little.PutUint64(p[32:], uint64(t.lastNano))
	little.PutUint64(p[40:], uint64(t.dataEnd))
	little.PutUint32(p[48:], t.lastCRC)
	// Two checksums, because opening a log reads trailers alone.
	little.PutUint32(p[52:], checksum(salt, b[:len(index)*indexEntrySize]))
	little.PutUint32(p[8:], checksum(salt, p[12:]))
	return b
}

// decodeTrailer reads the last trailerSize bytes of a file of the given size.
func decodeTrailer(salt uint32, p []byte,
	fileSize int64) (t trailer, entries int, indexCRC uint32, ok bool) {
	if len(p) < trailerSize || string(p[:8]) != trailerMagic ||
		little.Uint32(p[8:]) != checksum(salt, p[12:trailerSize]) {
		return t, 0, 0, false
	}
	t = trailer{
		first:    nerve.ID(little.Uint64(p[16:])),
		last:     nerve.ID(little.Uint64(p[24:])),
		lastNano: int64(little.Uint64(p[32:])),
		dataEnd:  int64(little.Uint64(p[40:])),
		lastCRC:  little.Uint32(p[48:]),
	}
	entries = int(little.Uint32(p[12:]))
	ok = t.dataEnd >= segmentHeaderSize && t.last+1 >= t.first &&
		t.dataEnd+int64(entries)*indexEntrySize+trailerSize == fileSize
	return t, entries, little.Uint32(p[52:]), ok
}

func decodeIndex(salt uint32, p []byte, crc uint32) (index []indexEntry, ok bool) {
	if checksum(salt, p) != crc {
		return nil, false
	}
	index = make([]indexEntry, len(p)/indexEntrySize)
	for i := range index {
		e := p[i*indexEntrySize:]
		index[i] = indexEntry{
			first:    nerve.ID(little.Uint64(e[0:])),
			unixNano: int64(little.Uint64(e[8:])),
			offset:   int64(little.Uint64(e[16:])),
		}
	}
	return index, true
}
