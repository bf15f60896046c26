package kafkalog

import "math/bits"

// appendVarint appends v as Kafka's records have it: zigzag, seven bits a byte.
func appendVarint(dst []byte, v int64) []byte {
	u := uint64(v)<<1 ^ uint64(v>>63)
	for u >= 0x80 {
		dst = append(dst, byte(u)|0x80)
		u >>= 7
	}
	return append(dst, byte(u))
}

// varintLen is how many bytes appendVarint appends.
func varintLen(v int64) int {
	u := uint64(v)<<1 ^ uint64(v>>63)
	return (bits.Len64(u|1) + 6) / 7
}

// varint returns the value at the start of p and its length, 0 if there is none.
func varint(p []byte) (v int64, n int) {
	if len(p) > 0 && p[0] < 0x80 {
		return int64(p[0]>>1) ^ -int64(p[0]&1), 1
	}
	var u uint64
	for i, c := range p {
		if i == 10 {
			break
		}
		u |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return int64(u>>1) ^ -int64(u&1), i + 1
		}
	}
	return 0, 0
}
