package kafkalog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
)

// recordBatch is a record batch as a broker sends it.
type recordBatch struct {
	base       int64 // offset of the first record, also if that was compacted away
	lastDelta  int32 // offset of the last record, relative to the first
	attributes int16
	first, max int64 // times in milliseconds
	at         sequenced
	count      int32
	body       []byte // the records, perhaps compressed
	size       int    // size of the whole batch
}

func (b *recordBatch) last() int64    { return b.base + int64(b.lastDelta) }
func (b *recordBatch) codec() Codec   { return Codec(b.attributes & codecMask) }
func (b *recordBatch) control() bool  { return b.attributes&attrControl != 0 }
func (b *recordBatch) txn() bool      { return b.attributes&attrTxn != 0 }
func (b *recordBatch) appended() bool { return b.attributes&attrAppended != 0 }

var errShort = errors.New("it is cut short")

// parseBatch reads the batch at the start of p. The error is errShort if p does
// not hold all of it; the body aliases p.
func parseBatch(p []byte) (b recordBatch, err error) {
	if len(p) < headerSize {
		return b, errShort
	}
	length := int64(int32(binary.BigEndian.Uint32(p[8:])))
	b.base = int64(binary.BigEndian.Uint64(p))
	switch {
	case p[16] != magic:
		return b, fmt.Errorf("its format is version %d, and only version 2 is known", p[16])
	case length < headerSize-lengthEnd:
		return b, fmt.Errorf("its length is %d", length)
	case int64(len(p)) < lengthEnd+length:
		return b, errShort
	}
	b.size = lengthEnd + int(length)
	p = p[:b.size]
	if got, want := crc32.Checksum(p[crcFrom:], castagnoli),
		binary.BigEndian.Uint32(p[crcAt:]); got != want {
		return b, fmt.Errorf("its CRC is %08x and should be %08x", got, want)
	}
	b.attributes = int16(binary.BigEndian.Uint16(p[21:]))
	b.lastDelta = int32(binary.BigEndian.Uint32(p[23:]))
	b.first = int64(binary.BigEndian.Uint64(p[27:]))
	b.max = int64(binary.BigEndian.Uint64(p[35:]))
	b.at = sequenced{int64(binary.BigEndian.Uint64(p[43:])), int32(binary.BigEndian.Uint32(p[53:]))}
	b.count = int32(binary.BigEndian.Uint32(p[57:]))
	b.body = p[headerSize:]
	if b.base < 0 || b.lastDelta < 0 || b.count < 0 || b.count > b.lastDelta+1 {
		return b, fmt.Errorf("it claims %d records over %d offsets from %d", b.count, b.lastDelta,
			b.base)
	}
	return b, nil
}

// lastOffset returns the last offset of the whole batches in p, and false if
// there is none. It looks at no more than their lengths.
func lastOffset(p []byte) (offset int64, ok bool) {
	for len(p) >= headerSize {
		size := lengthEnd + int64(int32(binary.BigEndian.Uint32(p[8:])))
		if size < headerSize || int64(len(p)) < size {
			break
		}
		offset = int64(binary.BigEndian.Uint64(p)) + int64(int32(binary.BigEndian.Uint32(p[23:])))
		ok = true
		p = p[size:]
	}
	return offset, ok
}

// record is one record of a batch. Its slices alias the batch; nil is absent.
type record struct {
	timeDelta, delta int64
	key, value       []byte
	headers          []byte // count and headers
}

var errRecord = errors.New("a record in it is malformed")

// parseRecord reads the record at the start of p and returns its size.
func parseRecord(p []byte, r *record) (size int, err error) {
	length, n := varint(p)
	if n == 0 || length < 0 || length > int64(len(p)-n) {
		return 0, errRecord
	}
	size = n + int(length)
	p = p[n:size]
	if len(p) < 1 {
		return 0, errRecord
	}
	p = p[1:] // attributes: none are defined
	if r.timeDelta, n = varint(p); n == 0 {
		return 0, errRecord
	}
	p = p[n:]
	if r.delta, n = varint(p); n == 0 {
		return 0, errRecord
	}
	p = p[n:]
	if r.key, n = field(p); n == 0 {
		return 0, errRecord
	}
	p = p[n:]
	if r.value, n = field(p); n == 0 {
		return 0, errRecord
	}
	r.headers = p[n:]
	return size, nil
}

// field reads bytes with their length in front, -1 for none.
func field(p []byte) (data []byte, size int) {
	length, n := varint(p)
	if n == 0 || length < -1 || length > int64(len(p)-n) {
		return nil, 0
	}
	if length == -1 {
		return nil, n
	}
	size = n + int(length)
	return p[n:size:size], size
}

// records yields the records of an uncompressed body. It stops after an error.
func records(body []byte, count int32) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		var r record
		last := int64(-1)
		for range count {
			n, err := parseRecord(body, &r)
			if err == nil && r.delta <= last {
				err = errRecord
			}
			if !yield(&r, err) || err != nil {
				return
			}
			last = r.delta
			body = body[n:]
		}
		if len(body) > 0 {
			yield(nil, errors.New("there are bytes behind its records"))
		}
	}
}

// eachHeader yields the headers of a record, up to one that is malformed.
func eachHeader(p []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		scanHeaders(p, yield)
	}
}

// scanHeaders calls each with the headers of a record until it returns false,
// and reports whether they are well-formed up to there.
func scanHeaders(p []byte, each func(string, []byte) bool) bool {
	count, n := varint(p)
	if n == 0 || count < 0 {
		return false
	}
	for p = p[n:]; count > 0; count-- {
		key, n := field(p)
		if n == 0 {
			return false
		}
		p = p[n:]
		value, n := field(p)
		if n == 0 {
			return false
		}
		p = p[n:]
		if !each(string(key), value) {
			return true
		}
	}
	return len(p) == 0
}
