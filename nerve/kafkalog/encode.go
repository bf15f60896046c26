package kafkalog

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/octopus-framework/octopus/nerve"
)

// A record batch (magic 2) begins with a header:
//
//	 0 base offset      int64     43 producer id    int64
//	 8 length           int32     51 producer epoch int16
//	12 leader epoch     int32     53 base sequence  int32
//	16 magic            int8      57 records        int32
//	17 crc              uint32    61 ...
//	21 attributes       int16
//	23 last delta       int32
//	27 first timestamp  int64
//	35 max timestamp    int64
//
// The length counts what comes after it, the CRC32C covers everything from the
// attributes on. All numbers are big-endian.
const (
	headerSize   = 61
	lengthEnd    = 12
	crcAt        = 17
	crcFrom      = 21
	magic        = 2
	codecMask    = 0x07
	attrAppended = 0x08 // the broker set the time
	attrTxn      = 0x10
	attrControl  = 0x20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sequenced is the place of a batch among those of its producer: a broker
// stores each place once.
type sequenced struct {
	producer int64
	sequence int32
}

// emptyRecord is the most that a record without data takes: its length,
// attributes, two deltas, key length, value length and header count, a byte each
// but for the delta of the offset, which has 4 in a batch of maxBatch. A packed
// record without data has 4 bytes, and with data the proportion is smaller.
const emptyRecord = 10

// batchHeader begins a record batch in dst. The base offset is the broker's to
// set.
func batchHeader(dst []byte, at sequenced, count int, millis int64, codec Codec) []byte {
	dst = append(dst, make([]byte, headerSize)...)
	binary.BigEndian.PutUint32(dst[lengthEnd:], ^uint32(0)) // leader epoch: none
	dst[16] = magic
	binary.BigEndian.PutUint16(dst[21:], uint16(codec))
	binary.BigEndian.PutUint32(dst[23:], uint32(count-1))
	binary.BigEndian.PutUint64(dst[27:], uint64(millis))
	binary.BigEndian.PutUint64(dst[35:], uint64(millis))
	binary.BigEndian.PutUint64(dst[43:], uint64(at.producer))
	binary.BigEndian.PutUint32(dst[53:], uint32(at.sequence))
	binary.BigEndian.PutUint32(dst[57:], uint32(count))
	return dst
}

// finishBatch sets what is known when the batch is complete.
func finishBatch(b []byte) []byte {
	binary.BigEndian.PutUint32(b[8:], uint32(len(b)-lengthEnd))
	binary.BigEndian.PutUint32(b[crcAt:], crc32.Checksum(b[crcFrom:], castagnoli))
	return b
}

// header is one of a record.
type header struct {
	key   string
	value []byte
}

// appendValues appends the records of b, without keys; the first one carries
// the header first, if there is one.
func appendValues(dst []byte, b *nerve.Batch, first header) []byte {
	delta := int64(0)
	for rec := range b.All() {
		headers := 1
		if delta == 0 && first.value != nil {
			headers = headerLen(first.key, first.value)
		}
		size := 1 + 1 + varintLen(delta) + 1 + varintLen(int64(len(rec.Data))) + len(rec.Data) +
			headers
		dst = appendVarint(dst, int64(size))
		dst = append(dst, 0, 0) // attributes, time delta
		dst = appendVarint(dst, delta)
		dst = append(dst, 1) // the length of no key is -1
		dst = appendVarint(dst, int64(len(rec.Data)))
		dst = append(dst, rec.Data...)
		if headers == 1 {
			dst = append(dst, 0)
		} else {
			dst = appendHeader(dst, first.key, first.value)
		}
		delta++
	}
	return dst
}

// appendKeyed appends one record with key and value; a nil value is a
// tombstone.
func appendKeyed(dst []byte, delta int, key string, value []byte) []byte {
	size := 1 + 1 + varintLen(int64(delta)) + varintLen(int64(len(key))) + len(key) + 1
	valueLen := int64(len(value))
	if value == nil {
		valueLen = -1
	}
	size += varintLen(valueLen) + len(value)
	dst = appendVarint(dst, int64(size))
	dst = append(dst, 0, 0)
	dst = appendVarint(dst, int64(delta))
	dst = appendVarint(dst, int64(len(key)))
	dst = append(dst, key...)
	dst = appendVarint(dst, valueLen)
	dst = append(dst, value...)
	return append(dst, 0)
}

// appendHeader appends a list of one header.
func appendHeader(dst []byte, key string, value []byte) []byte {
	dst = appendVarint(dst, 1)
	dst = appendVarint(dst, int64(len(key)))
	dst = append(dst, key...)
	dst = appendVarint(dst, int64(len(value)))
	return append(dst, value...)
}

func headerLen(key string, value []byte) int {
	return 1 + varintLen(int64(len(key))) + len(key) + varintLen(int64(len(value))) + len(value)
}
