package kafkalog

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/octopus-framework/octopus/nerve"
	"github.com/octopus-framework/octopus/nerve/internal/keyed"
)

// historyHeader is the header by which the first record of a batch with a key
// says which it is and which came before it. So the newest batch of a producer
// holds all that a log must remember of that producer.
const historyHeader = "nerve.appends"

// appendHistory encodes key and the appends that table remembers:
//
//	producer 8 bytes, little-endian
//	seq of this batch, and for each append before it, the oldest first:
//	seq, first id, records, time in milliseconds, all as uvarints
func appendHistory(dst []byte, key nerve.Key, table *keyed.Table) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, key.Producer)
	dst = binary.AppendUvarint(dst, key.Seq)
	for a := range table.All() {
		dst = binary.AppendUvarint(dst, a.Key.Seq)
		dst = binary.AppendUvarint(dst, uint64(a.First))
		dst = binary.AppendUvarint(dst, uint64(a.Last-a.First+1))
		dst = binary.AppendUvarint(dst, uint64(a.UnixNano/int64(time.Millisecond)))
	}
	return dst
}

var errHistory = errors.New("its header " + historyHeader + " is malformed")

// parseHistory reads what appendHistory made of the batch whose first record
// has an offset, and returns all appends, the batch itself last.
func parseHistory(p []byte, offset int64, count int32, millis int64) ([]nerve.Appended, error) {
	if len(p) < 8 {
		return nil, errHistory
	}
	producer := binary.LittleEndian.Uint64(p)
	p = p[8:]
	failed := false
	next := func() uint64 {
		v, n := binary.Uvarint(p)
		if n <= 0 {
			failed, p = true, nil
			return 0
		}
		p = p[n:]
		return v
	}
	own := nerve.Appended{
		Key:   nerve.Key{Producer: producer, Seq: next()},
		First: nerve.ID(offset + 1), Last: nerve.ID(offset + int64(count)), UnixNano: nano(millis),
	}
	var all []nerve.Appended
	for len(p) > 0 {
		a := nerve.Appended{Key: nerve.Key{Producer: producer, Seq: next()},
			First: nerve.ID(next())}
		a.Last = a.First + nerve.ID(next()) - 1
		a.UnixNano = nano(int64(next()))
		if failed || a.Last < a.First || a.Last >= own.First || len(all) == keyed.Appends {
			return nil, errHistory
		}
		all = append(all, a)
	}
	if failed || own.Key.Seq == 0 {
		return nil, errHistory
	}
	return append(all, own), nil
}

// nano is a time of Kafka's in nanoseconds.
func nano(millis int64) int64 { return millis * int64(time.Millisecond) }

// history returns the appends that the first record of a batch tells of, none
// if it was appended without a key.
func (b *recordBatch) history(d *decompressor, limit int) ([]nerve.Appended, error) {
	value, err := b.header(d, limit, historyHeader)
	if err != nil || value == nil {
		return nil, err
	}
	return parseHistory(value, b.base, b.lastDelta+1, b.max)
}

// header returns one of the first record of a batch, nil if it has none of that name.
func (b *recordBatch) header(d *decompressor, limit int, name string) ([]byte, error) {
	body, err := d.decompress(b.body, b.codec(), limit)
	if err != nil {
		return nil, err
	}
	for r, err := range records(body, b.count) {
		if err != nil {
			return nil, err
		}
		for key, value := range eachHeader(r.headers) {
			if key == name {
				return value, nil
			}
		}
		break
	}
	return nil, nil
}

// producerID is the id under which a broker keeps the sequence of whatever has
// this name. Brokers give out ids from 0 upwards; these have a bit set that
// those never reach, and 62 bits of a hash.
func producerID(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:])>>2 | 1<<62)
}

// after is the place behind count records, where sequences begin again after
// the largest int32.
func (s sequenced) after(count int) sequenced {
	return sequenced{s.producer, int32((int64(s.sequence) + int64(count)) & 0x7fffffff)}
}
