package kafkalog

import (
	"encoding/binary"
	"strings"
)

// appendEnvelope appends a record as an encoded nerve.v1.KafkaRecord, see
// kafka_record.proto. It fails if the headers are malformed.
func appendEnvelope(dst []byte, r *record, millis int64) (_ []byte, ok bool) {
	dst = appendBytes(dst, 1, r.key)
	dst = appendBytes(dst, 2, r.value)
	ok = scanHeaders(r.headers, func(key string, value []byte) bool {
		key = strings.ToValidUTF8(key, "\uFFFD")
		size := bytesSize([]byte(key)) + bytesSize(value)
		dst = append(dst, 3<<3|2)
		dst = binary.AppendUvarint(dst, uint64(size))
		dst = appendBytes(dst, 1, []byte(key))
		dst = appendBytes(dst, 2, value)
		return true
	})
	dst = append(dst, 4<<3)
	return binary.AppendUvarint(dst, uint64(millis)), ok
}

// appendBytes appends a field of type bytes or string, unless data is nil.
func appendBytes(dst []byte, number byte, data []byte) []byte {
	if data == nil {
		return dst
	}
	dst = append(dst, number<<3|2)
	dst = binary.AppendUvarint(dst, uint64(len(data)))
	return append(dst, data...)
}

// bytesSize is how much appendBytes appends.
func bytesSize(data []byte) int {
	if data == nil {
		return 0
	}
	return 1 + uvarintLen(uint64(len(data))) + len(data)
}

func uvarintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
