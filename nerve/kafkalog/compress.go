package kafkalog

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codec compresses the records of a batch.
type Codec int16

// The codecs of Kafka, with its numbers.
const (
	None Codec = iota
	Gzip
	Snappy
	LZ4
	Zstd
)

var codecNames = []string{"none", "gzip", "snappy", "lz4", "zstd"}

// String returns the name that Kafka's settings use.
func (c Codec) String() string {
	if c < 0 || int(c) >= len(codecNames) {
		return fmt.Sprintf("codec %d", int(c))
	}
	return codecNames[c]
}

var zstdEncoder = sync.OnceValue(func() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
})

// compress appends src, compressed, to dst.
func compress(dst, src []byte, c Codec) ([]byte, error) {
	var w io.WriteCloser
	out := bytes.NewBuffer(dst)
	switch c {
	case None:
		return append(dst, src...), nil
	case Snappy:
		return append(dst, s2.EncodeSnappy(nil, src)...), nil
	case Zstd:
		return zstdEncoder().EncodeAll(src, dst), nil
	case Gzip:
		w = gzip.NewWriter(out)
	case LZ4:
		w = lz4.NewWriter(out)
	default:
		return nil, fmt.Errorf("%v is unknown", c)
	}
	if _, err := w.Write(src); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

var errBomb = errors.New("its records are larger than Options.MaxDecompressed")

// decompressor has the state of decoders and the memory for what they make. The
// zero value is ready.
type decompressor struct {
	out  []byte
	gzip *gzip.Reader
	lz4  *lz4.Reader
	zstd *zstd.Decoder
}

// decompress returns src, decompressed, up to limit bytes. The result is valid
// until the next call.
func (d *decompressor) decompress(src []byte, c Codec, limit int) ([]byte, error) {
	switch c {
	case None:
		return src, nil
	case Snappy:
		return d.snappy(src, limit)
	case Gzip:
		if d.gzip == nil {
			d.gzip = new(gzip.Reader)
		}
		if err := d.gzip.Reset(bytes.NewReader(src)); err != nil {
			return nil, err
		}
		return d.readAll(d.gzip, limit)
	case LZ4:
		if d.lz4 == nil {
			d.lz4 = lz4.NewReader(nil)
		}
		d.lz4.Reset(bytes.NewReader(src))
		return d.readAll(d.lz4, limit)
	case Zstd:
		if d.zstd == nil {
			var err error
			d.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1),
				zstd.WithDecoderMaxMemory(uint64(max(limit, 1<<20))))
			if err != nil {
				return nil, err
			}
		}
		if err := d.zstd.Reset(bytes.NewReader(src)); err != nil {
			return nil, err
		}
		return d.readAll(d.zstd, limit)
	}
	return nil, fmt.Errorf("%v is unknown", c)
}

// readAll reads r into the memory of d.
func (d *decompressor) readAll(r io.Reader, limit int) ([]byte, error) {
	d.out = d.out[:0]
	for {
		if len(d.out) == cap(d.out) {
			d.out = append(d.out, 0)[:len(d.out)]
		}
		n, err := r.Read(d.out[len(d.out):cap(d.out)])
		d.out = d.out[:len(d.out)+n]
		switch {
		case len(d.out) > limit:
			return nil, errBomb
		case err == io.EOF:
			return d.out, nil
		case err != nil:
			return nil, err
		}
	}
}

// xerial is how the snappy of Java clients begins; version and lowest version
// follow, 4 bytes each, and then blocks with their lengths in front.
const xerial = "\x82SNAPPY\x00"

func (d *decompressor) snappy(src []byte, limit int) ([]byte, error) {
	d.out = d.out[:0]
	if !bytes.HasPrefix(src, []byte(xerial)) {
		return d.block(src, limit)
	}
	if len(src) < len(xerial)+8 {
		return nil, errShort
	}
	for src = src[len(xerial)+8:]; len(src) > 0; {
		if len(src) < 4 {
			return nil, errShort
		}
		size := uint64(binary.BigEndian.Uint32(src))
		if src = src[4:]; size > uint64(len(src)) {
			return nil, errShort
		}
		if _, err := d.block(src[:size], limit); err != nil {
			return nil, err
		}
		src = src[size:]
	}
	return d.out, nil
}

// block appends one block of snappy to the memory of d.
func (d *decompressor) block(src []byte, limit int) ([]byte, error) {
	n, err := s2.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	at := len(d.out)
	if n > limit-at {
		return nil, errBomb
	}
	if cap(d.out) < at+n {
		d.out = append(make([]byte, 0, max(at+n, 2*cap(d.out))), d.out...)
	}
	d.out = d.out[:at+n]
	_, err = s2.Decode(d.out[at:], src)
	return d.out, err
}
