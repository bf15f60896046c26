package sqllog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/s2"

	"github.com/octopus-framework/octopus/nerve"
)

// Codecs of bodies.
const (
	codecNone = 0
	codecS2   = 1
)

// maxDecoded bounds what a body may grow to, whatever its length claims.
const maxDecoded = 1 << 30

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// body is a batch as it is stored.
type body struct {
	codec  int64
	stored []byte
	buffer []byte // memory for stored, used again
}

var bodies = sync.Pool{New: func() any { return new(body) }}

// free gives the memory back.
func (o *body) free() {
	o.stored = nil
	bodies.Put(o)
}

// encode packs b, compressed if that makes it smaller. The result aliases b if
// it does not.
func encode(b *nerve.Batch, compress bool) *body {
	o := bodies.Get().(*body)
	o.codec, o.stored = codecNone, b.Packed()
	if !compress {
		return o
	}
	if need := s2.MaxEncodedLen(len(o.stored)); cap(o.buffer) < need {
		o.buffer = make([]byte, need)
	}
	if packed := s2.Encode(o.buffer[:cap(o.buffer)], o.stored); len(packed) < len(o.stored) {
		o.codec, o.stored = codecS2, packed
	}
	return o
}

// sum is the CRC32C of the stored bytes and of the columns that say what they
// are.
func sum(stored []byte, codec, first, last, nano int64) int64 {
	var head [32]byte
	binary.LittleEndian.PutUint64(head[0:], uint64(codec))
	binary.LittleEndian.PutUint64(head[8:], uint64(first))
	binary.LittleEndian.PutUint64(head[16:], uint64(last))
	binary.LittleEndian.PutUint64(head[24:], uint64(nano))
	crc := crc32.Checksum(stored, castagnoli)
	return int64(crc32.Update(crc, castagnoli, head[:]))
}

// decode appends the packed records of a body to dst.
func decode(dst, stored []byte, codec int64) ([]byte, error) {
	switch codec {
	case codecNone:
		return append(dst, stored...), nil
	case codecS2:
		size, err := s2.DecodedLen(stored)
		if err != nil {
			return dst, err
		}
		if size > maxDecoded {
			return dst, fmt.Errorf("it claims %d bytes", size)
		}
		at := len(dst)
		if cap(dst)-at < size {
			grown := make([]byte, at, at+max(size, at))
			copy(grown, dst)
			dst = grown
		}
		dst = dst[:at+size]
		if _, err := s2.Decode(dst[at:], stored); err != nil {
			return dst[:at], err
		}
		return dst, nil
	}
	return dst, fmt.Errorf("codec %d is not known to this version", codec)
}
