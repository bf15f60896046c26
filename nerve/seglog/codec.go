package seglog

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Compression of a batch, as stored in its header.
type Compression uint8

// The compressions. The figures are for 380-byte events in packs of 1000, on
// one core.
const (
	CompressNone Compression = iota
	CompressS2               // 300-450 MB/s to 43%
	CompressZstd             // 70-230 MB/s to 36-42%
	CompressLZ4              // 170-220 MB/s to 48%
)

var compressionNames = [...]string{"none", "s2", "zstd", "lz4"}

// String returns the name.
func (c Compression) String() string {
	if int(c) < len(compressionNames) {
		return compressionNames[c]
	}
	return fmt.Sprintf("compression %d", uint8(c))
}

// ParseCompression returns the compression of that name.
func ParseCompression(name string) (Compression, error) {
	for i, n := range compressionNames {
		if n == name {
			return Compression(i), nil
		}
	}
	return 0, fmt.Errorf("nerve: no compression %q; there are none, s2, zstd and lz4", name)
}

// compressor turns bodies into stored form. It is used under the write lock.
type compressor struct {
	kind Compression
	min  int
	buf  []byte
	zstd *zstd.Encoder
	lz4  *lz4.Compressor // 128 KiB, made when it is needed
}

// compress returns what to store for body and how, body itself when that is
// not smaller. The result is valid until the next call.
func (c *compressor) compress(body []byte) ([]byte, Compression) {
	if c.kind == CompressNone || len(body) < c.min {
		return body, CompressNone
	}
	var out []byte
	switch c.kind {
	case CompressS2:
		out = s2.Encode(c.buf[:cap(c.buf)], body)
	case CompressZstd:
		if c.zstd == nil {
			// Without a writer the only errors are those of the options.
			c.zstd, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
				zstd.WithEncoderLevel(zstd.SpeedFastest))
		}
		out = c.zstd.EncodeAll(body, c.buf[:0])
	case CompressLZ4:
		if need := lz4.CompressBlockBound(len(body)); cap(c.buf) < need {
			c.buf = make([]byte, need)
		}
		if c.lz4 == nil {
			c.lz4 = new(lz4.Compressor)
		}
		n, err := c.lz4.CompressBlock(body, c.buf[:cap(c.buf)])
		if err != nil || n == 0 { // 0: it does not compress
			return body, CompressNone
		}
		out = c.buf[:n]
	}
	c.buf = out[:cap(out)]
	if len(out) >= len(body) {
		return body, CompressNone
	}
	return out, c.kind
}

// zstdDecoder is shared: DecodeAll is safe for concurrent use, and a decoder
// per cursor would cost megabytes.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxBatchLimit), zstd.WithDecodeAllCapLimit(true))
})

// decompress appends the raw bytes of stored to dst[:0]. The result has exactly
// raw bytes, or there is an error.
func decompress(dst, stored []byte, codec Compression, raw int) ([]byte, error) {
	if cap(dst) < raw {
		dst = make([]byte, raw)
	}
	dst = dst[:raw]
	var err error
	switch codec {
	case CompressS2:
		var n int
		if n, err = s2.DecodedLen(stored); err == nil && n != raw {
			return nil, fmt.Errorf("it decompresses to %d bytes instead of %d", n, raw)
		}
		if err == nil {
			dst, err = s2.Decode(dst, stored)
		}
	case CompressZstd:
		var d *zstd.Decoder
		if d, err = zstdDecoder(); err == nil {
			// The capacity is the limit: a frame that claims more is refused.
			dst, err = d.DecodeAll(stored, dst[:0:raw])
		}
	case CompressLZ4:
		var n int
		n, err = lz4.UncompressBlock(stored, dst)
		dst = dst[:max(n, 0)]
	default:
		return nil, fmt.Errorf("compression %d is unknown", codec)
	}
	if err != nil {
		return nil, err
	}
	if len(dst) != raw {
		return nil, fmt.Errorf("it decompresses to %d bytes instead of %d", len(dst), raw)
	}
	return dst, nil
}
