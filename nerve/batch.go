package nerve

import (
	"encoding/binary"
	"errors"
	"iter"
	"time"
)

// ID numbers the records of a log: 1, 2, 3, without gaps. Zero is no record.
type ID uint64

// Record is one record as it is read.
type Record struct {
	// ID is the place of the record in the log.
	ID ID
	// UnixNano is the append time, common to the records of a batch and never
	// smaller than that of the batch before.
	UnixNano int64
	// Data is the record. It aliases memory of the cursor or consumer that
	// yielded it: it must not be written to, and is valid until the next
	// batch is taken from there. Copy what must live longer.
	Data []byte
}

// Time is UnixNano as a time.Time in the local zone.
func (r Record) Time() time.Time { return time.Unix(0, r.UnixNano) }

// recordPrefix is the length before each packed record.
const recordPrefix = 4

// Batch is a run of records packed into one buffer: what is committed together
// on the way in, and what a [Cursor] yields on the way out. The zero value is
// an empty batch. A Batch is not safe for concurrent use.
//
// The packed form is, for each record, its length as four little-endian bytes
// and then its bytes.
type Batch struct {
	// First is the id of the first record; UnixNano the append time. Both are
	// set by the log.
	First    ID
	UnixNano int64

	count   int
	longest int // record, in bytes
	packed  []byte
}

// Append adds a copy of data as the last record.
func (b *Batch) Append(data []byte) {
	b.packed = binary.LittleEndian.AppendUint32(b.packed, uint32(len(data)))
	b.packed = append(b.packed, data...)
	b.longest = max(b.longest, len(data))
	b.count++
}

// AppendFunc adds the record that marshal appends to its argument, without a
// copy: the signature of generated MarshalAppend methods.
func (b *Batch) AppendFunc(marshal func(dst []byte) []byte) {
	at := len(b.packed)
	b.packed = append(b.packed, 0, 0, 0, 0)
	b.packed = marshal(b.packed)
	n := len(b.packed) - at - recordPrefix
	binary.LittleEndian.PutUint32(b.packed[at:], uint32(n))
	b.longest = max(b.longest, n)
	b.count++
}

// AppendBatch adds a copy of the records of other.
func (b *Batch) AppendBatch(other *Batch) {
	b.packed = append(b.packed, other.packed...)
	b.longest = max(b.longest, other.longest)
	b.count += other.count
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() { *b = Batch{packed: b.packed[:0]} }

// Len is the number of records.
func (b *Batch) Len() int { return b.count }

// Size is the length of the packed form in bytes.
func (b *Batch) Size() int { return len(b.packed) }

// Last is the id of the last record, First-1 when there is none.
func (b *Batch) Last() ID { return b.First + ID(b.count) - 1 }

// Packed is the packed form. It aliases the batch.
func (b *Batch) Packed() []byte { return b.packed }

// All yields the records in order. They alias the batch.
func (b *Batch) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		rec := Record{ID: b.First, UnixNano: b.UnixNano}
		for p := b.packed; len(p) >= recordPrefix; rec.ID++ {
			n := int(binary.LittleEndian.Uint32(p))
			rec.Data = p[recordPrefix : recordPrefix+n : recordPrefix+n]
			if !yield(rec) {
				return
			}
			p = p[recordPrefix+n:]
		}
	}
}

var errPacking = errors.New("nerve: record lengths do not add up to the batch")

// SetPacked makes b a view of count packed records, the first of them with id
// first, without copying: for logs. It reports an error, and leaves b empty,
// when the lengths inside do not add up, so that a view that was once accepted
// can be walked without checks.
func (b *Batch) SetPacked(first ID, unixNano int64, count int, packed []byte) error {
	*b = Batch{}
	p, n, longest := packed, 0, uint64(0)
	for ; len(p) >= recordPrefix && n < count; n++ {
		size := uint64(binary.LittleEndian.Uint32(p))
		if size > uint64(len(p)-recordPrefix) {
			return errPacking
		}
		longest = max(longest, size)
		p = p[recordPrefix+size:]
	}
	if n != count || len(p) != 0 {
		return errPacking
	}
	*b = Batch{
		First: first, UnixNano: unixNano,
		count: count, longest: int(longest), packed: packed[:len(packed):len(packed)],
	}
	return nil
}

// DropBefore removes the records before id, for reads that begin inside a
// batch. It moves the start of the view and copies nothing.
func (b *Batch) DropBefore(id ID) {
	for b.First < id && b.count > 0 {
		n := recordPrefix + int(binary.LittleEndian.Uint32(b.packed))
		b.packed = b.packed[n:]
		b.First++
		b.count--
	}
}

// MaxRecord is the length of the longest record that was put into the batch, in
// bytes.
func (b *Batch) MaxRecord() int { return b.longest }
