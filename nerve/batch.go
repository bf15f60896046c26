package nerve

import (
	"encoding/binary"
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
// an empty batch. A Batch holds less than 4 GiB and is not safe for concurrent
// use.
//
// The packed form is, for each record, its length as four little-endian bytes
// and then its bytes.
type Batch struct {
	// First is the id of the first record; UnixNano the append time. Both are
	// set by the log.
	First    ID
	UnixNano int64
	// Key of the append, if it is to be repeatable. A cursor leaves it zero.
	Key Key
	// NoSync asks a log that syncs each append to leave this one to the next that syncs:
	// for records whose loss in a power cut does no harm. Other logs do not look at it.
	// In a [Queue] the append may share the commit of one that is synced.
	NoSync bool

	packed []byte
	start  int // where the first record starts in packed
	// ends says where each record ends in packed. To find the records by their
	// lengths would be a chain of loads, each of which waits for the one
	// before.
	ends []uint32
	view bool // the memory is somebody else's

	places places // places of records with ids
}

// Append adds a copy of data as the last record.
func (b *Batch) Append(data []byte) {
	b.packed = binary.LittleEndian.AppendUint32(b.packed, uint32(len(data)))
	b.packed = append(b.packed, data...)
	b.ends = append(b.ends, uint32(len(b.packed)))
}

// AppendFunc adds the record that marshal appends to its argument, without a
// copy: the signature of generated MarshalAppend methods.
func (b *Batch) AppendFunc(marshal func(dst []byte) []byte) {
	at := len(b.packed)
	b.packed = marshal(append(b.packed, 0, 0, 0, 0))
	b.endRecord(at)
}

// endRecord makes what was added to packed behind a prefix at at a record.
func (b *Batch) endRecord(at int) {
	binary.LittleEndian.PutUint32(b.packed[at:], uint32(len(b.packed)-at-recordPrefix))
	b.ends = append(b.ends, uint32(len(b.packed)))
}

// AppendBatch adds a copy of the records of other, with their ids. Its key does not
// matter.
func (b *Batch) AppendBatch(other *Batch) {
	for i := range other.places.parts {
		p := &other.places.parts[i]
		b.places.parts = append(b.places.parts,
			Part{ID: p.ID, Start: b.Len() + p.Start, End: b.Len() + p.End})
	}
	shift := uint32(len(b.packed) - other.start)
	b.packed = append(b.packed, other.Packed()...)
	for _, end := range other.ends {
		b.ends = append(b.ends, end+shift)
	}
}

// Reset empties the batch, takes its key, ids and NoSync away, and keeps its memory if it is
// its own.
func (b *Batch) Reset() {
	if b.view {
		*b = Batch{}
		return
	}
	*b = Batch{packed: b.packed[:0], ends: b.ends[:0], places: places{parts: b.places.parts[:0]}}
}

// Len is the number of records.
func (b *Batch) Len() int { return len(b.ends) }

// Size is the length of the packed form in bytes.
func (b *Batch) Size() int { return len(b.packed) - b.start }

// Last is the id of the last record, First-1 when there is none.
func (b *Batch) Last() ID { return b.First + ID(len(b.ends)) - 1 }

// Packed is the packed form. It aliases the batch.
func (b *Batch) Packed() []byte { return b.packed[b.start:] }

// All yields the records in order. They alias the batch.
func (b *Batch) All() iter.Seq[Record] {
	return func(yield func(Record) bool) {
		id, nano, packed, start := b.First, b.UnixNano, b.packed, b.start
		for _, end := range b.ends {
			// Made anew each time: to copy a Record of which a part was just
			// written takes as long as to read the next one.
			if !yield(Record{ID: id, UnixNano: nano,
				Data: packed[start+recordPrefix : end : end]}) {
				return
			}
			id++
			start = int(end)
		}
	}
}

// MaxRecord is the length of the longest record in bytes.
func (b *Batch) MaxRecord() int {
	longest, start := 0, b.start
	for _, end := range b.ends {
		longest = max(longest, int(end)-start-recordPrefix)
		start = int(end)
	}
	return longest
}

// AppendEnds appends to ends where the records of packed end, for [Batch.View].
// It goes on after the last of ends, so packed may come in pieces, each call
// with all that is there by then, and stops before a record that is not whole.
// Packed bytes are sound if all of them are accounted for in the end.
func AppendEnds(ends []uint32, packed []byte) []uint32 {
	at := 0
	if n := len(ends); n > 0 {
		at = int(ends[n-1])
	}
	for len(packed)-at >= recordPrefix {
		size := binary.LittleEndian.Uint32(packed[at:])
		if uint64(size) > uint64(len(packed)-at-recordPrefix) {
			break
		}
		at += recordPrefix + int(size)
		ends = append(ends, uint32(at))
	}
	return ends
}

// View makes b a view of packed records, the first of them with id first,
// without copying: for logs. ends must be what [AppendEnds] made of all of
// packed.
func (b *Batch) View(first ID, unixNano int64, packed []byte, ends []uint32) {
	*b = Batch{
		First: first, UnixNano: unixNano,
		// Without spare capacity, appending to a view reallocates.
		packed: packed[:len(packed):len(packed)], ends: ends[:len(ends):len(ends)], view: true,
	}
}

// dropAfter removes the records after id from a view, which keeps its memory.
func (b *Batch) dropAfter(id ID) {
	if id >= b.Last() {
		return
	}
	n := int(id + 1 - b.First)
	b.ends = b.ends[:n:n]
	b.packed = b.packed[:b.ends[n-1]:b.ends[n-1]]
}

// DropBefore removes the records before id, for reads that begin inside a
// batch. It moves the start of the view and copies nothing.
func (b *Batch) DropBefore(id ID) {
	if id <= b.First || len(b.ends) == 0 {
		return
	}
	n := min(uint64(id-b.First), uint64(len(b.ends)))
	b.First += ID(n)
	b.start = int(b.ends[n-1])
	b.ends = b.ends[n:]
}
