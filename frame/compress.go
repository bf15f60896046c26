package frame

import (
	"encoding/binary"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// lengthPrefix is what stands before an LZ4 block.
const lengthPrefix = 4

// compress appends the compressed payload to dst, and reports whether it became smaller. If not,
// what lies behind dst is of no use.
func compress(dst, payload []byte, c Codec) ([]byte, bool) {
	start := len(dst)
	if uint64(len(payload)) > s2.MaxBlockSize-64<<10 {
		return dst, false // no block is that large; every codec has the same bound
	}
	// With this room, no codec needs memory of its own for what it writes.
	dst = slices.Grow(dst, len(payload))
	room := dst[start : start+len(payload)]
	var n int
	switch c {
	case S2:
		n = compressS2(room, payload)
	case Zstd:
		n = compressZstd(room, payload)
	case LZ4:
		n = compressLZ4(room, payload)
	case Gzip:
		n = compressStream(room, payload, &gzipWriters)
	case Deflate:
		n = compressStream(room, payload, &zlibWriters)
	}
	if n == 0 || n >= len(payload) {
		return dst, false
	}
	return dst[:start+n], true
}

// compressS2 returns 0 if there is not enough room. The encoder itself asks for room in the worst
// case, which is more than the payload.
func compressS2(room, payload []byte) int {
	buf := buffers.Get().(*[]byte)
	defer putBuffer(buf)
	*buf = slices.Grow((*buf)[:0], s2.MaxEncodedLen(len(payload)))
	out := s2.Encode((*buf)[:cap(*buf)], payload)
	if len(out) >= len(room) {
		return 0
	}
	return copy(room, out)
}

func compressZstd(room, payload []byte) int {
	out := zstdEncoder().EncodeAll(payload, room[:0])
	if len(out) >= len(room) {
		return 0
	}
	// The encoder moves on to other memory when it had to take more meanwhile.
	return copy(room, out)
}

func compressLZ4(room, payload []byte) int {
	if len(room) <= lengthPrefix {
		return 0
	}
	c := lz4Compressors.Get().(*lz4.Compressor)
	defer lz4Compressors.Put(c)
	n, err := c.CompressBlock(payload, room[lengthPrefix:])
	if err != nil || n == 0 {
		return 0 // it does not fit, so it is not smaller
	}
	binary.LittleEndian.PutUint32(room, uint32(len(payload)))
	return lengthPrefix + n
}

// streamWriter is what gzip and zlib have in common.
type streamWriter interface {
	io.WriteCloser
	Reset(w io.Writer)
}

// pooledStream is a writer with the memory that it writes to.
type pooledStream struct {
	fixedBuffer
	w streamWriter
}

// fixedBuffer takes what fits.
type fixedBuffer struct {
	room []byte
	n    int
}

// Write implements io.Writer.
func (b *fixedBuffer) Write(p []byte) (int, error) {
	if len(p) > len(b.room)-b.n {
		return 0, io.ErrShortBuffer
	}
	b.n += copy(b.room[b.n:], p)
	return len(p), nil
}

func compressStream(room, payload []byte, pool *sync.Pool) int {
	s := pool.Get().(*pooledStream)
	defer pool.Put(s)
	s.fixedBuffer = fixedBuffer{room: room}
	s.w.Reset(&s.fixedBuffer)
	_, err := s.w.Write(payload)
	if err == nil {
		err = s.w.Close()
	}
	n := s.n
	s.fixedBuffer = fixedBuffer{}
	if err != nil {
		return 0 // it does not fit, so it is not smaller
	}
	return n
}

var (
	lz4Compressors = sync.Pool{New: func() any { return new(lz4.Compressor) }}
	gzipWriters    = sync.Pool{New: func() any { return &pooledStream{w: gzip.NewWriter(nil)} }}
	zlibWriters    = sync.Pool{New: func() any { return &pooledStream{w: zlib.NewWriter(nil)} }}
	buffers        = sync.Pool{New: func() any { return new([]byte) }}
)

// maxPooled bounds the memory, in bytes, that a pool keeps in one piece.
const maxPooled = 1 << 20

func putBuffer(b *[]byte) {
	if cap(*b) <= maxPooled {
		buffers.Put(b)
	}
}

// zstdEncoder is one for all: EncodeAll may be called by many goroutines, and takes the memory that
// it needs from a pool of its own.
var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true),
		zstd.WithSingleSegment(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})
