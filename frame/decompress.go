package frame

import (
	"bytes"
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

// lz4Ratio is what a byte of an LZ4 block can stand for at most.
const lz4Ratio = 255

// firstPiece is the memory, in bytes, that a payload of unknown length begins with.
const firstPiece = 4 << 10

// decompress writes a payload to the memory of buf, which is empty.
func decompress(buf, body []byte, c Codec, limit int) ([]byte, error) {
	switch c {
	case S2:
		return decompressS2(buf, body, limit)
	case Zstd:
		return decompressZstd(buf, body, limit)
	case LZ4:
		return decompressLZ4(buf, body, limit)
	case Gzip:
		return decompressStream(buf, body, c, limit, &gzipReaders)
	case Deflate:
		return decompressStream(buf, body, c, limit, &zlibReaders)
	}
	return nil, &CodecError{Flag: byte(c)}
}

func decompressS2(buf, body []byte, limit int) ([]byte, error) {
	n, err := s2.DecodedLen(body)
	if err != nil {
		return nil, &CorruptError{Codec: S2, Reason: "the length is not readable", Err: err}
	}
	if n > limit {
		return nil, &LimitError{Limit: limit, Size: n}
	}
	buf = slices.Grow(buf, n)
	out, err := s2.Decode(buf[:n], body)
	if err != nil {
		return nil, &CorruptError{Codec: S2, Reason: "the block is not readable", Err: err}
	}
	return out, nil
}

func decompressLZ4(buf, body []byte, limit int) ([]byte, error) {
	if len(body) < lengthPrefix {
		return nil, &CorruptError{Codec: LZ4, Reason: "the length is cut off"}
	}
	said := uint64(binary.LittleEndian.Uint32(body))
	body = body[lengthPrefix:]
	if said > uint64(limit) {
		return nil, &LimitError{Limit: limit, Size: int(said)}
	}
	// Nothing would be gained by compressing nothing, and the decoder crashes without room.
	if said == 0 || said > uint64(len(body))*lz4Ratio {
		return nil, &CorruptError{Codec: LZ4, Reason: "no block of that size has that many bytes"}
	}
	buf = slices.Grow(buf, int(said))[:said]
	n, err := lz4.UncompressBlock(body, buf)
	if err == nil && n != len(buf) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, &CorruptError{Codec: LZ4, Reason: "the block is not readable", Err: err}
	}
	return buf, nil
}

func decompressZstd(buf, body []byte, limit int) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(body); err != nil {
		return nil, &CorruptError{Codec: Zstd, Reason: "the header is not readable", Err: err}
	}
	if !h.HasFCS { // another encoder may leave the size out
		return decompressStream(buf, body, Zstd, limit, &zstdReaders)
	}
	if h.FrameContentSize > uint64(limit) {
		return nil, &LimitError{Limit: limit, Size: int(min(h.FrameContentSize, 1<<62))}
	}
	size := int(h.FrameContentSize)
	buf = slices.Grow(buf, size)
	// DecodeAll stops at the capacity that it is given.
	out, err := zstdDecoder().DecodeAll(body, buf[:0:size])
	if err == nil && len(out) != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, &CorruptError{Codec: Zstd, Reason: "the frame is not readable", Err: err}
	}
	return out, nil
}

// zstdDecoder is one for all: DecodeAll may be called by many goroutines.
var zstdDecoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderConcurrency(0))
	if err != nil {
		panic(err) // the options are constants
	}
	return d
})

// streamReader reads what does not say its length before.
type streamReader struct {
	io.Reader
	in    bytes.Reader
	reset func(s *streamReader) error
}

func decompressStream(buf, body []byte, c Codec, limit int, pool *sync.Pool) ([]byte, error) {
	s := pool.Get().(*streamReader)
	defer pool.Put(s)
	s.in.Reset(body)
	defer s.in.Reset(nil)
	if err := s.reset(s); err != nil {
		return nil, &CorruptError{Codec: c, Reason: "the header is not readable", Err: err}
	}
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(firstPiece, len(buf)))
		}
		// One byte more than the limit tells too long from just right.
		n, err := s.Read(buf[len(buf):min(cap(buf), limit+1)])
		buf = buf[:len(buf)+n]
		if len(buf) > limit {
			return nil, &LimitError{Limit: limit}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, &CorruptError{Codec: c, Reason: "the stream is not readable", Err: err}
		}
	}
	if s.in.Len() > 0 {
		return nil, &CorruptError{Codec: c, Reason: "there are bytes behind the stream"}
	}
	return buf, nil
}

// zstdWindow bounds the memory, in bytes, in which a stream of zstd may look back.
const zstdWindow = 8 << 20

var zstdReaders = sync.Pool{New: func() any {
	return &streamReader{reset: func(s *streamReader) error {
		if r, ok := s.Reader.(*zstd.Decoder); ok {
			return r.Reset(&s.in)
		}
		r, err := zstd.NewReader(&s.in, zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
		if err == nil {
			s.Reader = r
		}
		return err
	}}
}}

var gzipReaders = sync.Pool{New: func() any {
	return &streamReader{reset: func(s *streamReader) error {
		r, ok := s.Reader.(*gzip.Reader)
		if !ok {
			r = new(gzip.Reader)
			s.Reader = r
		}
		err := r.Reset(&s.in)
		r.Multistream(false)
		return err
	}}
}}

var zlibReaders = sync.Pool{New: func() any {
	return &streamReader{reset: func(s *streamReader) error {
		if r, ok := s.Reader.(zlib.Resetter); ok {
			return r.Reset(&s.in, nil)
		}
		r, err := zlib.NewReader(&s.in)
		if err == nil {
			s.Reader = r
		}
		return err
	}}
}}
